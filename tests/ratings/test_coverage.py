"""A nominal 95 % interval holds the truth in 93 to 98 of 100 tournaments.

Tournaments are made up with known ratings: players, bots, blocks, openings, seat advantage, how
much a block's matches have in common, how much a bot's matches on one seed have. In each every
bot's interval, and every seat's, either holds the truth or doesn't. Seeds are fixed, so that the
same intervals give the same figures. All cases of the long version take some minutes.
"""

import attrs
import numpy as np
import pytest

from lanista.ratings.counting import count
from lanista.ratings.rating import rate
from lanista.ratings.table import CENTRE
from lanista.results.blocks import seatings
from ratings.rating_cases import Case, names, play, spread

OUTLIER = (450.0, -150.0, -150.0, -150.0)

CASES = {
    "2 players, 4 bots, 10 blocks a pair": Case(seats=2, elo=spread(4, 300), blocks=10),
    "2 players, alike": Case(seats=2, elo=spread(4, 200), blocks=20, alike=0.6),
    "4 players, 4 bots, 10 blocks": Case(seats=4, elo=spread(4, 300), blocks=10, alike=0.3),
    "one far ahead": Case(seats=2, elo=OUTLIER, blocks=10, alike=0.2, tied=0),
    "openings that favour a seat": Case(
        seats=2, elo=spread(5, 200), blocks=15, alike=0.5, by_seat=True
    ),
    "bots like seeds": Case(seats=2, elo=(0.0,) * 8, blocks=10, liking=200.0),
}

LONG_CASES = (
    {
        f"{seats} players, {bots} bots, {blocks} openings, {top} Elo, alike {alike}": Case(
            seats=seats, elo=spread(bots, top), blocks=blocks, alike=alike, tied=tied
        )
        for seats, tied, several in ((2, 0.5, (4, 8, 12, 30)), (4, 0.2, (4, 8, 12, 32)))
        for bots in several
        for blocks in (3, 5, 10, 30, 200)
        for top in (0, 600)
        for alike in (0.0, 0.6)
        # The rest would take long, and is easier than what is here.
        if bots * blocks <= 360 or bots == 4
    }
    | {
        f"2 bots, {far} Elo apart, {blocks} openings, ties {tied}": Case(
            seats=2, elo=(0.0, 0.0), blocks=blocks, alike=0.3, tied=tied, far=far
        )
        for far in (200.0, 560.0)
        for blocks in (3, 5, 10, 20, 60, 200)
        for tied in (0.0, 0.5)
    }
    | {
        "one far ahead, 10 blocks": CASES["one far ahead"],
        "one far ahead, 30 blocks": Case(seats=2, elo=OUTLIER, blocks=30, alike=0.2, tied=0),
        "one far ahead of four": Case(seats=4, elo=OUTLIER, blocks=20, alike=0.2),
        "openings that favour a seat": CASES["openings that favour a seat"],
        "all won, 8 blocks": Case(seats=2, elo=(1600.0, 0.0), blocks=8, tied=0),
        "all won by one of four, 10 blocks": Case(
            seats=2, elo=(1500.0, 0.0, 0.0, 0.0), blocks=10, tied=0
        ),
    }
    | {
        f"seeds liked by {liking} Elo, {seats} players, {bots} bots, {blocks} seeds{more}": Case(
            seats=seats, elo=(0.0,) * bots, blocks=blocks, liking=liking, gauntlet=bool(more)
        )
        for liking in (0.0, 100.0, 200.0)
        for seats, bots, more in ((2, 8, ""), (4, 4, ""), (4, 8, ""), (2, 6, ", gauntlet"))
        for blocks in (3, 5, 10, 30)
    }
)


def coverage(case, tournaments):
    """Shares of the intervals: bots' that hold the truth, seats' that do, bots' with both ends."""
    chance = np.random.default_rng(20)
    bots, seats, ended = [], [], []
    for _ in range(tournaments):
        one = case
        if case.far:
            one = attrs.evolve(case, elo=tuple(chance.normal(0, case.far / 2**0.5, len(case.elo))))
        elo = np.array(one.elo)
        found = rate(count(play(one, chance), seatings(range(case.seats)), names(case)))
        truth = CENTRE + elo - elo[found.anchors].mean()
        bots.append((found.low <= truth) & (truth <= found.high))
        ended.append(np.isfinite(found.low) & np.isfinite(found.high))
        seats.append(
            [
                (one.low is None or one.low <= true) and (one.high is None or true <= one.high)
                for one, true in zip(found.seats, case.advantage, strict=True)
            ]
        )
    return float(np.mean(bots)), float(np.mean(seats)), float(np.mean(ended))


def test_intervals_hold_the_truth_as_often_as_they_say():
    """6 cases, 20 tournaments each: some 570 intervals of bots."""
    shares = [coverage(case, tournaments=20) for case in CASES.values()]
    bots, seats, _ = np.mean(shares, axis=0)
    assert 0.93 <= bots <= 0.98
    assert 0.92 <= seats <= 0.98  # half as many, and those of two seats are one
    assert min(bots for bots, _, _ in shares) > 0.9


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", LONG_CASES)
def test_intervals_of_each_case(name):
    """The long version: each case by itself; 0.01 is the simulation's own error.

    Where a bot plays few matches, or many intervals lack an end, more of them hold the truth.
    """
    case = LONG_CASES[name]
    bots, _, ended = coverage(case, tournaments=max(100, 2400 // len(case.elo)))
    assert 0.92 <= bots
    assert bots <= 0.99 or ended < 0.97 or case.blocks <= 5
