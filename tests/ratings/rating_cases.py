"""Tournaments made up by chance, with ratings that are known: for the tests of the ratings."""

import itertools
import math

import attrs
import numpy as np
from hypothesis import strategies as st

from lanista.results.blocks import BlockScore, seatings

ELO = 400 / math.log(10)


@attrs.frozen(kw_only=True)
class Case:
    """How a tournament is made up."""

    seats: int
    elo: tuple[float, ...]
    """By bot."""
    blocks: int
    """Two players: a pair; four: a bot."""
    alike: float = 0.0
    """The chance that a match is decided by its block's own opening: 0 is independence."""
    by_seat: bool = False
    """Whether a block's opening favours a seat, so that seatings even it out, or a bot."""
    tied: float = 0.3
    """delta_2; 0 is no ties."""
    liking: float = 0.0
    """Elo by which a bot plays better or worse on an opening, against everybody: its standard
    deviation over openings. The truth is `elo` then only where all bots are equal."""
    far: float = 0.0
    """If it isn't 0, bots are of unlike strength in each tournament: the standard deviation of the
    difference of two of them, in Elo, instead of `elo`."""
    gauntlet: bool = False
    """Whether the first bot meets all others, and these don't meet. For two players."""

    @property
    def advantage(self):
        """Elo by seat."""
        return (20.0, -20.0) if self.seats == 2 else (25.0, 5.0, -10.0, -20.0)


def spread(bots, top):
    """So many bots, evenly from +top/2 to -top/2 Elo."""
    return tuple((0.5 - bot / (bots - 1)) * top for bot in range(bots))


def names(case):
    return [f"bot{number}" for number in range(len(case.elo))]


def pairings(case, chance):
    """Bots by place, a row a block; and by block, its opening."""
    bots = len(case.elo)
    if case.seats == 2:
        pairs = list(itertools.combinations(range(bots), 2))
        if case.gauntlet:
            pairs = pairs[: bots - 1]
    elif bots == 4:
        pairs = [(0, 1, 2, 3)]
    else:
        # Rounds in which everybody plays once, in quadruples drawn anew.
        assert bots % 4 == 0
        rounds = [chance.permutation(bots).reshape(-1, 4) for _ in range(case.blocks)]
        return np.concatenate(rounds), np.repeat(np.arange(case.blocks), bots // 4)
    rows = np.array([pair for pair in pairs for _ in range(case.blocks)])
    return rows, np.arange(len(rows)) % case.blocks


def play(case, chance):
    """The blocks of a tournament: each match from the model that the ratings assume."""
    rows, openings = pairings(case, chance)
    seated = seatings(range(case.seats))
    bots = rows[:, seated]  # (blocks, seatings, seats)
    on_opening = chance.normal(0, case.liking, (case.blocks, len(case.elo))) + np.array(case.elo)
    worth = (on_opening[openings[:, None, None], bots] + np.array(case.advantage)) / ELO
    sets = [(seat,) for seat in range(case.seats)]
    if case.tied:
        sets += list(itertools.combinations(range(case.seats), 2))
    member = np.array([[seat in one for seat in range(case.seats)] for one in sets])
    share = member / member.sum(axis=1, keepdims=True)
    bonus = np.array([math.log(case.tied) if len(one) == 2 else 0.0 for one in sets])
    weight = np.exp(worth @ share.T + bonus)
    # One number decides a match's stage; it picks from the alternatives in the order of this key.
    key = (np.broadcast_to(np.arange(case.seats), bots.shape) if case.by_seat else bots) @ share.T
    order = np.argsort(key, axis=2, kind="stable")
    weight = np.take_along_axis(weight, order, 2)
    members = member[order]
    left = np.ones(bots.shape, dtype=bool)
    ranks = np.zeros(bots.shape, dtype=int)
    for _ in range(case.seats):
        possible = ~(members & ~left[:, :, None, :]).any(axis=3) & left.any(axis=2)[:, :, None]
        sums = np.cumsum(np.where(possible, weight, 0.0), axis=2)
        common = chance.random((len(rows), 1)) * np.ones(bots.shape[1])
        own = chance.random(bots.shape[:2])
        number = np.where(chance.random(bots.shape[:2]) < case.alike, common, own)
        picked = (number[:, :, None] * sums[:, :, -1:] >= sums).sum(axis=2)
        picked = np.minimum(picked, len(sets) - 1)
        taken = np.take_along_axis(members, picked[:, :, None, None], 2)[:, :, 0] & left
        ranks[taken] = np.broadcast_to(1 + (~left).sum(axis=2, keepdims=True), ranks.shape)[taken]
        left &= ~taken
    label = names(case)
    return [
        BlockScore(
            tuple(label[bot] for bot in row), tuple(tuple(match) for match in block), opening
        )
        for row, block, opening in zip(
            rows.tolist(), ranks.tolist(), openings.tolist(), strict=True
        )
    ]


def any_block(placed, seats):
    """Any ranks of a block whose bots a strategy places, on any of a few openings."""
    ranks = st.lists(st.integers(1, seats), min_size=seats, max_size=seats).map(
        lambda places: tuple(1 + sum(other < place for other in places) for place in places)
    )
    matches = len(seatings(range(seats)))
    ranked = st.lists(ranks, min_size=matches, max_size=matches).map(tuple)
    return st.builds(BlockScore, placed.map(tuple), ranked, st.integers(0, 30))
