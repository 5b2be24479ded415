"""What a director learns as it goes: how long blocks take, matches a second, whether clocks hurt.

Figures alone: nothing is handed out, stored or told here. Seconds are of `time.monotonic`.
"""

import collections
import math
from collections.abc import Sequence

import attrs

from lanista.match.ending import FAILURES
from lanista.pairing.base import Progress
from lanista.store.results import BlockResult
from lanista.tournament.worker import Finished

TASK_SECONDS = 1.0
"""That a task should take: long beside what handing it out costs, short to wait for."""
MOST_BLOCKS = 64
"""Of a task."""
LOOKED_BACK = 20
"""Blocks in which stalls are looked for."""
ENOUGH = 2
"""Blocks of them with a stall that are too many; one void match is."""
RATE_OVER = 30.0
"""Seconds that the rate is taken over."""
_NEWEST = 0.3
"""Weight of the newest task in the mean of what blocks take."""


def failed(result: BlockResult) -> bool:
    """Whether a bot failed in a match of a block."""
    return any(seat.ending in FAILURES for match in result.matches for seat in match.seats)


@attrs.define(eq=False)
class Pace:
    """How fast it goes."""

    began: float
    """When playing began."""
    _block_seconds: float | None = attrs.field(default=None, init=False)
    _done: collections.deque[tuple[float, int]] = attrs.field(
        factory=collections.deque, init=False
    )  # when, how many matches

    def learn(self, finished: Sequence[Finished]) -> None:
        """A task ended. Blocks in which a bot failed say nothing of how long others take."""
        whole = [one for one in finished if not failed(one.result)]
        if whole:
            seconds = sum(one.seconds for one in whole) / len(whole)
            known = self._block_seconds
            if known is not None:
                seconds = (1 - _NEWEST) * known + _NEWEST * seconds
            self._block_seconds = seconds

    def count(self, matches: int, now: float) -> None:
        """Matches were stored."""
        self._done.append((now, matches))

    def task_size(self, progress: Progress, running: int, slots: int) -> int:
        """Blocks of a task: what takes about a second, and leaves as much for the other slots."""
        if self._block_seconds is None:
            return 1
        size = min(MOST_BLOCKS, int(TASK_SECONDS / max(self._block_seconds, 1e-6)))
        if progress.planned is not None:
            left = progress.planned - progress.played - running
            size = min(size, math.ceil(left / slots))
        return max(1, size)

    def rate(self, now: float) -> float:
        """Matches a second, of late; 0 while none is known."""
        while self._done and self._done[0][0] < now - RATE_OVER:
            self._done.popleft()
        span = min(RATE_OVER, now - self.began)
        return sum(matches for _, matches in self._done) / span if span > 0 else 0.0


def eta(progress: Progress, matches: int, rate: float) -> float | None:
    """Seconds until all is played; None where nobody can know.

    Args:
        progress: How far it is.
        matches: Of a block.
        rate: Matches a second.
    """
    if progress.planned is None or not rate:
        return None
    return (progress.planned - progress.played) * matches / rate


@attrs.define(eq=False)
class Disturbances:
    """Whether the host's stalls show, with as many slots as there are now."""

    margin: float
    """Seconds of a stall above which a late answer makes a match void."""
    _of_late: collections.deque[bool] = attrs.field(
        factory=lambda: collections.deque(maxlen=LOOKED_BACK), init=False
    )

    def too_many(self, result: BlockResult) -> bool:
        """Note a block; whether it is time for fewer slots. Then it begins anew."""
        self._of_late.append(any(match.stall > self.margin for match in result.matches))
        is_void = any(not match.counted for match in result.matches)
        if not is_void and sum(self._of_late) < ENOUGH:
            return False
        self._of_late.clear()
        return True


@attrs.frozen
class Failures:
    """How many matches each bot failed running."""

    running: dict[str, int]
    """By name; bots whose last match went well may be missing."""

    def note(self, result: BlockResult) -> dict[str, str]:
        """Count a block's matches, in the order played.

        Returns:
            The bots that failed the last of them that they were in, and why.
        """
        last: dict[str, str] = {}
        for match in result.matches:
            if not match.counted:
                continue
            failed = {
                seat.bot: f"{seat.ending}: {seat.words}"
                for seat in match.seats
                if seat.ending in FAILURES
            }
            for bot in sorted({seat.bot for seat in match.seats}):
                last.pop(bot, None)
                if bot in failed:
                    last[bot] = failed[bot]
                    self.running[bot] = self.running.get(bot, 0) + 1
                else:
                    self.running[bot] = 0
        return last
