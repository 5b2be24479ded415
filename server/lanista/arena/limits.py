"""Limits by address: how often each may do something, and whose turn it is for what is scarce.

An address is one of `lanista.arena.admission.address_of`. All times are in seconds on trio's clock,
which nobody sets back.
"""

from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import attrs
import trio

MAX_ADDRESSES = 10_000
"""How many addresses an `Allowance` remembers."""


@attrs.define(eq=False)
class Allowance:
    """What each address may do only so often: some times at once, then once in a while.

    Only the addresses that did it last are remembered; any other has its whole allowance.
    """

    at_once: int
    """How often an address may do it at once."""
    interval: float
    """Seconds after which it may do it once more."""
    # By address: when its allowance will be whole again. The one that used it last comes last.
    _whole_at: OrderedDict[str, float] = attrs.field(factory=OrderedDict, init=False)

    def wait(self, address: str) -> float:
        """Return the seconds until an address may do it again; 0 if it may now."""
        now = trio.current_time()
        missing = self._whole_at.get(address, now) - now
        return max(0.0, missing - (self.at_once - 1) * self.interval)

    def use(self, address: str) -> None:
        """Note that an address does it, which it may."""
        now = trio.current_time()
        self._whole_at[address] = max(self._whole_at.get(address, now), now) + self.interval
        self._whole_at.move_to_end(address)
        if len(self._whole_at) > MAX_ADDRESSES:
            self._whole_at.popitem(last=False)

    def give_back(self, address: str) -> None:
        """Forget one use, which doesn't count after all."""
        if address in self._whole_at:
            self._whole_at[address] -= self.interval


class CrowdError(Exception):
    """Too many wait already."""


@attrs.define(eq=False)
class FairLimiter:
    """Lets so many tasks work at once. The addresses for which others wait take turns."""

    slots: int
    """How many may work at once."""
    max_waiting: int
    """How many may wait; of one address, half as many."""
    _working: int = attrs.field(default=0, init=False)
    # Who waits, by address; the next slot goes to the first address.
    _waiting: dict[str, trio.lowlevel.ParkingLot] = attrs.field(factory=dict, init=False)

    @asynccontextmanager
    async def slot(self, address: str) -> AsyncIterator[None]:
        """Wait for a slot, and hold it in the block.

        Args:
            address: The address for which the work is done.

        Raises:
            CrowdError: Too many wait already.
        """
        await trio.lowlevel.checkpoint_if_cancelled()
        if self._working < self.slots:
            self._working += 1
        else:
            await self._wait(address)
        try:
            yield
        finally:
            self._working -= 1
            self._hand_on()

    async def _wait(self, address: str) -> None:
        waiting = {each: len(queue) for each, queue in self._waiting.items()}
        own = waiting.get(address, 0)
        if own >= self.max_waiting // 2 or sum(waiting.values()) >= self.max_waiting:
            raise CrowdError
        queue = self._waiting.setdefault(address, trio.lowlevel.ParkingLot())
        try:
            await queue.park()
        finally:
            if not queue and self._waiting.get(address) is queue:
                del self._waiting[address]

    def _hand_on(self) -> None:
        while self._waiting and self._working < self.slots:
            address = next(iter(self._waiting))
            queue = self._waiting.pop(address)
            # Nobody is unparked if the only task that waited has just been cancelled.
            self._working += len(queue.unpark())
            if queue:
                self._waiting[address] = queue
