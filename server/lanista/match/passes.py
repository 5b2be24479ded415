"""Limiting how much of matches' work one pass of the event loop does.

A pass runs every task that can go on. The work of a match between two turns is short, a millisecond
or so. But a hundred matches may get their last answers at the same time, and nothing else would
happen in such a pass for a tenth of a second: the heartbeat would note a stall (see `stalls`). So
a match whose turn is complete waits for a pass that has not worked for long yet. No bot's clock
runs meanwhile.

What counts is processor time, since a pass that takes long because other processes have the machine
isn't made any shorter by waiting.
"""

import math
import time

import attrs
import trio

PASS_TIME = 0.003
"""Seconds of processor time of a pass after which no more matches go on in it."""
SHARED_AFTER = 0.001
"""Seconds of processor time of a pass after which a match goes on in another one, even if it need
not wait for its bots: less than what counts as a stall."""


@attrs.define(eq=False)
class PassLimit(trio.abc.Instrument):
    """The limit that all matches of an event loop share, of which it must be an instrument."""

    _began: float = math.inf  # when the present pass began, in processor time of this thread
    # Those that wait; the first of them goes on in the next pass that isn't long.
    _queue: trio.Lock = attrs.field(factory=trio.Lock, init=False)

    def after_io_wait(self, timeout: float) -> None:  # noqa: ARG002 - trio's interface
        """Note that a pass begins."""
        self._began = time.thread_time()

    @property
    def _is_over(self) -> bool:
        return time.thread_time() - self._began > PASS_TIME

    async def wait(self) -> None:
        """Wait for a pass in which a match may go on; return at once if the present one is."""
        if self._is_over:
            async with self._queue:
                while self._is_over:
                    await trio.lowlevel.checkpoint()

    async def share(self) -> None:
        """Let other tasks run, unless the present pass has only just begun.

        For a match whose bots have answered by the time they are looked at, turn after turn: it
        needn't wait for anything, and a pass for each of its turns would slow it down.
        """
        if self._began == math.inf or time.thread_time() - self._began > SHARED_AFTER:
            await trio.lowlevel.checkpoint()
