"""A ladder of an arena with its database: what a restart and a clock that is set don't change."""

import random
from datetime import datetime
from types import SimpleNamespace

import attrs
import pytest

from arena.rooms import Waiter, live, play, store
from lanista.arena.ladders import room as ladder_room
from lanista.arena.ladders.rests import FIRST_REST
from lanista.arena.ladders.room import LadderRoom
from lanista.arena.spec import LadderSpec
from lanista.hosting.control import RunningMatches
from lanista.results.data_folder import DataFolder
from lanista.store import writing
from lanista.store.base import Database

HOUR = 3600.0
BOB = Waiter("Bob")


@pytest.fixture
def clock(monkeypatch):
    """The machine's clock: `wall`, which may be set, and the `steady` one."""
    clock = SimpleNamespace(wall=1.8e9, steady=1000.0)

    class Moment(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.fromtimestamp(clock.wall, tz)

    functions = SimpleNamespace(time=lambda: clock.wall, monotonic=lambda: clock.steady)
    monkeypatch.setattr(ladder_room, "time", functions)
    for module in (ladder_room, writing):
        monkeypatch.setattr(module, "datetime", Moment)
    return clock


@pytest.fixture
def open_room(tmp_path):
    """Open the ladder, after closing it if it is open."""
    data = DataFolder(tmp_path)
    opened = []

    def open_room(**settings):
        for database in opened:
            database.close()
        spec = LadderSpec(name="pit", game="angrymob", **settings)
        opened.append(Database.of_arena(data))
        return LadderRoom.open(spec, tmp_path, data, opened[-1], RunningMatches())

    yield open_room
    for database in opened:
        database.close()


def passes(clock, seconds):
    clock.wall += seconds
    clock.steady += seconds


@pytest.mark.parametrize("jump", [-HOUR, HOUR, -40 * 24 * HOUR])
def test_a_clock_that_is_set_changes_nothing_on_a_running_ladder(clock, open_room, jump):
    """Blocks go on, rests last as long as before, and matches are numbered in their order."""
    room = open_room()
    first = play(room, "Ann", "Bob")
    assert [1] == store(room)
    clock.wall += jump
    passes(clock, 1)
    assert first[::-1] == play(room, "Ann", "Bob")
    for _ in range(room.spec.bench_after):
        passes(clock, 1)
        play(room, "Ann", "Bob", failing="Bob")
    assert FIRST_REST == room.resting(BOB)
    clock.wall -= 2 * jump
    passes(clock, 20)
    assert FIRST_REST - 20 == room.resting(BOB)
    assert list(range(2, 3 + room.spec.bench_after)) == store(room)
    with room.results.store.ladder_reading() as now:
        assert list(range(1, 6)) == [match.number for match in now.counted_matches()]


@pytest.mark.parametrize("ahead", [HOUR, 40 * 24 * HOUR])
def test_a_clock_that_was_ahead_at_the_last_start(clock, open_room, monkeypatch, ahead):
    """Nobody rests for longer because of it, and no record is overlooked."""
    clock.wall += ahead
    room = open_room()
    for _ in range(room.spec.bench_after):
        play(room, "Ann", "Bob", failing="Bob")
    store(room)
    before = live(room)
    clock.wall -= ahead
    passes(clock, 10)
    looked = []
    monkeypatch.setattr(ladder_room, "unstored", lambda *asked: looked.append(asked) or [])
    again = open_room()
    assert before == live(again)
    assert 0 < again.resting(BOB) <= FIRST_REST
    ((_, _, since, _),) = looked
    assert clock.wall >= since.timestamp()


def test_results_of_a_seating_that_was_played_again_are_left_out(open_room, monkeypatch):
    """The first match could not be completed, and was taken for an aborted one."""
    room = open_room()
    play(room, "Ann", "Bob")
    (result,) = room.results._waiting
    store(room)
    monkeypatch.setattr(ladder_room, "unstored", lambda *_: [twice(result, "other.jsonl.gz")])
    again = open_room()
    with again.results.store.ladder_reading() as now:
        assert 1 == now.last_number()


def twice(result, record):
    (match,) = result.matches
    return attrs.evolve(result, matches=(attrs.evolve(match, attempt=2, record=record),))


@pytest.mark.parametrize("window", [None, 3])
def test_a_restart_needs_only_the_last_matches(open_room, monkeypatch, window):
    """With a window, what it has left behind is left behind after a restart, too."""
    monkeypatch.setattr(ladder_room, "KEPT", 4)
    room = open_room(window=window)
    for number in range(12):
        play(room, "Ann", "Bob")
        play(room, "Ann", "Bob")
        if number < 2:
            play(room, "Cem", "Dil")
            play(room, "Cem", "Dil")
    store(room)
    again = open_room(window=window)
    counts = {name: entry.matches for name, entry in again._ladder._names.items()}
    assert {"Ann": 24, "Bob": 24, "Cem": 4, "Dil": 4} == counts
    if window is not None:
        assert live(room) == pytest.approx(live(again))


@pytest.mark.parametrize("seed", [49, 206])
async def test_after_a_strike_ratings_are_those_of_a_restart(clock, open_room, seed):
    """Also with a window, when open blocks go on that began before the others in it."""
    chance = random.Random(seed)
    window = chance.choice([2, 3, 5])
    room = open_room(window=window)

    def play_some(matches):
        for _ in range(matches):
            pair = chance.sample("ABCD", 2)
            for name in "ABCD":
                room.leave(Waiter(name))
            passes(clock, chance.choice([31, 60]))
            play(room, *pair)
        store(room)

    play_some(chance.randrange(3, 12))
    room.results.store.strike(chance.choice("ABCD"))
    await room.take_up_notes()
    play_some(chance.randrange(3, 6))
    found = live(room)
    assert found == pytest.approx(live(open_room(window=window)))


@pytest.mark.parametrize("window", [1, 2, 4])
async def test_table_and_live_ratings_count_the_same_blocks(clock, open_room, window):
    """Though first matches of blocks are void, or were struck, and blocks go on after others."""
    chance = random.Random(window)
    room = open_room(window=window)

    def compare():
        ratings = room._ladder._ratings
        with room.results.store.ladder_reading(window) as now:
            in_table = [
                ({one.bots[one.seating], one.bots[1 - one.seating]}, one.ranks)
                for one in now.counted_matches()
            ]
        in_ratings = [
            (set(one.names), one.ranks) for one in ratings._kept if one.block >= ratings._first
        ]
        assert in_table == in_ratings

    for _ in range(30):
        for name in "ABCD":
            room.leave(Waiter(name))
        passes(clock, chance.choice([31, 60]))
        play(room, *chance.sample("ABCD", 2), void=chance.random() < 0.4)
        store(room)
        compare()
        if chance.random() < 0.1:
            room.results.store.strike(chance.choice("ABCD"))
            await room.take_up_notes()
            compare()
