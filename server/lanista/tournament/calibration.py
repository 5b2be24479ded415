"""The measurement of how many blocks this machine can play at the same time.

More blocks at the same time make a tournament shorter, until bots and workers compete for cores:
then an answer takes longer than its bot needs, and bots become late by no fault of their own. How
many blocks are too many depends on the bots (some have several threads), on the machine, and on
what else runs there, so counting cores isn't enough. It is measured instead, with matches that
don't count.

At level 1 one worker plays; this is how fast answers are when nothing disturbs them. Then 2, 3, …
workers play at the same time, each level for a short while, until answers suffer: the slowest
answers take clearly longer than alone (the 99th percentile is compared, since clocks are about the
slow ones), or the host stalls. The highest level before that is used. Answers within a small share
of the time limit harm nobody, so they never count as too slow.

The decision (`judge`, `calibrate`) depends only on the figures; the function that plays is passed
in.
"""

import itertools
import math
from collections.abc import Awaitable, Callable, Iterator, Sequence

import attrs

from lanista.tournament.events import Calibrated, Level
from lanista.tournament.executors import Workers
from lanista.tournament.futures import outcome
from lanista.tournament.worker import Measured, Task

SECONDS = 1.5
"""Duration of the measurement of each level, in seconds."""
MAX_SLOWDOWN = 1.5
"""Factor by which the 99th percentile of the answers' times may exceed that of level 1."""
HARMLESS_SHARE = 0.05
"""Share of a turn's time within which answers harm nobody, however much slower they became."""
LAST_SINGLE_LEVEL = 8
"""Up to this level each one is tried; then steps grow by a quarter, to save time on many cores."""


@attrs.frozen(kw_only=True)
class Bounds:
    """The limits by which a level is judged, in seconds."""

    turn: float
    """The time for an answer; 0 is no limit."""
    stall_margin: float
    """The duration of a stall of the host above which a late answer makes a match void."""


def levels(most: int) -> Iterator[int]:
    """Yield the numbers of workers to try, from 1 to `most`."""
    level = 1
    while level < most:
        yield level
        level += 1 if level < LAST_SINGLE_LEVEL else level // 4
    yield most


def level_of(concurrency: int, measured: Sequence[Measured]) -> Level:
    """Return the figures of one level, from what each of its workers measured."""
    answers = sorted(itertools.chain.from_iterable(worker.answers for worker in measured))
    return Level(
        concurrency=concurrency,
        median=_quantile(answers, 0.5),
        high=_quantile(answers, 0.99),
        stall=max((worker.stall for worker in measured), default=0.0),
        answers=len(answers),
    )


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Return the value that at least this share of all don't exceed; 0 if there are none."""
    if not ordered:
        return 0.0
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def judge(alone: Level, level: Level, bounds: Bounds) -> str:
    """Decide whether answers suffer at a level.

    Args:
        alone: The figures of level 1.
        level: The figures of the level to judge.
        bounds: The limits to judge by.

    Returns:
        One line that says why the level is too high; empty if it isn't.
    """
    if level.stall > bounds.stall_margin:
        return f"the host stalled for {level.stall * 1000:.0f} ms"
    # Without a time limit no answer can be too slow.
    allowed = math.inf
    if bounds.turn:
        allowed = max(MAX_SLOWDOWN * alone.high, HARMLESS_SHARE * bounds.turn)
    if level.high > allowed:
        return f"answers are slower: 99 % within {_ms(level.high)}, {_ms(allowed)} is allowed"
    return ""


async def calibrate(
    most: int, measure: Callable[[int], Awaitable[Sequence[Measured]]], bounds: Bounds
) -> Calibrated:
    """Find the highest level at which answers don't suffer.

    Args:
        most: The highest level to try.
        measure: Has so many workers play at the same time, and returns what each measured.
        bounds: The limits by which a level is judged.
    """
    tried: list[Level] = []
    best = 1
    for concurrency in levels(most):
        level = level_of(concurrency, await measure(concurrency))
        # Level 1 is used even if its figures are bad: nothing lower is left.
        trouble = judge(tried[0], level, bounds) if tried else ""
        tried.append(attrs.evolve(level, trouble=trouble))
        if trouble:
            break
        best = concurrency
    return Calibrated(slots=best, levels=tuple(tried), words=_summary(best, tried))


class NotMeasuredError(Exception):
    """The run was asked to end before the machine was measured."""


def make_measure(
    workers: Workers,
    measure: Callable[[Task, float], Measured],
    task: Task,
    ends: Callable[[], bool],
) -> Callable[[int], Awaitable[Sequence[Measured]]]:
    """Return a `measure` for `calibrate`: it has so many workers play a task at the same time.

    Args:
        workers: Workers that have nothing else to do; their slots are set to each level.
        measure: Plays a task for so many seconds, in a worker.
        task: The task that each of them plays.
        ends: Returns whether to give up, by NotMeasuredError; asked before each measurement.
    """

    async def measure_level(concurrency: int) -> Sequence[Measured]:
        workers.set_slots(concurrency)
        measured: list[Measured] = []
        # A first round of no seconds only starts the bots: starting is costly, and would disturb.
        for seconds in (0.0, SECONDS):
            if ends():
                raise NotMeasuredError
            futures = [workers.submit(measure, task, seconds) for _ in range(concurrency)]
            measured = [await outcome(future) for future in futures]
        return measured

    return measure_level


def _summary(best: int, tried: Sequence[Level]) -> str:
    """Return the figures: `concurrency 2: answers 0.4 ms (99 %: 1.1), alone 0.4 (1.0)`."""
    chosen = next(level for level in tried if level.concurrency == best)
    line = f"concurrency {best}: answers {_ms(chosen.median)} (99 %: {chosen.high * 1000:.1f})"
    if best > 1:
        line += f", alone {tried[0].median * 1000:.1f} ({tried[0].high * 1000:.1f})"
    if tried[-1].trouble:
        line += f"; with {tried[-1].concurrency} {tried[-1].trouble}"
    return line


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"
