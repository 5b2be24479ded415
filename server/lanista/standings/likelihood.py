"""The joint likelihood of all matches: Plackett-Luce with ties, seat advantage and a weak prior.

A ranking is a row of stages: of those left, a set S takes the next place, with a probability that
is proportional to delta_|S| (prod alpha_i)^(1/|S|), over all sets of the sizes that were ever seen
to tie (delta_1 = 1); Turner, van Etten, Firth, Kosmidis, "Modelling rankings in R: the PlackettLuce
package", Computational Statistics 35 (2020). With two players this is Bradley-Terry with the ties
of Davidson (Journal of the American Statistical Association 65, 1970). A seat's worth is
log alpha = theta(player) + gamma(seat), with sum gamma = 0. Each stage is a conditional logit, so
the logarithm of the likelihood is concave in theta, gamma and log delta, and Newton's method finds
its one maximum.

The prior: every parameter is normal about 0 with a standard deviation of 4,000 Elo. It keeps the
figures finite where a bot won all, and sets the means of groups that never met equal. Ordinary
ratings it moves by some hundredths of an Elo (0.04 for bots 600 Elo apart, 60 matches each). Where
a bot never lost the likelihood has no maximum, and what the prior makes of it means nothing:
`model_of` can leave out what draws bots apart without end.

Parameters are one vector: theta of the players (bots in the spec's order, then one for all
fillers), gamma by seat, log delta of the tie sizes seen. P is its length. Here are only sums over
stages and their maximum; intervals are in `bootstrap`.
"""

import math

import attrs

from lanista.standings.counting import Counted, distinct_rows, weighted_counts
from lanista.standings.numerics import Bools, Floats, Ints, np

ELO = 400 / math.log(10)
"""Elo of one unit of theta."""
PRIOR_ELO = 4_000.0
"""The prior's standard deviation."""
PRECISION = (ELO / PRIOR_ELO) ** 2
"""1 / variance of the prior, in units of theta."""

_ANCHOR = 1e4
"""So much that what is left of the sums' uncertainty is far below that of any rating."""
_LAST_STEP = 1e-6
_MOST_STEPS = 200
_AT_ONCE = 2048
"""Choices whose arrays fit into a processor's cache together."""


class LikelihoodError(Exception):
    """The maximum wasn't found; a fault of this module."""


@attrs.frozen(kw_only=True, eq=False)
class Group:
    """Choices among the same number of seats, R. A choice: which of them takes the next place?"""

    numbers: Ints
    """(C,): the choices' numbers among all."""
    slots: Ints
    """(C, R): player * S + seat of those left."""
    shares: Floats
    """(A, R): by alternative, the share of each seat in its worth: 1/|S| or 0."""
    sizes: Floats
    """(A, D): by alternative, 1 at its tie size; a single one has none."""


@attrs.frozen(kw_only=True, eq=False)
class Model:
    """All stages of all matches, equal choices together."""

    counted: Counted
    players: int
    tied: tuple[int, ...]
    """The sizes of ties that were seen, D of them."""
    groups: tuple[Group, ...]
    choices: int
    """How many different ones, C in all."""
    choice_of: Ints
    """(M, T): by match and stage, the choice; -1 after the last stage."""
    chosen: Floats
    """(M, P): by match, the sum of what was taken: its derivative's constant part."""

    @property
    def size(self) -> int:
        """P."""
        return self.players + self.counted.seats + len(self.tied)

    @property
    def spread(self) -> Floats:
        """(slots + D, P): the parameters of each slot and of each tie size."""
        seats, slots = self.counted.seats, self.players * self.counted.seats
        matrix = np.zeros((slots + len(self.tied), self.size))
        slot = np.arange(slots)
        matrix[slot, slot // seats] = 1
        matrix[slot, self.players + slot % seats] = 1
        sizes = np.arange(len(self.tied))
        matrix[slots + sizes, self.players + seats + sizes] = 1
        return matrix

    @property
    def anchor(self) -> Floats:
        """(P, P): what the prior adds to the information, with sum theta = 0 and sum gamma = 0.

        The likelihood doesn't change when all theta, or all gamma, grow alike; a term in their sums
        alone fixes these two without a pull on anything else.
        """
        matrix = np.eye(self.size) * PRECISION
        seats = slice(self.players, self.players + self.counted.seats)
        matrix[: self.players, : self.players] += _ANCHOR
        matrix[seats, seats] += _ANCHOR
        return matrix

    def times(self) -> Floats:
        """(C,): how often each choice was made."""
        weights = np.broadcast_to(self.counted.match_times[:, None], self.choice_of.shape)
        made = self.choice_of >= 0
        return weighted_counts(self.choice_of[made], weights[made], self.choices)


def model_of(counted: Counted, parts: Ints | None = None) -> Model:
    """The stages of all matches.

    Args:
        counted: What was played, one match at least.
        parts: (players,): a number for each part of `counting.connected`, if stages are to be
            choices within a part alone. That is what is left of the likelihood as the parts, of
            which one always was above the other, move apart without end.
    """
    seats, ranks = counted.seats, counted.ranks
    players = counted.bots + counted.fillers
    matches = len(ranks)
    stages = max(seats - 1, 1)
    left = np.zeros((matches, stages, seats), dtype=bool)
    taken = np.zeros_like(left)
    place = (ranks[:, None, :] < ranks[:, :, None]).sum(axis=2)
    remaining = np.ones((matches, seats), dtype=bool)
    for stage in range(stages):
        best = np.where(remaining, place, seats).min(axis=1, keepdims=True)
        taken[:, stage] = remaining & (place == best)
        left[:, stage] = remaining
        if parts is not None:
            part = parts[counted.players]
            chosen_part = np.take_along_axis(part, taken[:, stage].argmax(axis=1)[:, None], axis=1)
            left[:, stage] &= part == chosen_part
        remaining = remaining & ~taken[:, stage]
    made = left.sum(axis=2) > 1
    taken &= made[:, :, None]
    group = taken.sum(axis=2)
    tied = tuple(int(size) for size in np.unique(group[group > 1]))

    share = taken / np.maximum(group, 1)[:, :, None]
    chosen = np.zeros((matches, players + seats + len(tied)))
    by_seat = share.sum(axis=1)
    row = np.arange(matches)
    for seat in range(seats):
        chosen[row, counted.players[:, seat]] += by_seat[:, seat]
    chosen[:, players : players + seats] = by_seat
    for number, size in enumerate(tied):
        chosen[:, players + seats + number] = (group == size).sum(axis=1)

    # A choice is told by who is left in which seat.
    sitting = np.where(left, counted.players[:, None, :] + 1, 0)[made]
    first, which, _ = distinct_rows(sitting)
    choice_of = np.full((matches, stages), -1, dtype=np.int64)
    choice_of[made] = which
    return Model(
        counted=counted,
        players=players,
        tied=tied,
        groups=_groups(sitting[first], tied),
        choices=len(first),
        choice_of=choice_of,
        chosen=chosen,
    )


def _groups(sitting: Ints, tied: tuple[int, ...]) -> tuple[Group, ...]:
    """The choices by how many are left; `sitting`: (C, S), player + 1, or 0 where no one is."""
    seats = sitting.shape[1]
    slots = (sitting - 1) * seats + np.arange(seats)
    left = (sitting > 0).sum(axis=1)
    groups = []
    for many in range(2, seats + 1):
        numbers = np.flatnonzero(left == many)
        if not len(numbers):
            continue
        subsets: Bools = (np.arange(1, 2**many)[:, None] >> np.arange(many)) & 1 > 0
        size = subsets.sum(axis=1)
        allowed = np.isin(size, (1, *tied))
        subsets, size = subsets[allowed], size[allowed]
        here = slots[numbers]
        groups.append(
            Group(
                numbers=numbers,
                slots=here[sitting[numbers] > 0].reshape(len(numbers), many),
                shares=subsets / size[:, None],
                sizes=(size[:, None] == np.array(tied, dtype=np.int64)).astype(np.float64),
            )
        )
    return tuple(groups)


def sums(model: Model, weights: Floats, worth: Floats) -> tuple[float, Floats, Floats]:
    """Over all choices: sum of w log Z, its gradient and its second derivatives.

    Args:
        model: The choices.
        weights: (C,): how often each was made.
        worth: (P,): the parameters.
    """
    spread = model.spread
    seats = model.counted.seats
    slot_worth = spread[: model.players * seats] @ worth
    log_tied = worth[model.players + seats :]
    size = len(spread)
    total, first, second = 0.0, np.zeros(size), np.zeros(size * size)
    tied = model.players * seats + np.arange(len(model.tied))
    for group in model.groups:
        features = np.hstack([group.shares, group.sizes])
        many = features.shape[1]
        squares = (features[:, :, None] * features[:, None, :]).reshape(-1, many * many)
        for start in range(0, len(group.numbers), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            slots, weight = group.slots[part], weights[group.numbers[part]]
            utility = slot_worth[slots] @ group.shares.T + group.sizes @ log_tied
            top = utility.max(axis=1, keepdims=True)
            share = np.exp(utility - top)
            norm = share.sum(axis=1, keepdims=True)
            total += float(weight @ (np.log(norm) + top)[:, 0])
            share *= weight[:, None] / norm
            # What is taken of each seat and tie size; its spread, by what would be its place.
            taken = share @ features
            spreads = (share @ squares).reshape(-1, many, many)
            spreads -= taken[:, :, None] * (taken / np.maximum(weight, 1e-300)[:, None])[:, None, :]
            places = np.hstack([slots, np.broadcast_to(tied, (len(slots), len(tied)))])
            first += weighted_counts(places, taken, size)
            second += weighted_counts(
                places[:, :, None] * size + places[:, None, :], spreads, size * size
            )
    return total, spread.T @ first, spread.T @ second.reshape(size, size) @ spread


def pseudo_matches(model: Model) -> Floats:
    """(players + S, A, P): matches of each player, and each seat, against the mean of the others.

    Each is a choice; its alternatives are a win, a loss and, where two were ever seen to tie, a
    tie.
    """
    seats, players = model.counted.seats, model.players
    win = np.zeros((players + seats, model.size))
    for start, many in ((0, players), (players, seats)):
        here = slice(start, start + many)
        win[here, here] = np.eye(many) - (1 - np.eye(many)) / max(many - 1, 1)
    loss = np.zeros_like(win)
    if 2 not in model.tied:
        return np.stack([win, loss], axis=1)
    tie = win / 2
    tie[:, players + seats + model.tied.index(2)] = 1
    return np.stack([win, loss, tie], axis=1)


def maximum(
    model: Model, pseudo: float = 0.0, start: Floats | None = None
) -> tuple[Floats, Floats]:
    """The estimate, and the information (minus the second derivatives) there, prior included.

    Args:
        model: All matches.
        pseudo: How often each outcome of each of the `pseudo_matches` counts.
        start: (P,): where to begin; it changes how long it takes, not what is found.

    Raises:
        LikelihoodError: Newton's method didn't end, which no data should bring about.
    """
    weights = model.times()
    anchor = model.anchor
    features = pseudo_matches(model)
    many = pseudo * features.shape[1]
    chosen = model.counted.match_times @ model.chosen + pseudo * features.sum(axis=(0, 1))

    def look(at: Floats) -> tuple[float, Floats, Floats]:
        total, first, second = sums(model, weights, at)
        value = chosen @ at - total - at @ anchor @ at / 2
        gradient, information = chosen - first - anchor @ at, second + anchor
        if pseudo:
            share = np.exp(features @ at)
            norm = share.sum(axis=1, keepdims=True)
            share /= norm
            value -= many * float(np.log(norm).sum())
            mean = np.einsum("ca,cap->cp", share, features)
            off = features - mean[:, None, :]
            gradient = gradient - many * mean.sum(axis=0)
            information = information + many * np.einsum("ca,cap,caq->pq", share, off, off)
        return float(value), gradient, information

    at = np.zeros(model.size) if start is None else start
    value, gradient, information = look(at)
    for _ in range(_MOST_STEPS):
        step = np.linalg.solve(information, gradient)
        longest = float(np.abs(step).max())
        if longest < _LAST_STEP:
            # Newton's method squares the error: after this step it is rounding.
            return at + step, information
        # Far from the maximum the curve isn't what Newton's method thinks it is.
        step *= min(1.0, 2.0 / longest)
        gain = float(gradient @ step)
        while True:
            new = look(at + step)
            # Near the maximum the gain drowns in rounding.
            if new[0] >= value + 1e-4 * gain - 1e-9 * (1 + abs(value)):
                break
            step, gain = step / 2, gain / 2
        at = at + step
        value, gradient, information = new
    raise LikelihoodError(f"no maximum of the likelihood after {_MOST_STEPS} steps")
