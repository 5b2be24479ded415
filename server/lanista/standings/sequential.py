"""The maths of the version test: a generalised sequential probability ratio test.

Wald's test (Annals of Mathematical Statistics 16, 1945) of two simple hypotheses, made for block
scores whose distribution isn't known: its likelihood under each hypothesis is the greatest that any
distribution on the scores seen, with the hypothesis' mean, can have (Van den Bergh's GSPRT, by
which chess engines are tested). Blocks, not matches, are what is independent: for two players the
five scores 0, ¼, ½, ¾, 1 make it the pentanomial test. Who plays what, and in which order blocks
are told, is the format's.
"""

import math
from typing import Literal

from lanista.standings.student import student
from lanista.standings.table import Estimate

Decision = Literal["H0", "H1"]

_ALWAYS = (0.0, 0.25, 0.5, 0.75, 1.0)
_UNSEEN = 1e-3
"""The count of these scores while they weren't seen: both hypotheses' means must be possible."""
_PRECISION = 1e-8
"""Of a multiplier: the ratio is stationary in both, so its own error is the square of theirs."""
_MOST_STEPS = 200


def score_of(elo: float) -> float:
    """The expected score, 0 to 1, of who is so much stronger: the logistic Elo."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """The inverse of `score_of`; the score lies between 0 and 1, both excluded."""
    return -400 * math.log10(1 / score - 1)


class Sequential:
    """A test of H0, that A is `elo0` stronger than B, against H1, that it is `elo1` stronger."""

    def __init__(
        self, elo0: float = 0.0, elo1: float = 10.0, alpha: float = 0.05, beta: float = 0.05
    ) -> None:
        """No block is told yet.

        Args:
            elo0: Logistic Elo.
            elo1: Above `elo0`.
            alpha: The chance of accepting H1 where H0 is true, below ½.
            beta: The chance of accepting H0 where H1 is true, below ½.

        Raises:
            ValueError: These are no two hypotheses, or no such chances.
        """
        if not -math.inf < elo0 < elo1 < math.inf:
            raise ValueError(f"elo0 {elo0:g}, elo1 {elo1:g}; elo0 must be below elo1")
        if not (0 < alpha < 0.5 and 0 < beta < 0.5):
            raise ValueError(f"alpha {alpha:g}, beta {beta:g}; both lie between 0 and 0.5")
        self.elo0, self.elo1, self.alpha, self.beta = elo0, elo1, alpha, beta
        self._counts: dict[float, float] = {}
        self._means = (score_of(elo0), score_of(elo1))
        self._multipliers = [0.0, 0.0]
        self._llr = 0.0
        self._decision: Decision | None = None

    def add(self, score: float, weight: int = 1) -> None:
        """Blocks were played.

        Args:
            score: A's share of the points between A and B in the block, 0 to 1.
            weight: How many such blocks.

        Raises:
            ValueError: The score is no share, or the weight is below 1.
        """
        if not 0 <= score <= 1:
            raise ValueError(f"a block's score is {score:g}; a share lies between 0 and 1")
        if weight < 1:
            raise ValueError(f"{weight} blocks; 1 at least")
        # Shares such as 1/3 + 1/3 must meet in one count.
        score = round(score, 9)
        self._counts[score] = self._counts.get(score, 0) + weight
        self._llr = self._ratio()
        if self._decision is None:
            low, high = self.bounds
            self._decision = "H1" if self._llr >= high else "H0" if self._llr <= low else None

    @property
    def blocks(self) -> int:
        """How many were told."""
        return int(sum(self._counts.values()))

    @property
    def llr(self) -> float:
        """The logarithm of the likelihood ratio of H1 to H0."""
        return self._llr

    @property
    def bounds(self) -> tuple[float, float]:
        """The ratios at which it decides: at or below the first H0, at or above the second H1."""
        return (
            math.log(self.beta / (1 - self.alpha)),
            math.log((1 - self.beta) / self.alpha),
        )

    @property
    def decision(self) -> Decision | None:
        """What was accepted when a bound was first met; None before. It never changes again."""
        return self._decision

    @property
    def estimate(self) -> Estimate | None:
        """How much stronger A is, in logistic Elo; None before the first block.

        Student's interval of the mean block score. Half a block at each end is added to the
        variance, so that equal blocks don't make a point of it. It takes no account of the test's
        having stopped where it did, which moves the figure away from the bound not met.
        """
        blocks = self.blocks
        if not blocks:
            return None
        mean = sum(score * count for score, count in self._counts.items()) / blocks
        squares = sum(count * (score - mean) ** 2 for score, count in self._counts.items())
        squares += (mean**2 + (1 - mean) ** 2) / 2
        half = student(max(blocks - 1, 1)) * math.sqrt(squares / max(blocks - 1, 1) / blocks)
        # No finite Elo gives a score of 0 or 1.
        edge = 1e-3 / blocks
        value, low, high = (
            elo_of(min(max(score, edge), 1 - edge)) for score in (mean, mean - half, mean + half)
        )
        return Estimate(value=value, low=low, high=high)

    def _ratio(self) -> float:
        """Σ n log(p1/p0), each p the likeliest distribution with that hypothesis' mean."""
        counts = dict.fromkeys(_ALWAYS, _UNSEEN) | self._counts
        for number, mean in enumerate(self._means):
            self._multipliers[number] = _multiplier(counts, mean, self._multipliers[number])
        (mean0, mean1), (by0, by1) = self._means, self._multipliers
        return sum(
            count * math.log((1 + by0 * (score - mean0)) / (1 + by1 * (score - mean1)))
            for score, count in counts.items()
        )


def _multiplier(counts: dict[float, float], mean: float, start: float) -> float:
    """Lagrange's λ: p = n / N / (1 + λ (score - mean)) is the likeliest distribution of this mean.

    It is where Σ n (score - mean) / (1 + λ (score - mean)) is 0; that sum falls with λ, from +∞ to
    -∞ between the ends at which a probability isn't finite.
    """
    offsets = [(score - mean, count) for score, count in counts.items()]
    low = -1 / max(offset for offset, _ in offsets)
    high = -1 / min(offset for offset, _ in offsets)
    at = start if low < start < high else 0.0
    for _ in range(_MOST_STEPS):
        value = slope = 0.0
        for offset, count in offsets:
            part = offset / (1 + at * offset)
            value += count * part
            slope -= count * part * part
        if value > 0:
            low = at
        else:
            high = at
        new = at - value / slope
        if not low < new < high:
            new = (low + high) / 2
        if abs(new - at) <= _PRECISION * max(1.0, abs(at)):
            return new
        at = new
    return at
