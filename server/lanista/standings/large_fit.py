"""The likelihood of very many matches among very many bots: its maximum, and samples around it.

It is the likelihood of `likelihood`, with the same prior and the pseudo-matches of `bootstrap`, and
the samples are those of that bootstrap, all by the quadratic approximation. What differs is how it
is computed. There each match has a row with all parameters, which for a thousand bots and a million
matches would fill the memory a hundred times over. Here choices are arrays of players and seats,
used piece by piece. And the first Newton steps look at a part of the matches, in which each one
that was left out is made up for by the weight of another one; all of them are gone through once or
twice, at the end, for the gradient alone.

Letters in shapes are those of `counting` and `likelihood`; L is the number of lots into which the
blocks are put at random, each of which gets a weight in a sample.
"""

from collections.abc import Sequence
from typing import Any

import attrs

from lanista.standings.bootstrap import PSEUDO
from lanista.standings.likelihood import (
    LikelihoodError,
    alternatives,
    prior,
    stages_of,
)
from lanista.standings.numerics import Floats, Ints, NDArray, np

_AT_ONCE = 1 << 13
"""Number of choices that are computed at once: their arrays fit into a processor's cache."""
_AT_ONCE_SECOND = 1 << 16
"""The same with second derivatives: adding up those of all pairs of players takes long itself."""
_FIRST = 40_000
"""Number of matches with which the first steps are made."""
_NEXT = 250_000
"""Number of matches from which the second derivatives are taken.

They are then within some percent of those of all matches, as are the errors derived from them.
"""
_FEW = 400
"""Number of matches of a bot up to which all of them are in each part."""
_LONGEST = 2.0
"""The longest step in any parameter; a longer one is shortened."""
_NEAR = 0.1
"""The step length below which the first part has nothing more to tell."""
_SETTLED = 6.0
"""The step length, in standard errors, after which a maximum is near enough.

Newton's method leaves a twentieth of it, and it is that long for one bot of hundreds.
"""
_MOST_STEPS = 100


@attrs.frozen(kw_only=True, eq=False)
class Size:
    """The numbers of parameters: theta by player, gamma by seat, log delta by size of a tie."""

    players: int
    seats: int
    tied: tuple[int, ...]

    @property
    def all(self) -> int:
        """P, the number of all parameters."""
        return self.players + self.seats + len(self.tied)


@attrs.frozen(kw_only=True, eq=False)
class Choices:
    """The choices among the same number of seats, R, by lot; equal ones aren't merged."""

    players: NDArray[np.int16]
    """(R, C): the players left."""
    seats: NDArray[np.int8]
    """(R, C): their seats."""
    chosen: NDArray[np.int8]
    """(C,): the alternative that was chosen."""
    lots: NDArray[np.int16]
    """(C,): the lot of the match."""
    weights: Floats
    """(C,): how often each counts."""
    features: Floats
    """(R + D, A): by alternative, the share of each seat in its worth, and 1 at its tie size."""


@attrs.frozen(kw_only=True, eq=False)
class Fit:
    """The maximum, and what the samples around it need."""

    at: Floats
    """(P,): the parameters at the maximum."""
    inverse: Floats
    """(P, P): the inverse of the information."""
    scores: Floats
    """(L, P): by lot, the gradient of its matches' likelihood; with the prior's their sum is 0."""


def choices_of(
    players: NDArray[np.int16],
    patterns: Ints,
    match_patterns: NDArray[np.int16],
    lots: NDArray[np.int16],
    tied: tuple[int, ...],
) -> list[Choices]:
    """Return the choices of all matches, by the number of seats left.

    Args:
        players: (M, S): the player in each seat.
        patterns: (K, S): by pattern, the rank of each seat.
        match_patterns: (M,): the index of each match's pattern.
        lots: (M,): the lot of each match.
        tied: The sizes of ties that were seen.
    """
    parts: dict[int, list[tuple[NDArray[Any], ...]]] = {}
    left, taken = stages_of(patterns)
    order = np.argsort(match_patterns, kind="stable")
    ends = np.cumsum(np.bincount(match_patterns, minlength=len(patterns)))
    for pattern, matches in enumerate(np.split(order, ends[:-1])):
        for left_here, taken_here in zip(left[pattern], taken[pattern], strict=True):
            sitting = np.flatnonzero(left_here)
            if len(sitting) < 2:
                continue
            sets, _, _ = alternatives(len(sitting), tied)
            chosen = np.flatnonzero((sets == taken_here[sitting]).all(axis=1))
            parts.setdefault(len(sitting), []).append(
                (
                    players[matches][:, sitting].T,
                    np.repeat(sitting[:, None].astype(np.int8), len(matches), axis=1),
                    np.repeat(chosen, len(matches)),
                    lots[matches],
                )
            )
    result = []
    for size_left, choices in sorted(parts.items()):
        their_players, their_seats, chosen, their_lots = (
            np.concatenate(arrays, axis=-1) for arrays in zip(*choices, strict=True)
        )
        _, shares, sizes = alternatives(size_left, tied)
        by_lot = np.argsort(their_lots, kind="stable")
        result.append(
            Choices(
                players=their_players[:, by_lot],
                seats=their_seats[:, by_lot],
                chosen=chosen[by_lot].astype(np.int8),
                lots=their_lots[by_lot],
                weights=np.ones(len(chosen)),
                features=np.hstack([shares, sizes]).T,
            )
        )
    return result


def tie_sizes(patterns: Ints) -> tuple[int, ...]:
    """Return the sizes of the ties that were seen; see `choices_of`."""
    sizes = np.unique((patterns[:, :, None] == patterns[:, None, :]).sum(axis=2))
    return tuple(size for size in sizes.tolist() if size > 1)


def fit(groups: Sequence[Choices], size: Size, lots: int) -> Fit:
    """Return the maximum of the likelihood with its prior and pseudo-matches.

    Args:
        groups: The choices of all matches.
        size: The numbers of parameters.
        lots: L, the number of lots.

    Raises:
        LikelihoodError: Newton's method didn't converge, which should happen for no data.
    """
    at = np.zeros(size.all)
    part = _part(groups, size, _FIRST)
    for _ in range(_MOST_STEPS):
        gradient, information, _ = evaluate(part, size, at)
        if _add_step(at, np.asarray(np.linalg.solve(information, gradient))) < _NEAR:
            break
    part = _part(groups, size, _NEXT)
    for _ in range(_MOST_STEPS):
        gradient, information, _ = evaluate(part, size, at)
        inverse = np.asarray(np.linalg.inv(information), dtype=np.float64)
        error = np.sqrt(np.diag(inverse))
        if _add_step(at, inverse @ gradient, error) < 2 * _SETTLED:
            break
    for _ in range(_MOST_STEPS):
        gradient, _, scores = evaluate(groups, size, at, second=False, lots=lots)
        if _add_step(at, inverse @ gradient, error) < _SETTLED:
            scores -= gradient / lots  # what the step has made of them
            return Fit(at=at, inverse=inverse, scores=scores)
    raise LikelihoodError(f"no maximum of the likelihood found in {_MOST_STEPS} steps")


def _part(groups: Sequence[Choices], size: Size, most: int) -> Sequence[Choices]:
    """Return the choices of about so many matches, with weights that make up for the others.

    They are those of some lots, with a weight, and all matches of the bots that played few.
    """
    first = groups[-1]  # of all seats: one of each match
    each = -(-len(first.lots) // most)
    if each == 1:
        return groups
    few = np.asarray(np.bincount(first.players.ravel(), minlength=size.players) <= _FEW)
    part = []
    for group in groups:
        all_of_them = np.asarray(few[group.players].any(axis=0))
        which = all_of_them | (group.lots % each == 0)
        part.append(
            attrs.evolve(
                group,
                players=group.players[:, which],
                seats=group.seats[:, which],
                chosen=group.chosen[which],
                lots=group.lots[which],
                weights=np.where(all_of_them[which], 1.0, float(each)),
            )
        )
    return part


def _add_step(at: Floats, step: Floats, error: Floats | float = 1.0) -> float:
    """Add a step in place, bounded in each parameter, and return its length in these units."""
    at += np.clip(step, -_LONGEST, _LONGEST)
    return float(np.abs(step / error).max())


def evaluate(
    groups: Sequence[Choices], size: Size, at: Floats, *, second: bool = True, lots: int = 0
) -> tuple[Floats, Floats, Floats]:
    """Return the gradient, the information and the lots' gradients at some parameters.

    Args:
        groups: The choices.
        size: The numbers of parameters.
        at: (P,): the parameters.
        second: Whether to compute the information; otherwise it means nothing.
        lots: L; 0 if their gradients aren't wanted.

    Returns:
        Arrays of shapes (P,), (P, P) and (L, P).
    """
    n, seats, total = size.players, size.seats, size.all
    theta, gamma, delta = at[:n], at[n : n + seats], at[n + seats :]
    gradient, information = _of_pseudo_matches(size, at)
    scores = np.zeros((lots, total))
    at_once = _AT_ONCE_SECOND if second else _AT_ONCE
    for group in groups:
        features = group.features
        left = len(group.players)
        squares = (features[:, None] * features[None, :]).reshape(-1, features.shape[1])
        for start in range(0, len(group.lots), at_once):
            part = slice(start, start + at_once)
            players = group.players[:, part].astype(np.int64)
            sitting = group.seats[:, part].astype(np.int64)
            # By alternative, (A, C): no worth is so great that this would overflow.
            share = np.exp(
                features[:left].T @ (theta[players] + gamma[sitting])
                + (features[left:].T @ delta)[:, None]
            )
            share /= share.sum(axis=0)
            expected = features @ share
            off = (features[:, group.chosen[part]] - expected) * group.weights[part]
            # By choice: the indices of its parameters, and its gradient in each of them.
            ties = np.broadcast_to(np.arange(n + seats, total)[:, None], off[left:].shape)
            held = np.concatenate([players, n + sitting, ties])
            its = np.concatenate([off[:left], off]).ravel()
            gradient += np.bincount(held.ravel(), its, total)
            if lots:
                low, high = int(group.lots[part][0]), int(group.lots[part][-1]) + 1
                of_lot = (group.lots[part].astype(np.int64) - low) * total
                scores[low:high] += np.bincount(
                    (of_lot + held).ravel(), its, (high - low) * total
                ).reshape(high - low, total)
            if second:
                many = len(features)
                spreads = (squares @ share).reshape(many, many, -1)
                spreads -= expected[:, None] * expected[None, :]
                spreads *= group.weights[part]
                _add_spreads(information, size, players, sitting, spreads)
    return gradient, information, scores


def _add_spreads(
    information: Floats, size: Size, players: Ints, sitting: Ints, spreads: Floats
) -> None:
    """Add the covariances of choices, (R + D, R + D, C), to the information, in place."""
    n, seats, tied = size.players, size.seats, len(size.tied)
    left = len(players)
    among = spreads[:left, :left].ravel()

    def summed(one: Ints, other: Ints, many: int, others: int) -> Floats:
        flat = (one[:, None] * others + other[None, :]).ravel()
        return np.asarray(np.bincount(flat, among, many * others).reshape(many, others))

    of_players, of_seats = slice(0, n), slice(n, n + seats)
    information[of_players, of_players] += summed(players, players, n, n)
    both = summed(players, sitting, n, seats)
    information[of_players, of_seats] += both
    information[of_seats, of_players] += both.T
    information[of_seats, of_seats] += summed(sitting, sitting, seats, seats)
    for number in range(tied):
        at = n + seats + number
        values = spreads[:left, left + number].ravel()
        for start, owners, many in ((0, players, n), (n, sitting, seats)):
            column = np.bincount(owners.ravel(), values, many)
            information[start : start + many, at] += column
            information[at, start : start + many] += column
    last = slice(n + seats, None)
    information[last, last] += spreads[left:, left:].sum(axis=2)


@attrs.frozen(kw_only=True, eq=False)
class _Pseudo:
    """The pseudo-matches of `likelihood.pseudo_matches` of all players, or of all seats.

    The worth of the k-th one's win is x_k = w_k · theta, where w_k = (1 + b) e_k - b (1, …, 1);
    that of a loss is 0, that of a tie x_k / 2 + log delta_2.
    """

    here: slice
    """The parameters of the players or seats."""
    outcomes: Floats
    """(A, 2): by outcome, how often it contains x and log delta_2."""
    share: Floats
    """(many, A): the probability of each outcome."""

    def spread(self, values: Floats) -> Floats:
        """Return the gradient in the players' parameters of what has these gradients in x."""
        b = 1 / max(len(self.share) - 1, 1)
        return np.asarray((1 + b) * values - b * values.sum(axis=-1, keepdims=True))


def _pseudo(size: Size, at: Floats) -> list[_Pseudo]:
    result = []
    outcomes = np.array([[1.0, 0.0], [0.0, 0.0], [0.5, 1.0]])[: 3 if 2 in size.tied else 2]
    log_tie = at[size.players + size.seats] if 2 in size.tied else 0.0
    for start, many in ((0, size.players), (size.players, size.seats)):
        here = slice(start, start + many)
        b = 1 / max(many - 1, 1)
        x = (1 + b) * at[here] - b * at[here].sum()
        share = np.exp(x[:, None] * outcomes[:, 0] + log_tie * outcomes[:, 1])
        share /= share.sum(axis=1, keepdims=True)
        result.append(_Pseudo(here=here, outcomes=outcomes, share=share))
    return result


def _of_pseudo_matches(size: Size, at: Floats) -> tuple[Floats, Floats]:
    """Return the gradient and the information of the prior and the pseudo-matches."""
    information = prior(size.players, size.seats, size.all)
    gradient = -information @ at
    tie = size.players + size.seats
    for some in _pseudo(size, at):
        here, outcomes, share = some.here, some.outcomes, some.share
        mean = share @ outcomes
        off = PSEUDO * (outcomes.sum(axis=0) - len(outcomes) * mean)
        squares = outcomes[:, :, None] * outcomes[:, None, :]
        weight = PSEUDO * len(outcomes)
        spreads = weight * (np.tensordot(share, squares, 1) - mean[:, :, None] * mean[:, None, :])
        gradient[here] += some.spread(off[:, 0])
        information[here, here] += some.spread(some.spread(np.diag(spreads[:, 0, 0])).T)
        if len(outcomes) > 2:
            gradient[tie] += off[:, 1].sum()
            column = some.spread(spreads[:, 0, 1])
            information[here, tie] += column
            information[tie, here] += column
            information[tie, tie] += spreads[:, 1, 1].sum()
    return gradient, information


def samples(found: Fit, size: Size, count: int, generator: np.random.Generator) -> Floats:
    """Return samples of the parameters, (B, P), by the quadratic approximation at the maximum.

    Args:
        found: The maximum.
        size: The numbers of parameters.
        count: B, the number of samples.
        generator: The source of the weights.
    """
    pull = generator.standard_exponential((count, len(found.scores))) @ found.scores
    pull -= found.at @ prior(size.players, size.seats, size.all)
    for some in _pseudo(size, found.at):
        weights = generator.standard_gamma(PSEUDO, size=(count, *some.share.shape))
        mean = some.share @ some.outcomes
        many = weights.sum(axis=2)
        pull[:, some.here] += some.spread(weights @ some.outcomes[:, 0] - many * mean[:, 0])
        if len(some.outcomes) > 2:
            tie = size.players + size.seats
            pull[:, tie] += (weights @ some.outcomes[:, 1] - many * mean[:, 1]).sum(axis=1)
    return np.asarray(found.at + pull @ found.inverse)
