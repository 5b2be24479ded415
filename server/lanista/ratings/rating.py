"""Ratings with their intervals, from the maximum of the joint likelihood (docs/statistics.md).

Errors come from the covariance of the estimate: the inverse of the information, times the sum of
squares of the scores (gradients), times the inverse again. Scores are added up by units that are
independent of each other, openings or blocks (`counting.independent`), so that what the matches of
a unit have in common widens the intervals as it should. This is the sandwich estimator with
clusters (Liang and Zeger, Biometrika 73, 1986).

With few units it needs help, which is given by bot, from the number m of units that it played:

- Scores at the maximum are smaller than at the truth: their squares count m / (m - 1) times.
- A few squares may happen to be small. Half a unit as the model expects it is added to them; and
  the two outcomes of each pseudo-match count as often as they are random, with the variance ½.
- The variance itself is uncertain, so the interval has Student's quantile. Its degrees of freedom
  are Satterthwaite's (Biometrics Bulletin 2, 1946): m - 1 for the scores, and `_FREEDOM` for what
  was added, where the estimate is far from normal: that of a bot that lost one match of twenty may
  be far too low.

The links between versions of a bot (`likelihood`) are as random as so many matches are: they are
added with that variance, which is known. tests/ratings/test_coverage.py measures the coverage.

Which ends an interval has, docs/statistics.md#intervals-without-an-end says; the condition is that
of Ford (American Mathematical Monthly 64, 1957), for rankings that of Hunter (Annals of Statistics
32, 2004). Bots that scored against each other, directly or through others, form a part.
"""

import math
from statistics import NormalDist
from typing import Self

import attrs

from lanista.ratings.counting import Counted, Independent, connected, independent, reached
from lanista.ratings.likelihood import (
    ELO,
    Fit,
    Model,
    later_won,
    maximum,
    model_of,
    pseudo_matches,
)
from lanista.ratings.numerics import Bools, Floats, Ints, np
from lanista.ratings.table import CENTRE
from lanista.results.match_result import Estimate

NORMAL = NormalDist().inv_cdf(0.975)
"""The 97.5 % quantile of the normal distribution."""


def student(freedom: Floats) -> Floats:
    """Return the 97.5 % quantile of Student's distribution, for degrees of freedom of at least 2.

    The expansion is formula 26.7.5 of Abramowitz and Stegun; it is 1 % too low for two degrees of
    freedom, 0.2 % for three, and nearly exact from there on.
    """
    z, n = NORMAL, freedom
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * n**4)
    )


MOST_UNITS = 1500
"""The most units whose scores are told apart; more are put together into so many lots. That
leaves an error of 2 % in the widths of the intervals."""
_FEWEST = 3.0
"""The number of units that a bot is taken to have played at least. Where it is less, what is
added to its squares makes the interval wide enough."""
_FREEDOM = 3.0
_EXPECTED = 0.5
"""The number of units as the model expects them that are added to the squares of the scores."""


@attrs.frozen(kw_only=True, eq=False)
class Ratings:
    """The ratings of N players (`Counted`), called bots here, as most have no other versions.

    Figures of players that played nothing mean nothing. Ranks are those among the current versions.
    """

    rated: Bools
    """(N,): whether the bot played."""
    elo: Floats
    """(N,): the rating in Elo; the mean over `anchors` is `CENTRE`."""
    low: Floats
    """(N,): the lower end of its interval; minus infinity where there is none."""
    high: Floats
    anchors: Bools
    """(N,): the bots that hold the scale.

    They are those of the largest part, if it has at least two bots; all bots that played, if no
    part is the largest. If there are house bots among them, they are only the house bots, so that
    a rating means the same however many bots come and go. Of each bot only the current version
    counts.
    """
    apart: Floats
    """(N, N): how many Elo two bots have to be apart for 97.5 % that the upper one is stronger."""
    rank_low: Ints
    """(N,): the best rank in the 95 % interval of its rank by rating."""
    rank_high: Ints
    seats: tuple[Estimate, ...]
    """The advantage of each seat, in Elo."""

    def of(self, players: Ints) -> Self:
        """Return the ratings of some players alone, in this order; the scale stays as it is."""
        some = ("rated", "elo", "low", "high", "anchors", "rank_low", "rank_high")
        return attrs.evolve(
            self,
            apart=self.apart[np.ix_(players, players)],
            **{name: getattr(self, name)[players] for name in some},
        )

    def superior(self, bot: int, other: int) -> float:
        """Return the likelihood that a bot is stronger than another one."""
        apart = self.apart[bot, other]
        if not apart:
            return 0.5
        return 0.5 + 0.5 * math.erf(
            NORMAL * float(self.elo[bot] - self.elo[other]) / float(apart) / math.sqrt(2)
        )


def rate(counted: Counted, house: Bools | None = None) -> Ratings:
    """Return the ratings and all that comes with them; at least one bot must have played.

    `house`, (N,), are the house bots, which hold the scale and take no rank.
    """
    model = model_of(counted)
    fit = maximum(model)
    errors = _errors(model, fit, independent(counted))
    bots, seats = counted.bots, slice(model.players, model.players + counted.seats)
    rated = counted.played
    house = np.zeros(bots, dtype=bool) if house is None else house
    reach = reached(counted.players, counted.ranks, bots + 1, counted.successors)
    parts, reach = connected(reach)[:bots], reach[:bots, :bots]
    now = np.isin(np.arange(bots), counted.current)
    anchors = _anchors(parts, rated & now, house)

    elo = on_scale(fit.at[:bots], anchors)
    has_low, has_high = _ends(reach, anchors)
    half = errors.half(errors.of_means(anchors), errors.units[:bots], has_low & has_high)
    apart = errors.half(
        errors.of_pairs(bots), np.minimum(errors.units[:bots, None], errors.units[:bots])
    )
    rank_low, rank_high = _rank_intervals(elo, apart, rated & now & ~house)

    seat_elo = (fit.at[seats] - fit.at[seats].mean()) * ELO
    seat_numbers = np.broadcast_to(np.arange(counted.seats), counted.ranks.shape)
    seat_reach = reached(seat_numbers, counted.ranks, counted.seats)
    seat_has_low, seat_has_high = _ends(seat_reach, np.ones(counted.seats, dtype=bool))
    seat_half = errors.half(
        tuple(np.diag(part)[seats] for part in errors.parts),
        errors.units[seats],
        seat_has_low & seat_has_high,
    )
    return Ratings(
        rated=rated,
        elo=elo,
        low=np.where(has_low, elo - half, -np.inf),
        high=np.where(has_high, elo + half, np.inf),
        anchors=anchors,
        apart=apart,
        rank_low=rank_low,
        rank_high=rank_high,
        seats=tuple(
            estimate_of(value, value - off if low else -math.inf, value + off if high else math.inf)
            for value, off, low, high in zip(
                seat_elo, seat_half, seat_has_low, seat_has_high, strict=True
            )
        ),
    )


def on_scale(theta: Floats, anchors: Bools) -> Floats:
    """Return the ratings of players by their theta; the mean of the anchors is `CENTRE`."""
    return np.asarray(CENTRE + (theta - theta[anchors].mean()) * ELO)


def elo_of(counted: Counted) -> Floats:
    """Return only the ratings, (N,), as `rate` does without house bots and versions.

    At least one bot must have played.
    """
    bots = counted.bots
    parts = connected(reached(counted.players, counted.ranks, bots + 1))[:bots]
    anchors = _anchors(parts, counted.played, np.zeros(bots, dtype=bool))
    return on_scale(maximum(model_of(counted)).at[:bots], anchors)


def estimate_of(value: float, low: float, high: float) -> Estimate:
    """Return a figure with its interval; an infinite end becomes None."""
    return Estimate(
        value=float(value),
        low=float(low) if math.isfinite(low) else None,
        high=float(high) if math.isfinite(high) else None,
    )


@attrs.frozen(kw_only=True, eq=False)
class _Errors:
    """The covariance of the parameters in parts: what was seen, and what was added to it."""

    parts: tuple[Floats, Floats, Floats, Floats]
    """(P, P) each: of the scores, of the pseudo-matches, as the model alone expects it, and of the
    links between versions of a bot."""
    units: Floats
    """(P,): the number of units that each parameter depends on."""

    def of_means(self, anchors: Bools) -> tuple[Floats, ...]:
        """Return, by part, the variances of the players' theta less the mean of anchors."""
        share = anchors / anchors.sum()
        bots = len(anchors)
        result = []
        for whole in self.parts:
            part = whole[:bots, :bots]
            with_mean = part @ share
            result.append(np.diag(part) - 2 * with_mean + share @ with_mean)
        return tuple(result)

    def of_pairs(self, bots: int) -> tuple[Floats, ...]:
        """Return, by part, the variances of the differences between bots, (N, N)."""
        result = []
        for whole in self.parts:
            part = whole[:bots, :bots]
            own = np.diag(part)
            result.append(own[:, None] + own - 2 * part)
        return tuple(result)

    @staticmethod
    def half(parts: tuple[Floats, ...], units: Floats, both_ends: Bools | bool = True) -> Floats:
        """Return half the widths of intervals, in Elo, given by part the variances of some figures.

        By figure, `units` is the number of units that it depends on, and `both_ends` whether it has
        both ends. An end that stands alone is on the side where the estimate is nearly normal.
        """
        seen, pseudo, expected, links = (np.maximum(part, 0.0) for part in parts)
        m = np.maximum(units, _FEWEST)
        seen = seen * m / (m - 1)
        added = pseudo + _EXPECTED * expected / np.maximum(units, 1.0)
        all_of_it = seen + added + links
        uncertain = seen**2 / (m - 1) + np.where(both_ends, added**2 / _FREEDOM, 0.0)
        freedom = np.clip(all_of_it**2 / np.maximum(uncertain, 1e-300), 2.0, 1e6)
        return np.asarray(student(freedom) * np.sqrt(all_of_it) * ELO)


def _errors(model: Model, fit: Fit, apart: Independent) -> _Errors:
    counted, n = model.counted, model.players
    units = int(apart.unit_of.max()) + 1
    lots = min(units, MOST_UNITS)
    lot = (apart.unit_of % lots)[counted.block_of]
    scores = np.zeros((lots, model.size))
    by_match = fit.scores[:, counted.match_of]
    for seat in range(model.seats):
        cells = lot * n + counted.players[counted.match_of, seat]
        scores[:, :n] += np.bincount(cells, by_match[seat], lots * n).reshape(lots, n)
    for number, column in enumerate(by_match, n):
        scores[:, number] = np.bincount(lot, column, lots)
    factor, won = pseudo_matches(model, fit.at)
    pseudo = np.zeros(model.size)
    pseudo[: len(factor)] = model.pseudo * factor**2 * (won**2 + (1 - won) ** 2)
    ahead = later_won(model, fit.at)
    of_links = fit.inverse[:, model.later] - fit.inverse[:, model.later - 1]
    links = (of_links * (model.links / 2 * (ahead**2 + (1 - ahead) ** 2))) @ of_links.T
    seen = scores @ fit.inverse
    of_parameters = np.full(model.size, apart.all)
    of_parameters[: counted.bots] = apart.of_bot
    return _Errors(
        parts=(seen.T @ seen, (fit.inverse * pseudo) @ fit.inverse, fit.inverse, links),
        units=of_parameters,
    )


def _anchors(parts: Ints, rated: Bools, house: Bools) -> Bools:
    sizes = np.bincount(parts[rated], minlength=len(parts))
    largest = int(sizes.argmax())
    anchors = rated
    if sizes[largest] > 1 and (sizes == sizes[largest]).sum() == 1:
        anchors = np.asarray(rated & (parts == largest))
    return anchors & house if (anchors & house).any() else anchors


def _ends(reach: Bools, anchors: Bools) -> tuple[Bools, Bools]:
    """Return whose intervals have a lower end, and whose an upper one."""
    return np.asarray(reach[:, anchors].all(axis=1)), np.asarray(reach[anchors].all(axis=0))


def _rank_intervals(elo: Floats, apart: Floats, ranked: Bools) -> tuple[Ints, Ints]:
    """Return the best and the worst rank that each bot may have.

    Only the bots in `ranked` take ranks from others: those that are surely better than it.
    """
    off = elo[:, None] - elo
    better = ((-off > apart) & ranked).sum(axis=1)
    worse = ((off > apart) & ranked).sum(axis=1)
    return 1 + better, np.maximum(ranked.sum() - worse, 1 + better)
