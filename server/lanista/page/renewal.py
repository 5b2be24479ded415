"""How often the page has something computed anew that may take seconds, beside matches."""

from collections.abc import Awaitable, Callable

import attrs
import trio

SHARE = 4
"""Minimum time between two computations as a multiple of what the last one took."""


@attrs.define(eq=False)
class Renewal:
    """Computes something again and again: once at a time, and not too often."""

    renew: Callable[[], Awaitable[bool]]
    """Computes it, and returns whether anything changed."""
    rest: float
    """Minimum seconds between two computations."""
    due: float = float("-inf")
    """When it may be computed again, by trio's clock."""
    _one_at_a_time: trio.Lock = attrs.field(factory=trio.Lock, init=False)

    @property
    def is_running(self) -> bool:
        """Whether it is being computed."""
        return self._one_at_a_time.locked()

    async def run(self, others: trio.Lock) -> bool:
        """Compute it if that is due; return whether anything changed.

        Args:
            others: Held while it is computed, so that others aren't computed at the same time.
        """
        async with self._one_at_a_time:
            if trio.current_time() < self.due:
                return False
            async with others:
                begun = trio.current_time()
                changed = await self.renew()
                took = trio.current_time() - begun
            self.due = trio.current_time() + max(self.rest, SHARE * took)
            return changed
