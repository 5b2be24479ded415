"""What becomes of the `.part` files that a killed arena left behind."""

import fcntl
import gzip
import json
import os
import time
import tracemalloc
from contextlib import ExitStack
from pathlib import Path

import attrs
import pytest
import trio
from structlog.testing import capture_logs

from lanista.arena.spec import LadderSpec
from lanista.games.angrymob.ruleset import RULESET as ANGRYMOB
from lanista.match.conditions import LadderInfo
from lanista.match.record import ENDING, PART, TMP, read_record, result_line
from lanista.match.record_writer import RecordWriter
from lanista.match.replay import verify
from lanista.results import recovery
from lanista.results.data_folder import DataFolder
from lanista.results.match_list import MatchList
from lanista.results.recovery import YOUNG, Fate, complete_records, recover
from match.playing import COUNTING, SKIPPERS, sit, speaks
from match.test_record import HEADER, RESULT, TURN, lines_of
from results.samples import stored_alone
from support.arenas import arena_options, arena_server

DAY = "2026-01-01"


@pytest.fixture
def day(tmp_path):
    """A folder of records."""
    folder = tmp_path / "records" / DAY
    folder.mkdir(parents=True)
    return folder


async def recovered(day):
    """What is found in the folder, by the file's name."""
    found = await trio.to_thread.run_sync(lambda: list(recover(day.parent)))
    assert len(found) == len({one.path for one in found})
    return {one.path.name: (one.fate, one.why) for one in found}


def left(day, match, *, turns=1, result=None, behind=b"", **header):
    """A `.part` file as a killed arena leaves it: its path."""
    path = day / (match + ENDING)
    writer = RecordWriter(path)
    writer.begin(attrs.evolve(HEADER, match=match, **header))
    for turn in range(turns):
        writer.turn({**TURN, "turn": turn})
    if result is not None:
        writer.end(result)
    writer.close()
    with writer.part.open("ab") as file:
        file.write(behind)
    return writer.part


async def completed(records, *on_record):
    await trio.to_thread.run_sync(complete_records, records, *on_record)


def names(day):
    return sorted(path.name for path in day.iterdir())


async def test_a_match_with_its_result_gets_its_record(day):
    """Whatever stands behind the last whole line is half a line."""
    part = left(day, "m1", turns=3, result=attrs.evolve(RESULT, turns=3), behind=b'{"tu')
    lines = part.read_bytes().removesuffix(b'{"tu')
    assert {"m1.jsonl.gz": (Fate.COMPLETED, "")} == await recovered(day)
    assert ["m1.jsonl.gz"] == names(day)
    record = read_record(day / "m1.jsonl.gz")
    assert (3, attrs.evolve(RESULT, turns=3)) == (len(record.turns), record.result)
    assert lines == gzip.decompress((day / "m1.jsonl.gz").read_bytes())


@pytest.mark.parametrize("turns", [0, 1, 7])
@pytest.mark.parametrize("behind", [b"", b'{"turn":', result_line(RESULT)[:-1]])
async def test_a_match_without_a_whole_result_is_aborted(day, turns, behind):
    """Nobody won; the reason says that the arena ended before the match."""
    part = left(day, "m1", turns=turns, behind=behind)
    os.utime(part, (1e9, 1e9))
    assert {"m1.jsonl.gz": (Fate.ABORTED, "")} == await recovered(day)
    assert ["m1.jsonl.gz"] == names(day)
    record = read_record(day / "m1.jsonl.gz")
    result = record.result
    assert turns == len(record.turns) == result.turns
    assert ("aborted", "arena-ended", (1, 1, 1)) == (result.end, result.reason, result.ranks)
    assert "the arena ended before the match did" == result.error
    assert "2001-09-09T01:46:40.000+00:00" == result.ended


async def test_a_killed_match_replays(tmp_path, day, autojump_clock):
    """Its turns are those that were played."""
    table = sit(day, COUNTING, SKIPPERS, settings={"rounds": 3})
    played = await table.play(*[speaks("1", "2", "3")] * 3)
    lines = [json.dumps(line) for line in lines_of(table.path)]
    for kept in range(1, 4):
        (day / f"m{kept}{ENDING}{PART}").write_text("\n".join(lines[:kept]) + "\n")
    table.path.unlink()
    await recovered(day)
    for kept in range(1, 4):
        record = read_record(day / f"m{kept}{ENDING}")
        assert kept - 1 == verify(record, COUNTING)
        assert played.turns[: kept - 1] == record.turns


async def test_a_match_that_goes_on_is_left_alone(day):
    """This arena's, or that of another on the same folder: its writer holds the lock."""
    live = RecordWriter(day / f"live{ENDING}")
    live.begin(HEADER)
    packed = day / f"live{ENDING}{TMP}"
    packed.write_bytes(b"half of it")
    left(day, "dead")
    try:
        assert {"dead.jsonl.gz": (Fate.ABORTED, "")} == await recovered(day)
        live.turn(TURN)
        assert b"half of it" == packed.read_bytes()
        await live.finish(RESULT)
    finally:
        live.close()
    assert ["dead.jsonl.gz", "live.jsonl.gz"] == names(day)
    assert RESULT == read_record(day / f"live{ENDING}").result


async def test_two_arenas_that_look_at_the_same_time(day, monkeypatch):
    """What the other has completed since it was listed isn't looked at, nor made again."""
    part = left(day, "m1", result=RESULT)
    plain = Path.stat

    def stat(self, **options):
        if self == part:
            part.rename(day / "elsewhere")  # between our opening it and our look at it
            part.write_bytes(b"")
        return plain(self, **options)

    monkeypatch.setattr(Path, "stat", stat)
    assert {} == await recovered(day)
    monkeypatch.undo()
    assert ["elsewhere", "m1.jsonl.gz.part"] == names(day)


async def test_a_file_without_a_header_is_removed(day, monkeypatch):
    """Nothing is told to a bot before the header is written. A fresh empty file may be one that
    a match is just about to lock, which it couldn't if recovery held the lock in that moment.
    """
    locked, flock = [], fcntl.flock

    def note(file, how):
        locked.append(Path(file.name).name)
        flock(file, how)

    monkeypatch.setattr(fcntl, "flock", note)
    old, young = day / f"old{ENDING}{PART}", day / f"young{ENDING}{PART}"
    half = day / f"half{ENDING}{PART}"
    old.touch()
    young.touch()
    half.write_bytes(b'{"lanista_record":4,"softw')
    os.utime(old, (time.time() - YOUNG - 1,) * 2)
    found = await recovered(day)
    assert {old.name: (Fate.REMOVED, ""), half.name: (Fate.REMOVED, "")} == found
    assert [young.name] == names(day)
    assert {old.name, half.name} == set(locked)


async def test_the_record_is_there_already(day):
    """The arena was killed between giving the record its name and removing the part."""
    writer = RecordWriter(day / f"m1{ENDING}")
    writer.begin(HEADER)
    whole = attrs.evolve(RESULT, turns=0, reason="more")
    data = writer.part.read_bytes()
    await writer.finish(whole)
    (day / f"m1{ENDING}{PART}").write_bytes(data)
    assert {"m1.jsonl.gz": (Fate.COMPLETED, "")} == await recovered(day)
    assert ["m1.jsonl.gz"] == names(day)
    assert whole == read_record(day / f"m1{ENDING}").result


async def test_the_record_of_another_match_is_not_overwritten(day):
    writer = RecordWriter(day / f"m1{ENDING}")
    writer.begin(attrs.evolve(HEADER, seed=2))
    await writer.finish(attrs.evolve(RESULT, turns=0))
    data = (day / f"m1{ENDING}").read_bytes()
    part = left(day, "m1", result=RESULT)
    words = f"{part}: m1.jsonl.gz is the record of another match"
    assert {part.name: (Fate.DAMAGED, words)} == await recovered(day)
    assert data == (day / f"m1{ENDING}").read_bytes()


async def test_half_compressed_files_are_removed(day):
    """Those of a match that is completed, and those of which nothing else is left."""
    left(day, "m1", result=RESULT)
    for name in ("m1", "m2"):
        (day / f"{name}{ENDING}{TMP}").write_bytes(b"\x1f\x8bhalf")
    (day / "notes.tmp").write_text("somebody's own")
    await recovered(day)
    assert ["m1.jsonl.gz", "notes.tmp"] == names(day)


DAMAGED = {
    "no JSON": (b"hello\n", "line 1: not JSON"),
    "another format": (b'{"lanista_record":1}\n', "line 1: record format 1"),
    "zeros": (b"\0" * 5000, "line 1: not the header of a record"),
    "half of something else": (b"hello", "line 1: not the header of a record"),
    "a last line of zeros": (..., b"\0" * 100 + b"\n", "line 3: not JSON"),
    "a turn that is none": (..., b'{"turn":1}\n', "line 3: not a valid turn"),
    "another turn": (..., json.dumps({**TURN, "turn": 5}).encode() + b"\n", "line 3: expected"),
    "a result of more turns": (..., result_line(attrs.evolve(RESULT, turns=9)), "1 turns; its"),
    "a line behind": (..., result_line(RESULT) + b"{}\n", "line 4: not a valid turn"),
}


@pytest.mark.parametrize("name", DAMAGED)
async def test_a_damaged_file_stays_and_keeps_no_other_from_its_record(day, name):
    """One line says what is wrong with it."""
    *begin, more, words = DAMAGED[name]
    left(day, "a", result=RESULT)
    left(day, "z", result=RESULT)
    if begin:
        part = left(day, "m", behind=more)
    else:
        part = day / f"m{ENDING}{PART}"
        part.write_bytes(more)
    data = part.read_bytes()
    found = await recovered(day)
    fate, why = found.pop(part.name)
    assert Fate.DAMAGED is fate
    assert why.startswith(f"{part}: {words}")
    assert "\n" not in why
    assert {Fate.COMPLETED} == {fate for fate, _ in found.values()}
    assert ["a.jsonl.gz", part.name, "z.jsonl.gz"] == names(day)
    assert data == part.read_bytes()


async def test_a_full_disk_leaves_it_as_it_is(day, monkeypatch):
    part = left(day, "m1")
    data = part.read_bytes()

    def fsync(fd):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    assert {part.name: (Fate.DAMAGED, "No space left on device")} == await recovered(day)
    assert [part.name] == names(day)
    assert data == part.read_bytes()


async def test_what_is_no_record_of_a_day_is_left_alone(day):
    (day.parent / f"m{ENDING}{PART}").write_bytes(b"above")
    (day / f"dir{ENDING}{PART}").mkdir()
    (day / "mine.part").write_bytes(b"x")
    (day / f"link{ENDING}{PART}").symlink_to(day / "mine.part")
    os.mkfifo(day / f"pipe{ENDING}{PART}")
    assert {} == await recovered(day)
    assert 4 == len(names(day))


async def test_a_large_file_takes_little_memory(day):
    """It is read in pieces: 20 MB, of which a megabyte or two is held at a time."""
    part = left(day, "m1", turns=0)
    turn = {**TURN, "raw": ["1 " * 50_000, None, None]}
    with part.open("ab") as file:
        for number in range(200):
            file.write(json.dumps({**turn, "turn": number}).encode() + b"\n")
    assert 20e6 < part.stat().st_size
    tracemalloc.start()
    try:
        await recovered(day)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4e6
    assert 200 == len(read_record(day / f"m1{ENDING}").turns)


# -- beside a serving arena ----------------------------------------------------------------------


async def test_each_is_told_and_in_the_list(tmp_path, day):
    """The log has a line for each that stays, and one for all others."""
    left(day, "a", result=RESULT)
    left(day, "b")
    (day / f"c{ENDING}{PART}").write_bytes(b"hello\n")
    told = []
    with MatchList.open(DataFolder(tmp_path)) as matches, capture_logs() as logs:
        await completed(day.parent, lambda match, path: told.append((match, path)))
        for _, path in told:
            matches.add(path)
        assert 0 == matches.sync(), "they are found by their names too"
        ends = {match: matches.match(match)["end"] for match, _ in told}
    assert {"a": "finished", "b": "aborted"} == ends
    assert [
        "a record can't be completed",
        "completed records that were left unfinished",
    ] == [line["event"] for line in logs]
    assert {"completed": 1, "aborted": 1, "removed": 0, "damaged": 1}.items() <= logs[1].items()


async def test_ladders_are_opened_when_they_are_complete(tmp_path, day):
    """Their results are in them, and the log tells of them as without ladders.

    So are those of matches long before the last stored one: the clock may have been behind.
    """
    ended = "2026-01-01T00:00:09.000+00:00"
    result = attrs.evolve(RESULT, endings=("normal", "normal", "late"), ended=ended)
    ladder = LadderSpec(name="pit", game="angrymob")
    options = arena_options(ANGRYMOB, data=tmp_path, ladders=(ladder,))
    for match in ("a", "b"):
        left(day, match, result=result, game="angrymob", ladder=LadderInfo(name="pit"))
        with ExitStack() as opened, capture_logs() as logs:
            arena = await arena_server(options, opened)
            stored = stored_alone(arena.ladders["pit"].results.store)
        assert match == stored[-1].id
        assert [
            "completed records that were left unfinished",
            "results stored from records",
        ] == [line["event"] for line in logs]


async def test_nothing_to_complete_is_no_news(tmp_path):
    """Also when there is no folder yet."""
    with capture_logs() as logs:
        await completed(tmp_path / "missing")
        (tmp_path / "records").write_text("a file")
        await completed(tmp_path / "records")
    assert ["records that an earlier run has left are still unfinished"] == [
        line["event"] for line in logs
    ]


async def test_a_fault_of_ours_does_not_end_the_arena(day, monkeypatch):
    left(day, "a")

    def broken(part):
        raise RuntimeError("we didn't think of this")

    monkeypatch.setattr(recovery, "_recovered", broken)
    with capture_logs() as logs:
        await completed(day.parent)
    assert "we didn't think of this" in logs[0]["trace"]


async def test_the_arenas_end_does_not_wait_for_it(day, monkeypatch):
    """What is left is the next one's."""
    for match in "abc":
        left(day, match)
    with trio.CancelScope() as scope:
        await completed(day.parent, lambda *_: scope.cancel())
    assert scope.cancelled_caught
    assert 2 == sum(name.endswith(PART) for name in names(day))
