"""Balanced designs: each is counted pair by pair, so that no formula or table must be believed."""

from collections import Counter
from itertools import combinations, permutations

import pytest

from lanista.competition.formats.base import turned
from lanista.competition.formats.designs import balanced
from lanista.competition.formats.fixed import circle, triples


def least_lambda(count):
    """The smallest λ with whole numbers of blocks (Hanani: there is a design of it)."""
    return next(
        together
        for together in (1, 2, 3, 6)
        if together * (count - 1) % 3 == 0 and together * count * (count - 1) % 12 == 0
    )


# Prime, even and odd, both gaps of the composed ones (46, 70), last groups of 0, 1 and more.
LARGE = [41, 42, 44, 45, 46, 47, 51, 52, 58, 63, 69, 70, 76, 81, 100]


@pytest.mark.parametrize("count", [*range(4, 41), *LARGE])
def test_every_pair_meets_equally_often(count):
    """They meet as seldom as possible; in large designs, six times at most."""
    design = balanced(count)
    assert all(len(set(block)) == 4 and set(block) <= set(range(count)) for block in design)
    pairs = Counter(frozenset(pair) for block in design for pair in combinations(block, 2))
    (often,) = set(pairs.values())
    assert set(map(frozenset, combinations(range(count), 2))) == pairs.keys()
    assert often <= 6 if count in LARGE else often == least_lambda(count)


@pytest.mark.parametrize("count", [5, 9, 11, 15, 17, 21, 23, 27, 29, 33, 35, 39])
def test_odd_counts_that_allow_it_have_every_distance_equally_often(count):
    design = balanced(count)
    distances = distance_counts(design)
    third = least_lambda(count) // 3
    assert {(a, b, by): third for a, b in permutations(range(count), 2) for by in (1, 2, 3)} == (
        distances
    )


@pytest.mark.parametrize("count", [4, 7, 10, 20, 28])
def test_six_draws_have_every_distance_equally_often(count):
    design = [turned(block, draw) for draw in range(6) for block in balanced(count)]
    assert {2 * least_lambda(count)} == set(distance_counts(design).values())
    assert 3 * count * (count - 1) == len(distance_counts(design))


def distance_counts(design):
    """How often each ordered two are so many seats after one another."""
    return Counter(
        (block[one], block[other], (other - one) % 4)
        for block in design
        for one, other in permutations(range(4), 2)
    )


@pytest.mark.parametrize("count", [*range(4, 41), 46, 69, 70, 100])
def test_nobody_is_far_ahead(count):
    played = [0] * count
    for block in balanced(count):
        for point in block:
            played[point] += 1
        assert max(played) - min(played) <= 3


def test_less_than_four_is_refused():
    with pytest.raises(ValueError, match="four points at least, not 3"):
        balanced(3)


@pytest.mark.parametrize("count", range(2, 14))
def test_the_circle_has_every_pair_once_and_rounds_of_all(count):
    pairs = circle(count)
    assert set(combinations(range(count), 2)) == set(pairs)
    assert len(set(pairs)) == len(pairs)
    a_round = count // 2
    for start in range(0, len(pairs), a_round):
        playing = [bot for pair in pairs[start : start + a_round] for bot in pair]
        assert 2 * a_round == len(set(playing))


@pytest.mark.parametrize("size", range(3, 40))
def test_turned_triples_spread_the_others(size):
    """Over a period every two others have met as often as any, but for one draw's worth."""
    met = Counter(
        frozenset({(a + turn) % size, (b + turn) % size})
        for triple in triples(size, 24)
        for turn in range(size)
        for a, b in combinations(triple, 2)
    )
    assert size * (size - 1) // 2 == len(met)
    # Six others: of any triple but (0, 2, 4), which turns into itself, one difference is even, so
    # 6 pairs have a third of all meetings, 24 each; the other 9 have two thirds, 32 each.
    assert max(met.values()) - min(met.values()) <= (8 if size == 6 else 3)
