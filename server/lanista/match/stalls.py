"""Detection of stalls of the host, during which no answer can be judged fairly.

When the event loop, the process or the whole machine is held up (by a long computation, swapping, a
suspended virtual machine, or too many processes), bots on the same machine may be held up too, and
be late by no fault of their own. The fair clock can't tell, because it measures when an answer
arrived and not why. So a match with a late answer in a turn with a long stall is void.

Stalls are measured by a heartbeat: a task that sleeps for a fixed time, again and again. When it
wakes up late, the loop stalled for the difference. It runs only while matches do.
"""

import math
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

import attrs
import trio

PASS_TIME = 0.003
"""Seconds of a pass after which no more matches go on in it."""
SHARED_AFTER = 0.001
"""Seconds of a pass after which a match goes on in another one, even if it need not wait for its
bots: less than what counts as a stall."""


@attrs.define(eq=False)
class PassLimit(trio.abc.Instrument):
    """The limit that all matches of an event loop share, of which it must be an instrument."""

    # When the present pass began. Not processor time, to ask for which takes a call to the system.
    _began: float = math.inf
    # Those that wait; the first of them goes on in the next pass that isn't long.
    _queue: trio.Lock = attrs.field(factory=trio.Lock, init=False)

    def after_io_wait(self, timeout: float) -> None:  # noqa: ARG002 - trio's interface
        """Note that a pass begins."""
        self._began = time.perf_counter()

    @property
    def _is_over(self) -> bool:
        return time.perf_counter() - self._began > PASS_TIME

    async def wait(self) -> None:
        """Wait for a pass in which a match may go on; return at once if the present one is."""
        if self._is_over:
            async with self._queue:
                while self._is_over:
                    await trio.lowlevel.checkpoint()

    async def share(self) -> None:
        """Let other tasks run, unless the present pass has only just begun.

        A match whose bots have answered by the time they are looked at, turn after turn, needn't
        wait for anything, and a pass for each of its turns would slow it down.
        """
        if self._began == math.inf or time.perf_counter() - self._began > SHARED_AFTER:
            await trio.lowlevel.checkpoint()


BEAT = 0.01
"""Seconds between heartbeats; a stall is underestimated by at most this."""
KEPT = 4096
"""How many stalls are remembered: at least a minute's, if every beat is one."""
NOTED = 0.002
"""Seconds up to which a delay is the ordinary work of the loop and isn't a stall."""


@attrs.define
class LoopLag:
    """How late an event loop's heartbeats were, all since its process was started."""

    beats: int = 0
    """Number of heartbeats, which come only while matches run."""
    lag: float = 0.0
    """Seconds by which they were late, in total."""
    stalls: int = 0
    stalled: float = 0.0
    """Seconds of all stalls."""
    longest: float = 0.0
    """Seconds of the longest stall."""

    def add(self, late: float) -> bool:
        """Count a heartbeat that was so many seconds late, and return whether that is a stall."""
        self.beats += 1
        self.lag += late
        if late <= NOTED:
            return False
        self.stalls += 1
        self.stalled += late
        self.longest = max(self.longest, late)
        return True


@attrs.define
class StallMonitor:
    """The heartbeat that all matches of an event loop share; run `beat` in a background task."""

    # Begin and end of each stall, and the last beat; all on trio's clock.
    _stalls: deque[tuple[float, float]] = attrs.field(factory=lambda: deque(maxlen=KEPT))
    _last: float = math.inf  # infinite while nothing is measured
    _watchers: int = 0
    _beats: bool = False  # whether `beat` runs
    _wanted: trio.Event = attrs.field(factory=trio.Event)
    passes: PassLimit = attrs.field(factory=PassLimit)
    """Keeps matches from stalling each other."""
    lag: LoopLag = attrs.field(factory=LoopLag)

    @property
    def is_shared(self) -> bool:
        """Whether several matches are played on this event loop."""
        return self._watchers > 1

    async def beat(self) -> None:
        """Run for ever; the heart beats while at least one `watching` block is active."""
        self._beats = True
        trio.lowlevel.add_instrument(self.passes)
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
                    if self.lag.add(now - self._last - BEAT):
                        self._stalls.append((self._last + BEAT, now))
                    self._last = now
                self._last = math.inf
        finally:
            trio.lowlevel.remove_instrument(self.passes)
            self._beats, self._last = False, math.inf

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Measure stalls while this block runs."""
        self._watchers += 1
        self._wanted.set()
        if self._beats and self._last == math.inf:
            # Measure from now on, since a stall may come before the first beat.
            self._last = trio.current_time()
        try:
            yield
        finally:
            self._watchers -= 1

    def worst(self, since: float, now: float) -> float:
        """Return the seconds of the longest stall between two moments, `since` and `now`.

        Counts also a stall that is just ending and isn't recorded yet: after a stall it is a
        matter of chance whether the heartbeat runs first or a match.
        """
        longest = now - max(self._last + BEAT, since)
        if longest <= NOTED:
            longest = 0.0
        for began, ended in reversed(self._stalls):
            if ended <= since:
                break
            longest = max(longest, ended - max(began, since))
        return longest
