"""How often the page has something computed anew that may take seconds, beside matches."""

import time
from collections.abc import Callable

import attrs
import trio

SHARE = 4
"""Minimum time between two computations as a multiple of what the last one took."""


@attrs.define(eq=False)
class Renewal:
    """Computes something again and again: once at a time, in a thread, and not too often."""

    renew: Callable[[], bool]
    """Computes it, and returns whether anything changed. It blocks."""
    rest: float
    """Minimum seconds between two computations."""
    due: float = float("-inf")
    """When it may be computed again, by trio's clock."""
    _one_at_a_time: trio.Lock = attrs.field(factory=trio.Lock, init=False)

    @property
    def is_running(self) -> bool:
        """Whether it is being computed."""
        return self._one_at_a_time.locked()

    async def run(self, limiter: trio.CapacityLimiter) -> bool:
        """Compute it if that is due; return whether anything changed.

        Args:
            limiter: Bounds the number of threads.
        """
        async with self._one_at_a_time:
            if trio.current_time() < self.due:
                return False
            changed, took = await trio.to_thread.run_sync(
                self._timed,
                abandon_on_cancel=True,  # the arena's end mustn't wait for it
                limiter=limiter,
            )
            self.due = trio.current_time() + max(self.rest, SHARE * took)
            return changed

    def _timed(self) -> tuple[bool, float]:
        """Compute it; return whether anything changed, and how many seconds that took."""
        begun = time.monotonic()
        changed = self.renew()
        return changed, time.monotonic() - begun
