"""Limits on what strangers cause: how often something may be done for a key, in turns; log lines.

A key is an address, say. What is kept of keys is limited as well, since their number isn't.

All times are in seconds on trio's clock, which nobody sets back.
"""

import math
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from typing import TypeVar

import attrs
import trio

MAX_KEYS = 10_000
"""How many keys an `Allowance` remembers."""


K = TypeVar("K")
V = TypeVar("V")


class Recent(OrderedDict[K, V]):
    """A mapping that keeps only the keys that were set last."""

    def __init__(self, most: int) -> None:
        """Keep at most so many keys."""
        super().__init__()
        self._most = most

    def __setitem__(self, key: K, value: V) -> None:
        """Set a value, and forget the key that wasn't set for the longest if need be."""
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)


@attrs.define(eq=False)
class Turns:
    """Lets one task at a time go on for each key, in the order in which they came.

    How many wait is limited by whoever calls: each task is one of a limited number of connections.
    """

    # Only those that are held.
    _locks: dict[Hashable, trio.Lock] = attrs.field(factory=dict, init=False)

    @asynccontextmanager
    async def turn(self, key: Hashable) -> AsyncIterator[None]:
        """Wait for the turn of this task, which lasts until the end of the block."""
        lock = self._locks.setdefault(key, trio.Lock())
        try:
            async with lock:
                yield
        finally:
            # Not if it is another one: a task that was cancelled while it waited gets here later.
            if not lock.locked() and self._locks.get(key) is lock:
                del self._locks[key]


@attrs.define(eq=False)
class Allowance:
    """A limit, for each key, on how often something may be done: at once, then once in a while.

    Only the keys for which it was done last are remembered; any other has its whole allowance.
    """

    at_once: int
    """How often it may be done at once for a key."""
    interval: float
    """Seconds after which it may be done once more."""
    # By key: when its allowance will be whole again.
    _whole_at: Recent[Hashable, float] = attrs.field(factory=lambda: Recent(MAX_KEYS), init=False)
    _turns: Turns = attrs.field(factory=Turns, init=False)

    def wait(self, key: Hashable) -> float:
        """Return the seconds until it may be done again for a key; 0 if it may now."""
        now = trio.current_time()
        missing = self._whole_at.get(key, now) - now
        return max(0.0, missing - (self.at_once - 1) * self.interval)

    @asynccontextmanager
    async def turn(self, key: Hashable) -> AsyncIterator[None]:
        """Wait for the turn of this task and until it may be done for a key (`Turns.turn`)."""
        async with self._turns.turn(key):
            while wait := self.wait(key):  # noqa: ASYNC110 - no event, but a time that may move
                await trio.sleep(wait)
            yield

    def use(self, key: Hashable) -> None:
        """Note that it is done for a key, which it may be."""
        now = trio.current_time()
        self._whole_at[key] = max(self._whole_at.get(key, now), now) + self.interval

    def give_back(self, key: Hashable) -> None:
        """Forget one use, which doesn't count after all."""
        if key in self._whole_at:
            self._whole_at[key] -= self.interval


@attrs.define(eq=False)
class LogLimit:
    """A limit on log lines of one kind: some at once, then none until an interval is over."""

    at_once: int
    interval: float
    _since: float = attrs.field(default=-math.inf, init=False)
    _lines: int = attrs.field(default=0, init=False)  # since then, written or not

    def log(self, write: Callable[..., object], event: str, **details: object) -> None:
        """Write a line about an event if that is allowed now; first, how many were left out."""
        now = trio.current_time()
        if now - self._since >= self.interval:
            if self._lines > self.at_once:
                write("lines like the next were left out", count=self._lines - self.at_once)
            self._since, self._lines = now, 0
        self._lines += 1
        if self._lines <= self.at_once:
            write(event, **details)
