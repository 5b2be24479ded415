"""Watches whether the host keeps the event loop waiting.

A bot that was judged late while the loop or the machine stood still may not have been late: such
a match is void. Measured by a heartbeat that runs only while matches do.
"""

import math
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

import attrs
import trio

BEAT = 0.01
"""Seconds between heartbeats: what a stall can be underestimated by."""
KEPT = 4096
"""Stalls that are remembered; at one a beat, a minute's worth in the worst case."""
NOTED = 0.002
"""Seconds below which a delay is the loop's daily work."""


@attrs.define
class StallMonitor:
    """One for all matches of an event loop; run `beat` in the loop's nursery."""

    _stalls: deque[tuple[float, float]] = attrs.field(factory=lambda: deque(maxlen=KEPT))
    _last: float = math.inf
    _watchers: int = 0
    _beats: bool = False  # whether `beat` runs
    _wanted: trio.Event = attrs.field(factory=trio.Event)

    async def beat(self) -> None:
        """Beat for ever while somebody watches."""
        self._beats = True
        try:
            while True:
                if not self._watchers:
                    self._wanted = trio.Event()
                    await self._wanted.wait()
                if self._last == math.inf:
                    self._last = trio.current_time()
                while self._watchers:
                    await trio.sleep_until(self._last + BEAT)
                    now = trio.current_time()
                    if now - self._last - BEAT > NOTED:
                        self._stalls.append((self._last + BEAT, now))
                    self._last = now
                self._last = math.inf
        finally:
            self._beats, self._last = False, math.inf

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Beat while in this block."""
        self._watchers += 1
        self._wanted.set()
        if self._beats and self._last == math.inf:
            # From now on, not from the first beat: a stall may come before that.
            self._last = trio.current_time()
        try:
            yield
        finally:
            self._watchers -= 1

    def worst(self, since: float, now: float) -> float:
        """Seconds of the longest stall that reached into the time since a moment.

        Counts the one that is only now ending: after a stall, who runs first is chance.
        """
        longest = now - max(self._last + BEAT, since)
        if longest <= NOTED:
            longest = 0.0
        for began, over in reversed(self._stalls):
            if over <= since:
                break
            longest = max(longest, over - max(began, since))
        return longest
