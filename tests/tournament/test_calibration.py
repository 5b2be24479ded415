"""How many blocks at the same time: decided by figures, measured by given means."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanista.tournament.calibration import Bounds, calibrate, judge, level_of, levels
from lanista.tournament.events import Level
from lanista.tournament.worker import Measured

BOUNDS = Bounds(turn=0.2, stall_margin=0.05)


def level(concurrency=1, *, high=0.001, stall=0.0):
    return Level(concurrency=concurrency, median=high / 2, high=high, stall=stall, answers=100)


def machine(*figures):
    """A machine that shows these answers (all alike) and stalls at each level."""
    asked = []

    async def measure(concurrency):
        asked.append(concurrency)
        answer, stall = figures[len(asked) - 1]
        return [Measured(answers=(answer,) * 10, stall=stall) for _ in range(concurrency)]

    return measure, asked


def test_levels_are_tried_one_by_one_then_in_steps_of_a_quarter():
    assert [1] == list(levels(1))
    assert [1, 2, 3] == list(levels(3))
    # 8 + 8/4 = 10, 10 + 10//4 = 12, 15, 18, 22, 27
    assert [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 32] == list(levels(32))


@given(st.integers(1, 500))
def test_levels_end_with_the_most(most):
    tried = list(levels(most))
    assert (1, most) == (tried[0], tried[-1])
    assert all(one < other for one, other in itertools.pairwise(tried))
    assert len(tried) <= 30


def test_the_figures_of_a_level_are_of_all_its_workers():
    # 200 answers of 1 … 200 ms: the 100th is the median, the 198th is where 99 % are.
    halves = [range(1, 200, 2), range(2, 201, 2)]
    measured = [
        Measured(answers=tuple(ms / 1000 for ms in half), stall=stall)
        for half, stall in zip(halves, (0.01, 0.03), strict=True)
    ]
    found = level_of(2, measured)
    assert (0.1, 0.198, 0.03, 200) == (found.median, found.high, found.stall, found.answers)


def test_a_level_without_answers():
    found = level_of(1, [Measured(answers=(), stall=0.0)])
    assert (0.0, 0.0, 0) == (found.median, found.high, found.answers)


class TestJudge:
    def test_answers_within_a_share_of_the_turn_hurt_nobody(self):
        # 5 % of 0.2 s are 10 ms.
        assert "" == judge(level(high=0.001), level(2, high=0.010), BOUNDS)
        assert "answers are slower: 99 % within 10.1 ms, 10.0 ms is allowed" == judge(
            level(high=0.001), level(2, high=0.0101), BOUNDS
        )

    def test_slow_answers_may_be_half_as_slow_again(self):
        assert "" == judge(level(high=0.1), level(2, high=0.15), BOUNDS)
        assert judge(level(high=0.1), level(2, high=0.151), BOUNDS)

    def test_a_stall_above_the_margin(self):
        assert "" == judge(level(), level(2, stall=0.05), BOUNDS)
        assert "the host stalled for 60 ms" == judge(level(), level(2, stall=0.06), BOUNDS)

    def test_without_a_limit_only_stalls_matter(self):
        unlimited = Bounds(turn=0.0, stall_margin=0.05)
        assert "" == judge(level(high=0.001), level(2, high=9.0), unlimited)
        assert judge(level(), level(2, stall=0.06), unlimited)


class TestCalibrate:
    async def test_the_highest_level_that_does_not_suffer(self):
        measure, asked = machine((0.0004, 0), (0.0005, 0), (0.02, 0), (0.0004, 0))
        found = await calibrate(4, measure, BOUNDS)
        assert [1, 2, 3] == asked, "it stops at the first that fails"
        assert 2 == found.slots
        assert ["", "", "answers are slower: 99 % within 20.0 ms, 10.0 ms is allowed"] == [
            level.trouble for level in found.levels
        ]
        assert (
            "concurrency 2: answers 0.5 ms (99 %: 0.5), alone 0.4 (0.4); "
            "with 3 answers are slower: 99 % within 20.0 ms, 10.0 ms is allowed" == found.words
        )

    async def test_all_levels_are_well(self):
        measure, asked = machine((0.0004, 0), (0.0005, 0))
        found = await calibrate(2, measure, BOUNDS)
        assert ([1, 2], 2) == (asked, found.slots)
        assert "concurrency 2: answers 0.5 ms (99 %: 0.5), alone 0.4 (0.4)" == found.words

    async def test_alone_is_taken_whatever_it_shows(self):
        measure, _ = machine((0.5, 0.3), (0.5, 0.3))
        found = await calibrate(2, measure, BOUNDS)
        assert 1 == found.slots
        assert (
            "concurrency 1: answers 500.0 ms (99 %: 500.0); with 2 the host stalled for 300 ms"
            == found.words
        )


@pytest.mark.parametrize("most", [1, 2])
async def test_one_worker_is_measured_alone(most):
    measure, asked = machine((0.001, 0), (9.9, 0))
    found = await calibrate(most, measure, BOUNDS)
    assert list(range(1, most + 1)) == asked
    assert 1 == found.slots
