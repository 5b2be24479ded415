"""Work that is no match's, in slices that the matches of the same event loop don't feel.

Accepting, hellos, waiting bots, farewells and pages are done for whoever dials, as often as they
dial: a thousand of them at once would keep the loop from all matches. So every piece of such work
waits for its place in a pass of the loop, and a pass has few.
"""

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import attrs
import trio

PIECES = 4
"""Pieces of work in one pass of the loop; each takes a fraction of a millisecond."""
KEPT = 4096
"""Pieces that are remembered: more than any turn has room for."""


@attrs.define(eq=False)
class BackgroundWork:
    """The work of one event loop that isn't a match's. One for all of its connections."""

    pieces: int = PIECES
    """How many a pass of the loop has."""
    _places: trio.Semaphore = attrs.field(init=False)
    _done: deque[tuple[float, str, float]] = attrs.field(factory=lambda: deque(maxlen=KEPT))

    def __attrs_post_init__(self) -> None:
        self._places = trio.Semaphore(self.pieces)

    @asynccontextmanager
    async def piece(self, host: str) -> AsyncIterator[None]:
        """Wait for a place; the block is one piece of work, with no `await` in it.

        Args:
            host: The address for which it is done.
        """
        async with self._places:
            began = trio.current_time()
            try:
                yield
            finally:
                now = trio.current_time()
                self._done.append((now, host, now - began))

    def spent(self, host: str, since: float) -> float:
        """Seconds of work that were done for an address since a moment of trio's clock."""
        seconds = 0.0
        for ended, of, took in reversed(self._done):
            if ended <= since:
                break
            if of == host:
                seconds += took
        return seconds
