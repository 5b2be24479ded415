"""A ladder of an arena, without bots: what the operator decides about its names, and restarts."""

import math
import random
from contextlib import contextmanager

import pytest

from lanista.arena.ladder_room import LadderRoom
from lanista.arena.names import LadderName, Owner
from lanista.arena.spec import LadderSpec
from lanista.match.ending import Ending
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from lanista.results.match_result import MatchResult, SeatResult, SingleMatch
from support.arenas import stored_ladder, stored_names

SPEC = LadderSpec(name="pit", game="angrymob", bench_after=2)


@contextmanager
def opened(folder):
    """The ladder, with what is stored of it."""
    data = DataFolder(folder)
    with Database.of_arena(data) as database:
        yield LadderRoom.open(SPEC, folder, data, database)


def result(id_, first, second, *, failed=None):
    """A match that the first one won."""
    seats = [
        SeatResult(
            bot=name,
            rank=1 if name == first else 2,
            score=0,
            ending=Ending.DISCONNECT if name == failed else Ending.NORMAL,
        )
        for name in (first, second)
    ]
    match = MatchResult(
        seating=0,
        attempt=1,
        end="finished",
        reason="",
        turns=1,
        digest="",
        seconds=1.0,
        stall=0.0,
        seats=tuple(seats),
        id=id_,
    )
    return SingleMatch(seed=1, map="", match=match)


def who(name):
    return LadderName(name=name, key=name.lower(), owner=Owner(name.encode()), is_registered=True)


@pytest.fixture
def others(tmp_path):
    """The database of the ladder, as another process opens it."""
    with stored_ladder(tmp_path) as store:
        store.add_matches(
            [result(number, *pair) for number, pair in enumerate(["AB", "BC", "AC", "CB"])]
        )
        yield store


@pytest.mark.parametrize("how", ["unbench", "strike"])
async def test_the_operator_ends_a_rest_for_good(tmp_path, others, how):
    """Also after a restart, though the failures are in the database; later ones count."""
    others.add_matches([result(number, "B", "A", failed="A") for number in (10, 11)])
    with opened(tmp_path) as room:
        assert room.resting(who("A")) > 0
        getattr(others, how)("A")
        await room.take_up_notes()
        assert room.resting(who("A")) is None
    with opened(tmp_path) as room:
        assert room.resting(who("A")) is None
    others.add_matches([result(number, "B", "A", failed="A") for number in (20, 21)])
    with opened(tmp_path) as room:
        assert room.resting(who("A")) > 0


async def test_a_benched_name_rests_on_its_ladder_whether_or_not_it_is_there(tmp_path):
    with stored_names(tmp_path) as names, opened(tmp_path) as room:
        room.wait(who("A"))
        names.bench("a", "pit")
        names.bench("b")
        names.bench("c", "other")
        room.set_benched(names.benched(), [who("A")])
        for name in "BC":
            room.wait(who(name))
        assert [math.inf, math.inf, None] == [room.resting(who(name)) for name in "ABC"]
        assert {"waiting": 1, "playing": 0, "resting": 2} == room.presence()
        names.unbench("A")
        room.set_benched(names.benched(), [who("A"), who("B")])
        assert [None, math.inf] == [room.resting(who(name)) for name in "AB"]
        room.leave(who("B"))
        room.set_benched([])
        room.wait(who("B"))
        assert room.resting(who("B")) is None


def test_every_match_has_a_seed_of_its_own_and_one_of_the_maps(tmp_path):
    maps = ("great-hall", "seed-30")
    spec = LadderSpec(name="pit", game="hogwarts", maps=maps)
    data = DataFolder(tmp_path)
    with Database.of_arena(data) as database:
        room = LadderRoom.open(spec, tmp_path, data, database, chance=random.Random(1))
        specs = [room.match_spec() for _ in range(40)]
    assert 40 == len({spec.seed for spec in specs})
    assert set(maps) == {spec.ladder.map for spec in specs}
    assert all(spec.board is not None for spec in specs)
