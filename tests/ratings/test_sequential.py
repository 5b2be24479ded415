"""The sequential test: its ratio against plain cases, its errors against simulated matches."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanista.ratings.sequential import Sequential, score_of

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)


def test_bounds_are_walds():
    low, high = Sequential(0, 10, 0.05, 0.1).bounds
    assert math.log(0.1 / 0.95) == pytest.approx(low)
    assert math.log(0.9 / 0.05) == pytest.approx(high)


@given(st.floats(-1500, 1500))
def test_elo_and_score(elo):
    assert elo == pytest.approx(-400 * math.log10(1 / score_of(elo) - 1), abs=1e-6)
    assert 1 == pytest.approx(score_of(elo) + score_of(-elo))


def test_without_draws_it_is_the_plain_test():
    """Scores 0 and 1 alone: n log(s1/s0) for each win, n log((1-s1)/(1-s0)) for each loss."""
    test = Sequential(0, 50, 0.05, 0.05)
    for score in [1.0] * 60 + [0.0] * 50:
        test.add(score)
    s0, s1 = score_of(0), score_of(50)
    expected = 60 * math.log(s1 / s0) + 50 * math.log((1 - s1) / (1 - s0))
    # The other scores have a thousandth of a block each.
    assert expected == pytest.approx(test.llr, abs=0.01)


def likeliest(counts, mean):
    """The greatest Σ n log p with Σ p = 1 and Σ p score = mean: bisection on the multiplier."""
    total = sum(counts.values())
    low = -1 / (max(counts) - mean) + 1e-15
    high = -1 / (min(counts) - mean) - 1e-15

    def excess(by):
        return sum(n * (s - mean) / (1 + by * (s - mean)) for s, n in counts.items())

    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    shares = {s: n / total / (1 + low * (s - mean)) for s, n in counts.items()}
    assert 1 == pytest.approx(sum(shares.values()), abs=1e-6)
    assert mean == pytest.approx(sum(s * p for s, p in shares.items()), abs=1e-6)
    return sum(n * math.log(shares[s]) for s, n in counts.items())


@given(st.lists(st.integers(0, 20), min_size=5, max_size=5).filter(any))
def test_the_ratio_is_that_of_the_likeliest_distributions(numbers):
    test = Sequential(-10, 40, 0.05, 0.05)
    for score, times in zip(SCORES, numbers, strict=True):
        for _ in range(times):
            test.add(score)
    counts = {score: max(times, 1e-3) for score, times in zip(SCORES, numbers, strict=True)}
    expected = likeliest(counts, score_of(40)) - likeliest(counts, score_of(-10))
    assert expected == pytest.approx(test.llr, abs=1e-4)


@given(st.lists(st.sampled_from([*SCORES, 1 / 3, 0.3125]), min_size=1, max_size=30), st.randoms())
def test_only_how_many_of_each_counts(scores, chance):
    """Not their order; and A's view is B's turned round."""
    one, other, turned = (Sequential(-20, 20, 0.01, 0.01) for _ in range(3))
    for score in scores:
        one.add(score)
        turned.add(1 - score)
    shuffled = list(scores)
    chance.shuffle(shuffled)
    for score in shuffled:
        other.add(score)
    assert one.llr == pytest.approx(other.llr, abs=1e-6)
    assert one.llr == pytest.approx(-turned.llr, abs=1e-6)


def test_it_decides_once():
    test = Sequential(0, 100, 0.05, 0.05)
    assert test.decision is None
    while test.decision is None:
        test.add(1.0)
    assert "H1" == test.decision
    assert test.llr >= test.bounds[1]
    for _ in range(500):
        test.add(0.0)
    assert test.llr < test.bounds[0]
    assert "H1" == test.decision
    other = Sequential(0, 100, 0.05, 0.05)
    while other.decision is None:
        other.add(0.25)
    assert "H0" == other.decision


def test_draws_alone_decide_in_the_end():
    """Nothing but ½: no variance at all, which the test must survive."""
    test = Sequential(0, 100, 0.05, 0.05)
    for _ in range(2000):
        test.add(0.5)
        if test.decision:
            break
    assert "H0" == test.decision


def _blocks(chance, elo, seats, alike):
    """Scores of blocks without end: by chance, matches of a block decided alike."""
    mean = score_of(elo)
    drawn = 0.3
    ends = [mean - drawn / 2, mean + drawn / 2]
    while True:
        shape = (256, 2) if seats == 2 else (256, 4, 4)
        common = chance.random((256, *[1] * (len(shape) - 1)))
        number = np.where(chance.random(shape) < alike, common, chance.random(shape))
        scores = np.where(number < ends[0], 1.0, np.where(number < ends[1], 0.5, 0.0))
        yield from scores.reshape(256, -1).mean(axis=1).tolist()


SHORT = pytest.param((0, 80), 2, 0.5, 200, 0.09, id="short")  # with an error of 0.015 of its own
LONG = [
    pytest.param(*case, 2000, 0.065, marks=(pytest.mark.long, pytest.mark.timeout(1800)))
    for case in itertools.product([(0, 30), (-20, 20), (0, 100)], [2, 4], [0.0, 0.5])
]


@pytest.mark.parametrize(("hypotheses", "seats", "alike", "trials", "most"), [SHORT, *LONG])
@pytest.mark.parametrize(("truth", "wrong"), [(0, "H1"), (1, "H0")])
def test_errors_are_as_rare_as_asked_for(truth, wrong, hypotheses, seats, alike, trials, most):
    """0.05 and three of the simulation's standard errors, of 2000 tests in the long version."""
    chance = np.random.default_rng(12)
    decisions = []
    for _ in range(trials):
        test = Sequential(*hypotheses, 0.05, 0.05)
        for score in _blocks(chance, hypotheses[truth], seats, alike):
            test.add(score)
            if test.decision:
                break
        decisions.append(test.decision)
    assert decisions.count(wrong) / trials < most
