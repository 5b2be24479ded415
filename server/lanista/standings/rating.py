"""Ratings with their intervals, from the likelihood's estimate and the bootstrap's samples.

The interval of a figure goes from the 2.5 % to the 97.5 % quantile of its samples. First the
samples of a bot that played m units (openings, or blocks where there are few openings) are moved
away from their centre, by √((m + 1) / (m - 1)), because m weighted units vary less than the truth
does, and by Student's quantile over the normal one, with m - 1 degrees of freedom. With that the
nominal 95 % are between 93 and 97 % in the simulations of tests/standings/test_coverage.py. For
fewer than five blocks the factor is that of five: the pseudo-matches then make the intervals wide
enough.

A bot that never scored against any other, or against which none ever scored, may be weaker or
stronger without end, and the likelihood has no maximum (Ford, American Mathematical Monthly 64,
1957; for rankings Hunter, Annals of Statistics 32, 2004). Bots that scored against each other,
directly or through others, form a part; within a part there is a maximum, and differences can be
compared. The mean of the largest part is set to 0. A bot has an upper end only if each bot of that
part reaches it, and a lower end only if it reaches each of them. The distance between parts is that
of their means with pseudo-matches.

Here are only numbers; ranks of the table are given in `compute`.
"""

import math

import attrs

from lanista.standings.bootstrap import PSEUDO, sample
from lanista.standings.counting import Counted, connected, independent, reached
from lanista.standings.likelihood import ELO, Model, maximum, model_of
from lanista.standings.numerics import Bools, Floats, Ints, np
from lanista.standings.student import NORMAL, student
from lanista.standings.table import Estimate

_FAR = 2.0
"""Standard errors between centre and maximum above which the data don't determine the maximum."""
SAMPLES = 1000
"""Number of samples of the bootstrap; they leave an error of 3 % in an interval's width."""
_FEWEST = 5
_FEWEST_SHARED = 2
_ROUNDING = 1e-6


@attrs.frozen(kw_only=True, eq=False)
class Ratings:
    """The ratings of N bots; figures of bots that played nothing mean nothing."""

    rated: Bools
    """(N,): whether the bot played."""
    elo: Floats
    """(N,): the rating in Elo; the mean over `zero` is 0."""
    low: Floats
    """(N,): the lower end of its interval; minus infinity where there is none."""
    high: Floats
    zero: Bools
    """(N,): the bots whose mean is 0.

    They are those of the largest part, if it has at least two bots; all bots that played, if no
    part is the largest. If there are house bots among them, they are the house bots alone, so that
    0 means the same however many bots come and go.
    """
    rank_low: Ints
    """(N,): the best rank in the 95 % interval of its rank by rating."""
    rank_high: Ints
    superior: Floats
    """(N, N): the likelihood that the row's bot is stronger than the column's.

    It is above 0 and below 1; those of a pair add up to 1. For a large ladder only those of
    neighbours in the table are known.
    """
    seats: tuple[Estimate, ...]
    """The advantage of each seat, in Elo."""
    tied: tuple[tuple[int, float], ...]
    """The sizes of ties that were seen, and the delta of each."""


def rate(
    counted: Counted, blocks: Ints, samples: int = SAMPLES, house: Bools | None = None
) -> Ratings:
    """Return the ratings and all that comes with them.

    Args:
        counted: What was played, at least one block.
        blocks: (N,): the number of blocks that each bot played, as in `Tally`.
        samples: The number of samples of the bootstrap.
        house: (N,): the house bots, which hold the scale and take no rank.
    """
    model = model_of(counted)
    apart = independent(counted)
    bootstrapped = sample(model, samples, apart)
    rated = blocks > 0
    bots = counted.bots
    seats = slice(model.players, model.players + counted.seats)
    reach = reached(counted.players, counted.ranks, bots + 1)
    parts = connected(reach)
    one_part = bool((parts[counted.players] == parts[counted.players[0, 0]]).all())
    within = model if one_part else model_of(counted, parts)
    estimate, _ = maximum(within, start=bootstrapped.centre if one_part else None)
    parts, reach = parts[:bots], reach[:bots, :bots]
    if house is None:
        house = np.zeros(bots, dtype=bool)
    zero = zero_of(parts, rated, house)

    def centred(values: Floats) -> Floats:
        of_bots = values[..., :bots]
        return np.asarray((of_bots - of_bots[..., zero].mean(axis=-1, keepdims=True)) * ELO)

    centre = centred(bootstrapped.centre)
    best = _by_part(estimate[:bots] * ELO, centre, parts, rated)
    wide = np.array(
        [widening(*pair) for pair in zip(apart.of_bot.tolist(), blocks.tolist(), strict=True)]
    )
    widened = centre + wide * (centred(bootstrapped.values) - centre)
    low, high = np.quantile(widened, (0.025, 0.975), axis=0)
    error = _errors(model, bootstrapped.centre, zero)
    elo = _held(best, centre, np.abs(best - centre) <= _FAR * error, parts, rated)
    rank_low, rank_high = rank_intervals(elo, widened, rated & ~house)
    wins = (widened[:, :, None] > widened[:, None, :]).sum(axis=0)
    superior = superiority(wins, wins.T, samples)

    seat_elo = estimate[seats] * ELO
    seat_centre = bootstrapped.centre[seats] * ELO
    seat_off = bootstrapped.values[:, seats] * ELO - seat_centre
    seat_widened = seat_centre + widening(apart.all, counted.blocks) * seat_off
    seat_low, seat_high = np.quantile(seat_widened, (0.025, 0.975), axis=0)
    seat_numbers = np.broadcast_to(np.arange(counted.seats), counted.ranks.shape)
    seat_low, seat_high = ends(
        *(seat_elo, seat_low, seat_high),
        *(reached(seat_numbers, counted.ranks, counted.seats), np.ones(counted.seats, dtype=bool)),
    )
    low, high = ends(elo, np.minimum(low, best), np.maximum(high, best), reach, zero)
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
    """Return a figure with its interval; an infinite end becomes None."""
    return Estimate(
        value=float(value),
        low=float(low) if math.isfinite(low) else None,
        high=float(high) if math.isfinite(high) else None,
    )


def widening(units: float, blocks: int) -> float:
    """Return the factor by which samples are moved away from the centre."""
    # Pseudo-matches widen enough where each unit is one block; units of more blocks must be two.
    fewest = max(_FEWEST * units / max(blocks, 1), _FEWEST_SHARED)
    m = max(units, fewest)
    return math.sqrt((m + 1) / (m - 1)) * student(int(m + _ROUNDING) - 1) / NORMAL


def superiority(wins: Ints, losses: Ints, samples: int) -> Floats:
    """Return the likelihood of being stronger, from the numbers of samples that say so or not."""
    # Half a sample is added to each side: a thousand samples don't make anything impossible.
    return np.asarray((wins + 0.5 * (samples - wins - losses) + 0.5) / (samples + 1))


def zero_of(parts: Ints, rated: Bools, house: Bools) -> Bools:
    """Return which bots' mean is 0, shape (N,)."""
    sizes = np.bincount(parts[rated], minlength=len(parts))
    largest = int(sizes.argmax())
    zero = rated
    if sizes[largest] > 1 and (sizes == sizes[largest]).sum() == 1:
        zero = np.asarray(rated & (parts == largest))
    return zero & house if (zero & house).any() else zero


def _by_part(elo: Floats, centre: Floats, parts: Ints, rated: Bools) -> Floats:
    """Return ratings: differences within parts are those of `elo`, means those of `centre`."""
    result = centre.copy()
    for part in np.unique(parts[rated]):
        here = rated & (parts == part)
        result[here] += (elo - centre)[here] - (elo - centre)[here].mean()
    return result


def _errors(model: Model, centre: Floats, zero: Bools) -> Floats:
    """Return the standard errors in Elo at the centre, against the mean of the `zero` bots."""
    bots = len(zero)
    _, information = maximum(model, PSEUDO, start=centre)
    contrast = np.eye(bots) - zero / zero.sum()
    covariance = np.linalg.inv(information)[:bots, :bots]
    return np.asarray(np.sqrt(np.diag(contrast @ covariance @ contrast.T)) * ELO)


def _held(best: Floats, centre: Floats, held: Bools, parts: Ints, rated: Bools) -> Floats:
    """Return the maxima of the parts that the data determine, and the centre of the others.

    Wins and draws alone have their maximum at the end of the scale, where only the prior determines
    it, although a draw is half a loss. That maximum lies far from the centre and means nothing.
    """
    result = best.copy()
    for part in np.unique(parts[rated]):
        here = rated & (parts == part)
        if not held[here].all():
            result[here] = centre[here]
    return result


def ends(
    values: Floats, low: Floats, high: Floats, reach: Bools, zero: Bools
) -> tuple[Floats, Floats]:
    """Return the ends of intervals that contain their values; infinite where the data give none."""
    return (
        np.where(reach[:, zero].all(axis=1), np.minimum(low, values), -np.inf),
        np.where(reach[zero].all(axis=0), np.maximum(high, values), np.inf),
    )


def rank_intervals(elo: Floats, samples: Floats, ranked: Bools) -> tuple[Ints, Ints]:
    """Return the best and the worst rank of each bot's interval, which contains its own rank.

    Only the bots in `ranked` take ranks from others.
    """

    def rank(values: Floats) -> Ints:
        # By rows: all pairs of a thousand bots in all samples would fill the memory.
        better = [
            ranked.sum() - np.searchsorted(np.sort(row[ranked]), row, side="right")
            for row in np.atleast_2d(values)
        ]
        return np.asarray(np.reshape(better, values.shape) + 1, dtype=np.int64)

    # Rounded as in the table, so that bots which differ only by rounding errors are tied.
    own, ranks = rank(np.round(elo, 1)), rank(samples)
    low = np.quantile(ranks, 0.025, axis=0, method="inverted_cdf")
    high = np.quantile(ranks, 0.975, axis=0, method="inverted_cdf")
    return np.minimum(low, own), np.maximum(high, own)
