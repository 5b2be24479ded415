"""Ratings against closed forms, against choix, against the likelihood written down plainly.

The first two don't know the prior, so there everything was played so often that it isn't felt.
"""

import importlib
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanista.ratings import likelihood
from lanista.ratings.counting import count
from lanista.ratings.likelihood import ELO, maximum, model_of
from lanista.ratings.rating import on_scale, rate, student
from lanista.ratings.table import CENTRE
from lanista.results.blocks import BlockScore, seatings
from ratings.rating_cases import Case, any_block, names, play, spread

TWO = seatings("ab")
FOUR = seatings("abcd")
WON, LOST, DRAWN = ((1, 2), (2, 1)), ((2, 1), (1, 2)), ((1, 1), (1, 1))


def rated(blocks, seated, bots, fillers=()):
    return rate(count(blocks, seated, bots, fillers))


def blocks_of(*results, bots=("a", "b")):
    """(ranks of the block, how often), …"""
    return [BlockScore(bots, ranks) for ranks, times in results for _ in range(times)]


def deltas(blocks, seated, bots):
    """The sizes of ties that were seen, and the estimate of the delta of each."""
    model = model_of(count(blocks, seated, bots))
    logs = maximum(model).at[model.players + model.seats :]
    return dict(zip(model.tied, np.exp(logs).tolist(), strict=True))


class TestClosedForms:
    def test_davidson(self):
        """Two bots, 2w wins, 2l losses, 2d draws, seats even: e^theta = w/l, delta = d/sqrt(wl).

        Davidson 1970: with two bots the model has as many parameters as there are frequencies.
        """
        blocks = blocks_of((WON, 3000), (LOST, 1200), (DRAWN, 1800))
        found = rated(blocks, TWO, ["a", "b"])
        assert 400 * math.log10(30 / 12) == pytest.approx(found.elo[0] - found.elo[1], abs=0.1)
        assert [seat.value for seat in found.seats] == pytest.approx([0, 0], abs=1e-6)
        ((size, delta),) = deltas(blocks, TWO, ["a", "b"]).items()
        assert 2 == size
        assert 18 / math.sqrt(30 * 12) == pytest.approx(delta, rel=1e-3)

    def test_seat_advantage(self):
        """a wins 30 of 40 in seat 0, and 18 of 40 in seat 1: logit 30:10 is d + s, 18:22 d - s."""
        both, only_first, only_second, none = WON, ((1, 2), (1, 2)), ((2, 1), (2, 1)), LOST
        blocks = blocks_of((both, 1500), (only_first, 1500), (only_second, 300), (none, 700))
        found = rated(blocks, TWO, ["a", "b"])
        first, second = math.log(30 / 10), math.log(18 / 22)
        assert (first + second) / 2 * ELO == pytest.approx(found.elo[0] - found.elo[1], abs=0.05)
        gain = found.seats[0].value - found.seats[1].value
        assert (first - second) / 2 * ELO == pytest.approx(gain, abs=0.05)
        assert 0 == pytest.approx(sum(seat.value for seat in found.seats), abs=1e-6)

    @pytest.mark.parametrize("draws", [0, 1, 2, 8])
    def test_draws_widen_the_interval(self, draws):
        """The interval of docs/statistics.md holds: ± 681 / sqrt((1 - d) n) for two bots."""
        matches = [(1, 2), (2, 1), *[(1, 1)] * draws]
        every = itertools.product(matches, repeat=2)  # independent: each beside each other
        blocks = [
            BlockScore(("a", "b"), ranks, opening)
            for opening, ranks in enumerate([*every] * (1400 // len(matches) ** 2))
        ]
        found = rated(blocks, TWO, ["a", "b"])
        decided = 2 * len(blocks) * 2 / len(matches)
        assert 681 / math.sqrt(decided) == pytest.approx(found.high[0] - found.low[0], rel=0.05)


def test_rankings_against_choix():
    """No ties, and seats that even out, so that their advantage is 0."""
    choix = importlib.import_module("choix")  # here, since each worker would wait seconds for it
    chance = np.random.default_rng(2)
    worth = np.linspace(1, -1, 7)
    rankings, blocks = [], []
    for _ in range(25):
        four = chance.choice(7, 4, replace=False)
        order = four[np.argsort(-(worth[four] + chance.gumbel(size=4)))].tolist()
        # The same ranking of bots in every seating.
        ranks = tuple(tuple(1 + order.index(four[place]) for place in seating) for seating in FOUR)
        blocks.append(BlockScore(tuple(f"bot{number}" for number in four), ranks))
        rankings.append(order)
    found = rated(blocks * 100, FOUR, [f"bot{number}" for number in range(7)])
    for solve in (choix.opt_rankings, choix.ilsr_rankings):
        # Rankings that repeat four times change nothing in the maximum.
        expected = on_scale(solve(7, rankings), np.ones(7, dtype=bool))
        assert expected == pytest.approx(found.elo, abs=0.1)


def plain_likelihood(blocks, seated, theta, gamma, delta):
    """The log likelihood as the paper writes it, set by set, and the prior's pseudo-matches."""
    total = 0.0
    for values in (list(theta.values()), gamma):
        for own in values:
            apart = own - (sum(values) - own) / (len(values) - 1)
            win = 1 / (1 + math.exp(-apart))
            total += 0.5 * math.log(win) + 0.5 * math.log(1 - win)
    for block in blocks:
        for seating, ranks in zip(seated, block.ranks, strict=True):
            worth = [theta[block.bots[place]] + gamma[seat] for seat, place in enumerate(seating)]
            left = set(range(len(ranks)))
            while len(left) > 1:
                best = min(ranks[seat] for seat in left)
                taken = {seat for seat in left if ranks[seat] == best}

                def weight(some, worth=worth):
                    mean = sum(worth[seat] for seat in some) / len(some)
                    return delta.get(len(some), 0.0) * math.exp(mean)

                total += math.log(weight(taken)) - math.log(
                    sum(
                        weight(some)
                        for size in range(1, len(left) + 1)
                        for some in itertools.combinations(left, size)
                    )
                )
                left -= taken
    return total


@pytest.mark.parametrize("twice", [False, True])
def test_the_estimate_is_the_maximum(twice):
    """Ties of two, three and four, seats, a bot with two seats: every way from it is downhill."""
    chance = np.random.default_rng(3)
    bots = ["a", "b", "c", "d", "e"]
    blocks = []
    for _ in range(30):
        placed = tuple(chance.choice(bots, 4, replace=twice).tolist())
        ranks = tuple(
            tuple(1 + sum(other < own for other in drawn) for own in drawn)
            for drawn in chance.integers(0, 5, size=(4, 4)).tolist()
        )
        blocks.append(BlockScore(placed, ranks))
    blocks.append(BlockScore(("a", "b", "c", "d"), ((1, 1, 1, 1),) * 4))
    found = rated(blocks, FOUR, bots)
    tied = deltas(blocks, FOUR, bots)
    assert [2, 3, 4] == [*tied]
    theta = dict(zip(bots, ((found.elo - CENTRE) / ELO).tolist(), strict=True))
    gamma = [seat.value / ELO for seat in found.seats]
    delta = {1: 1.0} | tied
    best = plain_likelihood(blocks, FOUR, theta, gamma, delta)
    for step in (0.05, -0.05):
        for bot in bots:
            moved = theta | {bot: theta[bot] + step}
            assert plain_likelihood(blocks, FOUR, moved, gamma, delta) < best
        for seat in range(4):
            moved = [worth + step * (other == seat) for other, worth in enumerate(gamma)]
            assert plain_likelihood(blocks, FOUR, theta, moved, delta) < best
        for size in (2, 3, 4):
            moved = delta | {size: delta[size] * math.exp(step)}
            assert plain_likelihood(blocks, FOUR, theta, gamma, moved) < best


class TestPrior:
    def test_is_hardly_felt_in_ordinary_data(self, monkeypatch):
        case = Case(seats=2, elo=spread(5, 400), blocks=10)
        counted = count(play(case, np.random.default_rng(4)), TWO, names(case))
        with_it = maximum(model_of(counted))
        monkeypatch.setattr(likelihood, "PSEUDO", 1e-6)
        without = maximum(model_of(counted))
        error = np.sqrt(np.diag(with_it.inverse))[:5]
        off = np.abs(with_it.at - without.at)[:5]
        assert (off > 0).all()
        assert (off < 0.15 * error).all()

    def test_who_won_all_has_a_rating(self):
        found = rated(blocks_of((WON, 30)), TWO, ["a", "b"])
        assert 200 < found.elo[0] - found.elo[1] < 2000
        # 60 wins in a row: at least some 250 Elo better (Clopper and Pearson's bound for 30
        # blocks in a row is a score of 0.88, that for 60 matches 0.94), and who knows how much.
        assert CENTRE + 100 < found.low[0] < CENTRE + 300
        assert [math.inf, -math.inf] == [found.high[0], found.low[1]]
        assert found.superior(0, 1) > 0.99

    def test_groups_that_never_met_have_equal_means(self):
        blocks = blocks_of((WON, 8), (LOST, 2)) + blocks_of((WON, 5), (LOST, 5), bots=("c", "d"))
        found = rated(blocks, TWO, ["a", "b", "c", "d"])
        assert pytest.approx(found.elo[:2].mean(), abs=0.01) == CENTRE
        assert pytest.approx(found.elo[2:].mean(), abs=0.01) == CENTRE
        # Nobody knows who of c and a is better: their intervals have no ends.
        assert [-math.inf] * 4 == found.low.tolist()
        assert [math.inf] * 4 == found.high.tolist()


class TestParts:
    """Bots that scored against each other, directly or by way of others, and all the rest."""

    def test_one_who_lost_all_leaves_the_others_alone(self):
        """Ratings of the others are nearly those of a tournament without it; 0 is their mean."""
        chance = np.random.default_rng(12)
        case = Case(seats=2, elo=spread(4, 300), blocks=6)
        blocks = play(case, chance)
        alone = rated(blocks, TWO, names(case))
        lost = [
            BlockScore((bot, "last"), WON, opening) for bot in names(case) for opening in range(6)
        ]
        found = rated(blocks + lost, TWO, [*names(case), "last"])
        assert [True] * 4 + [False] == found.anchors.tolist()
        assert alone.elo == pytest.approx(found.elo[:4], rel=0.05, abs=2)
        assert np.isfinite(found.low[:4]).all()
        assert np.isfinite(found.high[:4]).all()
        assert -math.inf == found.low[4]
        assert found.high[4] < found.elo[:4].min()

    def test_a_chain(self):
        """a beat b, b beat c: of b nothing is known, of a at least, of c at most."""
        blocks = blocks_of((WON, 9)) + blocks_of((WON, 9), bots=("b", "c"))
        found = rated(blocks, TWO, ["a", "b", "c"])
        assert found.anchors.all()
        assert [True, False, False] == np.isfinite(found.low).tolist()
        assert [False, False, True] == np.isfinite(found.high).tolist()
        assert found.elo[0] > found.elo[1] > found.elo[2]

    def test_four_seats(self):
        """Two take turns, the third always is behind them, the fourth behind all."""
        ranks = [
            tuple(tuple(order[place] for place in seating) for seating in FOUR)
            for order in ((1, 2, 3, 4), (2, 1, 3, 4))
        ]
        blocks = [BlockScore(tuple("abcd"), ranks[number % 3 > 0]) for number in range(12)]
        found = rated(blocks, FOUR, list("abcd"))
        assert [True, True, False, False] == found.anchors.tolist()
        # b won 8 of 12 blocks against a, and that's all that tells them apart.
        assert 400 * math.log10(8 / 4) == pytest.approx(found.elo[1] - found.elo[0], abs=5)
        assert [True, True, False, False] == np.isfinite(found.low).tolist()
        assert np.isfinite(found.high).all()

    def test_a_seat_that_always_wins(self):
        blocks = blocks_of((((1, 2), (1, 2)), 20))
        first, second = rated(blocks, TWO, ["a", "b"]).seats
        assert (None, None) == (first.high, second.low)
        assert first.low > 0 > second.high


class TestIntervals:
    def test_one_block_is_no_point(self):
        for ranks in (WON, DRAWN, ((1, 2), (1, 2))):
            found = rated(blocks_of((ranks, 1)), TWO, ["a", "b"])
            assert (found.high - found.low > 300).all()
            assert [1, 1] == found.rank_low.tolist()
            assert [2, 2] == found.rank_high.tolist()

    def test_equal_blocks_are_no_point(self):
        """All drawn: nothing differs between blocks, and yet it could."""
        found = rated(blocks_of((DRAWN, 20)), TWO, ["a", "b"])
        assert [CENTRE, CENTRE] == pytest.approx(found.elo.tolist(), abs=1e-6)
        assert (found.high - found.low > 20).all()

    def test_more_blocks_narrow_them(self):
        few, many = (
            rated(blocks_of((WON, 6 * times), (LOST, 4 * times)), TWO, ["a", "b"])
            for times in (2, 32)
        )
        # 16 times the blocks: a quarter of the width, less for few blocks' own widening.
        ratio = (few.high - few.low)[0] / (many.high - many.low)[0]
        assert 3.5 < ratio < 5.5

    def test_openings_that_a_bot_likes_widen_them(self):
        """The same blocks against three opponents: alike on each opening, or on their own."""
        results = [WON if number % 2 else LOST for number in range(20)]
        bots = ["a", "b", "c", "d"]
        widths = []
        for shift in (0, 1):
            blocks = [
                BlockScore(("a", other), ranks, number)
                for turn, other in enumerate(bots[1:])
                for number, ranks in enumerate(results[shift * turn :] + results[: shift * turn])
            ]
            found = rated(blocks, TWO, bots)
            widths.append((found.high - found.low)[0])
        assert widths[0] > 1.4 * widths[1]

    def test_matches_that_agree_within_blocks_widen_them(self):
        """As many wins, once by the same bot in both seatings, once by the same seat."""
        alike = rated(blocks_of((WON, 40), (LOST, 40)), TWO, ["a", "b"])
        even = rated(blocks_of((((1, 2), (1, 2)), 40), (((2, 1), (2, 1)), 40)), TWO, ["a", "b"])
        assert alike.elo == pytest.approx(even.elo, abs=1e-6)
        assert (alike.high - alike.low > 2 * (even.high - even.low)).all()

    def test_ranks_and_superiority(self):
        case = Case(seats=2, elo=(200.0, 0.0, 0.0, -200.0), blocks=60)
        found = rated(play(case, np.random.default_rng(5)), TWO, names(case))
        assert [1, 2, 2, 4] == found.rank_low.tolist()
        assert [1, 3, 3, 4] == found.rank_high.tolist()
        assert found.superior(0, 3) > 0.99
        assert 0.02 < found.superior(1, 2) < 0.98
        assert 1 == pytest.approx(found.superior(1, 2) + found.superior(2, 1))
        assert 0.5 == found.superior(1, 1)


@st.composite
def meetings(draw, seats):
    """Blocks of different bots."""
    bots = [f"bot{number}" for number in range(draw(st.integers(seats, seats + 2)))]
    placed = st.permutations(bots).map(lambda order: order[:seats])
    blocks = st.lists(any_block(placed, seats), min_size=1, max_size=15)
    return bots, draw(blocks), seatings(range(seats))


BOTH = st.sampled_from([2, 4]).flatmap(meetings)


@given(BOTH, st.randoms())
def test_names_of_seats_mean_nothing(meeting, chance):
    bots, blocks, seated = meeting
    new = list(range(len(seated[0])))
    chance.shuffle(new)
    moved = [
        BlockScore(block.bots, tuple(tuple(ranks[seat] for seat in new) for ranks in block.ranks))
        for block in blocks
    ]
    one = rated(blocks, seated, bots)
    other = rated(moved, [tuple(seating[seat] for seat in new) for seating in seated], bots)
    assert one.elo == pytest.approx(other.elo, abs=1e-3)
    assert [one.seats[seat].value for seat in new] == pytest.approx(
        [seat.value for seat in other.seats], abs=1e-3
    )


@given(BOTH)
def test_ratings_sum_to_nothing(meeting):
    bots, blocks, seated = meeting
    found = rated(blocks, seated, bots)
    assert pytest.approx(found.elo[found.anchors].mean(), abs=1e-6) == CENTRE
    assert 0 == pytest.approx(sum(seat.value for seat in found.seats), abs=1e-6)
    assert (found.rated | ~found.anchors).all()
    assert (found.low <= found.elo).all()
    assert (found.elo <= found.high).all()


@given(meetings(2), st.data())
def test_winning_more_never_brings_the_loser_nearer(meeting, data):
    """A block that was lost in both seatings, won in both instead.

    It moves what the concave likelihood counts from the one bot to the other, and nothing else: so
    the difference of the two can't fall. Each one's distance from all others can, a little, as the
    seats' advantage and the frequency of ties are estimated too.
    """
    bots, blocks, seated = meeting
    number = data.draw(st.integers(0, len(blocks) - 1))
    one = blocks[number].bots
    before = [*blocks[:number], BlockScore(one, LOST), *blocks[number + 1 :]]
    after = [*blocks[:number], BlockScore(one, WON), *blocks[number + 1 :]]
    winner, loser = map(bots.index, one)
    low, high = (maximum(model_of(count(some, seated, bots))).at for some in (before, after))
    assert low[winner] - low[loser] <= high[winner] - high[loser] + 1e-6


@pytest.mark.parametrize(
    ("freedom", "quantile", "error"),
    # From a table of Student's distribution, with three decimals.
    [
        *((2, 4.303, 0.04), (3, 3.182, 0.005)),
        *((4, 2.776, 6e-4), (9, 2.262, 6e-4), (30, 2.042, 6e-4), (10**6, 1.960, 6e-4)),
    ],
)
def test_student(freedom, quantile, error):
    assert quantile == pytest.approx(student(np.array([freedom]))[0], abs=error)
