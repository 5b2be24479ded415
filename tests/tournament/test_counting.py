"""Blocks as arrays, and what is summed up of them, against the same sums match by match."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanista.tournament.blocks import Played, points, seatings
from lanista.tournament.counting import count, tally


@st.composite
def tournaments(draw, *, fewest=1):
    """(bots, fillers, blocks, seatings): any bots in any places, any ranks."""
    seats = draw(st.sampled_from([2, 4]))
    bots = [f"bot{number}" for number in range(draw(st.integers(2, 5)))]
    fillers = ["Null", "Null 2"][: draw(st.integers(0, 2))]
    placed = st.lists(st.sampled_from(bots + fillers), min_size=seats, max_size=seats)
    seated = seatings(range(seats))
    ranks = st.lists(st.integers(1, seats), min_size=seats, max_size=seats).map(
        lambda places: tuple(1 + sum(other < place for other in places) for place in places)
    )
    block = st.builds(
        Played,
        placed.map(tuple),
        st.lists(ranks, min_size=len(seated), max_size=len(seated)).map(tuple),
    )
    return bots, fillers, draw(st.lists(block, min_size=fewest, max_size=12)), seated


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
            assert sums.places[number, place] == sum(
                names[seat] == bot and rank == place + 1
                for (names, ranks), even in zip(played, drawn, strict=True)
                for seat, rank in enumerate(ranks)
                if not even
            )


@settings(max_examples=30)
@given(tournaments(fewest=0))
def test_points_between_two_bots(tournament):
    """One a match for whoever is ahead of the other, in the mean over the seats that they have."""
    bots, fillers, blocks, seated = tournament
    sums = tally(count(blocks, seated, bots, fillers))
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
        assert met == sums.met[one, other]
        assert won == pytest.approx(sums.won[one, other])


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
    for name in ("times", "block_players", "block_matches", "players", "ranks", "match_times"):
        assert (getattr(one, name) == getattr(other, name)).all()


def test_equal_blocks_are_one():
    seated = seatings("ab")
    block = Played(("a", "b"), ((1, 2), (2, 1)))
    counted = count([block] * 3, seated, ["a", "b"])
    assert [3] == counted.times.tolist()
    assert 3 == counted.blocks
    assert [3, 3] == counted.match_times.tolist()
    assert [[0, 1], [1, 0]] == counted.players.tolist()
    assert not counted.fillers


@pytest.mark.parametrize(
    ("block", "words"),
    [
        (Played(("a", "x"), ((1, 2), (2, 1))), "played by 'x', which is no bot of the spec"),
        (Played(("a", "b", "a"), ((1, 2), (2, 1))), "a block of 3 bots, seatings of 2 seats"),
        (Played(("a", "b"), ((1, 2),)), "without 2 rankings of 2 seats each"),
        (Played(("a", "b"), ((1, 2), (1, 2, 3))), "without 2 rankings of 2 seats each"),
    ],
)
def test_what_is_no_block_of_these(block, words):
    with pytest.raises(ValueError) as caught:
        count([block], seatings("ab"), ["a", "b"])
    assert words in str(caught.value)
