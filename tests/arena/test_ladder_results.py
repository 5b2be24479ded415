"""A ladder's results: none is lost while the database can't be written, or if the arena dies."""

import gzip
import json
import threading
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from types import SimpleNamespace

import attrs
import pytest
import trio
from structlog.testing import capture_logs

from lanista.arena.ladder_results import LadderResults, store_possible
from lanista.arena.ladder_room import LadderRoom
from lanista.arena.spec import LadderSpec
from lanista.errors import StoreError
from lanista.games.outcome import Ending
from lanista.match.conditions import LadderInfo, MatchSpec
from lanista.match.record import ResultInfo
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from lanista.results.engines import UnstorableError
from lanista.results.recorded import arena_result, is_ladder_result
from match.playing import ANGRYMOB, SMALL, answers, sit
from results.samples import stored_alone
from support.arenas import stored_ladder

INFO = LadderInfo(name="pit")
SPEC = MatchSpec(match="m", ruleset=ANGRYMOB, settings={}, seed=5)
RESULT = ResultInfo(
    end="forfeit",
    reason="forfeit",
    ranks=(1, 2),
    scores=(3, 0),
    turns=7,
    digest="d",
    fault_counts=({}, {"late": 2, "illegal": 1}),
    endings=("normal", "disconnect"),
    ended="2026-01-01T00:00:09+00:00",
)


def stored(*, versions=(), **changes):
    """What is stored of RESULT, with other attributes if given."""
    return arena_result(
        attrs.evolve(SPEC, ladder=LadderInfo(name="pit", map="maze", versions=versions)),
        attrs.evolve(RESULT, **changes),
        names=("Ann", "Bob"),
        started="2026-01-01T00:00:00+00:00",
        stall=0.25,
        record="day/m.jsonl.gz",
    )


def with_id(id_):
    return attrs.evolve(stored(), id=id_)


def test_what_is_stored_of_a_match():
    match = stored()
    assert ("m", 5, "maze") == (match.id, match.seed, match.map)
    assert (0, 1, 9.0, 0.25) == (match.seating, match.attempt, match.seconds, match.stall)
    ann, bob = match.seats
    assert ("Ann", 1, Ending.NORMAL) == (ann.bot, ann.rank, ann.ending)
    assert ("Bob", 2, Ending.DISCONNECT) == (bob.bot, bob.rank, bob.ending)
    assert (2, 0, 1) == (bob.late, bob.malformed, bob.illegal)


async def test_a_silent_database_is_not_waited_for(autojump_clock):
    """Whoever asks how many matches are stored, as the operator does then, is told in time.

    One thread waits for it, however often it is asked.
    """
    answer, asked = threading.Event(), []
    silent = SimpleNamespace(ladder_reading=lambda: asked.append("it") or answer.wait())
    results = LadderResults(silent, "pit")
    try:
        assert [None] * 3 == [await results.stored(deadline) for deadline in (5.0, 5.0, 9.0)]
        assert 9.0 == pytest.approx(trio.current_time())
    finally:
        answer.set()
    async with results._counting:  # its thread has ended by now
        assert ["it"] == asked


def test_an_aborted_match_and_one_that_is_on_no_ladder_are_no_results_of_one():
    on_ladder = attrs.evolve(SPEC, ladder=INFO)
    assert is_ladder_result(on_ladder, RESULT)
    assert not is_ladder_result(on_ladder, attrs.evolve(RESULT, end="aborted"))
    assert not is_ladder_result(on_ladder, attrs.evolve(RESULT, endings=()))
    assert not is_ladder_result(SPEC, RESULT)


@asynccontextmanager
async def storing(add_matches):
    """The results of a ladder that are stored so, and what is logged meanwhile."""
    results = LadderResults(SimpleNamespace(add_matches=add_matches), "pit")
    with capture_logs() as logs:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(results.run)
            yield results, logs
            nursery.cancel_scope.cancel()


async def test_results_wait_for_a_database_that_cannot_be_written(autojump_clock):
    """They are stored later, each once, in their order; the log says when, and how many waited."""
    kept, failures = [], ["the disk is full"] * 3

    def add_matches(batch):
        if failures:
            raise StoreError(failures.pop())
        kept.extend(batch)

    blocks = [stored(turns=turns) for turns in range(3)]
    async with storing(add_matches) as (results, logs):
        for block in blocks:
            results.add(block)
        await results.settle()
    assert blocks == kept
    assert 0 == results.waiting
    failed, again = logs
    assert ("results can't be stored yet", "the disk is full") == (failed["event"], failed["why"])
    assert ("results are stored again", 3) == (again["event"], again["results"])


async def test_a_server_that_takes_over_is_given_what_it_may_lack(autojump_clock):
    """The database server before it had stored a result, and died before the stand-by had it."""
    there, is_gone = {}, False

    def add_matches(batch):
        nonlocal is_gone
        if is_gone:
            is_gone = False
            raise StoreError("no connection to the server")
        there.update((one.id, one) for one in batch if one.id not in there)
        return [0] * len(batch)

    ids = ["first", "lost", "waiting"]
    async with storing(add_matches) as (results, logs):
        for id_ in ids[:2]:
            results.add(with_id(id_))
            await results.settle()
        del there["lost"]
        is_gone = True
        results.add(with_id("waiting"))
        await results.settle()
    assert sorted(ids) == sorted(there)
    assert 0 == results.waiting
    assert ("results are stored again", 1) == (logs[-1]["event"], logs[-1]["results"])


@pytest.mark.parametrize("error", [ValueError, UnstorableError, OverflowError])
async def test_a_result_that_cannot_be_stored_keeps_no_other_from_it(autojump_clock, error):
    """Not in its transaction and not later; the log names its record, and it is counted."""
    kept = []

    def add_matches(batch):
        if any(one.id == "m2" for one in batch):
            raise error("match m2: too long")
        kept.extend(batch)
        return [0] * len(batch)

    blocks = [with_id(f"m{number}") for number in range(5)]
    later = with_id("later")
    async with storing(add_matches) as (results, logs):
        for block in blocks:
            results.add(block)
        await results.settle()
        results.add(later)
        await results.settle()
    assert [*blocks[:2], *blocks[3:], later] == kept
    assert (0, 1) == (results.waiting, results.refused)
    (line,) = logs
    assert "a result can't be stored and doesn't count; its record stays" == line["event"]
    match = blocks[2]
    assert ("pit", match.id, match.record) == (line["ladder"], line["match"], line["record"])
    assert f"{error.__name__}: match m2: too long" == line["why"]


def test_a_result_against_what_is_stored_is_refused_by_the_database_itself(tmp_path):
    """Also one that is found in a record at the start: the others are stored."""
    with stored_ladder(tmp_path) as pit, stored_ladder(tmp_path, "hall") as hall:
        assert ([1], 0) == store_possible(pit, "pit", [stored()])
        # The id is that of a match of another ladder.
        assert ([2], 1) == store_possible(hall, "hall", [stored(), with_id("n")])
        with hall.ladder_reading() as now:
            assert 2 == now.last_number()


async def test_the_arena_ends_although_the_database_is_silent():
    """Nobody waits for the answer of a server that was stopped, or whose network has gone."""
    asked, ended = trio.Event(), threading.Event()
    outcomes = []

    def add_matches(_):
        trio.from_thread.run_sync(asked.set)
        outcomes.append(ended.wait(60))
        return []

    async with storing(add_matches) as (results, _):
        results.add(stored())
        await asked.wait()
    assert [] == outcomes
    ended.set()


async def played(folder, match, ladder):
    """Play a match of a ladder, or of none; its record is named after it."""
    bots = ("Ann v=1", "Bob v=1")
    table = sit(folder, ANGRYMOB, bots, board=SMALL, ladder=ladder, name=match)
    await table.play(answers("0 0 1 0", "0 1 1 3"), answers("1 1 1 2", ""))


def restored(data, game="angrymob"):
    """Open a ladder as after a crash; return what is stored then, and what was logged."""
    data = DataFolder(data)
    with Database.of_arena(data) as database, capture_logs() as logs:
        room = LadderRoom.open(LadderSpec(name="pit", game=game), data.path, data, database)
        return stored_alone(room.results.store), logs


async def test_results_that_are_only_in_records_are_found(tmp_path, autojump_clock):
    """Those of this ladder that aren't stored; a damaged record is passed over.

    So is whatever else has such a name: an arena with one in its folder has to start.
    """
    day = tmp_path / "records" / datetime.now(UTC).date().isoformat()
    day.mkdir(parents=True)
    third = attrs.evolve(INFO, versions=(None, 2))
    for number, ladder in enumerate([INFO, None, attrs.evolve(INFO, name="other"), third]):
        await played(day, str(number), ladder)
    (day / "broken.jsonl.gz").write_bytes((day / "3.jsonl.gz").read_bytes()[:-9])
    others = [b"", b"not gzip", b"no JSON\n", b"[1]\n", b'{"ladder":"pit"}\n']
    for number, data in enumerate(others):
        (day / f"else{number}.jsonl.gz").write_bytes(data)
    header, *rest = gzip.decompress((day / "3.jsonl.gz").read_bytes()).splitlines(keepends=True)
    whenever = json.dumps(json.loads(header) | {"started": "whenever"}).encode() + b"\n"
    (day / "started.jsonl.gz").write_bytes(b"".join([whenever, *rest]))
    (day / "folder.jsonl.gz").mkdir()
    with stored_ladder(tmp_path) as store:
        store.add_matches([with_id("0")])
    (_, result), (*logs, last) = restored(tmp_path)
    assert f"{day.name}/3.jsonl.gz" == result.record
    assert [(1, None), (2, 2)] == [(seat.rank, seat.version) for seat in result.seats]
    assert ("results stored from records", 1) == (last["event"], last["matches"])
    assert {"a record can't be read"} == {line["event"] for line in logs}
    names = ["broken", *(f"else{number}" for number in range(5)), "folder", "started"]
    assert names == [line["path"].split("/")[-1].split(".")[0] for line in logs]
    assert f"{day}/folder.jsonl.gz: Is a directory" == logs[-2]["why"]


async def test_records_of_another_game_are_not_those_of_a_ladder_of_this_name(
    tmp_path, autojump_clock
):
    """The ladder was given another game in the arena's file."""
    day = tmp_path / "records" / "2026-01-01"
    day.mkdir(parents=True)
    await played(day, "0", INFO)
    assert ([], []) == restored(tmp_path, "hogwarts")
