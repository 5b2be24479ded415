"""What a director learns: how large tasks should be, how fast it goes, when clocks suffer."""

import math

import attrs
import pytest

from lanista.match.ending import Ending
from lanista.pairing.base import Progress
from lanista.results.match_result import BlockResult, MatchResult, SeatResult
from lanista.tournament.pace import MAX_BLOCKS, Disturbances, Failures, Pace, eta
from lanista.tournament.worker import Finished


def match(*endings, stall=0.0, end="finished"):
    """A match of bots a, b, … that ended so for them."""
    seats = tuple(
        SeatResult(bot=bot, rank=1, score=0, ending=ending, words=f"{bot} did")
        for bot, ending in zip("abcd", endings, strict=False)
    )
    return MatchResult(
        seating=0,
        attempt=1,
        end=end,
        reason="",
        turns=1,
        digest="",
        seconds=1.0,
        stall=stall,
        seats=seats,
    )


def block(*matches):
    return BlockResult(block="x", bots=("a", "b"), seed=1, map="", matches=matches)


def took(seconds):
    return Finished(result=block(), records={}, seconds=seconds)


class TestTaskSize:
    ENDLESS = Progress(played=0, planned=None)

    @pytest.mark.parametrize(
        ("seconds", "size"), [(3.0, 1), (0.6, 1), (0.25, 4), (0.001, MAX_BLOCKS), (0, MAX_BLOCKS)]
    )
    def test_a_task_takes_about_a_second(self, seconds, size):
        pace = Pace(0.0)
        assert 1 == pace.task_size(self.ENDLESS, 0, 2), "nothing is known yet"
        pace.learn([took(seconds)] * 3)
        assert size == pace.task_size(self.ENDLESS, 0, 2)

    def test_it_follows_what_tasks_take(self):
        pace = Pace(0.0)
        pace.learn([took(0.1)])
        pace.learn([took(0.5)])
        # 0.7 · 0.1 + 0.3 · 0.5 = 0.22
        assert 4 == pace.task_size(self.ENDLESS, 0, 2)

    def test_what_is_left_is_shared(self):
        pace = Pace(0.0)
        pace.learn([took(0.001)])
        # 15 of 100 are left for 4 slots.
        assert 4 == pace.task_size(Progress(played=80, planned=100), 5, 4)
        assert 1 == pace.task_size(Progress(played=100, planned=100), 0, 4)

    def test_a_block_that_failed_teaches_nothing(self):
        """A bot that crashes at once makes it short."""
        pace = Pace(0.0)
        crashed = block(match(Ending.NORMAL, Ending.CRASH))
        pace.learn([Finished(result=crashed, records={}, seconds=0.001)])
        assert 1 == pace.task_size(self.ENDLESS, 0, 2)
        pace.learn([took(0.25), Finished(result=crashed, records={}, seconds=0.001)])
        assert 4 == pace.task_size(self.ENDLESS, 0, 2)

    def test_an_empty_task_teaches_nothing(self):
        pace = Pace(0.0)
        pace.learn([])
        assert 1 == pace.task_size(self.ENDLESS, 0, 1)


def test_the_rate_is_of_the_last_half_minute():
    pace = Pace(100.0)
    assert 0.0 == pace.rate(100.0)
    pace.count(10, 101.0)
    assert 5.0 == pace.rate(102.0)
    pace.count(60, 128.0)
    # From 100 to 130; then the first ones are older than 30 s.
    assert 70 / 30 == pace.rate(130.0)
    assert 2.0 == pace.rate(132.0)
    assert 0.0 == pace.rate(159.0)


def test_eta():
    assert 20.0 == eta(Progress(played=80, planned=100), 2, 2.0)
    assert eta(Progress(played=80, planned=None), 2, 2.0) is None
    assert eta(Progress(played=80, planned=100), 2, 0.0) is None


class TestDisturbances:
    def test_two_stalls_among_the_last_are_too_many(self):
        disturbances = Disturbances(0.05)
        calm = block(match(stall=0.05))
        stalled = block(match(stall=0.0), match(stall=0.051))
        assert not disturbances.too_many(stalled)
        assert not disturbances.too_many(calm)
        assert disturbances.too_many(stalled)
        assert not disturbances.too_many(stalled), "it begins anew"

    def test_stalls_far_apart_are_not(self):
        disturbances = Disturbances(0.05)
        for _ in range(3):
            assert not disturbances.too_many(block(match(stall=1.0)))
            for _ in range(20):
                assert not disturbances.too_many(block(match()))

    def test_one_void_match_is(self):
        assert Disturbances(0.05).too_many(block(match(end="void"), match()))


class TestFailures:
    NORMAL, CRASH, LATE = Ending.NORMAL, Ending.CRASH, Ending.LATE

    def test_they_are_counted_running(self):
        failures = Failures({"b": 2})
        noted = failures.note(block(match(self.CRASH, self.NORMAL), match(self.LATE, self.NORMAL)))
        assert {"a": "late: a did"} == noted
        assert {"a": 2, "b": 0} == failures.running

    def test_the_last_match_decides(self):
        failures = Failures({})
        noted = failures.note(block(match(self.CRASH, self.NORMAL), match(self.NORMAL, self.CRASH)))
        assert {"b": "crash: b did"} == noted
        assert {"a": 0, "b": 1} == failures.running

    def test_void_matches_count_for_nothing(self):
        failures = Failures({"a": 1})
        void = match(Ending.VOID, Ending.VOID, end="void")
        assert {} == failures.note(block(void))
        assert {"a": 1} == failures.running

    def test_a_bot_with_two_seats_fails_a_match_once(self):
        twice = match(self.CRASH, self.CRASH)
        twice = attrs.evolve(
            twice, seats=tuple(attrs.evolve(seat, bot="a") for seat in twice.seats)
        )
        failures = Failures({})
        failures.note(block(twice))
        assert {"a": 1} == failures.running


def test_no_rate_before_it_begins():
    assert 0.0 == Pace(math.inf).rate(5.0)
