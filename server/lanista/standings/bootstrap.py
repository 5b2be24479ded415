"""Samples of the parameters by a bootstrap over seeds or blocks; intervals are quantiles of them.

A sample gives every draw (seed and map) a random weight and maximises the weighted likelihood: the
Bayesian bootstrap (Rubin, Annals of Statistics 9, 1981), for likelihoods Newton and Raftery
(Journal of the Royal Statistical Society B 56, 1994). All matches on a draw share its weight, so
what they have in common widens the intervals as it should: a bot that likes a map likes it against
everybody. With too few draws (`counting.independent`) each block has a weight of its own; what the
blocks of a seed have in common is then not in the intervals. Weights are exponential. A multinomial
resample can lose every defeat of a strong bot, and its rating has no maximum then; positive weights
lose nothing. Weights aren't stratified by pairing: a ladder has pairings of one block, which a
stratified resample would not vary at all.

To each sample come pseudo-matches: of each player against the mean of the others, and of each seat
against the mean of the others, each outcome weighted at random with mean one half (a gamma variable
of shape 1/2; for two bots and single matches this makes Jeffreys' interval). They are why a bot
that won all has an interval: its lower end says how strong it must be at least.

Choices among players whose ratings are well known are replaced by their quadratic approximation at
the centre, all others are computed afresh at each Newton step. tests/tournament/test_bootstrap.py
holds this against full maxima. The widening for few blocks is in `rating`.
"""

import hashlib

import attrs

from lanista.standings.counting import Counted, Independent
from lanista.standings.likelihood import Model, maximum, pseudo_matches, sums
from lanista.standings.numerics import Bools, Floats, Ints, np

PSEUDO = 0.5
"""The mean weight of each outcome of a pseudo-match, and its gamma distribution's shape."""

_MOST_UNITS = 1500
"""Draws, or kinds of blocks, that get weights of their own; if there are more, they are put
together at random to so many lots. That leaves an error of 2 % in the intervals' widths."""
_TAME = 0.1
"""A standard error (17 Elo) below which the quadratic approximation does: it shifts the ends of an
interval by a tenth of a standard error at most."""
_MOST_EXACT = 40_000_000
"""Numbers in the largest array of the choices that are computed afresh."""
_CHUNK = 1_000_000
_LONGEST = 1.5
_SETTLED_CHORD = 0.05
_SETTLED_NEWTON = 0.15
"""Steps after which the error is about a hundredth of a standard error, in the mean over draws:
Newton's method squares it, and one with an old matrix makes a tenth of it."""
_MOST_STEPS = 40


@attrs.frozen(kw_only=True, eq=False)
class Draws:
    """What the bootstrap gives."""

    centre: Floats
    """(P,): the estimate with all weights at their means, about which the draws lie."""
    values: Floats
    """(B, P)"""


@attrs.frozen(kw_only=True, eq=False)
class _Exact:
    """The choices that are computed afresh."""

    features: tuple[Floats, ...]
    """By group, (C, A, P): what each alternative holds of each parameter."""
    columns: tuple[Ints, ...]
    """By group, (C,): where in `made` its choices are."""
    made: Floats
    """(B, C): by draw, the weight of each choice."""


@attrs.frozen(kw_only=True, eq=False)
class _Units:
    """What gets a weight: a draw, a kind of block, or a lot of either."""

    shape: Floats
    """(units,): of each one's gamma distribution: the sum of as many exponential weights."""
    unit: Ints
    """(E,): by entry, whose part it is."""
    block: Ints
    """(E,): which of the U blocks."""
    times: Floats
    """(E,): how often it counts with the unit's weight."""


def draw(model: Model, draws: int, apart: Independent) -> Draws:
    """Sample what the parameters may be. Equal tournaments get equal samples."""
    generator = np.random.default_rng(_seed(model.counted))
    centre, information = maximum(model, PSEUDO)
    error = np.sqrt(np.diag(np.linalg.inv(information)))
    wild = _wild(model, error[: model.players])
    tame = sums(model, np.where(wild, 0.0, model.times()), centre)[2]
    by_match = model.chosen - _expected(model, centre, ~wild)

    units = _units(model.counted, apart, generator)
    order = np.argsort(units.unit, kind="stable")
    starts = np.searchsorted(units.unit[order], np.arange(len(units.shape)))
    scores = by_match[model.counted.block_matches].sum(axis=1)
    parts = scores[units.block[order]] * units.times[order, None]
    weights = generator.standard_gamma(units.shape, size=(draws, len(units.shape)))
    pull = weights @ np.add.reduceat(parts, starts, axis=0)

    features, columns = _features(model, wild)
    pseudo = pseudo_matches(model)
    outcomes = generator.standard_gamma(PSEUDO, size=(draws, *pseudo.shape[:2]))
    made = _made(model, wild, units)
    exact = _Exact(
        features=(*features, pseudo),
        columns=(*columns, made.shape[1] + np.arange(len(pseudo))),
        made=np.hstack([weights @ made, outcomes.sum(axis=2)]),
    )
    pull += outcomes.reshape(draws, -1) @ pseudo.reshape(-1, model.size)
    return Draws(centre=centre, values=_maxima(exact, centre, pull, tame, model.anchor))


def _seed(counted: Counted) -> int:
    digest = hashlib.sha256()
    for array in (
        *(counted.block_players, counted.players, counted.ranks, counted.times),
        *(counted.cell_blocks, counted.cell_draws, counted.cell_times),
    ):
        digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    return int.from_bytes(digest.digest()[:8], "little")


def _units(counted: Counted, apart: Independent, generator: np.random.Generator) -> _Units:
    kinds = np.arange(len(counted.times))
    if apart.by_draw:
        draws = int(counted.cell_draws.max()) + 1
        lots = np.arange(draws)
        if draws > _MOST_UNITS:
            lots = generator.permutation(draws) % _MOST_UNITS
        return _Units(
            shape=np.ones(min(draws, _MOST_UNITS)),
            unit=lots[counted.cell_draws],
            block=counted.cell_blocks,
            times=counted.cell_times.astype(np.float64),
        )
    if len(kinds) <= _MOST_UNITS:
        shape = counted.times.astype(np.float64)
        return _Units(shape=shape, unit=kinds, block=kinds, times=np.ones(len(kinds)))
    return _Units(
        shape=np.ones(_MOST_UNITS),
        unit=generator.permutation(counted.blocks) % _MOST_UNITS,
        block=np.repeat(kinds, counted.times),
        times=np.ones(counted.blocks),
    )


def _wild(model: Model, error: Floats) -> Bools:
    """(C,): the choices to compute afresh: those with a player whose rating is uncertain.

    Where that's too many, players of many choices are left out: their intervals are those of the
    quadratic approximation at the centre.
    """
    wild = np.zeros(model.choices, dtype=bool)
    seats = model.counted.seats
    held = np.zeros((model.choices, model.players), dtype=bool)
    for group in model.groups:
        held[group.numbers[:, None], group.slots // seats] = True
    most = _MOST_EXACT // (len(model.groups[-1].shares) * model.size**2)
    for player in np.argsort(held.sum(axis=0), kind="stable"):
        if error[player] > _TAME and (wild | held[:, player]).sum() <= most:
            wild |= held[:, player]
    return wild


def _expected(model: Model, at: Floats, which: Bools) -> Floats:
    """(M, P): by match, what was to be expected of its choices, of those in `which` alone."""
    seats, players, tied = model.counted.seats, model.players, len(model.tied)
    slot_worth = model.spread[: players * seats] @ at
    by_choice = np.zeros((model.choices + 1, seats + tied))  # the last one: no choice
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


def _features(model: Model, wild: Bools) -> tuple[tuple[Floats, ...], tuple[Ints, ...]]:
    column = np.cumsum(wild) - 1
    spread = model.spread
    slots = model.players * model.counted.seats
    features, columns = [], []
    for group in model.groups:
        here = wild[group.numbers]
        if not here.any():
            continue
        held = group.shares @ spread[group.slots[here]]
        features.append(held + group.sizes @ spread[slots:])
        columns.append(column[group.numbers[here]])
    return tuple(features), tuple(columns)


def _made(model: Model, wild: Bools, units: _Units) -> Floats:
    """(units, wild choices): how often each unit made each choice."""
    many = int(wild.sum())
    matches = model.counted.block_matches[units.block]
    column = np.append(np.where(wild, np.cumsum(wild) - 1, -1), -1)  # the last one: no choice
    choice = column[model.choice_of][matches]
    there = choice >= 0
    owner = np.broadcast_to(units.unit[:, None, None], choice.shape)[there]
    times = np.broadcast_to(units.times[:, None, None], choice.shape)[there]
    size = len(units.shape)
    flat = np.bincount(owner * many + choice[there], times, minlength=size * many)
    return flat.reshape(size, many).astype(np.float64)


def _maxima(exact: _Exact, centre: Floats, pull: Floats, tame: Floats, anchor: Floats) -> Floats:
    """(B, P): the maximum of each draw's likelihood.

    The first step takes the derivatives at the centre, which are the same for all draws but for
    their weights; the second one the gradient where the draw is, and the matrix of the first; that
    settles most of them. The rest go on by Newton's method.
    """
    at = np.tile(centre, (len(pull), 1))
    gradient = pull - centre @ anchor
    matrix = np.tile(tame + anchor, (len(pull), 1, 1))
    _add_at_centre(exact, centre, gradient, matrix)
    at += _step(matrix, gradient)
    active = np.arange(len(pull))
    for number in range(_MOST_STEPS):
        here, made = at[active], exact.made[active]
        gradient = pull[active] - (here - centre) @ tame - here @ anchor
        if number:
            matrix = np.tile(tame + anchor, (len(active), 1, 1))
        _add(exact, made, here, gradient, matrix if number else None)
        step = _step(matrix, gradient)
        at[active] += step
        settled = _SETTLED_NEWTON if number else _SETTLED_CHORD
        active = active[np.abs(step).max(axis=1) > settled]
        if not len(active):
            break
    return at


def _step(matrix: Floats, gradient: Floats) -> Floats:
    """Newton's steps, (B, P), none of them so long that it leaves what is known of the curve."""
    step = np.linalg.solve(matrix, gradient[:, :, None])[:, :, 0]
    longest = np.abs(step).max(axis=1, keepdims=True)
    return np.asarray(step * np.minimum(1.0, _LONGEST / np.maximum(longest, _LONGEST)))


def _add_at_centre(exact: _Exact, centre: Floats, gradient: Floats, matrix: Floats) -> None:
    """Add what the choices give at the centre, in place."""
    size = len(centre)
    for features, columns in zip(exact.features, exact.columns, strict=True):
        share = _softmax(features @ centre)
        mean = (share[:, None, :] @ features)[:, 0]
        off = (features - mean[:, None, :]) * np.sqrt(share)[:, :, None]
        made = exact.made[:, columns]
        gradient -= made @ mean
        second = (off.transpose(0, 2, 1) @ off).reshape(len(columns), size * size)
        matrix += (made @ second).reshape(-1, size, size)


def _add(exact: _Exact, made: Floats, at: Floats, gradient: Floats, matrix: Floats | None) -> None:
    """Add what the choices give to each draw where it is, in place."""
    size = at.shape[1]
    for features, columns in zip(exact.features, exact.columns, strict=True):
        choices, alternatives, _ = features.shape
        flat = features.reshape(choices * alternatives, size)
        numbers = len(flat) * (1 if matrix is None else size)
        chunk = max(1, _CHUNK // max(numbers, 1))
        for start in range(0, len(at), chunk):
            part = slice(start, start + chunk)
            weight = made[part][:, columns]
            share = _softmax((at[part] @ flat.T).reshape(-1, choices, alternatives))
            share *= weight[:, :, None]
            rows = share.reshape(-1, len(flat))
            gradient[part] -= rows @ flat
            if matrix is None:
                continue
            matrix[part] += (flat.T * rows[:, None, :]) @ flat
            # By choice: weight times mean; the product of two holds the weight twice.
            mean = (share.transpose(1, 0, 2) @ features).transpose(1, 0, 2)
            unweighted = mean / np.maximum(weight, 1e-300)[:, :, None]
            matrix[part] -= mean.transpose(0, 2, 1) @ unweighted
