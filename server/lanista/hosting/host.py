"""Hosts a match from its seats to its record: plays it, tells who watches, completes the record.

`HostedMatch` is one match between bots that are seated, whoever seated them. `MatchHost` is the
host of `lanista play`: it starts the bots as well, and plays a void match again.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs
import trio

from lanista.bots import Exit
from lanista.hosting import ids
from lanista.hosting.bot_pool import BotPool, Contestant, NotStartedError, PooledBot
from lanista.hosting.control import MatchControl, RunningMatch, RunningMatches
from lanista.match.bundle import Failure, write_bundles
from lanista.match.conditions import MatchConditions, MatchSpec
from lanista.match.connection import Connection
from lanista.match.encoder import DialectEncoder
from lanista.match.record import BotInfo, RecordWriter, ResultInfo
from lanista.match.runner import Match, Watcher
from lanista.match.stalls import StallMonitor
from lanista.rules.base import Ruleset
from lanista.rules.outcome import Termination
from lanista_protocol import ErrorCode, RemoteProtocolError


@attrs.define(eq=False, kw_only=True)
class HostedMatch:
    """One match between bots that are seated: `run`, then `complete`; then `close`, whatever came.

    In between whoever seated the bots may end them, so that the record tells how they ended.
    """

    spec: MatchSpec
    connections: Sequence[Connection]
    """By seat; their hellos are read."""
    names: Sequence[str]
    """By seat, all different."""
    record: RecordWriter
    stalls: StallMonitor
    bots: Sequence[PooledBot] = ()
    """By seat, where we started them."""
    watcher: Watcher | None = None
    control: MatchControl | None = None
    """Holds the match between turns; it is then its watcher."""
    running: RunningMatches | None = None
    """Where it is seen while it runs."""
    room: str | None = None
    """The room of the lobby that it came from."""
    numbers: Sequence[int] | None = None
    """By seat, the bots' numbers; None: their seats."""
    match: Match = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        bots = self.bots
        self.match = Match(
            self.spec,
            self.connections,
            self.names,
            self.record,
            self.stalls,
            self.watcher if self.control is None else self.control.watch,
            [kept.contestant.command for kept in bots] or None,
            (lambda seat: bots[seat].bot.why_left()) if bots else None,
        )

    @property
    def is_void(self) -> bool:
        """Whether it doesn't count, because this machine stalled."""
        outcome = self.match.outcome
        return outcome is not None and outcome.termination is Termination.VOID

    async def run(self, until: float = math.inf) -> None:
        """Play it to its end.

        Args:
            until: The moment of trio's clock at which it is broken off.
        """
        self._begin()
        if until == math.inf:
            await self.match.run()
            return

        async def interrupt() -> None:
            await trio.sleep_until(until)
            self.match.interrupt("enough was seen")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(interrupt)
            await self.match.run()
            nursery.cancel_scope.cancel()

    def _begin(self) -> None:
        if self.control is not None:
            match = self.match
            self.control.is_over = lambda: match.outcome is not None
        if self.running is None:
            return
        numbers = self.numbers or range(len(self.names))
        self.running.begin(
            RunningMatch(
                match=self.spec.match,
                ruleset=self.spec.ruleset,
                room=self.room,
                bots=list(zip(numbers, self.names, strict=True)),
                started=datetime.now(UTC).isoformat(timespec="milliseconds"),
                part=self.record.part,
                control=self.control or MatchControl(),
                playing=self.match,
            )
        )

    async def complete(self, bots: Sequence[BotInfo | None] = ()) -> ResultInfo:
        """Complete the record of a match that is over.

        Args:
            bots: By seat, how its process ended, where it is ours.

        Raises:
            OSError: It can't be written. What was played is in its `.part` file.
        """
        result = self.match.result()
        if bots:
            result = attrs.evolve(result, bots=tuple(bots))
        await self.record.finish(result)
        return result

    async def write_bundles(self, failures: Sequence[Failure]) -> list[Path]:
        """Write the failure bundles beside the record, and return their folders.

        Raises:
            OSError: One can't be written.
        """
        if not failures:
            return []
        return await trio.to_thread.run_sync(
            write_bundles, self.record.path, self.match.title, len(self.names), failures
        )

    def close(self, record: Path | None = None) -> None:
        """Let go of the record, and tell who watches that the match is over.

        Args:
            record: Where its record may be seen; None: nowhere, or not yet.
        """
        if self.control is not None:
            self.control.is_over = _true  # else match and control refer to each other for ever
        if self.running is not None:
            self.running.end(self.spec.match, record)
        self.record.close()


def _true() -> bool:
    return True


@attrs.define
class VoidRecords:
    """The records of void matches, hidden while their match is played again: they tell its seed."""

    running: RunningMatches
    _hidden: dict[Path, str] = attrs.field(factory=dict, init=False)  # the match's id, by record

    def close(self, hosted: HostedMatch) -> None:
        """Close a match; its record may be seen unless it is void."""
        path = hosted.record.path
        self._hidden.pop(path, None)  # with `-o FILE` this one took its place
        if hosted.is_void:
            self.hide(path, hosted.spec.match)
        hosted.close(path if path.exists() and not hosted.is_void else None)

    def hide(self, record: Path, match: str) -> None:
        """Keep the record of a void match back until `show`."""
        self._hidden[record] = match

    def show(self) -> None:
        """Show all that were hidden."""
        for path, match in self._hidden.items():
            if path.exists():
                self.running.end(match, path)
        self._hidden.clear()


@attrs.frozen(kw_only=True)
class MatchPlan:
    """A match to play with bots that are started for it."""

    ruleset: Ruleset
    settings: Mapping[str, int]
    seed: int
    contestants: Sequence[Contestant]
    """By seat."""
    record_path: Callable[[str], Path]
    """Where the record goes, by the match's id."""
    board: Any = None
    """None: the seed makes one."""
    conditions: MatchConditions = attrs.field(factory=MatchConditions)
    watcher: Callable[[Sequence[str]], Watcher] | None = None
    """Makes the match's watcher when the bots' names, by seat, are known."""


@attrs.frozen(kw_only=True)
class MatchReport:
    """A match that was played, or was begun."""

    match: str
    """Its id."""
    seed: int
    names: tuple[str, ...]
    """By seat."""
    result: ResultInfo
    record: Path
    bundles: tuple[Path, ...] = ()
    """The failure bundles of bots that didn't end it normally."""
    bundle_trouble: str | None = None
    """Why some of those couldn't be written."""


class StartFailureError(Exception):
    """A bot could not be started, left, or did not say hello in time."""

    def __init__(self, message: str, output: str) -> None:
        super().__init__(message)
        self.output = output
        """The last of what the bot wrote to stderr and stdout."""


@attrs.define(eq=False)
class MatchHost:
    """Plays the match of a plan. `interrupt` ends it from outside."""

    plan: MatchPlan
    stalls: StallMonitor = attrs.field(factory=StallMonitor)
    running: RunningMatches = attrs.field(factory=RunningMatches)
    control: MatchControl | None = None
    """Holds the match between turns, for those who watch it; None: nobody does."""
    interrupted: bool = attrs.field(default=False, init=False)
    """Whether `interrupt` was called."""
    _starting: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)
    _void: VoidRecords = attrs.field(init=False)
    _match: Match | None = attrs.field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self._void = VoidRecords(self.running)

    def interrupt(self) -> None:
        """End the match as aborted; a start is given up."""
        self.interrupted = True
        self._starting.cancel()
        if self._match is not None:
            self._match.interrupt()

    async def play(self) -> MatchReport | None:
        """Play it; again with fresh bots, a few times at most, while this machine makes it void.

        Returns:
            None when it was interrupted before the match began.

        Raises:
            StartFailureError: A bot doesn't come.
            OSError: The record can't be written.
        """
        report = None
        failure: Exception | None = None
        async with trio.open_nursery() as helpers:
            helpers.start_soon(self.stalls.beat)
            try:
                for try_ in range(1, self.plan.conditions.void_tries + 1):
                    report = await self._play_once(helpers, try_)
                    if report is None or report.result.end != Termination.VOID.value:
                        break
            except (StartFailureError, OSError) as error:
                failure = error  # carried around the nursery, which would wrap it into a group
            finally:
                self._void.show()
            helpers.cancel_scope.cancel()
        if failure is not None:
            raise failure
        return report

    async def _play_once(self, helpers: trio.Nursery, try_: int) -> MatchReport | None:
        plan = self.plan
        match = ids.match_id()
        record = RecordWriter(plan.record_path(match))
        pool = BotPool(helpers)
        bots: Sequence[PooledBot] = ()
        try:
            bots = await self._start(pool, record)
            if not bots:
                return None
            hosted = self._hosted(bots, record, match, try_)
            self._match = hosted.match
            try:
                if self.interrupted:
                    hosted.match.interrupt()
                await hosted.run()
                exits = await _end(bots)
                return await self._complete(hosted, exits)
            finally:
                self._match = None
                self._void.close(hosted)
        finally:
            await _end(bots)
            record.close()
            if not record.begun:
                record.discard()

    async def _start(self, pool: BotPool, record: RecordWriter) -> Sequence[PooledBot]:
        """Start the bots, side by side; none when it was interrupted.

        Raises:
            StartFailureError: One doesn't come.
        """
        plan = self.plan
        # The record has what the others log and answer, line by line as it comes.
        contestants = [
            attrs.evolve(one, hidden=(record.path, record.part, *one.hidden))
            for one in plan.contestants
        ]
        come: dict[int, PooledBot | NotStartedError] = {}
        with self._starting:
            come = await pool.take_all(
                contestants, plan.ruleset, plan.conditions.time_start, all_or_none=True
            )
        bots = [come[seat] for seat in sorted(come)]
        there = [bot for bot in bots if isinstance(bot, PooledBot)]
        if len(there) == len(contestants) and not self.interrupted:
            return there
        async with trio.open_nursery() as nursery:
            for bot in there:
                nursery.start_soon(_send_away, bot)
        for seat, error in sorted(come.items()):
            if isinstance(error, NotStartedError):
                name = contestants[seat].name
                raise StartFailureError(
                    f"bot {name!r} (seat {seat}) did not start: {error}", error.output
                )
        return ()

    def _hosted(
        self, bots: Sequence[PooledBot], record: RecordWriter, match: str, try_: int
    ) -> HostedMatch:
        plan = self.plan
        names = distinct([_said(bot.connection) for bot in bots])
        return HostedMatch(
            spec=MatchSpec(
                match=match,
                ruleset=plan.ruleset,
                settings=plan.settings,
                seed=plan.seed,
                board=plan.board,
                conditions=plan.conditions,
                try_=try_,
            ),
            connections=[bot.connection for bot in bots],
            names=names,
            record=record,
            stalls=self.stalls,
            bots=bots,
            watcher=None if plan.watcher is None else plan.watcher(names),
            control=self.control,
            running=self.running,
        )

    async def _complete(self, hosted: HostedMatch, exits: Sequence[Exit]) -> MatchReport:
        """Complete the record, and write failure bundles."""
        with trio.CancelScope(shield=True):
            result = await hosted.complete(
                [
                    BotInfo(exit=str(how), output=bot.output())
                    for how, bot in zip(exits, hosted.bots, strict=True)
                ]
            )
            bundles: list[Path] = []
            trouble = None
            try:
                bundles = await hosted.write_bundles(
                    _failures(hosted, exits, interrupted=self.interrupted)
                )
            except OSError as error:
                trouble = f"can't write the failure bundle {error.filename}: {error.strerror}"
        return MatchReport(
            match=hosted.spec.match,
            seed=self.plan.seed,
            names=tuple(hosted.names),
            result=result,
            record=hosted.record.path,
            bundles=tuple(bundles),
            bundle_trouble=trouble,
        )


async def _end(bots: Sequence[PooledBot]) -> list[Exit]:
    """End bots, side by side, and return by seat how they ended."""
    exits: dict[int, Exit] = {}

    async def end(seat: int) -> None:
        exits[seat] = await bots[seat].end()

    async with trio.open_nursery() as nursery:
        for seat in range(len(bots)):
            nursery.start_soon(end, seat)
    return [exits[seat] for seat in sorted(exits)]


async def _send_away(bot: PooledBot) -> None:
    """Tell a bot that has come that there will be no match, and end it."""
    await bot.connection.refuse(
        RemoteProtocolError(ErrorCode.SHUTDOWN, "not all bots have come; there is no match")
    )
    await bot.end()


def _failures(hosted: HostedMatch, exits: Sequence[Exit], *, interrupted: bool) -> list[Failure]:
    """Return the seats that failed in the match, and those whose process did."""
    match = hosted.match
    in_match = {failure.seat: failure for failure in match.failures()}
    failures = []
    for seat, (bot, how) in enumerate(zip(hosted.bots, exits, strict=True)):
        failure = in_match.get(seat)
        # A dialect doesn't tell the end, and an interrupted match has none: a bot may well trip
        # over that.
        is_surprised = interrupted or isinstance(match.seats[seat].encoder, DialectEncoder)
        if failure is None and (is_surprised or not _failed(how)):
            continue
        failure = failure or match.failure(seat)
        failures.append(
            attrs.evolve(
                failure,
                reasons=(*failure.reasons, f"its process {how}"),
                command=bot.contestant.command,
                output=bot.output(),
            )
        )
    return failures


def _failed(how: Exit) -> bool:
    """Whether a process ended by a fault of its own."""
    return not how.by_arena and (how.code != 0 or how.limit is not None)


def _said(connection: Connection) -> str:
    """Return the name that a bot said."""
    assert connection.hello is not None
    return connection.hello.name


def distinct(names: Sequence[str]) -> list[str]:
    """Return the names in order, each different from those before: NAME, NAME-2, NAME-3."""
    given: list[str] = []
    for name in names:
        number, candidate = 1, name
        while candidate in given:
            number += 1
            # A hello's name has 32 characters at most; the number must fit.
            suffix = f"-{number}"
            candidate = name[: 32 - len(suffix)] + suffix
        given.append(candidate)
    return given
