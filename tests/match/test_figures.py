"""What is counted in a match's turns: times of answers, the arena's own part, late answers."""

import math

import pytest

from lanista.match.figures import ANSWER_BOUNDS, OWN_BOUNDS, Histogram, MatchFigures
from match.playing import answers

THREE = answers("1", "1", "1")


def counted(histogram):
    """By upper bound: the buckets that aren't empty."""
    bounds = [*histogram.bounds, math.inf]
    return {bound: count for bound, count in zip(bounds, histogram.counts, strict=True) if count}


def test_a_histogram_counts_values_up_to_each_bound_and_beyond_the_last():
    histogram, other = Histogram((1, 10)), Histogram((1, 10), [1, 0, 2], 40)
    for value in (0, 1, 1.5, 10, 11):
        histogram.add(value)
    assert ([2, 2, 1], 23.5) == (histogram.counts, histogram.total)
    histogram.include(other)
    assert ([3, 2, 3], 63.5) == (histogram.counts, histogram.total)


@pytest.mark.parametrize(
    ("times", "took", "answered", "own"),
    [
        ([(10, 0, 120, 150), (20, 0, 300, 310)], 400, {250: 1, 500: 1}, {100: 1}),  # 400 - 320
        ([(10, 0, 120, 150), None], 400, {250: 1}, {500: 1}),  # seat 1 is out
        ([(10, 0, 120, 150), (20,)], 400, {250: 1}, {}),  # seat 1 didn't answer
        ([(10, 0, 120, 150)], math.inf, {250: 1}, {}),  # the last turn, or a held one
        ([(10, 0, 120, 150)], 100, {250: 1}, {}),  # its answer came after the match had gone on
        ([None], 100, {}, {100: 1}),  # nobody was asked
    ],
)
def test_the_times_of_a_turn(times, took, answered, own):
    figures = MatchFigures()
    figures.count_turn(times, took)
    assert (answered, own) == (counted(figures.answers), counted(figures.own))
    assert (ANSWER_BOUNDS, OWN_BOUNDS) == (figures.answers.bounds, figures.own.bounds)


async def held(game):
    """A watcher that holds the match."""


@pytest.mark.parametrize(("watcher", "followed"), [(None, 2), (held, 0)])
async def test_all_turns_of_a_match_are_counted(autojump_clock, counting, watcher, followed):
    """The arena's own part is known of turns that another one follows at once."""
    table = counting(rounds=3, watcher=watcher)
    await table.play(*[THREE] * 3)
    figures = table.match.figures
    assert (9, followed) == (sum(figures.answers.counts), sum(figures.own.counts))
    assert (0, 0) == (figures.late, figures.late_in_stalls)
