"""The result is recorded before bots are told the end, so that no crash loses what they know."""

import errno
import fcntl

import attrs
import pytest
import trio

from lanista.games.outcome import Termination
from lanista.match import record_writer as writer_module
from lanista.match.record import BotInfo, read_record
from lanista.match.record_writer import RecordWriter
from lanista.match.replay import verify
from match.playing import COUNTING, SKIPPERS, ending, heard, speaks
from match.test_record import HEADER, RESULT, TURN

BOTS = (BotInfo(exit="exited with code 0", output="done"), None, None)


@pytest.mark.parametrize("hello", ["Ann v=1", "Ann v=1 keep=1"])
async def test_a_result_is_written_before_a_bot_is_told(tmp_path, autojump_clock, counting, hello):
    """Whoever reads `end` finds the result in the file."""
    table = counting(hello, *SKIPPERS[1:], rounds=1)
    found = []

    async def bot(end):
        await end.say("1")
        await end.read_until("end")
        found.append(read_record(tmp_path / "m1.jsonl.gz.part"))
        end.close()

    record = await table.play(bot, speaks("1"), speaks("1"))
    assert "finished" == found[0].result.end
    assert record == attrs.evolve(found[0], result=record.result)
    assert 1 == verify(found[0], COUNTING)


async def test_an_interrupt_is_written_before_bots_are_told(tmp_path, autojump_clock, counting):
    """`error shutdown` is an end too."""
    table = counting()
    found = []

    async def bot(end):
        await end.read_until("go")
        table.match.interrupt()
        await end.read_until("error")
        found.append(read_record(tmp_path / "m1.jsonl.gz.part").result)
        end.close()

    await table.play(bot, speaks(), speaks())
    assert ("aborted", "interrupted") == (found[0].end, found[0].reason)


class NoResult:
    """A file that takes everything but a result, while it is full."""

    def __init__(self, file):
        self.file = file
        self.full = True

    def write(self, data):
        if self.full and bytes(data[:10]) == b'{"result":':
            raise OSError(errno.ENOSPC, "No space left on device")
        return self.file.write(data)

    def __getattr__(self, name):
        return getattr(self.file, name)


@pytest.mark.parametrize("again", [True, False], ids=["room again", "no room"])
async def test_bots_are_told_no_end_that_nobody_keeps(tmp_path, autojump_clock, counting, again):
    """A full disk: they are told `end aborted`, and so says the record if it can be written."""
    writer = RecordWriter(tmp_path / "m1.jsonl.gz")
    plain = writer._file
    disk = writer._file = NoResult(plain)
    hellos = ("Ann v=1 keep=1", *SKIPPERS[1:])
    table = counting(*hellos, rounds=1, record=writer)
    with trio.fail_after(1000):  # a bot that isn't dismissed waits for another match
        async with trio.open_nursery() as nursery:
            for end in table.bots:
                nursery.start_soon(speaks("1"), end)
            outcome = await table.match.run()
    assert Termination.ABORTED is outcome.termination
    assert "No space left on device" in table.match.error
    for end in table.bots:
        lines = heard(end)
        assert "end finished" not in lines
        assert ["end aborted", "rank 0 1", "rank 1 1", "rank 2 1"] == lines[-8:-4]
        assert "bye" == lines[-1]
    disk.full = not again
    if again:
        assert ("aborted", "error", (1, 1, 1)) == ending(await table.finish())
    else:
        with pytest.raises(OSError, match="No space left"):
            await table.finish()
        left = read_record(tmp_path / "m1.jsonl.gz.part")
        assert (1, None) == (len(left.turns), left.result)
    assert plain.closed


async def test_what_is_known_later_is_in_the_record(tmp_path):
    """How the bots' processes ended; until then the `.part` file has the result without it."""
    writer = RecordWriter(tmp_path / "m.jsonl.gz")
    part = tmp_path / "m.jsonl.gz.part"
    try:
        writer.begin(HEADER)
        writer.turn(TURN)
        writer.end(RESULT)
        assert RESULT == read_record(part).result
        await writer.finish(attrs.evolve(RESULT, bots=BOTS))
    finally:
        writer.close()
    assert BOTS == read_record(tmp_path / "m.jsonl.gz").result.bots
    assert not part.exists()


async def test_a_record_without_a_header_gets_no_result(tmp_path):
    """A reader would take the first line for one. Nothing is left of it."""
    writer = RecordWriter(tmp_path / "m.jsonl")
    with pytest.raises(OSError, match="the record has no header"):
        await writer.finish(RESULT)
    writer.close()
    assert [] == list(tmp_path.iterdir())


async def test_compressing_is_given_up_when_it_is_cancelled(tmp_path, monkeypatch):
    """At the arena's end: the `.part` file has all, for the next one to complete."""
    monkeypatch.setattr(writer_module, "CHUNK", 100)
    writer = RecordWriter(tmp_path / "m.jsonl.gz")
    writer.begin(HEADER)
    writer.turn(TURN)
    with trio.CancelScope() as scope:

        def cancelling(source, length, last):
            for chunk in plain(source, length, last):
                trio.from_thread.run_sync(scope.cancel)
                yield chunk

        plain = writer_module._chunks
        monkeypatch.setattr(writer_module, "_chunks", cancelling)
        await writer.finish(RESULT)
    assert scope.cancelled_caught
    assert ["m.jsonl.gz.part"] == [path.name for path in tmp_path.iterdir()]
    record = read_record(tmp_path / "m.jsonl.gz.part")
    assert (HEADER, 1, RESULT) == (record.header, len(record.turns), record.result)


# -- the lock ------------------------------------------------------------------------------------


def test_a_record_is_written_by_one_alone(tmp_path):
    """Two `lanista play -o FILE` at the same time: the second is told, the first goes on."""
    path = tmp_path / "m.jsonl"
    first = RecordWriter(path)
    try:
        first.begin(HEADER)
        with pytest.raises(OSError, match="another program is writing it") as caught:
            RecordWriter(path)
        assert str(tmp_path / "m.jsonl.part") == caught.value.filename
        first.turn(TURN)
        assert 1 == len(read_record(tmp_path / "m.jsonl.part").turns)
    finally:
        first.close()
    again = RecordWriter(path)  # what a crash left is written over
    assert b"" == (tmp_path / "m.jsonl.part").read_bytes()
    again.close()


async def test_the_lock_lasts_until_the_record_has_its_name(tmp_path, monkeypatch):
    """Who completes records that were left behind must not meet one that is being compressed."""
    path = tmp_path / "m.jsonl"
    tried = []

    def fsync(fd):
        with pytest.raises(OSError, match="another program is writing it"):
            RecordWriter(path)
        tried.append(fd)

    writer = RecordWriter(path)
    writer.begin(HEADER)
    monkeypatch.setattr(writer_module.os, "fsync", fsync)
    await writer.finish(RESULT)
    assert 1 == len(tried)


def test_a_file_system_without_locks_will_do(tmp_path, monkeypatch):
    def flock(file, operation):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    writer = RecordWriter(tmp_path / "m.jsonl")
    writer.begin(HEADER)
    writer.close()
    assert HEADER == read_record(tmp_path / "m.jsonl.part").header
