"""The record's file: what every line holds, what a reader refuses, how a file gets its name."""

import gzip
import json
import os
import time
from pathlib import Path

import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lanista.match import record as record_module
from lanista.match import record_writer as writer_module
from lanista.match.clock import ClockInfo
from lanista.match.record import (
    FORMAT,
    BadRecordError,
    Header,
    PlayerInfo,
    ResultInfo,
    TurnInfo,
    read_record,
)
from lanista.match.record_writer import RecordWriter
from lanista.match.replay import verify
from match.playing import COUNTING, answers, lines_of, listens, rewritten, speaks, writes

HEADER = Header(
    lanista_record=FORMAT,
    software="0",
    match="m",
    started="2026-01-01T00:00:00.000+00:00",
    game="counting",
    game_version="1",
    settings={"rounds": 5},
    board="table oak\n",
    generated=False,
    seed=1,
    players=tuple(PlayerInfo(name=name, protocol="1", command=None) for name in "abc"),
    clock=ClockInfo(time_init=20.0, time_move=0.2, late_limit=10),
)
TURN = {
    "turn": 0,
    "verdicts": ["answer", "late", "out"],
    "raw": ["1", None, None],
    "times": [[0, 1, 1, 2], [0], None],
    "digest": "0" * 16,
}
RESULT = ResultInfo(
    end="finished",
    reason="x",
    ranks=(1, 1, 1),
    scores=(0, 0, 0),
    turns=1,
    digest="0" * 16,
    fault_counts=({}, {"late": 1}, {}),
)


async def written(path: Path) -> Path:
    writer = RecordWriter(path)
    writer.begin(HEADER)
    writer.turn(TURN)
    await writer.finish(RESULT)
    return path


# -- what a match writes -------------------------------------------------------------------------


async def test_every_line_has_the_keys_that_the_reader_knows(autojump_clock, counting):
    """Header and result all of theirs; a turn those that don't have their default. What is wrong
    with a malformed answer follows from the answer, unless that isn't kept as it came.
    """
    log = "# a log line\n"
    bot = answers(log + "1", "x", "x  x")
    table = counting(rounds=3, seed=11)
    record = await table.play(bot, answers("1", "2", "3", delay=0.1), answers("1", "2", "3"))
    header, one, two, three, last = lines_of(table.path)
    assert {field.name for field in Header.__attrs_attrs__} == set(header)
    assert {"turn", "verdicts", "raw", "times", "digest", "logs"} == set(one)
    assert {"turn", "verdicts", "raw", "times", "digest", "status"} == set(two)
    assert {"turn", "verdicts", "raw", "times", "digest", "status", "faults"} == set(three)
    assert {"result"} == set(last)
    assert {field.name for field in ResultInfo.__attrs_attrs__} == set(last["result"])
    assert (FORMAT, "counting", "1", {"rounds": 3}, True, 11) == tuple(
        header[key]
        for key in ("lanista_record", "game", "game_version", "settings", "generated", "seed")
    )
    assert {"time_init": 20.0, "time_move": 0.2, "late_limit": 10, "lag_allowance": 0.0} == header[
        "clock"
    ]
    assert {"0": log} == one["logs"]
    assert ["malformed", "answer", "answer"] == two["verdicts"]
    assert ["x", "2", "2"] == two["raw"]
    first, second = (
        {
            "turn": turn,
            "seat": 0,
            "code": "malformed",
            "index": 0,
            "words": f"letter `x`; a submove is a number or `a`; the line was '{line}'",
        }
        for turn, line in ((1, "x"), (2, "x  x"))
    )
    assert [second] == three["faults"]
    assert [first, second] == last["result"]["faults"]
    assert [{"malformed": 2}, {}, {}] == last["result"]["fault_counts"]
    assert record.turns[2].digest == record.result.digest
    assert 3 == record.result.turns


async def test_times_are_in_order_and_never_negative(autojump_clock, counting):
    """Handed over since the turn began; then earliest, latest, read since that, in microseconds;
    nothing more for a seat that didn't answer, null for one that wasn't asked.
    """
    table = counting(late_limit=1)

    record = await table.play(speaks(*"11111"), answers(*"11111", delay=0.123456), listens)
    assert (0, 0, 0, 0) == record.turns[0].times[0]
    assert (0, 123_456, 123_456, 123_456) == record.turns[1].times[1]
    assert (0,) == record.turns[0].times[2]
    assert {None} == {turn.times[2] for turn in record.turns[1:]}
    for turn in record.turns:
        for times in filter(None, turn.times):
            assert 0 <= times[0]
            assert [0, *times[1:]] == sorted([0, *times[1:]])


async def test_log_lines_are_kept_to_16_kib_a_turn_and_the_cut_is_said(autojump_clock, counting):
    """Cut within a line if need be; those of the next turn have their own 16 KiB."""
    line = "# " + "é" * 99 + "\n"  # 201 bytes
    talker = answers(line * 100 + "1", line * 10 + "1")
    table = counting(rounds=2)
    record = await table.play(talker, speaks("1", "1"), speaks("1", "1"))
    kept = record.turns[0].logs["0"]
    # 16,384 bytes are 81 lines of 201, 2 more, 50 characters of 2, and half of one.
    cut = "# … the rest of this turn's log was dropped\n"
    assert line * 81 + "# " + "é" * 50 + "\n" + cut == kept
    assert line * 10 == record.turns[1].logs["0"]


async def test_the_log_of_a_bot_that_goes_out_is_kept(autojump_clock, counting):
    """What it said last is what its author wants to read."""
    table = counting()
    bot = writes(b"1\n# I am about to fail\n\xff\n")
    record = await table.play(bot, speaks(*"11111"), speaks(*"11111"))
    assert "missing" == record.turns[1].verdicts[0]
    assert {"0": "# I am about to fail\n"} == record.turns[1].logs


async def test_what_bots_write_is_escaped(autojump_clock, counting):
    """The file is printable ASCII and newlines, whatever a bot says: it can be shown as it is."""
    table = counting("Zoë v=1", "Bob v=1", "Cy v=1", rounds=1)
    said = "# \x1b[2J\x07\x00\x9b31m\u202e é\n1\x1b[31m\n"
    record = await table.play(writes(said.encode()), speaks("1"), speaks("1"))
    data = gzip.decompress(table.path.read_bytes())
    assert set(data) <= {10, *range(32, 127)}
    assert "# \x1b[2J\x07\x00\x9b31m\u202e é\n" == record.turns[0].logs["0"]
    assert "1\x1b[31m" == record.turns[0].raw[0]
    assert "Zoë" == record.header.players[0].name


# -- the file ------------------------------------------------------------------------------------


async def test_a_record_is_read_back_as_it_was_written(tmp_path):
    record = read_record(await written(tmp_path / "deep" / "er" / "m.jsonl.gz"))
    assert HEADER == record.header
    assert RESULT == record.result
    expected = TurnInfo(
        turn=0,
        verdicts=("answer", "late", "out"),
        raw=("1", None, None),
        times=((0, 1, 1, 2), (0,), None),
        digest="0" * 16,
    )
    assert (expected,) == record.turns


async def test_the_name_says_whether_it_is_compressed(tmp_path):
    """Neither name nor time is in the gzip data: the same lines give the same file."""
    names = ("one.jsonl.gz", "two.jsonl.gz", "plain.jsonl")
    packed, again, plain = [await written(tmp_path / name) for name in names]
    assert packed.read_bytes() == again.read_bytes()
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    assert read_record(packed) == read_record(plain)


async def test_a_record_has_its_name_only_when_it_is_on_disk(tmp_path, monkeypatch):
    """Written, synced, named, and only then the part goes."""
    calls = []
    fsync, replace, unlink = os.fsync, Path.replace, Path.unlink

    def synced(fd):
        calls.append(("fsync", os.fstat(fd).st_size > 0))
        fsync(fd)

    def replaced(self, target):
        calls.append(("replace", Path(target).name))
        return replace(self, target)

    def unlinked(self, **options):
        calls.append(("unlink", self.name))
        unlink(self, **options)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)
    monkeypatch.setattr(Path, "unlink", unlinked)
    await written(tmp_path / "m.jsonl.gz")
    assert [("fsync", True), ("replace", "m.jsonl.gz"), ("unlink", "m.jsonl.gz.part")] == calls
    assert ["m.jsonl.gz"] == [path.name for path in tmp_path.iterdir()]


async def test_a_failure_to_compress_leaves_the_part_and_nothing_else(tmp_path, monkeypatch):
    def failing(fd):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(OSError, match="Input/output error"):
        await written(tmp_path / "m.jsonl.gz")
    assert ["m.jsonl.gz.part"] == [path.name for path in tmp_path.iterdir()]
    assert RESULT == read_record(tmp_path / "m.jsonl.gz.part").result


def test_every_line_is_with_the_system_at_once(tmp_path):
    """A crash loses nothing that was written: another process sees each line."""
    writer = RecordWriter(tmp_path / "m.jsonl.gz")
    part = tmp_path / "m.jsonl.gz.part"
    try:
        writer.begin(HEADER)
        assert (HEADER, 0) == (read_record(part).header, len(read_record(part).turns))
        writer.turn(TURN)
        assert 1 == len(read_record(part).turns)
        assert None is read_record(part).result
    finally:
        writer.close()
    writer.close()
    assert part.exists()


async def test_a_record_that_is_held_is_never_in_a_file(tmp_path):
    """Its content is that of the file which it would have been."""
    whole = await written(tmp_path / "written.jsonl.gz")
    writer = RecordWriter(tmp_path / "held" / "m.jsonl.gz", holds=True)
    writer.begin(HEADER)
    writer.turn(TURN)
    writer.end(RESULT)
    await writer.finish(RESULT)
    assert whole.read_bytes() == writer.content
    assert not (tmp_path / "held").exists()


@pytest.mark.parametrize("why", ["shown", "long"])
async def test_a_record_that_is_held_becomes_a_file(tmp_path, why):
    """When it is to be seen, or takes too much memory; from then on no line is held."""
    writer = RecordWriter(tmp_path / "m.jsonl.gz", holds=True)
    writer.begin(HEADER)
    assert [] == list(tmp_path.iterdir())
    if why == "shown":
        writer.show()
        assert HEADER == read_record(tmp_path / "m.jsonl.gz.part").header
        turn = TURN
    else:
        turn = {**TURN, "logs": {"0": "x" * writer_module._HELD}}
    writer.turn(turn)
    part = read_record(tmp_path / "m.jsonl.gz.part")
    assert (HEADER, 1) == (part.header, len(part.turns))
    writer.end(RESULT)
    assert RESULT == read_record(tmp_path / "m.jsonl.gz.part").result
    await writer.finish(RESULT)
    assert None is writer.content
    assert (1, RESULT) == (
        len(read_record(tmp_path / "m.jsonl.gz").turns),
        read_record(tmp_path / "m.jsonl.gz").result,
    )


async def test_a_held_record_survives_a_full_disk(tmp_path, monkeypatch):
    """Its lines stay in memory until the file has taken all of them."""
    writer = RecordWriter(tmp_path / "m.jsonl.gz", holds=True)
    writer.begin(HEADER)

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(writer_module, "_append", full)
        writer.show()
        with pytest.raises(OSError, match="No space"):
            writer.turn(TURN)
    writer.turn(TURN)
    writer.end(RESULT)
    await writer.finish(RESULT)
    record = read_record(tmp_path / "m.jsonl.gz")
    assert (HEADER, 1, RESULT) == (record.header, len(record.turns), record.result)


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        RecordWriter(tmp_path / "file" / "m.jsonl.gz")


# -- what is no record ---------------------------------------------------------------------------


def changed(line: int, **keys) -> list[dict]:
    """The lines of a good record with some keys of one line set; `...` takes a key away."""
    lines = [attrs.asdict(HEADER), dict(TURN), {"result": attrs.asdict(RESULT)}]
    place = lines[line]["result"] if line == 2 else lines[line]
    for key, value in keys.items():
        if value is ...:
            del place[key]
        else:
            place[key] = value
    return json.loads(json.dumps(lines))


FAULT = {"turn": 0, "seat": 3, "code": "late", "index": None, "words": ""}
BAD = {
    "another format": (changed(0, lanista_record=1), "line 1: record format 1; this version reads"),
    "no header": ([[1, 2]], "line 1: not the header of a record"),
    "seeds for other seats": (changed(0, seat_seeds=[7]), "line 1: seat_seeds has 1 seeds"),
    "versions for other seats": (
        changed(0, ladder={"name": "pit", "versions": [1, None]}),
        "line 1: the ladder's versions are [1, None]; expected null or a number from 1 for each",
    ),
    "a version that is none": (
        changed(0, ladder={"name": "pit", "versions": [0, None, 1]}),
        "line 1: the ladder's versions are [0, None, 1]; expected null or a number from 1",
    ),
    "a number as text": (changed(0, seed="12"), "line 1: not a valid header"),
    "an unknown key": (changed(0, colour="red"), "line 1: not a valid header"),
    "a key that isn't there": (changed(0, board=...), "line 1: not a valid header"),
    "players that are none": (changed(0, players=7), "line 1: not a valid header"),
    "a turn with an unknown key": (changed(1, more=1), "line 2: not a valid turn"),
    "a turn without its digest": (
        changed(1, digest=...),
        "line 2: not a valid turn (without 'digest'",
    ),
    "a turn that is a list": ([changed(1)[0], [], {}], "line 2: not a valid turn"),
    "another turn": (changed(1, turn=1), "line 2: expected turn 0"),
    "a seat too few": (changed(1, raw=["1", None]), "line 2: expected turn 0 with 3 seats"),
    "a text in place of a list": (changed(1, raw="123"), "line 2: not a valid turn ("),
    "a status too few": (changed(1, status=[0.5]), "line 2: expected turn 0 with 3 seats"),
    "no times": (changed(1, times=[[0, 1, 1, 2], [], None]), "line 2: expected times of 1 or 4"),
    "a time of ages": (changed(1, times=[[10**400], [0], None]), "line 2: expected times of 1 or"),
    "an unknown seat's fault": (changed(1, faults=[FAULT]), "line 2: no seat '3'; they are 0 to 2"),
    "an unknown seat's log": (changed(1, logs={"x": ""}), "line 2: no seat 'x'"),
    "a result without its end": (changed(2, end=...), "line 3: not a valid result"),
    "a result with a rank too few": (changed(2, ranks=[1, 2]), "line 3: expected 3 seats"),
    "a result with an unknown seat": (changed(2, faults=[FAULT]), "line 3: no seat '3'"),
    "a finished match without counts": (changed(2, fault_counts=...), "line 3: expected 3 seats"),
    "an ending that isn't one": (
        changed(2, endings=["normal", "tired", "normal"]),
        "line 3: no ending 'tired'; they are normal, ",
    ),
    "a count of no faults": (
        changed(2, fault_counts=[{}, {"late": 0}, {}]),
        "line 3: a count of faults that isn't one",
    ),
    "a count that no database holds": (
        changed(2, fault_counts=[{}, {"late": 10**30}, {}]),
        "line 3: a count of faults that isn't one",
    ),
    "turns that no database holds": (
        changed(2, turns=10**30),
        "line 3: a number of turns that isn't one: 1000",
    ),
    "a version that no database holds": (
        changed(0, ladder={"name": "pit", "versions": [10**30, None, 1]}),
        "line 1: the ladder's versions are [1000",
    ),
    "an attempt that is none": (
        changed(0, attempt=0),
        "line 1: attempt 0; expected a number from 1",
    ),
    "a start that is no time": (changed(0, started="now"), "line 1: started is 'now'; expected"),
    "a start in no zone": (
        changed(0, started="2026-01-01T00:00:00"),
        "line 1: started is '2026-01-01T00:00:00'; expected a time as ISO 8601 with its zone",
    ),
    "an end that is no time": (changed(2, ended="\ud800"), "line 3: ended is '\\ud800'; expected"),
    "an end that isn't one": (
        changed(2, end="perhaps"),
        "line 3: no end 'perhaps'; they are finished, forfeit, aborted, void",
    ),
    "a line behind the result": (changed(1) + changed(1)[2:], "line 4: a line after the result"),
}


@pytest.mark.parametrize("name", BAD)
def test_no_record(tmp_path, name):
    """Each says file, line, and what is wrong, in one line."""
    lines, words = BAD[name]
    with pytest.raises(BadRecordError) as caught:
        rewritten(tmp_path, lines)
    assert str(caught.value).startswith(f"{tmp_path}/rewritten.jsonl: {words}")
    assert "\n" not in str(caught.value)


def test_the_good_record_is_one(tmp_path):
    """So that every case above is refused for its one change."""
    assert RESULT == rewritten(tmp_path, changed(1)).result


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty; a record begins with its header"),
        (b"hello\n", "line 1: not JSON"),
        (b'{"a": NaN}\n', "line 1: not the header of a record"),
        (b"[" * 100_000 + b"\n", "line 1: not JSON"),
        (gzip.compress(b"x\n" * 9999, mtime=0)[:20], "damaged gzip data"),
        (b"\x1f\x8bnonsense" * 9, "damaged gzip data"),
    ],
)
def test_no_record_at_all(tmp_path, data, words):
    path = tmp_path / "m.jsonl.gz"
    path.write_bytes(data)
    with pytest.raises(BadRecordError) as caught:
        read_record(path)
    assert str(caught.value).startswith(f"{path}: {words}")
    assert "\n" not in str(caught.value)


def test_a_named_pipe_is_none(tmp_path):
    """Opening it would wait for ever."""
    path = tmp_path / "m.jsonl.gz"
    os.mkfifo(path)
    with pytest.raises(BadRecordError, match="a named pipe; a record is a file"):
        read_record(path)


@pytest.mark.parametrize("end", [-8, -1, 40])
async def test_a_damaged_file_is_none(tmp_path, end):
    """Cut anywhere, or with another checksum: refused, though its lines could be read."""
    path = await written(tmp_path / "m.jsonl.gz")
    data = path.read_bytes()
    path.write_bytes(data[:end] + (b"12345678" if end == -8 else b""))
    with pytest.raises(BadRecordError, match="damaged gzip data"):
        read_record(path)


def test_a_line_without_end_is_not_read_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(record_module, "MAX_LINE", 1000)
    path = tmp_path / "m.jsonl"
    path.write_text("[" + " " * 2000 + "]\n")
    with pytest.raises(BadRecordError, match="line 1: more than 1000 bytes"):
        read_record(path)


async def test_a_cut_part_is_read_up_to_its_last_whole_line(tmp_path, autojump_clock, counting):
    """Whatever byte a crash came at; what is read verifies."""
    table = counting(rounds=4)
    await table.play(*[speaks(*"1234")] * 3)
    whole = gzip.decompress(table.path.read_bytes())
    first = whole.index(b"\n") + 1
    path = tmp_path / "cut.part"
    seen = set()
    for end in range(first, len(whole), 7):
        path.write_bytes(whole[:end])
        record = read_record(path)
        turns = whole[:end].count(b"\n") - 1
        assert (turns, None) == (len(record.turns), record.result)
        assert turns == verify(record, COUNTING)
        seen.add(turns)
    assert {0, 1, 2, 3, 4} == seen


def test_a_key_with_a_newline_stays_within_the_message_s_line(tmp_path):
    """An extra key of a record is named, and the name is the file's: escaped."""
    path = tmp_path / "any.jsonl"
    path.write_text('{"lanista_record":4,"a\\nb\\u001b[2J":0}\n', encoding="ascii")
    with pytest.raises(BadRecordError) as caught:
        read_record(path)
    assert str(caught.value).isprintable()
    assert "a\\nb\\x1b[2J" in str(caught.value)


def test_many_faults_in_a_line_are_told_soon_and_shortly(tmp_path):
    """All of them would be a message of 23 MB, after ten seconds and 700 MB."""
    path = tmp_path / "any.jsonl"
    header = '{"lanista_record":4,"players":[' + "{}," * 100_000 + "{}]}"
    path.write_text(header + "\n", encoding="ascii")
    began = time.process_time()
    with pytest.raises(BadRecordError) as caught:
        read_record(path)
    assert time.process_time() - began < 1
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1000


class Megabytes(str):
    """A text so long that going through each of its characters would take seconds."""

    __slots__ = ()

    def __iter__(self):
        raise AssertionError("all of a long text is looked at")


def test_only_the_beginning_of_what_an_error_quotes_is_looked_at():
    error = BadRecordError(Megabytes("é\n" * 1000))
    assert ("é\\n" * 300) + "…" == str(error)


SHARES = st.integers(0, 10_000).map(lambda share: share / 10_000)


@example({"0": "\x7f\x1b\ud800"}, [(2**70,)], [])
@given(
    st.dictionaries(st.text(), st.text() | st.none()),
    st.lists(st.tuples(st.integers(0, record_module.MAX_NUMBER))),
    st.lists(SHARES | st.just(-1.0)),
)
def test_a_turns_line_is_written_like_any_other(logs, times, status):
    """By another encoder, with the same escapes: nothing but ASCII reaches a terminal."""
    turn = {"turn": 3, "logs": logs, "times": times, "status": status}
    assert record_module.line_of(turn) == record_module.encode(turn).encode() + b"\n"
