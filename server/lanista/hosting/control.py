"""The running matches of an arena, for those who watch and control them: changes, pauses, kicks."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

import attrs
import trio

from lanista.games.base import Game, Ruleset
from lanista.match.connection import Connection
from lanista_protocol import ErrorCode

PATHS_KEPT = 100
"""Number of matches that are over whose records' paths are remembered."""


@attrs.define(eq=False)
class Changes:
    """Counts changes, so that a watcher can wait for the next one and misses none."""

    count: int = 0
    _next: trio.Event = attrs.field(factory=trio.Event, init=False)

    def tell(self) -> None:
        """Count a change, and wake those who wait for one."""
        self.count += 1
        self._next.set()
        self._next = trio.Event()

    async def wait(self, seen: int) -> None:
        """Wait until `count` differs from the one that the caller has seen."""
        while self.count == seen:
            await self._next.wait()


@attrs.define(eq=False)
class MatchControl:
    """Pauses a match between two turns, where no clock runs. Its `watch` is a match's `Watcher`."""

    delay: float = 0.0
    """Seconds to wait before every turn."""
    is_over: Callable[[], bool] = bool
    """Tells whether the match was ended otherwise than by its rules: by the operator or by
    shutdown."""
    on_command: Callable[[str], None] | None = None
    """Called with `pause`, `resume` or `step`, for a match that another process plays."""
    given_up: bool = False
    """Whether the match must not be played again if it is void."""
    paused: bool = False
    """Whether no turn is played until `resume` or `step`."""
    steps: int = 0
    """How many turns are to be played although the match is paused."""
    _changes: Changes = attrs.field(factory=Changes, init=False)

    def pause(self) -> None:
        """Pause the match before its next turn."""
        self.paused, self.steps = True, 0
        self._pass_on("pause")

    def resume(self) -> None:
        """Continue a paused match."""
        self.paused = False
        self._changes.tell()
        self._pass_on("resume")

    def step(self) -> None:
        """Play one more turn and pause; a match that wasn't paused is paused after that turn."""
        self.paused = True
        self.steps += 1
        self._changes.tell()
        self._pass_on("step")

    def _pass_on(self, command: str) -> None:
        if self.on_command is not None:
            self.on_command(command)

    def watch(self, game: Game) -> Awaitable[None] | None:
        """Return what to wait for if the match is paused or delayed; else None."""
        return self._hold(game) if self.delay or self.paused or self.steps else None

    async def _hold(self, game: Game) -> None:
        """Wait while the match is paused; return at once if it has ended."""
        if self.delay:
            await trio.sleep(self.delay)
        if game.outcome() is not None or self.is_over():
            return
        while self.paused and not self.steps:
            await self._changes.wait(self._changes.count)
        if self.steps:
            self.steps -= 1


class Interruptible(Protocol):
    """The methods of a match that an operator's commands use."""

    def interrupt(self, why: str = ...) -> None:
        """End the match as aborted."""
        ...

    def kick(self, seat: int, why: str, code: ErrorCode = ...) -> None:
        """Remove the bot on a seat from the match, and send it an error with this code."""
        ...


@attrs.define(eq=False, kw_only=True)
class RunningMatch:
    """A match that is being played."""

    match: str
    """Its id."""
    ruleset: Ruleset
    room: str | None
    """The room of the lobby that its bots came from."""
    bots: list[tuple[int, str]]
    """By seat: the bot's number, which is another one once it has come back, and its name."""
    started: str
    """When it began, in ISO 8601, UTC."""
    part: Path
    """Its record while that is being written."""
    control: MatchControl
    playing: Interruptible
    rejoin: Callable[[int, Connection], Awaitable[Connection | None]]
    """Lets a seat's bot go on over another connection (see `Match.rejoin`)."""


@attrs.define(eq=False)
class RunningMatches:
    """All running matches of an arena."""

    changes: Changes = attrs.field(factory=Changes)
    matches: dict[str, RunningMatch] = attrs.field(factory=dict)
    """The running matches by id, in the order in which they began."""
    ended: dict[str, Path] = attrs.field(factory=dict)
    """The records of the last PATHS_KEPT matches that are over, by id."""
    hidden: dict[str, Path] = attrs.field(factory=dict)
    """The records of void matches that may be played again with the same seed, by id; they must not
    be seen until then."""
    on_end: Callable[[str, Path | None], None] | None = None
    """Called with the id of every match that is over, and its record if that may be seen."""

    def hides(self, match: str) -> bool:
        """Return whether a match's record must not be seen yet, even if the file is there."""
        return match in self.matches or match in self.hidden

    def begin(self, running: RunningMatch) -> None:
        """Add a match that begins."""
        self.matches[running.match] = running
        self.changes.tell()

    def over(self, match: str, record: Path, *, is_void: bool) -> None:
        """End a match, and hide its record, if there is one, until `show` if it is void."""
        if is_void:
            self.hidden[match] = record
        self.end(match, None if is_void or not record.exists() else record)

    def show(self, match: str) -> None:
        """Make the record of a match known, if it was hidden."""
        record = self.hidden.pop(match, None)
        if record is not None and record.exists():
            self.end(match, record)

    def end(self, match: str, record: Path | None) -> None:
        """Remove a match that is over, and make its record known.

        There is no record if it couldn't be written, or must not be seen yet. When it may be seen,
        this is called again.
        """
        self.matches.pop(match, None)
        if record is not None:
            self.ended[match] = record
            if len(self.ended) > PATHS_KEPT:
                del self.ended[next(iter(self.ended))]
        if self.on_end is not None:
            self.on_end(match, record)
        self.changes.tell()
