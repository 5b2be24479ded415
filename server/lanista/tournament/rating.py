"""Ratings with their intervals: the likelihood's estimate, the bootstrap's draws, brought together.

The interval of a figure goes from the 2.5 % to the 97.5 % quantile of its draws. First the draws
of a bot of m blocks are moved away from their centre by √((m + 1) / (m - 1)), as m weighted blocks
vary less than the truth does, and by Student's quantile over the normal one, with m - 1 degrees of
freedom. That holds the nominal 95 % between 93 and 97 % in the simulations of
tests/tournament/test_coverage.py. For fewer than five blocks the factor is that of five: the
pseudo-matches then make the intervals wide enough.

Here are numbers alone; who has which rank is `compute`'s.
"""

import math

import attrs

from lanista.tournament.bootstrap import draw
from lanista.tournament.counting import Counted
from lanista.tournament.likelihood import ELO, maximum, model_of
from lanista.tournament.numerics import Bools, Floats, Ints, np
from lanista.tournament.standings import Estimate
from lanista.tournament.student import NORMAL, student

DRAWS = 1000
"""Draws of the bootstrap; they leave an error of 3 % in an interval's width."""
_FEWEST = 5


@attrs.frozen(kw_only=True, eq=False)
class Ratings:
    """What the blocks say of N bots. Figures of bots that played nothing mean nothing."""

    rated: Bools
    """(N,): whether it played."""
    elo: Floats
    """(N,): the mean of those that played is 0."""
    low: Floats
    high: Floats
    rank_low: Ints
    """(N,): the best rank of the 95 % interval of its rank by rating."""
    rank_high: Ints
    superior: Floats
    """(N, N): the likelihood that the row's bot is stronger than the column's, above 0 and below
    1; two of them add up to 1."""
    seats: tuple[Estimate, ...]
    """By seat: its advantage in Elo."""
    tied: tuple[tuple[int, float], ...]
    """The sizes of ties that were seen, and delta of each."""


def rate(counted: Counted, blocks: Ints, draws: int = DRAWS) -> Ratings:
    """Estimate all that there is to estimate.

    Args:
        counted: What was played, one block at least.
        blocks: (N,): in how many blocks each bot played, as `tally` tells.
        draws: Of the bootstrap.
    """
    model = model_of(counted)
    found = draw(model, draws)
    estimate, _ = maximum(model, start=found.centre)
    rated = blocks > 0
    bots = counted.bots
    seats = slice(model.players, model.players + counted.seats)

    def centred(values: Floats) -> Floats:
        of_bots = values[..., :bots]
        return np.asarray((of_bots - of_bots[..., rated].mean(axis=-1, keepdims=True)) * ELO)

    elo, centre = centred(estimate), centred(found.centre)
    wide = np.array([_widening(int(many)) for many in blocks])
    drawn = centre + wide * (centred(found.values) - centre)
    low, high = np.quantile(drawn, (0.025, 0.975), axis=0)
    rank_low, rank_high = _rank_intervals(elo, drawn, rated)
    # Half a draw for each: nothing is impossible after some thousand draws.
    wins = (drawn[:, :, None] > drawn[:, None, :]).sum(axis=0)
    superior = (wins + 0.5 * (draws - wins - wins.T) + 0.5) / (draws + 1)

    seat_elo = estimate[seats] * ELO
    seat_centre = found.centre[seats] * ELO
    moved = _widening(counted.blocks) * (found.values[:, seats] * ELO - seat_centre)
    seat_low, seat_high = np.quantile(seat_centre + moved, (0.025, 0.975), axis=0)
    return Ratings(
        rated=rated,
        elo=elo,
        low=np.minimum(low, elo),
        high=np.maximum(high, elo),
        rank_low=rank_low,
        rank_high=rank_high,
        superior=superior,
        seats=tuple(
            Estimate(value=float(value), low=float(min(value, a)), high=float(max(value, b)))
            for value, a, b in zip(seat_elo, seat_low, seat_high, strict=True)
        ),
        tied=tuple(
            (size, math.exp(value))
            for size, value in zip(model.tied, estimate[seats.stop :].tolist(), strict=True)
        ),
    )


def _widening(blocks: int) -> float:
    many = max(blocks, _FEWEST)
    return math.sqrt((many + 1) / (many - 1)) * student(many - 1) / NORMAL


def _rank_intervals(elo: Floats, drawn: Floats, rated: Bools) -> tuple[Ints, Ints]:
    """(N,) each; they hold the rank of the estimate itself."""

    def rank(values: Floats) -> Ints:
        better = values[..., None, :] > values[..., :, None]
        return np.asarray(1 + (better & rated).sum(axis=-1), dtype=np.int64)

    own, ranks = rank(elo), rank(drawn)
    low = np.quantile(ranks, 0.025, axis=0, method="inverted_cdf")
    high = np.quantile(ranks, 0.975, axis=0, method="inverted_cdf")
    return np.minimum(low, own), np.maximum(high, own)
