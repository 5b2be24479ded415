"""Blocks as arrays, and what is summed up of them, against the same sums match by match."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanista.ratings.counting import (
    connected,
    count,
    count_pages,
    distinct_rows,
    independent,
    meetings,
    reached,
    tally,
)
from lanista.results.blocks import BlockScore, points, seatings
from ratings.rating_cases import any_block


@st.composite
def tournaments(draw, *, fewest=1):
    """(bots, fillers, blocks, seatings): any bots in any places, any ranks."""
    seats = draw(st.sampled_from([2, 4]))
    bots = [f"bot{number}" for number in range(draw(st.integers(2, 5)))]
    fillers = ["Null", "Null 2"][: draw(st.integers(0, 2))]
    placed = st.lists(st.sampled_from(bots + fillers), min_size=seats, max_size=seats)
    blocks = st.lists(any_block(placed, seats), min_size=fewest, max_size=12)
    return bots, fillers, draw(blocks), seatings(range(seats))


def matches(blocks, seated):
    """(names by seat, ranks by seat), all."""
    return [
        ([block.bots[place] for place in seating], ranks)
        for block in blocks
        for seating, ranks in zip(seated, block.ranks, strict=True)
    ]


@settings(max_examples=30)
@given(tournaments(fewest=0))
def test_sums_are_those_of_the_matches(tournament):
    bots, fillers, blocks, seated = tournament
    sums = tally(count(blocks, seated, bots, fillers))
    played = matches(blocks, seated)
    for number, bot in enumerate(bots):
        assert sum(bot in names for names, _ in played) == sums.matches[number]
        assert sum(bot in block.bots for block in blocks) == sums.blocks[number]
        drawn = [len(set(ranks)) == 1 for _, ranks in played]
        assert sums.draws[number] == sum(
            bot in names and even for (names, _), even in zip(played, drawn, strict=True)
        )
        for place in range(len(seated)):
            # Two seats tell draws apart; with four a tie of all is a first place of all.
            assert sums.places[number, place] == sum(
                names[seat] == bot and rank == place + 1
                for (names, ranks), even in zip(played, drawn, strict=True)
                for seat, rank in enumerate(ranks)
                if len(ranks) > 2 or not even
            )


@settings(max_examples=30)
@given(tournaments(fewest=0))
def test_points_between_two_bots(tournament):
    """One a match for whoever is ahead of the other, in the mean over the seats that they have."""
    bots, fillers, blocks, seated = tournament
    all_met, all_won = meetings(count(blocks, seated, bots, fillers))
    for one, other in itertools.permutations(range(len(bots)), 2):
        won = met = 0
        for names, ranks in matches(blocks, seated):
            pairs = [
                1.0 if ranks[a] < ranks[b] else 0.5 if ranks[a] == ranks[b] else 0.0
                for a in range(len(names))
                for b in range(len(names))
                if names[a] == bots[one] and names[b] == bots[other]
            ]
            if pairs:
                met += 1
                won += sum(pairs) / len(pairs)
        assert met == all_met[one, other]
        assert won == pytest.approx(all_won[one, other])


@settings(max_examples=30)
@given(tournaments(fewest=0))
def test_points_are_those_of_a_match(tournament):
    """As `blocks.points`, less what a bot has from its own other seats."""
    bots, fillers, blocks, seated = tournament
    sums = tally(count(blocks, seated, bots, fillers))
    total = dict.fromkeys([*bots, *fillers], 0.0)
    for names, ranks in matches(blocks, seated):
        for name, won in zip(names, points(ranks), strict=True):
            total[name] += won
        for a, b in itertools.combinations(range(len(names)), 2):
            if names[a] == names[b]:
                total[names[a]] -= 1  # whoever of the two was ahead
    if len(fillers) < 2:  # of two fillers, one isn't the other's opponent
        assert [total[bot] for bot in bots] == pytest.approx(sums.points.tolist())


@settings(max_examples=30)
@given(tournaments(), st.randoms())
def test_the_order_of_blocks_leaves_no_trace(tournament, chance):
    bots, fillers, blocks, seated = tournament
    shuffled = list(blocks)
    chance.shuffle(shuffled)
    one, other = (count(some, seated, bots, fillers) for some in (blocks, shuffled))
    for name in (
        *("block_players", "openings", "block_of", "match_of"),
        *("players", "pattern_of", "patterns", "times"),
    ):
        assert (getattr(one, name) == getattr(other, name)).all()
    assert independent(one).of_bot.tolist() == independent(other).of_bot.tolist()


def test_equal_matches_are_one():
    seated = seatings("ab")
    block = BlockScore(("a", "b"), ((1, 2), (2, 1)))
    counted = count([block] * 3, seated, ["a", "b"])
    assert (3, 6) == (counted.blocks, counted.matches)
    assert [3, 3] == counted.times.tolist()
    assert [[0, 1], [1, 0]] == counted.players.tolist()
    assert [[1, 2], [2, 1]] == counted.ranks.tolist()
    assert [0, 0, 1, 1, 2, 2] == counted.block_of.tolist()
    assert [0, 1] * 3 == counted.match_of.tolist()
    assert not counted.fillers


def test_blocks_with_one_filler_or_another_are_equal():
    """All fillers are one player, so the order of their names in a set leaves no trace."""
    blocks = [BlockScore(("a", name), ((1, 2), (2, 1))) for name in ("Null", "Null 2", "Null 3")]
    counted = count(blocks, seatings("ab"), ["a"], ["Null", "Null 2", "Null 3"])
    assert [[0, 1]] * 3 == counted.block_players.tolist()
    assert [3, 3] == counted.times.tolist()


def test_many_columns_of_large_numbers():
    """Their product is beyond 64 bits."""
    rows = np.array([[9**15, 3, 10**15], [9**15, 2, 10**15], [0, 5, 7], [9**15, 3, 10**15]])
    first, which, times = distinct_rows(rows)
    assert [2, 1, 0] == first.tolist()
    assert [2, 1, 0, 2] == which.tolist()
    assert [1, 1, 2] == times.tolist()


def test_pages_of_matches_are_counted_like_blocks_of_one():
    """A ladder's matches, each of which has an opening of its own."""
    bots = ["a", "b", "c"]
    matches = [(("b", "a"), (2, 1)), (("a", "c"), (1, 1)), (("b", "a"), (2, 1))]
    pages = [
        ([json.dumps(ranks) for _, ranks in part], [name for names, _ in part for name in names])
        for part in (matches[:2], matches[2:])
    ]
    blocks = [BlockScore(names, (ranks,), number) for number, (names, ranks) in enumerate(matches)]
    one, other = count(blocks, [(0, 1)], bots), count_pages(pages, 2, bots)
    assert one.bots == other.bots
    for name in ("block_players", "openings", "block_of", "match_of", "players", "ranks", "times"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
    assert 0 == count_pages([], 2, bots).matches
    with pytest.raises(KeyError, match="x"):
        count_pages([(["[1, 2]"], ["a", "x"])], 2, bots)


WON = ((1, 2), (2, 1))


def on_openings(*openings, bots=("a", "b")):
    return [BlockScore(bots, WON, opening) for opening in openings]


class TestIndependent:
    def test_openings_from_three_on(self):
        """Each bot plays two blocks on each opening; the openings' numbers mean nothing."""
        pairs = [("a", "b"), ("b", "c"), ("c", "a")]
        for openings, units, each in ((3, 3, 3.0), (2, 6, 4.0)):
            blocks = [
                one for pair in pairs for one in on_openings(*range(5, 5 + openings), bots=pair)
            ]
            found = independent(count(blocks, seatings("ab"), ["a", "b", "c", "idle"]))
            assert units == len(set(found.unit_of.tolist()))
            assert [each] * 3 + [0.0] == found.of_bot.tolist()
            assert units == found.all

    def test_unlike_numbers_of_blocks(self):
        """9 openings with one block, one with 3: (9 + 3)^2 / (9 + 9) = 8 equal ones."""
        found = independent(count(on_openings(*range(10), 0, 0), seatings("ab"), ["a", "b"]))
        assert [0, 0, 0, *range(1, 10)] == found.unit_of.tolist()
        assert [8.0, 8.0, 8.0] == pytest.approx([found.all, *found.of_bot])

    def test_nearly_all_on_one_opening(self):
        """Nothing to be seen of what openings have in common."""
        found = independent(count(on_openings(*range(10), *[0] * 90), seatings("ab"), ["a", "b"]))
        assert list(range(100)) == found.unit_of.tolist()
        assert [100.0, 100.0] == found.of_bot.tolist()

    def test_two_places_of_one_bot_are_one_block(self):
        seated = seatings("aabb")
        blocks = [
            BlockScore(("a", "a", "b", "b"), ((1, 2, 3, 4),) * len(seated), opening)
            for opening in range(12)
        ]
        found = independent(count(blocks, seated, ["a", "b"]))
        assert [12.0, 12.0] == pytest.approx(found.of_bot.tolist())


def test_who_scored_against_whom():
    """a drew with b, b won all against c, c all against d, and by way of it against nobody."""
    blocks = [
        BlockScore(("a", "b"), ((1, 1), (1, 2))),
        BlockScore(("b", "c"), WON),
        BlockScore(("c", "d"), WON),
    ]
    counted = count(blocks, seatings("ab"), ["a", "b", "c", "d", "idle"])
    reach = reached(counted.players, counted.ranks, 5)
    assert [
        [1, 1, 1, 1, 0],
        [1, 1, 1, 1, 0],
        [0, 0, 1, 1, 0],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 0, 1],
    ] == (reach.astype(int).tolist())
    assert [0, 0, 2, 3, 4] == connected(reach).tolist()


def test_who_is_below_in_a_match_of_four_scored_nothing():
    """The last of every match reaches nobody; who ties is reached."""
    seated = seatings("abcd")
    ranks = tuple(tuple((1, 1, 3, 4)[place] for place in seating) for seating in seated)
    counted = count([BlockScore(("a", "b", "c", "d"), ranks)], seated, ["a", "b", "c", "d"])
    assert [0, 0, 2, 3] == connected(reached(counted.players, counted.ranks, 4)).tolist()
