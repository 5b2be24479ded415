"""The mathematics of the version test, a generalised sequential probability ratio test.

docs/statistics.md#the-sequential-test describes it. The bounds are those of Wald (Annals of
Mathematical Statistics 16, 1945), whose test needs the distribution of the scores under each
hypothesis. Only its mean is known here. So the likelihood under a hypothesis is taken to be the
greatest that any distribution on the seen scores with that mean can have, as in Van den Bergh's
GSPRT. Which bots play, and in which order blocks are added, is up to the format.
"""

import math
from typing import Literal

Decision = Literal["H0", "H1"]

_ALWAYS = (0.0, 0.25, 0.5, 0.75, 1.0)
_UNSEEN = 1e-3
"""The count given to each of the `_ALWAYS` scores while it wasn't seen.

Without it a hypothesis' mean could lie outside the seen scores, and no distribution would have it.
"""
_PRECISION = 1e-8
"""The precision of a multiplier; the log ratio is stationary there, so its error is the square."""
_MOST_STEPS = 200


def score_of(elo: float) -> float:
    """Return the expected score, 0 to 1, of a bot that is so much stronger in logistic Elo."""
    return 1 / (1 + 10 ** (-elo / 400))


class Sequential:
    """A test of H0, that A is `elo0` stronger than B, against H1, that it is `elo1` stronger.

    The differences are in logistic Elo, and `elo0` is below `elo1`.
    """

    llr: float
    """The logarithm of the likelihood ratio of H1 to H0."""
    bounds: tuple[float, float]
    """The log ratios at which it decides: H0 at or below the first, H1 from the second on."""
    decision: Decision | None
    """The hypothesis that was accepted when a bound was first reached; it never changes again."""

    def __init__(self, elo0: float, elo1: float, alpha: float, beta: float) -> None:
        """Begin without blocks.

        `alpha` is the probability of accepting H1 if H0 is true, and `beta` that of accepting H0 if
        H1 is true; both are below ½.
        """
        self.llr, self.decision = 0.0, None
        self.bounds = (math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha))
        self._counts: dict[float, float] = {}
        self._means = (score_of(elo0), score_of(elo1))
        self._multipliers = [0.0, 0.0]

    def add(self, score: float) -> None:
        """Add the score of one block: A's share, 0 to 1, of the points between A and B in it."""
        # Shares that differ only by rounding must be counted together.
        score = round(score, 9)
        self._counts[score] = self._counts.get(score, 0) + 1
        self.llr = self._ratio()
        if self.decision is None:
            low, high = self.bounds
            self.decision = "H1" if self.llr >= high else "H0" if self.llr <= low else None

    def _ratio(self) -> float:
        """Return Σ n log(p1/p0), where p0 and p1 are the likeliest distributions with each mean."""
        counts = dict.fromkeys(_ALWAYS, _UNSEEN) | self._counts
        for number, mean in enumerate(self._means):
            self._multipliers[number] = _multiplier(counts, mean, self._multipliers[number])
        (mean0, mean1), (by0, by1) = self._means, self._multipliers
        return sum(
            count * math.log((1 + by0 * (score - mean0)) / (1 + by1 * (score - mean1)))
            for score, count in counts.items()
        )


def _multiplier(counts: dict[float, float], mean: float, start: float) -> float:
    """Return Lagrange's multiplier λ of the likeliest distribution with a given mean.

    That distribution is n / N / (1 + λ (score - mean)), and λ is where Σ n (score - mean) / (1 + λ
    (score - mean)) is 0. The sum falls with λ, from +∞ to -∞ between the ends at which a
    probability isn't finite. So Newton's method is used, and bisection where it would leave that
    range.
    """
    offsets = [(score - mean, count) for score, count in counts.items()]
    low = -1 / max(offset for offset, _ in offsets)
    high = -1 / min(offset for offset, _ in offsets)
    multiplier = start if low < start < high else 0.0
    for _ in range(_MOST_STEPS):
        value = slope = 0.0
        for offset, count in offsets:
            part = offset / (1 + multiplier * offset)
            value += count * part
            slope -= count * part * part
        if value > 0:
            low = multiplier
        else:
            high = multiplier
        new = multiplier - value / slope
        if not low < new < high:
            new = (low + high) / 2
        if abs(new - multiplier) <= _PRECISION * max(1.0, abs(multiplier)):
            return new
        multiplier = new
    return multiplier
