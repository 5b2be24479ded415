"""What goes on in an arena, for those who watch and steer it: running matches, changes, pauses.

The arenas keep it up to date and know nothing of who looks. No socket, no page.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import attrs
import trio

from lanista.rules.base import Game, Ruleset

PATHS_KEPT = 100
"""Of matches that are over, how many records' paths are remembered."""


@attrs.define(eq=False)
class Changes:
    """Counts changes, so that a watcher can wait for the next one and misses none."""

    count: int = 0
    _next: trio.Event = attrs.field(factory=trio.Event, init=False)

    def tell(self) -> None:
        """Something changed."""
        self.count += 1
        self._next.set()
        self._next = trio.Event()

    async def wait(self, seen: int) -> None:
        """Return when `count` is another than the one seen."""
        while self.count == seen:
            await self._next.wait()


@attrs.define(eq=False)
class MatchControl:
    """Holds a match between two turns, where no clock runs. Its `watch` is a match's `Watcher`."""

    delay: float = 0.0
    """Seconds to wait before every turn."""
    is_over: Callable[[], bool] = bool
    """Whether the match has ended by another's word than the rules'."""
    given_up: bool = attrs.field(default=False, init=False)
    """Whether it isn't to be played again, should it be void."""
    _paused: bool = attrs.field(default=False, init=False)
    _steps: int = attrs.field(default=0, init=False)
    _changed: trio.Event = attrs.field(factory=trio.Event, init=False)

    @property
    def paused(self) -> bool:
        """Whether no turn is played until `resume` or `step`."""
        return self._paused

    def pause(self) -> None:
        """Hold before the next turn."""
        self._paused, self._steps = True, 0

    def resume(self) -> None:
        """Go on."""
        self._paused = False
        self._wake()

    def step(self) -> None:
        """Play one turn more and hold; a match that goes on is paused after it."""
        self._paused = True
        self._steps += 1
        self._wake()

    def give_up(self) -> None:
        """The match is ended from outside, for good."""
        self.given_up = True

    def _wake(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def watch(self, game: Game) -> None:
        """Wait as long as the match is held; an ended one is never."""
        if self.delay:
            await trio.sleep(self.delay)
        if game.outcome() is not None or self.is_over():
            return
        while self._paused and not self._steps:
            await self._changed.wait()
        if self._steps:
            self._steps -= 1


class Interruptible(Protocol):
    """What is used of a match."""

    def interrupt(self, why: str = ...) -> None:
        """End it as aborted."""
        ...

    def kick(self, seat: int, why: str) -> None:
        """Put a seat out."""
        ...


@attrs.define(eq=False, kw_only=True)
class RunningMatch:
    """A match that is played."""

    match: str
    ruleset: Ruleset
    room: str | None
    bots: Sequence[tuple[int, str]]
    """By seat: the bot's number and its name."""
    started: str
    """ISO 8601, UTC."""
    part: Path
    """Its record while it is written."""
    control: MatchControl
    playing: Interruptible


@attrs.define(eq=False)
class RunningMatches:
    """All running matches of an arena."""

    changes: Changes = attrs.field(factory=Changes)
    matches: dict[str, RunningMatch] = attrs.field(factory=dict)
    """By the match's id, in the order of their beginnings."""
    ended: dict[str, Path] = attrs.field(factory=dict)
    """The records of the last matches that are over, by id."""
    told: Callable[[str, Path | None], None] | None = None
    """Told of every match that is over, with its record if that is on disk and may be seen."""

    def begin(self, running: RunningMatch) -> None:
        """A match begins."""
        self.matches[running.match] = running
        self.changes.tell()

    def end(self, match: str, record: Path | None) -> None:
        """A match is over.

        Args:
            match: Its id.
            record: None: it couldn't be written, or is to be seen later, by another call: that of
                a void match tells the seed with which it is played again.
        """
        self.matches.pop(match, None)
        if record is not None:
            self.ended[match] = record
            if len(self.ended) > PATHS_KEPT:
                del self.ended[next(iter(self.ended))]
        if self.told is not None:
            self.told(match, record)
        self.changes.tell()
