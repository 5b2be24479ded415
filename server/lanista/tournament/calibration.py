"""How many blocks this machine plays at the same time without hurting clocks: measured.

One level after the other: so many workers play at once, matches that don't count. The highest level
at which answers take no longer than alone is used. The decision is a function of the figures alone;
how to play is given.
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
"""That each level is measured for."""
SLOWER = 1.5
"""How much slower than alone 99 of 100 answers may be."""
SHARE = 0.05
"""Of a turn's time: answers within it hurt nobody, however much slower than alone they are."""
SINGLY = 8
"""Levels up to here are tried one by one, then in steps of a quarter, lest many cores take long."""


@attrs.frozen(kw_only=True)
class Bounds:
    """What a level is judged by, in seconds."""

    turn: float
    """The time for an answer; 0 is no limit."""
    stall_margin: float
    """A stall of the host above which a late answer makes a match void."""


def levels(most: int) -> Iterator[int]:
    """The numbers of workers that are tried, from 1 to `most`."""
    level = 1
    while level < most:
        yield level
        level += 1 if level < SINGLY else level // 4
    yield most


def level_of(concurrency: int, measured: Sequence[Measured]) -> Level:
    """The figures of one level, from what each of its workers saw."""
    answers = sorted(itertools.chain.from_iterable(one.answers for one in measured))
    return Level(
        concurrency=concurrency,
        median=_quantile(answers, 0.5),
        high=_quantile(answers, 0.99),
        stall=max((one.stall for one in measured), default=0.0),
        answers=len(answers),
    )


def _quantile(ordered: Sequence[float], share: float) -> float:
    """The smallest value that so many of all don't exceed; 0 when there are none."""
    if not ordered:
        return 0.0
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def judge(alone: Level, level: Level, bounds: Bounds) -> str:
    """Whether answers suffer at a level.

    Args:
        alone: The figures of level 1.
        level: Those of the level.
        bounds: What they are judged by.

    Returns:
        Why it is too much, one line; empty when it isn't.
    """
    if level.stall > bounds.stall_margin:
        return f"the host stalled for {level.stall * 1000:.0f} ms"
    # Without a limit there is nothing that a slower answer could cost.
    allowed = max(SLOWER * alone.high, SHARE * bounds.turn) if bounds.turn else math.inf
    if level.high > allowed:
        return f"answers are slower: 99 % within {_ms(level.high)}, {_ms(allowed)} is allowed"
    return ""


async def calibrate(
    most: int, measure: Callable[[int], Awaitable[Sequence[Measured]]], bounds: Bounds
) -> Calibrated:
    """Find the highest level at which answers don't suffer.

    Args:
        most: The highest one that is wanted.
        measure: Has so many workers play at the same time; what each saw.
        bounds: What a level is judged by.
    """
    seen: list[Level] = []
    best = 1
    for concurrency in levels(most):
        level = level_of(concurrency, await measure(concurrency))
        # Alone is as good as it gets here: that level is taken whatever it shows.
        trouble = judge(seen[0], level, bounds) if seen else ""
        seen.append(attrs.evolve(level, trouble=trouble))
        if trouble:
            break
        best = concurrency
    return Calibrated(slots=best, levels=tuple(seen), words=_words(best, seen))


class NotMeasuredError(Exception):
    """It was asked to end before the machine was measured."""


def measuring(
    workers: Workers,
    measure: Callable[[Task, float], Measured],
    task: Task,
    ends: Callable[[], bool],
) -> Callable[[int], Awaitable[Sequence[Measured]]]:
    """What `calibrate` measures by: so many workers that play a task at the same time.

    Args:
        workers: Have nothing else to do; their slots are set to each level.
        measure: Plays a task for so many seconds.
        task: What is played.
        ends: Whether to end before the next level, by NotMeasuredError.
    """

    async def at_once(concurrency: int) -> Sequence[Measured]:
        workers.settle(concurrency)
        measured: list[Measured] = []
        # At first they all start their bots, lest a start disturb what is measured.
        for seconds in (0.0, SECONDS):
            if ends():
                raise NotMeasuredError
            futures = [workers.submit(measure, task, seconds) for _ in range(concurrency)]
            measured = [await outcome(future) for future in futures]
        return measured

    return at_once


def _words(best: int, seen: Sequence[Level]) -> str:
    """The figures, one line: `concurrency 2: answers 0.4 ms (99 %: 1.1), alone 0.4 (1.0)`."""
    chosen = next(level for level in seen if level.concurrency == best)
    words = f"concurrency {best}: answers {_ms(chosen.median)} (99 %: {chosen.high * 1000:.1f})"
    if best > 1:
        words += f", alone {seen[0].median * 1000:.1f} ({seen[0].high * 1000:.1f})"
    if seen[-1].trouble:
        words += f"; with {seen[-1].concurrency} {seen[-1].trouble}"
    return words


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"
