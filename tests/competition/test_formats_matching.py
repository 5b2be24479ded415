"""Swiss pairings against trying everything, on graphs small enough for that."""

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanista.competition.formats.swiss import nearest_pairs, nearest_pods


def all_pairings(left):
    """Every way of pairing, in the order in which the first gets its nearest, then the next."""
    if not left:
        yield []
        return
    first, *others = left
    for other in others:
        for rest in all_pairings([bot for bot in others if bot != other]):
            yield [(first, other), *rest]


@given(half=st.integers(1, 4), data=st.data())
def test_as_few_repeats_as_possible_and_the_nearest_first(half, data):
    count = 2 * half
    pairs = list(combinations(range(count), 2))
    met = set(data.draw(st.lists(st.sampled_from(pairs), unique=True)))

    def repeats(pairing):
        return sum(pair in met for pair in pairing)

    found, said = nearest_pairs(count, lambda a, b: (min(a, b), max(a, b)) in met)
    best = min(map(repeats, all_pairings(list(range(count)))))
    assert sorted(range(count)) == sorted(bot for pair in found for bot in pair)
    assert best == repeats(found) == said
    if best == 0:
        first = next(
            pairing for pairing in all_pairings(list(range(count))) if not repeats(pairing)
        )
        assert first == found


@pytest.mark.parametrize("count", [8, 20, 50])
def test_a_full_tournament_needs_no_repeat_for_half_its_rounds(count):
    """Who has met fewer than half of the others can always be paired (Dirac's theorem)."""
    chance = random.Random(count)
    met = set()
    for _ in range(count // 2):
        order = list(range(count))
        chance.shuffle(order)
        now = {(a, b) for a in range(count) for b in range(count) if {order[a], order[b]} in met}
        pairs, repeats = nearest_pairs(count, lambda a, b, now=now: (a, b) in now)
        assert 0 == repeats
        met |= {frozenset((order[a], order[b])) for a, b in pairs}


def test_repeats_go_to_those_who_met_least():
    """All have met; 0 and 1 twice, 2 and 3 twice."""
    often = {(0, 1): 2, (2, 3): 2}
    pairs, repeats = nearest_pairs(4, lambda a, b: often.get((min(a, b), max(a, b)), 1))
    assert ([(0, 2), (1, 3)], 2) == (pairs, repeats)


def test_pods_without_meetings_are_the_order():
    assert [(0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11)] == nearest_pods(12, lambda *_: 0)


def test_pods_avoid_meetings():
    """Sixteen who sat in fours by order can sit in fours of which no two met."""
    pods = nearest_pods(16, lambda a, b: a // 4 == b // 4)
    assert list(range(16)) == sorted(bot for pod in pods for bot in pod)
    assert all(len({bot // 4 for bot in pod}) == 4 for pod in pods)
