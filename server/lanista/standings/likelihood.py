"""The joint likelihood of all matches: Plackett-Luce with ties, seat advantage and a weak prior.

All bots are rated together from all matches, instead of updating ratings match by match: the result
then doesn't depend on the order of matches, and a win counts by how strong the opponent is in the
light of everything that was played.

A ranking is a sequence of stages: of the bots that are left, a set S takes the next place, with a
probability proportional to delta_|S| (prod alpha_i)^(1/|S|), over all sets of the sizes that were
ever seen to tie (delta_1 = 1); see Turner, van Etten, Firth, Kosmidis, "Modelling rankings in R:
the PlackettLuce package", Computational Statistics 35 (2020). With two players this is
Bradley-Terry with the ties of Davidson (Journal of the American Statistical Association 65, 1970).
A player's worth in a seat is log alpha = theta(player) + gamma(seat), with sum gamma = 0. Each
stage is a conditional logit, so the logarithm of the likelihood is concave in theta, gamma and log
delta, and Newton's method finds its one maximum.

The prior: every parameter is normal about 0 with a standard deviation of 4,000 Elo. It keeps the
figures finite where a bot won everything, and sets the means of groups that never met equal. It
moves ordinary ratings by some hundredths of an Elo (0.04 for bots 600 Elo apart with 60 matches
each). Where a bot never lost, the likelihood has no maximum, and what the prior makes of it means
nothing; `model_of` can leave out the stages that drive bots apart without end.

The parameters are one vector: theta of the players (bots in the spec's order, then one for all
fillers), gamma by seat, log delta of the tie sizes seen. P is its length. Here are only sums over
stages and their maximum; the intervals are in `bootstrap`.
"""

import math

import attrs

from lanista.standings.counting import Counted, distinct_rows, weighted_counts
from lanista.standings.numerics import Bools, Floats, Ints, np

ELO = 400 / math.log(10)
"""The Elo of one unit of theta."""
PRIOR_ELO = 4_000.0
"""The prior's standard deviation, in Elo."""
PRECISION = (ELO / PRIOR_ELO) ** 2
"""The prior's precision, 1 / variance, in units of theta."""

_ANCHOR = 1e4
"""The precision of the sums of theta and gamma, which are to be 0.

It is so high that their remaining uncertainty is far below that of any rating.
"""
_LAST_STEP = 1e-6
"""The step length below which Newton's method has converged."""
_MOST_STEPS = 200
_AT_ONCE = 2048
"""Number of choices whose arrays fit together into a processor's cache."""


class LikelihoodError(Exception):
    """The maximum wasn't found, which is a fault of this module."""


@attrs.frozen(kw_only=True, eq=False)
class Group:
    """The choices among the same number of seats, R.

    A choice is a stage with its question: which of the seats left take the next place? It has A
    alternatives.
    """

    numbers: Ints
    """(C,): the choices' indices among all choices."""
    slots: Ints
    """(C, R): the slots, player * S + seat, of those left."""
    shares: Floats
    """(A, R): by alternative, the share of each seat in its worth: 1/|S| or 0."""
    sizes: Floats
    """(A, D): by alternative, 1 at its tie size; nothing for a single seat."""


@attrs.frozen(kw_only=True, eq=False)
class Model:
    """All stages of all matches, with equal choices merged."""

    counted: Counted
    players: int
    tied: tuple[int, ...]
    """The D sizes of ties that were seen."""
    groups: tuple[Group, ...]
    choices: int
    """C, the number of different choices."""
    choice_of: Ints
    """(M, T): by match and stage, the index of the choice; -1 after the last stage."""
    chosen: Floats
    """(M, P): by match, the sum of the chosen alternatives' features; constant in the gradient."""

    @property
    def size(self) -> int:
        """P, the number of parameters."""
        return self.players + self.counted.seats + len(self.tied)

    @property
    def spread(self) -> Floats:
        """The parameters of each slot and of each tie size, shape (slots + D, P)."""
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
        """What the prior adds to the information: (P, P)."""
        return prior(self.players, self.counted.seats, self.size)

    def times(self) -> Floats:
        """Return how often each choice was made, shape (C,)."""
        weights = np.broadcast_to(self.counted.match_times[:, None], self.choice_of.shape)
        is_choice = self.choice_of >= 0
        return weighted_counts(self.choice_of[is_choice], weights[is_choice], self.choices)


def prior(players: int, seats: int, size: int) -> Floats:
    """Return what the prior adds to the information, with sum theta = 0 and sum gamma = 0: (P, P).

    The likelihood doesn't change if all theta, or all gamma, grow alike; a term in their sums alone
    fixes these two without a pull on anything else.

    Args:
        players: The number of theta.
        seats: The number of gamma.
        size: P, the number of all parameters.
    """
    matrix = np.eye(size) * PRECISION
    of_seats = slice(players, players + seats)
    matrix[:players, :players] += _ANCHOR
    matrix[of_seats, of_seats] += _ANCHOR
    return matrix


def model_of(counted: Counted, parts: Ints | None = None) -> Model:
    """Return the stages of all matches.

    Args:
        counted: What was played, at least one match.
        parts: (players,): the part of each player (see `counting.connected`), if a stage is to be a
            choice within one part only. Of two different parts the one was always above the other.
            What remains is the limit of the likelihood as such parts move apart without end.
    """
    seats, ranks = counted.seats, counted.ranks
    players = counted.bots + counted.fillers
    matches = len(ranks)
    stages = max(seats - 1, 1)
    left, taken = stages_of(ranks)
    if parts is not None:
        part = parts[counted.players]
        for stage in range(stages):
            chosen_part = np.take_along_axis(part, taken[:, stage].argmax(axis=1)[:, None], axis=1)
            left[:, stage] &= part == chosen_part
    is_choice = left.sum(axis=2) > 1
    taken &= is_choice[:, :, None]
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

    # A choice is identified by the players that are left, each in its seat.
    sitting = np.where(left, counted.players[:, None, :] + 1, 0)[is_choice]
    first, which, _ = distinct_rows(sitting)
    choice_of = np.full((matches, stages), -1, dtype=np.int64)
    choice_of[is_choice] = which
    return Model(
        counted=counted,
        players=players,
        tied=tied,
        groups=_groups(sitting[first], tied),
        choices=len(first),
        choice_of=choice_of,
        chosen=chosen,
    )


def stages_of(ranks: Ints) -> tuple[Bools, Bools]:
    """Return which seats are left at each stage of some matches, and which of them are taken.

    Args:
        ranks: (M, S): the rank of each seat.

    Returns:
        Two arrays of shape (M, T, S); after the last stage nothing is left and nothing is taken.
    """
    matches, seats = ranks.shape
    stages = max(seats - 1, 1)
    left = np.zeros((matches, stages, seats), dtype=bool)
    taken = np.zeros_like(left)
    place = (ranks[:, None, :] < ranks[:, :, None]).sum(axis=2)
    remaining = np.ones((matches, seats), dtype=bool)
    for stage in range(stages):
        best = np.where(remaining, place, seats).min(axis=1, keepdims=True)
        taken[:, stage] = remaining & (place == best)
        left[:, stage] = remaining
        remaining = remaining & ~taken[:, stage]
    return left, taken


def alternatives(left: int, tied: tuple[int, ...]) -> tuple[Bools, Floats, Floats]:
    """Return the sets of seats that may take the next place, when so many seats are left.

    Returns:
        By alternative: which of the seats left are in it, (A, R); the share of each in its worth,
        (A, R); 1 at its tie size, (A, D).
    """
    subsets: Bools = (np.arange(1, 2**left)[:, None] >> np.arange(left)) & 1 > 0
    size = subsets.sum(axis=1)
    allowed = np.isin(size, (1, *tied))
    subsets, size = subsets[allowed], size[allowed]
    sizes = (size[:, None] == np.array(tied, dtype=np.int64)).astype(np.float64)
    return subsets, subsets / size[:, None], sizes


def _groups(sitting: Ints, tied: tuple[int, ...]) -> tuple[Group, ...]:
    """Return the choices, grouped by the number of seats left.

    `sitting` is (C, S): player + 1, or 0 where no player is left.
    """
    seats = sitting.shape[1]
    slots = (sitting - 1) * seats + np.arange(seats)
    left = (sitting > 0).sum(axis=1)
    groups = []
    for size_left in range(2, seats + 1):
        numbers = np.flatnonzero(left == size_left)
        if not len(numbers):
            continue
        _, shares, sizes = alternatives(size_left, tied)
        here = slots[numbers]
        groups.append(
            Group(
                numbers=numbers,
                slots=here[sitting[numbers] > 0].reshape(len(numbers), size_left),
                shares=shares,
                sizes=sizes,
            )
        )
    return tuple(groups)


def sums(model: Model, weights: Floats, worth: Floats) -> tuple[float, Floats, Floats]:
    """Return the sum of w log Z over all choices, its gradient and its second derivatives.

    Args:
        model: The choices.
        weights: (C,): w, how often each choice was made.
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
            # The expected features of the chosen alternatives, by choice, and their covariance.
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
    """Return matches of each player, and of each seat, against the mean of the others.

    They are choices whose alternatives are a win, a loss and, if two bots were ever seen to tie, a
    tie. Shape (players + S, A, P).
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
    """Return the estimate and the information (minus the second derivatives) at it, with the prior.

    Args:
        model: All matches.
        pseudo: How often each outcome of each of the `pseudo_matches` counts.
        start: (P,): where to begin; it changes how long it takes, not the result.

    Raises:
        LikelihoodError: Newton's method didn't converge, which should happen for no data.
    """
    weights = model.times()
    anchor = model.anchor
    features = pseudo_matches(model)
    many = pseudo * features.shape[1]
    chosen = model.counted.match_times @ model.chosen + pseudo * features.sum(axis=(0, 1))

    def evaluate(at: Floats) -> tuple[float, Floats, Floats]:
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

    estimate = np.zeros(model.size) if start is None else start
    value, gradient, information = evaluate(estimate)
    for _ in range(_MOST_STEPS):
        step = np.linalg.solve(information, gradient)
        longest = float(np.abs(step).max())
        if longest < _LAST_STEP:
            # Newton's method squares the error: after this step only rounding is left.
            return estimate + step, information
        # Far from the maximum the quadratic model that Newton's method uses doesn't hold.
        step *= min(1.0, 2.0 / longest)
        gain = float(gradient @ step)
        while True:
            new = evaluate(estimate + step)
            # Near the maximum the gain is smaller than rounding errors.
            if new[0] >= value + 1e-4 * gain - 1e-9 * (1 + abs(value)):
                break
            step, gain = step / 2, gain / 2
        estimate = estimate + step
        value, gradient, information = new
    raise LikelihoodError(f"no maximum of the likelihood found in {_MOST_STEPS} steps")
