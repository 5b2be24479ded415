"""A match of bots that are started just for it, as by `lanista play`."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import attrs
import trio

from lanista.errors import FileError, LanistaError, file_errors, printable
from lanista.hosting.bot_pool import BotPool, Contestant, NotStartedError, PooledBot
from lanista.hosting.control import MatchControl, RunningMatches
from lanista.hosting.host import (
    MatchReport,
    SeatedMatch,
    distinct,
    host_match,
    play_match,
)
from lanista.match.conditions import MatchSpec
from lanista.match.record_writer import RecordWriter
from lanista.match.runner import Match, Watcher
from lanista.match.stalls import StallMonitor
from lanista.nurseries import helpers_nursery
from lanista_protocol import ErrorCode, RemoteProtocolError


class StartFailureError(LanistaError):
    """A bot couldn't be started, has exited, or hasn't said hello in time."""

    def __init__(self, message: str, seat: int, output: str) -> None:
        super().__init__(message)
        self.seat = seat
        """The seat that the bot was started for."""
        self.output = output
        """The last part of what the bot wrote to stderr and stdout."""
        if output:
            self.add_note(printable(output.rstrip(), "\n"))  # tracebacks end with it


WAIT_TOLD = 3.0
"""Seconds for which bots are waited for until that is said."""


@attrs.define(eq=False, kw_only=True)
class StartedMatch:
    """A match whose bots are started for it; `play` it, and `interrupt` it meanwhile."""

    spec: MatchSpec
    contestants: Sequence[Contestant]
    """The bots to start, by seat."""
    record_path: Callable[[str], Path]
    """Returns the path of the record for the match's id."""
    watcher: Callable[[Sequence[str]], Watcher] | None = None
    """Makes the match's watcher from the bots' names, by seat."""
    running: RunningMatches = attrs.field(factory=RunningMatches)
    control: MatchControl = attrs.field(factory=MatchControl)
    """Can pause the match between turns, unless there is a `watcher`."""
    on_wait: Callable[[str], None] | None = None
    """Called with what is waited for if the bots take long to connect, or for their first answer,
    which may have so much more time than others that a bot seems to hang."""
    interrupted: bool = attrs.field(default=False, init=False)
    _starting: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)
    _match: Match | None = attrs.field(default=None, init=False)
    _part: Path | None = attrs.field(default=None, init=False)
    """The unfinished record of the match, which errors of writing don't name."""
    _helpers: trio.Nursery | None = attrs.field(default=None, init=False)

    def interrupt(self) -> None:
        """End the match as aborted, or stop starting its bots."""
        self.interrupted = True
        self._starting.cancel()
        if self._match is not None:
            self._match.interrupt()

    async def play(self) -> MatchReport | None:
        """Play the match; while it is void, repeat it a few times with newly started bots.

        Returns the last match; None if it was interrupted before the first one began. Raises
        StartFailureError if a bot doesn't start, FileError if the record can't be written.
        """
        try:
            async with helpers_nursery() as helpers:
                self._helpers, stalls = helpers, StallMonitor()
                helpers.start_soon(stalls.beat)
                reports = await play_match(
                    self.spec,
                    partial(self._seat, BotPool(helpers)),
                    partial(host_match, running=self.running, stalls=stalls, on_begin=self._begin),
                    running=self.running,
                    may_repeat=lambda: not self.interrupted,
                )
        except FileError:  # an OSError too: nothing was written
            raise
        except OSError as error:
            raise FileError(
                f"can't write the record {error.filename or self._part}: "
                f"{error.strerror or error}; what was played, if anything, is in the .part file"
            ) from error
        return reports[-1] if reports else None

    async def _seat(self, pool: BotPool, spec: MatchSpec) -> SeatedMatch | None:
        """Start all bots; return None if the match was interrupted."""
        path = self.record_path(spec.match)
        with file_errors("can't write the record", path):
            writer = RecordWriter(path)
        self._part = writer.part
        bots: Sequence[PooledBot] = ()
        try:
            bots = await self._start(pool, writer)
        finally:
            if not bots:
                writer.close()
        if not bots:
            return None
        return SeatedMatch(
            spec=spec,
            connections=[bot.connection for bot in bots],
            names=distinct([bot.connection.greeting.name for bot in bots]),
            record=writer.path,
            writer=writer,
            bots=bots,
            pool=pool,
            control=self.control,
        )

    async def _start(self, pool: BotPool, record: RecordWriter) -> Sequence[PooledBot]:
        """Start all bots at the same time; return none if the match was interrupted."""
        # The record is hidden because it has what the other bots log and answer, line by line as
        # it comes.
        contestants = [
            attrs.evolve(contestant, hidden=(record.path, record.part, *contestant.hidden))
            for contestant in self.contestants
        ]
        results: dict[int, PooledBot | NotStartedError] = {}
        time_start = self.spec.clock.time_start
        with trio.CancelScope() as self._starting:  # each try has its own
            if self.interrupted:
                self._starting.cancel()
            async with helpers_nursery() as waiting:
                what = f"the bots to connect, for up to {time_start:g} s"
                waiting.start_soon(self._tell_wait, lambda: what)
                results = await pool.take_all(
                    contestants, self.spec.ruleset, time_start, all_or_none=True
                )
        bots = [result for _, result in sorted(results.items()) if isinstance(result, PooledBot)]
        if len(bots) == len(contestants) and not self.interrupted:
            return bots
        async with trio.open_nursery() as nursery:
            for bot in bots:
                nursery.start_soon(_send_away, bot)
        for seat, error in sorted(results.items()):
            if isinstance(error, NotStartedError):
                name = contestants[seat].name
                raise StartFailureError(
                    f"bot {name!r} (seat {seat}) did not start: {error}", seat, error.output
                )
        return ()

    async def _begin(self, match: Match) -> None:
        self._match = match
        if self.watcher is not None:
            match.watcher = self.watcher(match.names)
        if self.interrupted:
            match.interrupt()
        assert self._helpers is not None
        self._helpers.start_soon(self._tell_wait, partial(_awaited_first, match))

    async def _tell_wait(self, awaited: Callable[[], str]) -> None:
        """Say what is waited for, if anything still is after a while."""
        await trio.sleep(WAIT_TOLD)
        if self.on_wait is not None and (what := awaited()):
            self.on_wait(f"waiting for {what}")


async def _send_away(bot: PooledBot) -> None:
    """Tell a bot that there will be no match, and end it."""
    await bot.connection.refuse(
        RemoteProtocolError(ErrorCode.SHUTDOWN, "not all bots have connected; there is no match")
    )
    await bot.end()


def _awaited_first(match: Match) -> str:
    """Return whose first answer is awaited in a match, and for how long; empty if nobody's is."""
    if match.turn or match.outcome is not None:
        return ""
    names = [
        seat.name
        for seat in match.seats
        if seat.handed_at and not seat.settled and not seat.connection.channel.has_input()
    ]
    first = match.spec.clock.time_init
    limit = f", for up to {first:g} s" if first else ""
    return f"the first answer of {' and '.join(names)}{limit}" if names else ""
