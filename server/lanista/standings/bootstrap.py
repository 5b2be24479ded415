"""Samples of the rating parameters by a bootstrap; their quantiles are the confidence intervals.

How far off may a rating be? If the tournament could be repeated, the spread of its ratings would
tell. It can't, so the bootstrap makes many tournaments out of the one that was played: each sample
gives every opening (seed and map) a random weight and maximises the weighted likelihood. That is
the Bayesian bootstrap (Rubin, Annals of Statistics 9, 1981), for likelihoods described by Newton
and Raftery (Journal of the Royal Statistical Society B 56, 1994).

All matches on an opening share its weight, so what they have in common widens the intervals as it
should: a bot that likes a map likes it against everybody. With too few openings
(`counting.independent`) each block has a weight of its own; what the blocks of an opening have in
common is then not in the intervals. Weights are exponential. A resample that takes blocks with
replacement could lose every defeat of a strong bot, and its rating would have no maximum; positive
weights lose nothing. Weights aren't stratified by pairing: a ladder has pairings of one block,
which a stratified resample wouldn't vary at all.

Pseudo-matches are added to each sample: one of each player against the mean of the others, and one
of each seat against the mean of the others, where each outcome has a random weight with mean one
half (a gamma variable of shape 1/2; for two bots and single matches this gives Jeffreys' interval).
Because of them even a bot that won every match has an interval, whose lower end says how strong it
must be at least.

A sample is a maximisation, and there are a thousand of them. Choices among players whose ratings
are well known are therefore replaced by their quadratic approximation at the centre; all others are
computed afresh in each Newton step. tests/standings/test_bootstrap.py compares this with full
maxima. The widening for few blocks is in `rating`.
"""

import hashlib
from typing import Any

import attrs

from lanista.standings.counting import Counted, Independent
from lanista.standings.likelihood import Model, maximum, pseudo_matches, sums
from lanista.standings.numerics import Bools, Floats, Ints, NDArray, np

PSEUDO = 0.5
"""The mean weight of each outcome of a pseudo-match; also the shape of its gamma distribution."""

MOST_UNITS = 1500
"""The most openings, or kinds of blocks, that get weights of their own.

If there are more, they are put together at random into so many lots. That leaves an error of 2 % in
the widths of the intervals.
"""
_CERTAIN = 0.1
"""The standard error (17 Elo) below which the quadratic approximation is good enough.

It shifts the ends of an interval by a tenth of a standard error at most.
"""
_MOST_EXACT = 40_000_000
"""The most numbers in the largest array of the choices that are computed afresh."""
_CHUNK = 1_000_000
"""Numbers in the arrays of the samples that are computed at once."""
_LONGEST = 1.5
"""The longest Newton step in any parameter; a longer one is shortened."""
_SETTLED_CHORD = 0.05
_SETTLED_NEWTON = 0.15
"""Step lengths below which a sample is taken as settled, with the old matrix and with a new one.

The remaining error is then about a hundredth of a standard error, in the mean over samples:
Newton's method squares the error, and a step with an old matrix reduces it to a tenth.
"""
_MOST_STEPS = 40


@attrs.frozen(kw_only=True, eq=False)
class Samples:
    """The result of the bootstrap, for B samples of P parameters."""

    centre: Floats
    """(P,): the estimate with all weights at their means, around which the samples lie."""
    values: Floats
    """(B, P): the parameters of each sample."""


@attrs.frozen(kw_only=True, eq=False)
class _Exact:
    """The choices that are computed afresh in each step."""

    features: tuple[Floats, ...]
    """By group, (C, A, P): how often each alternative of a choice contains each parameter."""
    columns: tuple[Ints, ...]
    """By group, (C,): the columns of `weights` that belong to its choices."""
    weights: Floats
    """(B, C): by sample, the weight of each choice."""


@attrs.frozen(kw_only=True, eq=False)
class _Units:
    """The units that get a weight: openings, kinds of blocks, or lots of either.

    E entries say which blocks belong to which unit.
    """

    shape: Floats
    """(units,): the shape of each unit's gamma distribution: the number of exponential weights."""
    unit: Ints
    """(E,): by entry, its unit."""
    block: Ints
    """(E,): by entry, its block, of the U different ones."""
    times: Floats
    """(E,): by entry, how often the block counts with the unit's weight."""


def sample(model: Model, count: int, apart: Independent) -> Samples:
    """Return samples of the parameters; equal tournaments get equal samples.

    Args:
        model: All matches.
        count: The number of samples, B.
        apart: What is independent: openings or blocks.
    """
    generator = np.random.default_rng(_seed(model.counted))
    centre, information = maximum(model, PSEUDO)
    error = np.sqrt(np.diag(np.linalg.inv(information)))
    uncertain = _uncertain(model, error[: model.players])
    approximated = sums(model, np.where(uncertain, 0.0, model.times()), centre)[2]
    by_match = model.chosen - _expected(model, centre, ~uncertain)

    units = _units(model.counted, apart, generator)
    order = np.argsort(units.unit, kind="stable")
    starts = np.searchsorted(units.unit[order], np.arange(len(units.shape)))
    scores = _with_missing(by_match, model.counted, 0.0)[model.counted.block_matches].sum(axis=1)
    parts = scores[units.block[order]] * units.times[order, None]
    weights = generator.standard_gamma(units.shape, size=(count, len(units.shape)))
    pull = weights @ np.add.reduceat(parts, starts, axis=0)

    features, columns = _features(model, uncertain)
    pseudo = pseudo_matches(model)
    outcomes = generator.standard_gamma(PSEUDO, size=(count, *pseudo.shape[:2]))
    choice_counts = _choice_counts(model, uncertain, units)
    exact = _Exact(
        features=(*features, pseudo),
        columns=(*columns, choice_counts.shape[1] + np.arange(len(pseudo))),
        weights=np.hstack([weights @ choice_counts, outcomes.sum(axis=2)]),
    )
    pull += outcomes.reshape(count, -1) @ pseudo.reshape(-1, model.size)
    return Samples(centre=centre, values=_maxima(exact, centre, pull, approximated, model.anchor))


def _seed(counted: Counted) -> int:
    digest = hashlib.sha256()
    for array in (
        *(counted.block_players, counted.players, counted.ranks, counted.times),
        *(counted.cell_blocks, counted.cell_openings, counted.cell_times),
    ):
        digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    return int.from_bytes(digest.digest()[:8], "little")


def _units(counted: Counted, apart: Independent, generator: np.random.Generator) -> _Units:
    kinds = np.arange(len(counted.times))
    if apart.by_opening:
        openings = int(counted.cell_openings.max()) + 1
        lots = np.arange(openings)
        if openings > MOST_UNITS:
            lots = generator.permutation(openings) % MOST_UNITS
        return _Units(
            shape=np.ones(min(openings, MOST_UNITS)),
            unit=lots[counted.cell_openings],
            block=counted.cell_blocks,
            times=counted.cell_times.astype(np.float64),
        )
    if len(kinds) <= MOST_UNITS:
        shape = counted.times.astype(np.float64)
        return _Units(shape=shape, unit=kinds, block=kinds, times=np.ones(len(kinds)))
    return _Units(
        shape=np.ones(MOST_UNITS),
        unit=generator.permutation(counted.blocks) % MOST_UNITS,
        block=np.repeat(kinds, counted.times),
        times=np.ones(counted.blocks),
    )


def _with_missing(by_match: NDArray[Any], counted: Counted, value: float) -> NDArray[Any]:
    """Return rows by match with one more at the end, which is what -1 means: a missing match."""
    if (counted.block_matches >= 0).all():
        return by_match
    return np.vstack([by_match, np.full((1, by_match.shape[1]), value, dtype=by_match.dtype)])


def _uncertain(model: Model, error: Floats) -> Bools:
    """Return, by choice, whether one of its players has an uncertain rating, shape (C,).

    Where those are too many choices, the players with the most of them are left out; their
    intervals are those of the quadratic approximation at the centre.
    """
    uncertain = np.zeros(model.choices, dtype=bool)
    seats = model.counted.seats
    held = np.zeros((model.choices, model.players), dtype=bool)
    for group in model.groups:
        held[group.numbers[:, None], group.slots // seats] = True
    most = _MOST_EXACT // (len(model.groups[-1].shares) * model.size**2)
    for player in np.argsort(held.sum(axis=0), kind="stable"):
        if error[player] > _CERTAIN and (uncertain | held[:, player]).sum() <= most:
            uncertain |= held[:, player]
    return uncertain


def _expected(model: Model, at: Floats, which: Bools) -> Floats:
    """Return the expected parameters of the chosen alternatives, summed by match, shape (M, P).

    Only the choices in `which` are counted.
    """
    seats, players, tied = model.counted.seats, model.players, len(model.tied)
    slot_worth = model.spread[: players * seats] @ at
    by_choice = np.zeros((model.choices + 1, seats + tied))  # the last row stands for no choice
    for group in model.groups:
        utility = slot_worth[group.slots] @ group.shares.T + group.sizes @ at[players + seats :]
        share = _softmax(utility)
        by_choice[group.numbers[:, None], group.slots % seats] = share @ group.shares
        by_choice[group.numbers, seats:] = share @ group.sizes
    by_choice[:-1][~which] = 0
    local = by_choice[model.choice_of].sum(axis=1)
    result = np.zeros((len(local), model.size))
    row = np.arange(len(local))
    for seat in range(seats):
        result[row, model.counted.players[:, seat]] += local[:, seat]
    result[:, players:] = local
    return result


def _softmax(utility: Floats) -> Floats:
    share: Floats = np.exp(utility - utility.max(axis=-1, keepdims=True))
    share /= share.sum(axis=-1, keepdims=True)
    return share


def _features(model: Model, uncertain: Bools) -> tuple[tuple[Floats, ...], tuple[Ints, ...]]:
    column = np.cumsum(uncertain) - 1
    spread = model.spread
    slots = model.players * model.counted.seats
    features, columns = [], []
    for group in model.groups:
        here = uncertain[group.numbers]
        if not here.any():
            continue
        held = group.shares @ spread[group.slots[here]]
        features.append(held + group.sizes @ spread[slots:])
        columns.append(column[group.numbers[here]])
    return tuple(features), tuple(columns)


def _choice_counts(model: Model, uncertain: Bools, units: _Units) -> Floats:
    """Return how often each unit contains each uncertain choice, by unit and choice."""
    choices = int(uncertain.sum())
    matches = model.counted.block_matches[units.block]
    # The last entry stands for no choice.
    column = np.append(np.where(uncertain, np.cumsum(uncertain) - 1, -1), -1)
    choice = column[_with_missing(model.choice_of, model.counted, -1)][matches]
    there = choice >= 0
    owner = np.broadcast_to(units.unit[:, None, None], choice.shape)[there]
    times = np.broadcast_to(units.times[:, None, None], choice.shape)[there]
    size = len(units.shape)
    flat = np.bincount(owner * choices + choice[there], times, minlength=size * choices)
    return flat.reshape(size, choices).astype(np.float64)


def _maxima(
    exact: _Exact, centre: Floats, pull: Floats, information: Floats, anchor: Floats
) -> Floats:
    """Return the maximum of each sample's likelihood, shape (B, P).

    The first step uses the derivatives at the centre, which are the same for all samples but for
    their weights. The second one uses the gradient where the sample is, and the matrix of the
    first; that settles most samples. The rest go on by Newton's method.
    """
    values = np.tile(centre, (len(pull), 1))
    gradient = pull - centre @ anchor
    matrix = np.tile(information + anchor, (len(pull), 1, 1))
    _add_at_centre(exact, centre, gradient, matrix)
    values += _step(matrix, gradient)
    active = np.arange(len(pull))
    for number in range(_MOST_STEPS):
        here, weights = values[active], exact.weights[active]
        gradient = pull[active] - (here - centre) @ information - here @ anchor
        if number:
            matrix = np.tile(information + anchor, (len(active), 1, 1))
        _add(exact, weights, here, gradient, matrix if number else None)
        step = _step(matrix, gradient)
        values[active] += step
        settled = _SETTLED_NEWTON if number else _SETTLED_CHORD
        active = active[np.abs(step).max(axis=1) > settled]
        if not len(active):
            break
    return values


def _step(matrix: Floats, gradient: Floats) -> Floats:
    """Return Newton's steps, shape (B, P), shortened to where they can be trusted."""
    step = np.linalg.solve(matrix, gradient[:, :, None])[:, :, 0]
    longest = np.abs(step).max(axis=1, keepdims=True)
    return np.asarray(step * np.minimum(1.0, _LONGEST / np.maximum(longest, _LONGEST)))


def _add_at_centre(exact: _Exact, centre: Floats, gradient: Floats, matrix: Floats) -> None:
    """Add the choices' derivatives at the centre, in place."""
    size = len(centre)
    for features, columns in zip(exact.features, exact.columns, strict=True):
        share = _softmax(features @ centre)
        mean = (share[:, None, :] @ features)[:, 0]
        off = (features - mean[:, None, :]) * np.sqrt(share)[:, :, None]
        weights = exact.weights[:, columns]
        gradient -= weights @ mean
        second = (off.transpose(0, 2, 1) @ off).reshape(len(columns), size * size)
        matrix += (weights @ second).reshape(-1, size, size)


def _add(
    exact: _Exact, weights: Floats, at: Floats, gradient: Floats, matrix: Floats | None
) -> None:
    """Add the choices' derivatives at each sample's own parameters, in place."""
    size = at.shape[1]
    for features, columns in zip(exact.features, exact.columns, strict=True):
        choices, alternatives, _ = features.shape
        flat = features.reshape(choices * alternatives, size)
        numbers = len(flat) * (1 if matrix is None else size)
        chunk = max(1, _CHUNK // max(numbers, 1))
        for start in range(0, len(at), chunk):
            part = slice(start, start + chunk)
            weight = weights[part][:, columns]
            share = _softmax((at[part] @ flat.T).reshape(-1, choices, alternatives))
            share *= weight[:, :, None]
            rows = share.reshape(-1, len(flat))
            gradient[part] -= rows @ flat
            if matrix is None:
                continue
            matrix[part] += (flat.T * rows[:, None, :]) @ flat
            # `mean` is weighted, so a product of two has the weight twice; one is divided out.
            mean = (share.transpose(1, 0, 2) @ features).transpose(1, 0, 2)
            unweighted = mean / np.maximum(weight, 1e-300)[:, :, None]
            matrix[part] -= mean.transpose(0, 2, 1) @ unweighted
