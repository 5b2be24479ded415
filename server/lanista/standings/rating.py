"""Ratings with their intervals: the likelihood's estimate, the bootstrap's draws, brought together.

The interval of a figure goes from the 2.5 % to the 97.5 % quantile of its samples. First those of a
bot that played m units (draws, or blocks where these are few) are moved away from their centre by
√((m + 1) / (m - 1)), as m weighted units vary less than the truth does, and by Student's quantile
over the normal one, with m - 1 degrees of freedom. That holds the nominal 95 % between 93 and 97 %
in the simulations of tests/tournament/test_coverage.py. For fewer than five blocks the factor is
that of five: the pseudo-matches then make the intervals wide enough.

Who never scored against anybody, or against whom nobody ever scored, may be weaker or stronger
without end, and the likelihood has no maximum (Ford, American Mathematical Monthly 64, 1957; for
rankings Hunter, Annals of Statistics 32, 2004). Bots that scored against each other, directly or by
way of others, are a part; within a part there is a maximum, and differences are compared there.
The largest part is what 0 is the mean of. A bot has an upper end only if each bot of that part
reaches it, a lower one only if it reaches each of them; the distance of the parts is that of their
means with pseudo-matches.

Here are numbers alone; who has which rank is `compute`'s.
"""

import math

import attrs

from lanista.standings.bootstrap import PSEUDO, draw
from lanista.standings.counting import Counted, connected, independent, reached
from lanista.standings.likelihood import ELO, Model, maximum, model_of
from lanista.standings.numerics import Bools, Floats, Ints, np
from lanista.standings.student import NORMAL, student
from lanista.standings.table import Estimate

_FAR = 2.0
"""Standard errors between centre and maximum above which the data don't hold the maximum."""
DRAWS = 1000
"""Samples of the bootstrap; they leave an error of 3 % in an interval's width."""
_FEWEST = 5
_FEWEST_SHARED = 2
_ROUNDING = 1e-6


@attrs.frozen(kw_only=True, eq=False)
class Ratings:
    """What the blocks say of N bots. Figures of bots that played nothing mean nothing."""

    rated: Bools
    """(N,): whether it played."""
    elo: Floats
    """(N,): the mean of `zero` is 0."""
    low: Floats
    """(N,): minus infinity where there is no end."""
    high: Floats
    zero: Bools
    """(N,): the bots whose mean is 0: those of the largest part, of two bots at least; all that
    played where no part is the largest."""
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
    apart = independent(counted)
    found = draw(model, draws, apart)
    rated = blocks > 0
    bots = counted.bots
    seats = slice(model.players, model.players + counted.seats)
    reach = reached(counted.players, counted.ranks, bots + 1)
    parts = connected(reach)
    one_part = bool((parts[counted.players] == parts[counted.players[0, 0]]).all())
    within = model if one_part else model_of(counted, parts)
    estimate, _ = maximum(within, start=found.centre if one_part else None)
    parts, reach = parts[:bots], reach[:bots, :bots]
    zero = _zero(parts, rated)

    def centred(values: Floats) -> Floats:
        of_bots = values[..., :bots]
        return np.asarray((of_bots - of_bots[..., zero].mean(axis=-1, keepdims=True)) * ELO)

    centre = centred(found.centre)
    best = _by_part(estimate[:bots] * ELO, centre, parts, rated)
    wide = np.array(
        [_widening(*of) for of in zip(apart.of_bot.tolist(), blocks.tolist(), strict=True)]
    )
    drawn = centre + wide * (centred(found.values) - centre)
    low, high = np.quantile(drawn, (0.025, 0.975), axis=0)
    error = _errors(model, found.centre, zero)
    elo = _held(best, centre, np.abs(best - centre) <= _FAR * error, parts, rated)
    rank_low, rank_high = _rank_intervals(elo, drawn, rated)
    # Half a draw for each: nothing is impossible after some thousand draws.
    wins = (drawn[:, :, None] > drawn[:, None, :]).sum(axis=0)
    superior = (wins + 0.5 * (draws - wins - wins.T) + 0.5) / (draws + 1)

    seat_elo = estimate[seats] * ELO
    seat_centre = found.centre[seats] * ELO
    moved = _widening(apart.all, counted.blocks) * (found.values[:, seats] * ELO - seat_centre)
    seat_low, seat_high = np.quantile(seat_centre + moved, (0.025, 0.975), axis=0)
    seat_numbers = np.broadcast_to(np.arange(counted.seats), counted.ranks.shape)
    seat_low, seat_high = _ends(
        *(seat_elo, seat_low, seat_high),
        *(reached(seat_numbers, counted.ranks, counted.seats), np.ones(counted.seats, dtype=bool)),
    )
    low, high = _ends(elo, np.minimum(low, best), np.maximum(high, best), reach, zero)
    return Ratings(
        rated=rated,
        elo=elo,
        low=low,
        high=high,
        zero=zero,
        rank_low=rank_low,
        rank_high=rank_high,
        superior=superior,
        seats=tuple(
            estimate_of(value, a, b)
            for value, a, b in zip(seat_elo, seat_low, seat_high, strict=True)
        ),
        tied=tuple(
            (size, math.exp(value))
            for size, value in zip(model.tied, estimate[seats.stop :].tolist(), strict=True)
        ),
    )


def estimate_of(value: float, low: float, high: float) -> Estimate:
    """A figure with its interval; an infinite end is none."""
    return Estimate(
        value=float(value),
        low=float(low) if math.isfinite(low) else None,
        high=float(high) if math.isfinite(high) else None,
    )


def _widening(units: float, blocks: int) -> float:
    # What pseudo-matches widen is for a unit of one block; of more blocks there must be two units.
    fewest = max(_FEWEST * units / max(blocks, 1), _FEWEST_SHARED)
    many = max(units, fewest)
    return math.sqrt((many + 1) / (many - 1)) * student(int(many + _ROUNDING) - 1) / NORMAL


def _zero(parts: Ints, rated: Bools) -> Bools:
    """(N,): the bots whose mean is 0."""
    sizes = np.bincount(parts[rated], minlength=len(parts))
    largest = int(sizes.argmax())
    if sizes[largest] > 1 and (sizes == sizes[largest]).sum() == 1:
        return np.asarray(rated & (parts == largest))
    return rated


def _by_part(elo: Floats, centre: Floats, parts: Ints, rated: Bools) -> Floats:
    """(N,): differences within a part from `elo`, the parts' means from `centre`."""
    result = centre.copy()
    for part in np.unique(parts[rated]):
        here = rated & (parts == part)
        result[here] += (elo - centre)[here] - (elo - centre)[here].mean()
    return result


def _errors(model: Model, centre: Floats, zero: Bools) -> Floats:
    """(N,): standard errors in Elo at the centre, of a bot against the mean of those of 0."""
    bots = len(zero)
    _, information = maximum(model, PSEUDO, start=centre)
    contrast = np.eye(bots) - zero / zero.sum()
    covariance = np.linalg.inv(information)[:bots, :bots]
    return np.asarray(np.sqrt(np.diag(contrast @ covariance @ contrast.T)) * ELO)


def _held(best: Floats, centre: Floats, held: Bools, parts: Ints, rated: Bools) -> Floats:
    """(N,): the maxima of the parts that the data hold, the centre of the others.

    Wins and draws alone have a maximum at the end of the scale, which only the prior holds, though
    a draw is a half lost: it lies far from the centre then, and tells nothing.
    """
    result = best.copy()
    for part in np.unique(parts[rated]):
        here = rated & (parts == part)
        if not held[here].all():
            result[here] = centre[here]
    return result


def _ends(
    values: Floats, low: Floats, high: Floats, reach: Bools, zero: Bools
) -> tuple[Floats, Floats]:
    """Intervals that hold their values, and end only where the data say so."""
    return (
        np.where(reach[:, zero].all(axis=1), np.minimum(low, values), -np.inf),
        np.where(reach[zero].all(axis=0), np.maximum(high, values), np.inf),
    )


def _rank_intervals(elo: Floats, drawn: Floats, rated: Bools) -> tuple[Ints, Ints]:
    """(N,) each; they hold the rank of the estimate itself."""

    def rank(values: Floats) -> Ints:
        better = values[..., None, :] > values[..., :, None]
        return np.asarray(1 + (better & rated).sum(axis=-1), dtype=np.int64)

    # As the table's ranks: what differs in rounding alone is equal.
    own, ranks = rank(np.round(elo, 1)), rank(drawn)
    low = np.quantile(ranks, 0.025, axis=0, method="inverted_cdf")
    high = np.quantile(ranks, 0.975, axis=0, method="inverted_cdf")
    return np.minimum(low, own), np.maximum(high, own)
