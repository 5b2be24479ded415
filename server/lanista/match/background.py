"""Work for connections outside of matches, in slices too small for running matches to notice.

A thousand connections at once would stall the event loop (`stalls`), by which any stranger could
slow matches down or make them void. So accepting connections, reading hellos, watching waiting
bots, closing connections and serving pages is cut into *pieces*. A piece runs without an `await`,
and needs one of a few slots. Once it has a slot, it first lets the loop complete its current pass,
in which every match that can go on takes a step; so a pass runs only about as many pieces as there
are slots. Where many matches make the passes long anyway, there are more slots, up to a fixed share
of a pass's time. Pieces that wait for a slot queue by address, and the addresses take turns, so
that a crowd from one address delays mostly itself.

A stall that was caused by work for a bot's own address doesn't excuse that bot (`WorkDone`).
"""

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import attrs
import trio

PIECES = 4
"""Pieces of work in one pass of the event loop; each takes a fraction of a millisecond."""
SHARE = 0.1
"""Share of a pass's time that additional pieces may take."""
PIECE_TIME = 0.0005
"""Assumed duration of a piece, in seconds."""
KEPT = 4096
"""How many pieces are remembered: more than can run during one turn of a match."""


@attrs.define(eq=False)
class WorkDone:
    """The most recent pieces of work, with the address for which each was done."""

    # The end on trio's clock, the address, and the duration in seconds.
    _pieces: deque[tuple[float, str, float]] = attrs.field(factory=lambda: deque(maxlen=KEPT))

    def add(self, host: str, ended: float, took: float) -> None:
        """Record a piece of work: when it ended, on trio's clock, and its duration in seconds."""
        self._pieces.append((ended, host, took))

    def spent(self, host: str, since: float) -> float:
        """Return the seconds of work that were done for an address since a moment."""
        seconds = 0.0
        for ended, worked_for, took in reversed(self._pieces):
            if ended <= since:
                break
            if worked_for == host:
                seconds += took
        return seconds


@attrs.define(eq=False)
class BackgroundWork:
    """The slots for background work that all connections of a port share."""

    pieces: int = PIECES
    """How many pieces every pass of the loop may run."""
    share: float = SHARE
    done: WorkDone = attrs.field(factory=WorkDone)
    """The log of pieces that were done; ports of the same event loop share one."""
    least: float = PIECE_TIME
    """Minimum duration in seconds that is recorded for a piece: a part of the work that it causes
    happens after its block and isn't measured."""
    _active: int = attrs.field(default=0, init=False)  # pieces that have a slot
    _pass: float = attrs.field(default=0.0, init=False)  # average duration of a pass, in seconds
    # Who waits for a slot, by address; the next slot goes to the first address.
    _waiting: dict[str, trio.lowlevel.ParkingLot] = attrs.field(factory=dict, init=False)

    @asynccontextmanager
    async def piece(self, host: str) -> AsyncIterator[None]:
        """Wait for a slot, then run the block, which must not `await`, as work for an address."""
        if self._active < self.pieces:
            self._active += 1
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
            self._active -= 1
            self._release()

    async def _wait(self, host: str) -> None:
        queue = self._waiting.setdefault(host, trio.lowlevel.ParkingLot())
        try:
            await queue.park()
        finally:
            if not queue and self._waiting.get(host) is queue:
                del self._waiting[host]

    @property
    def waiting(self) -> int:
        """Number of pieces that wait for a slot."""
        return sum(map(len, self._waiting.values()))

    @property
    def more(self) -> int:
        """How many additional pieces a pass may run, because passes are long now."""
        return int(self.share * self._pass / PIECE_TIME)

    def _release(self) -> None:
        """Give the free slots to waiting pieces, one address after another."""
        slots = self.pieces + self.more
        while self._waiting and self._active < slots:
            host = next(iter(self._waiting))
            queue = self._waiting.pop(host)
            # Nobody is unparked where the only task that waited has just been cancelled.
            self._active += len(queue.unpark())
            if queue:
                self._waiting[host] = queue
