"""Work that is no match's, in slices that the matches of the same event loop don't feel.

Accepting, hellos, waiting bots, farewells and pages are done for whoever dials, as often as they
dial: a thousand of them at once would keep the loop from all matches. So every piece of such work
waits for its place in a pass of the loop, and a pass has few: more only where it is long anyway,
since many matches are played in it.
"""

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import attrs
import trio

PIECES = 4
"""Pieces of work in one pass of the loop; each takes a fraction of a millisecond."""
SHARE = 0.1
"""Share of a pass's time that may go to pieces of work beyond the usual number."""
PIECE_TIME = 0.0005
"""Seconds that a piece is reckoned to take."""
KEPT = 4096
"""Pieces that are remembered: more than any turn has room for."""


@attrs.define(eq=False)
class WorkDone:
    """Remembers the last pieces of work, and for which address each was done."""

    _pieces: deque[tuple[float, str, float]] = attrs.field(factory=lambda: deque(maxlen=KEPT))

    def add(self, host: str, ended: float, took: float) -> None:
        """Count a piece of work: when it ended, and how long it took, in seconds."""
        self._pieces.append((ended, host, took))

    def spent(self, host: str, since: float) -> float:
        """Return the seconds of work that were done for an address since a moment."""
        seconds = 0.0
        for ended, of, took in reversed(self._pieces):
            if ended <= since:
                break
            if of == host:
                seconds += took
        return seconds


@attrs.define(eq=False)
class BackgroundWork:
    """The work of one event loop that isn't a match's. One for all connections of a port.

    Addresses take turns: a crowd of one delays its own work, hardly that of another.
    """

    pieces: int = PIECES
    """How many any pass of the loop has."""
    share: float = SHARE
    """The share of a pass's time for which it has more."""
    done: WorkDone = attrs.field(factory=WorkDone)
    """Where the pieces are counted; two ports of one loop have one."""
    least: float = PIECE_TIME
    """Seconds that a piece is counted with at least: what follows from it isn't in its block."""
    _given: int = attrs.field(default=0, init=False)  # places
    _pass: float = attrs.field(default=0.0, init=False)  # seconds that a pass takes, on average
    # By address, in the order of their turns.
    _waiting: dict[str, trio.lowlevel.ParkingLot] = attrs.field(factory=dict, init=False)

    @asynccontextmanager
    async def piece(self, host: str) -> AsyncIterator[None]:
        """Wait for a place; the block is one piece of work, with no `await` in it.

        Args:
            host: The address for which it is done.
        """
        if self._given < self.pieces:
            self._given += 1
        else:
            await self._wait(host)
        asked = trio.current_time()
        try:
            await trio.lowlevel.checkpoint()
            began = trio.current_time()
            self._pass += (began - asked - self._pass) / 8
            yield
            now = trio.current_time()
            self.done.add(host, now, max(now - began, self.least))
        finally:
            self._given -= 1
            self._give()

    async def _wait(self, host: str) -> None:
        """Wait until a place is given."""
        queue = self._waiting.setdefault(host, trio.lowlevel.ParkingLot())
        try:
            await queue.park()
        finally:
            if not queue and self._waiting.get(host) is queue:
                del self._waiting[host]

    @property
    def more(self) -> int:
        """How many pieces beyond the usual number a pass has, since it is long."""
        return int(self.share * self._pass / PIECE_TIME)

    def _give(self) -> None:
        """Give places that are free to those who wait, an address after the other."""
        most = self.pieces + self.more
        while self._waiting and self._given < most:
            host = next(iter(self._waiting))
            queue = self._waiting.pop(host)
            self._given += len(queue.unpark())  # 0: who waited there has just been cancelled
            if queue:
                self._waiting[host] = queue
