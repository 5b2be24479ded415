"""The joint likelihood of all matches: Plackett-Luce with ties, seat advantage and a weak prior.

docs/statistics.md says what that is for. A ranking is a sequence of stages: of the bots that are
left, a set S takes the next place, with a probability proportional to delta_|S| (prod
alpha_i)^(1/|S|), over all sets of the sizes that were ever seen to tie (delta_1 = 1); see Turner,
van Etten, Firth, Kosmidis, "Modelling rankings in R: the PlackettLuce package", Computational
Statistics 35 (2020). With two players this is Bradley-Terry with the ties of Davidson (Journal of
the American Statistical Association 65, 1970). A player's worth in a seat is log alpha =
theta(player) + gamma(seat), with sum theta = sum gamma = 0. Each stage is a conditional logit, so
the logarithm of the likelihood is concave in theta, gamma and log delta, and Newton's method finds
its one maximum.

The prior is a pseudo-match of each player, and one of each seat, against the mean of the others, of
which half a win and half a loss count. It gives the likelihood a maximum whatever was played. The
logarithms of delta, which ties alone determine, are normal about 0, so weakly that no tie feels it.

On a ladder each version of a submitted program is a player, and only a bot's first one meets the
mean of the others. Each later one has such pseudo-matches against the version before it. That is a
random walk with a step for each version, as Whole-History Rating has one for each day (Coulom,
"Whole-History Rating: A Bayesian Rating System for Players of Time-Varying Strength", Computers and
Games 2008). docs/statistics.md#versions-of-a-program says what it comes to.

The parameters are one vector: theta of the players (bots in the spec's order, then one for all
fillers), gamma by seat, log delta of the tie sizes seen. P is its length; the other letters in
shapes are those of `counting`. Intervals are in `rating`.
"""

import math

import attrs

from lanista.ratings.counting import Counted
from lanista.ratings.numerics import Bools, Floats, Ints, np

ELO = 400 / math.log(10)
"""The Elo of one unit of theta."""
PSEUDO = 0.5
"""How often each of the two outcomes of a pseudo-match counts."""
LINK = 3.0
"""The number of pseudo-matches between two successive versions of a bot; docs/statistics.md has
the figures by which this and `ENOUGH` were chosen."""
ENOUGH = 100.0
"""The number of matches of a version below which there are more: twice as many with half of it."""

_TIE_PRECISION = (ELO / 4000) ** 2
"""The precision of the prior of log delta: that of a standard deviation of 4,000 Elo."""
_ANCHOR = 1e4
"""The precision of the sums of theta and of gamma, which are to be 0: so high that their
remaining uncertainty is far below that of any rating."""
_AT_ONCE = 1 << 13
"""Number of different matches whose arrays are computed at once: they fit into a cache."""
_FIRST, _NEXT = 50, 300
"""Numbers of different matches of each player with which the first steps are made; the
information is computed from the latter ones."""
_LONGEST = 2.0
"""The longest step in a parameter; a longer one is shortened."""
_NEAR = 0.05
"""The step length after which the information may be taken as that at the maximum."""
_SETTLED = 5e-3
"""The step length, in standard errors, after which the maximum is found."""
_MOST_STEPS = 200


class LikelihoodError(Exception):
    """The maximum wasn't found, which is a fault of this module."""


@attrs.frozen(kw_only=True, eq=False)
class Model:
    """The parameters of some matches, and what each way to rank their seats says about them.

    A is the number of alternatives: the sets of seats that may take a place together. The local
    parameters of a match are the worths of its S seats and the D logarithms of delta.
    """

    counted: Counted
    players: int
    tied: tuple[int, ...]
    """The D sizes of ties that were seen."""
    features: Floats
    """(S + D, A): by alternative, the share of each seat in its worth, and 1 at its tie size."""
    possible: Floats
    """(T, A, K): by stage, alternative and pattern: 1 where all of its seats are left, else 0."""
    chosen: Floats
    """(S + D, K): by pattern, the sum of the chosen alternatives' features."""
    pseudo: Floats
    """(N + S,): by player and seat, how often each outcome of its pseudo-match counts."""
    later: Ints
    """(L,): the players that are linked to the player before each of them, an earlier version."""
    links: Floats
    """(L,): the number of pseudo-matches between the two."""

    @property
    def seats(self) -> int:
        """S, the number of seats."""
        return self.counted.seats

    @property
    def size(self) -> int:
        """P, the number of parameters."""
        return self.players + self.seats + len(self.tied)


def model_of(counted: Counted) -> Model:
    """Return the model of all matches, of which there is at least one."""
    seats = counted.seats
    left, taken = _stages(counted.patterns)
    sizes = np.unique(taken.sum(axis=2))
    tied = tuple(size for size in sizes.tolist() if size > 1)
    sets: Bools = (np.arange(1, 2**seats)[:, None] >> np.arange(seats)) & 1 > 0
    size = sets.sum(axis=1)
    allowed = np.isin(size, (1, *tied))
    sets, size = sets[allowed], size[allowed]
    features = np.hstack([sets / size[:, None], size[:, None] == np.array(tied, dtype=np.int64)])
    is_left = np.asarray(left.any(axis=2))[:, :, None]
    inside = ~np.any(sets & ~left[:, :, None, :], axis=3) & is_left
    later = counted.successors
    played = np.bincount(counted.block_players.ravel(), minlength=counted.bots + 1)[later - 1]
    players = counted.bots + counted.fillers
    pseudo = np.full(players + seats, PSEUDO)
    pseudo[later] = 0.0
    is_chosen: Bools = np.all(sets == taken[:, :, None, :], axis=3)
    return Model(
        counted=counted,
        players=players,
        tied=tied,
        features=features.T,
        possible=inside.astype(np.float64).transpose(1, 2, 0),
        chosen=(is_chosen.sum(axis=1) @ features).T,
        pseudo=pseudo,
        later=later,
        links=LINK * np.maximum(1.0, ENOUGH / np.maximum(played, 1)),
    )


def _stages(ranks: Ints) -> tuple[Bools, Bools]:
    """Return which seats are left at each stage of some rankings, and which of them are taken.

    Both have the shape (K, T, S). Where a single seat is left there is nothing to choose, so
    nothing is left and nothing is taken.
    """
    many, seats = ranks.shape
    stages = max(seats - 1, 1)
    left = np.zeros((many, stages, seats), dtype=bool)
    taken = np.zeros_like(left)
    remaining = np.ones((many, seats), dtype=bool)
    for stage in range(stages):
        best = np.where(remaining, ranks, seats + 1).min(axis=1, keepdims=True)
        is_choice = remaining.sum(axis=1, keepdims=True) > 1
        taken[:, stage] = remaining & (ranks == best) & is_choice
        left[:, stage] = remaining & is_choice
        remaining = remaining & ~taken[:, stage]
    return left, taken


@attrs.frozen(kw_only=True, eq=False)
class Fit:
    """The maximum of a likelihood, and what its errors are made of."""

    at: Floats
    """(P,): the parameters at the maximum."""
    inverse: Floats
    """(P, P): the inverse of the information, with the prior."""
    scores: Floats
    """(S + D, M): by different match, its gradient in its local parameters."""


def maximum(model: Model) -> Fit:
    """Return the maximum of the likelihood, with its prior.

    Where there are very many matches, the first steps are made with a part of them, in which each
    one that is left out is made up for by the weight of another one; and so is the information,
    which is then within some percent of that of all matches, as are the errors derived from it.

    Raises:
        LikelihoodError: Newton's method didn't converge, which should happen for no data.
    """
    at = np.zeros(model.size)
    everything = model.counted.times.astype(np.float64)
    information = np.eye(model.size)
    for most in (_FIRST, _NEXT):
        part = _part(model, everything, most)
        for _ in range(_MOST_STEPS):
            gradient, information, _ = evaluate(model, part, at)
            if _add_step(at, np.asarray(np.linalg.solve(information, gradient))) < _NEAR:
                break
    # The information hardly changes from here on, and computing it takes longest. What it is in the
    # directions of the steps is learnt from the gradients.
    inverse: Floats = np.asarray(np.linalg.inv(information), dtype=np.float64)
    error = np.sqrt(np.diag(inverse))
    gradient, _, scores = evaluate(model, everything, at, second=False)
    learnt = inverse
    for _ in range(_MOST_STEPS):
        step = learnt @ gradient
        if float(np.abs(step / error).max()) < _SETTLED:
            return Fit(at=at, inverse=inverse, scores=scores)
        before = at.copy()
        _add_step(at, step)
        last, (gradient, _, scores) = gradient, evaluate(model, everything, at, second=False)
        learnt = _learnt(learnt, at - before, last - gradient)
    raise LikelihoodError(f"no maximum of the likelihood found in {_MOST_STEPS} steps")


def _learnt(inverse: Floats, step: Floats, change: Floats) -> Floats:
    """Return the inverse of an information after what a step has shown of it.

    This is the update of Broyden, Fletcher, Goldfarb and Shanno (Nocedal and Wright, "Numerical
    Optimization", 2006, formula 6.17). `change` is by how much the step made the gradient smaller.
    """
    curvature = float(step @ change)
    if curvature <= 0:  # only rounding errors are left
        return inverse
    seen = inverse @ change
    both = np.outer(seen, step)
    outer = (1 + float(change @ seen) / curvature) * np.outer(step, step)
    return np.asarray(inverse + (outer - both - both.T) / curvature)


def _part(model: Model, everything: Floats, most: int) -> Floats:
    """Return weights with which some different matches stand for all: about so many a player."""
    counted = model.counted
    theirs = np.bincount(counted.players.ravel(), minlength=model.players)
    each = np.maximum(theirs[counted.players].min(axis=1) // most, 1)
    # Matches are sorted by their players, so this takes some of everybody's.
    return np.where(np.arange(len(everything)) % each == 0, everything * each, 0.0)


def _add_step(at: Floats, step: Floats) -> float:
    """Add a step in place, shortened in each parameter if too long, and return its length."""
    # Far from the maximum the quadratic model that Newton's method uses doesn't hold.
    at += np.clip(step, -_LONGEST, _LONGEST)
    return float(np.abs(step).max())


def evaluate(
    model: Model, weights: Floats, at: Floats, *, second: bool = True
) -> tuple[Floats, Floats, Floats]:
    """Return the gradient, the information and the matches' scores at some parameters.

    `weights`, (M,), is how often each different match counts; those that count 0 are left out.
    Without `second`, the information is that of the prior alone.

    Returns:
        The gradient, (P,); minus the second derivatives, (P, P); and by different match its
        gradient in its local parameters, (S + D, M).
    """
    counted, seats, n = model.counted, model.seats, model.players
    theta, gamma, delta = at[:n], at[n : n + seats], at[n + seats :]
    many, features = seats + len(model.tied), model.features
    squares = (features[:, None] * features).reshape(many * many, -1)
    gradient, information = _of_prior(model, at)
    scores = np.zeros((many, len(weights)))
    of_pairs = np.zeros(n * n)
    of_local = np.zeros((n, many))
    together = np.zeros((many, many))
    there = np.flatnonzero(weights)
    # Matches are the last axis of all arrays, along which numpy is fast.
    for start in range(0, len(there), _AT_ONCE):
        part = there[start : start + _AT_ONCE]
        players, patterns, weight = counted.players[part].T, counted.pattern_of[part], weights[part]
        local = np.empty((many, len(part)))
        local[:seats] = theta[players] + gamma[:, None]
        local[seats:] = delta[:, None]
        utility = features.T @ local
        utility = np.exp(utility - utility.max(axis=0))
        score = model.chosen[:, patterns]
        spread = np.zeros((many, many, len(part)))
        total = np.zeros_like(utility)
        for possible in model.possible:
            share = utility * possible[:, patterns]
            share /= np.maximum(share.sum(axis=0), 1e-300)
            taken = features @ share
            score -= taken
            if second:
                total += share
                spread -= taken[:, None] * taken
        scores[:, part] = score
        score *= weight
        gradient[:n] += np.bincount(players.ravel(), score[:seats].ravel(), n)
        gradient[n:] += score.sum(axis=1)
        if second:
            spread += (squares @ total).reshape(spread.shape)
            spread *= weight
            pairs = players[:, None] * n + players
            of_pairs += np.bincount(pairs.ravel(), spread[:seats, :seats].ravel(), n * n)
            cells = players[:, None] * many + np.arange(many)[:, None]
            of_local += np.bincount(cells.ravel(), spread[:seats].ravel(), n * many).reshape(
                n, many
            )
            together += spread.sum(axis=2)
    information[:n, :n] += of_pairs.reshape(n, n)
    information[:n, n:] += of_local
    information[n:, :n] += of_local.T
    information[n:, n:] += together
    return gradient, information, scores


def _of_prior(model: Model, at: Floats) -> tuple[Floats, Floats]:
    """Return the gradient, (P,), and the information, (P, P), of the prior."""
    factor, won = pseudo_matches(model, at)
    n, seats = model.players, model.seats
    information = np.zeros((model.size, model.size))
    information[:n, :n] = _ANCHOR
    information[n : n + seats, n : n + seats] = _ANCHOR
    diagonal = np.full(model.size, _TIE_PRECISION)
    gradient = -information @ at
    gradient[n + seats :] = -_TIE_PRECISION * at[n + seats :]
    gradient[: n + seats] += model.pseudo * factor * (1 - 2 * won)
    diagonal[: n + seats] = 2 * model.pseudo * factor**2 * won * (1 - won)
    later, earlier, ahead = model.later, model.later - 1, later_won(model, at)
    pull = model.links * (0.5 - ahead)
    gradient[later] += pull
    gradient[earlier] -= pull
    stiffness = model.links * ahead * (1 - ahead)
    diagonal[later] += stiffness
    diagonal[earlier] += stiffness
    information[later, earlier] -= stiffness
    information[earlier, later] -= stiffness
    information[np.diag_indices(model.size)] += diagonal
    return gradient, information


def pseudo_matches(model: Model, at: Floats) -> tuple[Floats, Floats]:
    """Return how the pseudo-matches depend on the parameters, and what is expected of them.

    Returns:
        By player and seat, (N + S,): how much its worth exceeds the mean of the others per unit of
        its own, as all of them sum up to 0; and its probability of a win.
    """
    kinds = np.repeat([model.players, model.seats], [model.players, model.seats])
    factor = kinds / np.maximum(kinds - 1, 1)
    return factor, 1 / (1 + np.exp(-factor * at[: len(factor)]))


def later_won(model: Model, at: Floats) -> Floats:
    """Return by link between two versions the probability that the later one wins, (L,)."""
    return np.asarray(1 / (1 + np.exp(at[model.later - 1] - at[model.later])))
