"""How long the answers took of a bot that was late in other turns, in a few words."""

from collections.abc import Sequence
from itertools import accumulate
from statistics import linear_regression, median
from typing import NamedTuple

FEWEST = 6
"""Number of answers in time below which nothing is told of their times."""
STEP = 3
"""Minimum number of answers on each side of a step in their times."""
SMOOTH = 5
"""Number of answers whose median stands for the one in the middle, so that no peak looks like a
step."""
TWICE = 2.0
"""Factor by which times must have grown, or be above the usual one, to be told."""
NEAR = 0.1
"""Share of the time limit that times must have reached for their growth to be told."""
PEAK = 0.5
"""Share of the time limit from which on a time is a peak."""
PEAKS_TOLD = 3
"""Number of peaks whose rounds are told."""


class AnswerTime(NamedTuple):
    """The time that an answer took."""

    round: int
    seconds: float


def times_told(times: Sequence[AnswerTime], limit: float, word: str) -> str:
    """Tell how long a bot's answers took that came in time, in order of rounds.

    The limit is in seconds, and the word is the game's for a turn. The result is such as `its
    answers took 20 ms, from round 35 on 140 ms`; empty if there are too few.
    """
    if len(times) < FEWEST:
        return ""
    seconds = [time.seconds for time in times]
    half = SMOOTH // 2
    smooth = [median(seconds[max(0, n - half) : n + half + 1]) for n in range(len(seconds))]
    step, is_growing = _growth(smooth)
    low, high = median(seconds[:step]), median(seconds[step:])
    if is_growing:
        low, high = smooth[0], smooth[-1]
    if high >= max(TWICE * low, NEAR * limit):
        if is_growing:
            return f"its answers took ever longer, {_text(low)} at first and {_text(high)} at last"
        return f"its answers took {_text(low)}, from {word} {times[step].round} on {_text(high)}"
    usual = median(seconds)
    told = f"its answers usually took {_text(usual)}"
    peaks = [time for time in times if time.seconds >= max(PEAK * limit, TWICE * usual)]
    if not peaks:
        return told
    rounds = ", ".join(str(peak.round) for peak in peaks[:PEAKS_TOLD])
    more = f" and {len(peaks) - PEAKS_TOLD} more" if len(peaks) > PEAKS_TOLD else ""
    words = word if len(peaks) == 1 else f"{word}s"
    highest = _text(max(peak.seconds for peak in peaks))
    return f"{told}, and up to {highest} in {words} {rounds}{more}"


def _growth(values: Sequence[float]) -> tuple[int, bool]:
    """Return the index at which a step fits values best, and whether a line fits them better."""
    count = len(values)
    sums = [0.0, *accumulate(values)]
    squares = [0.0, *accumulate(value * value for value in values)]

    def spread(start: int, end: int) -> float:
        """Return the sum of the squared differences of some values from their mean."""
        total = sums[end] - sums[start]
        return squares[end] - squares[start] - total * total / (end - start)

    spreads = {n: spread(0, n) + spread(n, count) for n in range(STEP, count - STEP + 1)}
    step = min(spreads, key=spreads.__getitem__)
    slope, begin = linear_regression(range(count), values)
    from_line = sum((begin + slope * n - value) ** 2 for n, value in enumerate(values))
    return step, from_line < spreads[step]


def _text(seconds: float) -> str:
    ms = 1000 * seconds
    if ms < 10:
        return f"{ms:.1f} ms"
    return f"{ms:.0f} ms" if ms < 1000 else f"{seconds:.1f} s"
