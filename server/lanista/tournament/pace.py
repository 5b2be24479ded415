"""What a director learns while it runs: how long blocks take, how fast it goes, whether it stalls.

*Size of tasks.* A task has a cost of its own: it is pickled, sent, and its results are committed. A
match of quick bots takes a few milliseconds, so a task of one block would spend most of its time on
that cost; a task of too many blocks delays the results that a format may be waiting for, and a lost
worker loses more. `Pace` keeps a moving average of the seconds that a block takes, and sizes tasks
to take about a second; near the end they are smaller, so that all slots have something left to do.

*Stalls.* While more blocks are played than the machine can hold, the host sometimes stands still,
and a bot that is late then makes its match void. The concurrency is measured before anything is
played (`calibration`), but a machine may get other work later. `Disturbances` watches the latest
blocks, and tells when there are so many stalls that the director should use one slot less. One void
match is enough, because it costs a whole match; a stall that hurt nobody has to show again.

*Failures.* `Failures` counts how many matches in a row each bot has failed, for benching.

There are only figures here: nothing is handed out, stored or reported. Times are those of
`time.monotonic`, in seconds.
"""

import collections
import math
from collections.abc import Sequence

import attrs

from lanista.match.ending import FAILURES
from lanista.pairing.base import Progress
from lanista.results.match_result import BlockResult
from lanista.tournament.worker import Finished

TASK_SECONDS = 1.0
"""Target duration of a task in seconds: far above the cost of dispatching it, short to wait for."""
MAX_BLOCKS = 64
"""Maximum number of blocks in a task."""
STALL_WINDOW = 20
"""Number of latest blocks in which stalls are counted."""
MAX_STALLED = 2
"""Number of blocks with a stall, among those, at which there should be fewer slots."""
RATE_WINDOW = 30.0
"""Seconds over which the rate of matches is averaged."""
_SMOOTHING = 0.3
"""Weight of the latest task in the moving average of the seconds that a block takes."""


def failed(result: BlockResult) -> bool:
    """Return whether a bot failed in any match of a block."""
    return any(seat.ending in FAILURES for match in result.matches for seat in match.seats)


@attrs.define(eq=False)
class Pace:
    """The speed at which blocks and matches are played."""

    began: float
    """The time at which playing began."""
    _block_seconds: float | None = attrs.field(default=None, init=False)
    _stored: collections.deque[tuple[float, int]] = attrs.field(
        factory=collections.deque, init=False
    )  # time, number of matches

    def learn(self, finished: Sequence[Finished]) -> None:
        """Update the average duration of a block by those of a task that has ended.

        Blocks in which a bot failed are left out: a match that ends early says nothing about
        others.
        """
        whole = [block for block in finished if not failed(block.result)]
        if whole:
            seconds = sum(block.seconds for block in whole) / len(whole)
            average = self._block_seconds
            if average is not None:
                seconds = (1 - _SMOOTHING) * average + _SMOOTHING * seconds
            self._block_seconds = seconds

    def count(self, matches: int, now: float) -> None:
        """Note that so many matches were stored now."""
        self._stored.append((now, matches))

    def task_size(self, progress: Progress, running: int, slots: int) -> int:
        """Return how many blocks a task should have, at least 1.

        Args:
            progress: What is played and planned.
            running: The number of blocks that are being played.
            slots: The number of tasks that may run at the same time.
        """
        if self._block_seconds is None:
            return 1
        size = min(MAX_BLOCKS, int(TASK_SECONDS / max(self._block_seconds, 1e-6)))
        if progress.planned is not None:
            left = progress.planned - progress.played - running
            size = min(size, math.ceil(left / slots))
        return max(1, size)

    def rate(self, now: float) -> float:
        """Return how many matches a second were stored lately; 0 before the first one."""
        while self._stored and self._stored[0][0] < now - RATE_WINDOW:
            self._stored.popleft()
        span = min(RATE_WINDOW, now - self.began)
        return sum(matches for _, matches in self._stored) / span if span > 0 else 0.0


def eta(progress: Progress, matches: int, rate: float) -> float | None:
    """Return the expected number of seconds until all is played; None if it can't be known.

    Args:
        progress: How many blocks are played and planned.
        matches: The number of matches in a block.
        rate: The number of matches that are played a second.
    """
    if progress.planned is None or not rate:
        return None
    return (progress.planned - progress.played) * matches / rate


@attrs.define(eq=False)
class Disturbances:
    """The stalls of the host in the latest blocks."""

    margin: float
    """Duration of a stall, in seconds, above which a late answer makes a match void."""
    _stalled: collections.deque[bool] = attrs.field(
        factory=lambda: collections.deque(maxlen=STALL_WINDOW), init=False
    )

    def too_many(self, result: BlockResult) -> bool:
        """Note a block, and return whether there should be fewer slots; then count anew."""
        self._stalled.append(any(match.stall > self.margin for match in result.matches))
        is_void = any(not match.counted for match in result.matches)
        if not is_void and sum(self._stalled) < MAX_STALLED:
            return False
        self._stalled.clear()
        return True


@attrs.frozen
class Failures:
    """The number of matches in a row that each bot has failed."""

    running: dict[str, int]
    """The latest matches in a row that a bot failed, by name; a missing bot has failed none."""

    def note(self, result: BlockResult) -> dict[str, str]:
        """Count the matches of a block, in the order in which they were played.

        Returns:
            By name: the bots that failed their last match of the block, and why they did.
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
