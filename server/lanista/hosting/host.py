"""Hosting a match: playing it, keeping its watchers informed, and completing its record.

`HostedMatch` is one match between bots that are already seated, whoever has seated them.
`MatchHost` is the host of `lanista play`: it also starts the bots, and repeats void matches.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs
import trio

from lanista.bots import Exit
from lanista.errors import LanistaError
from lanista.hosting import ids
from lanista.hosting.bot_pool import BotPool, Contestant, NotStartedError, PooledBot
from lanista.hosting.control import MatchControl, RunningMatch, RunningMatches
from lanista.match.bundle import Failure, has_bundles, write_bundles
from lanista.match.conditions import MatchConditions, MatchSpec
from lanista.match.connection import Connection
from lanista.match.encoder import DialectEncoder
from lanista.match.record import BotInfo, ResultInfo
from lanista.match.record_writer import RecordWriter
from lanista.match.runner import Match, Watcher
from lanista.match.stalls import StallMonitor
from lanista.nurseries import helpers_nursery
from lanista.rules.base import Ruleset
from lanista.rules.outcome import Termination
from lanista_protocol import ErrorCode, RemoteProtocolError


@attrs.define(eq=False, kw_only=True)
class HostedMatch:
    """One match between bots that are seated.

    Call `run`, then `complete`, and in any case `close` at the end. Between `run` and `complete`
    the caller may end the bots, so that the record tells how they ended.
    """

    spec: MatchSpec
    connections: Sequence[Connection]
    """The bots' connections, by seat; their hellos have been read."""
    names: Sequence[str]
    """The bots' names, by seat; all are different."""
    record: RecordWriter
    stalls: StallMonitor
    bots: Sequence[PooledBot] = ()
    """The bots, by seat, if we have started them."""
    watcher: Watcher | None = None
    """Called before each turn; not used if there is a `control`."""
    control: MatchControl | None = None
    """Can pause the match between turns; it is then the match's watcher."""
    running: RunningMatches | None = None
    """The running matches to which this one belongs while it runs."""
    room: str | None = None
    """The room of the lobby that the bots came from."""
    numbers: Sequence[int] | None = None
    """The bots' numbers, by seat; None to use the seats as numbers."""
    may_rejoin: Collection[int] = ()
    """The seats whose bots may come back over another connection."""
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
            [bot.contestant.command for bot in bots] or None,
            (lambda seat: bots[seat].bot.why_left()) if bots else None,
            may_rejoin=self.may_rejoin,
        )
        match = self.match
        for bot in bots:
            bot.bot.place_output(lambda: match.turn)

    @property
    def is_void(self) -> bool:
        """Whether the match doesn't count, because this machine stalled."""
        outcome = self.match.outcome
        return outcome is not None and outcome.termination is Termination.VOID

    async def run(self) -> None:
        """Play the match to its end."""
        self._begin()
        await self.match.run()

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
                rejoin=self._rejoin,
            )
        )

    async def _rejoin(self, seat: int, connection: Connection) -> Connection | None:
        return self.match.rejoin(seat, connection)

    async def complete(self, bots: Sequence[BotInfo | None] = ()) -> ResultInfo:
        """Complete the record of a match that is over.

        Args:
            bots: How each bot's process ended, by seat, if we have started the bots.

        Raises:
            OSError: The record can't be written. What was played is in its `.part` file.
        """
        result = self.match.result()
        if bots:
            result = attrs.evolve(result, bots=tuple(bots))
        await self.record.finish(result)
        return result

    async def write_bundles(self, failures: Sequence[Failure]) -> list[Path]:
        """Write the failure bundles beside the record, and return their folders.

        Those of an earlier match with the same record go.

        Raises:
            OSError: A bundle can't be written.
        """
        path, seats = self.record.path, len(self.names)
        if not failures and not has_bundles(path, seats):
            return []  # most matches; a thread would cost more than to look
        return await trio.to_thread.run_sync(write_bundles, path, self.match.title, seats, failures)

    def close(self, record: Path | None = None) -> None:
        """Close the record, and tell watchers that the match is over.

        Args:
            record: The record, if watchers may see it now; None if not, or not yet.
        """
        if self.control is not None:
            self.control.is_over = _true  # break the reference cycle of match and control
        if self.running is not None:
            self.running.end(self.spec.match, record)
        self.record.close()


def _true() -> bool:
    return True


@attrs.define
class VoidRecords:
    """The records of void matches, hidden while their match is repeated.

    They are hidden because they contain the seed, with which the match is played again. On a
    ladder, all matches of a block have the same seed.
    """

    running: RunningMatches
    of_block: bool = False
    """Whether they are those of a ladder's block, of which all are hidden until it is over."""
    _hidden: dict[Path, str] = attrs.field(factory=dict, init=False)  # the match's id, by record

    def close(self, hosted: HostedMatch) -> None:
        """Close a match, and publish its record unless that has to be hidden."""
        hosted.close(self.shown(hosted.record.path, hosted.spec.match, is_void=hosted.is_void))

    def shown(self, record: Path, match: str, *, is_void: bool) -> Path | None:
        """Return the record of a match that is over, if it may be seen now; hide it if not."""
        self._hidden.pop(record, None)  # with `-o FILE`, this record has replaced a hidden one
        if is_void or self.of_block:
            self.hide(record, match)
            return None
        return record if record.exists() else None

    def hide(self, record: Path, match: str) -> None:
        """Hide a match's record until `show` is called."""
        self._hidden[record] = match
        self.running.hidden.add(match)

    def show(self) -> None:
        """Publish all hidden records."""
        for path, match in self._hidden.items():
            self.running.hidden.discard(match)
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
    """The bots to start, by seat."""
    record_path: Callable[[str], Path]
    """Returns the path of the record for the match's id."""
    board: Any = None
    """The board; None to make one from the seed."""
    conditions: MatchConditions = attrs.field(factory=MatchConditions)
    watcher: Callable[[Sequence[str]], Watcher] | None = None
    """Makes the match's watcher from the bots' names, by seat."""


@attrs.frozen(kw_only=True)
class MatchReport:
    """The result of a match that was at least begun, and the files that were written for it."""

    match: str
    """The match's id."""
    seed: int
    names: tuple[str, ...]
    """The bots' names, by seat."""
    result: ResultInfo
    record: Path
    bundles: tuple[Path, ...] = ()
    """The folders of the failure bundles of bots that failed."""
    bundle_trouble: str | None = None
    """Why a failure bundle couldn't be written; None if all could."""


class StartFailureError(LanistaError):
    """A bot couldn't be started, has exited, or hasn't said hello in time."""

    def __init__(self, message: str, output: str) -> None:
        super().__init__(message)
        self.output = output
        """The last part of what the bot wrote to stderr and stdout."""


@attrs.define(eq=False)
class MatchHost:
    """Plays the match of a plan."""

    plan: MatchPlan
    stalls: StallMonitor = attrs.field(factory=StallMonitor)
    running: RunningMatches = attrs.field(factory=RunningMatches)
    control: MatchControl | None = None
    """Can pause the match between turns; None if nobody watches it."""
    interrupted: bool = attrs.field(default=False, init=False)
    """Whether `interrupt` was called."""
    _starting: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)
    _void: VoidRecords = attrs.field(init=False)
    _match: Match | None = attrs.field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self._void = VoidRecords(self.running)

    def interrupt(self) -> None:
        """End the match as aborted, or stop starting its bots."""
        self.interrupted = True
        self._starting.cancel()
        if self._match is not None:
            self._match.interrupt()

    async def play(self) -> MatchReport | None:
        """Play the match; while it is void, repeat it a few times with newly started bots.

        Returns:
            The last match; None if the host was interrupted before the first one began.

        Raises:
            StartFailureError: A bot can't be started or doesn't say hello.
            OSError: The record can't be written.
        """
        report = None
        async with helpers_nursery() as helpers:
            helpers.start_soon(self.stalls.beat)
            try:
                for try_ in range(1, self.plan.conditions.void_tries + 1):
                    report = await self._play_once(helpers, try_)
                    if report is None or report.result.end != Termination.VOID.value:
                        break
            finally:
                self._void.show()
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
        """Start all bots at the same time; return none if the host was interrupted.

        Raises:
            StartFailureError: A bot can't be started or doesn't say hello.
        """
        plan = self.plan
        # The record is hidden because it has what the other bots log and answer, line by line as
        # it comes.
        contestants = [
            attrs.evolve(contestant, hidden=(record.path, record.part, *contestant.hidden))
            for contestant in plan.contestants
        ]
        results: dict[int, PooledBot | NotStartedError] = {}
        with trio.CancelScope() as self._starting:  # each try has its own
            if self.interrupted:
                self._starting.cancel()
            results = await pool.take_all(
                contestants, plan.ruleset, plan.conditions.time_start, all_or_none=True
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
                    f"bot {name!r} (seat {seat}) did not start: {error}", error.output
                )
        return ()

    def _hosted(
        self, bots: Sequence[PooledBot], record: RecordWriter, match: str, try_: int
    ) -> HostedMatch:
        plan = self.plan
        names = distinct([_name_in_hello(bot.connection) for bot in bots])
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
                [bot.info(str(exit_)) for exit_, bot in zip(exits, hosted.bots, strict=True)]
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
    """End all bots at the same time, and return how they ended, by seat."""
    exits: dict[int, Exit] = {}

    async def end(seat: int) -> None:
        exits[seat] = await bots[seat].end()

    async with trio.open_nursery() as nursery:
        for seat in range(len(bots)):
            nursery.start_soon(end, seat)
    return [exits[seat] for seat in sorted(exits)]


async def _send_away(bot: PooledBot) -> None:
    """Tell a bot that there will be no match, and end it."""
    await bot.connection.refuse(
        RemoteProtocolError(ErrorCode.SHUTDOWN, "not all bots have connected; there is no match")
    )
    await bot.end()


def _failures(hosted: HostedMatch, exits: Sequence[Exit], *, interrupted: bool) -> list[Failure]:
    """Return the failures of the bots that failed in the match, or whose process crashed."""
    match = hosted.match
    in_match = {failure.seat: failure for failure in match.failures()}
    failures = []
    for seat, (bot, exit_) in enumerate(zip(hosted.bots, exits, strict=True)):
        failure = in_match.get(seat)
        # In a dialect, bots aren't told that the match has ended, and an interrupted match just
        # stops. A bot that crashes because of that hasn't failed.
        is_surprised = interrupted or isinstance(match.seats[seat].encoder, DialectEncoder)
        if failure is None and (is_surprised or not exit_.is_crash):
            continue
        failure = failure or match.failure(seat)
        failures.append(
            attrs.evolve(
                failure,
                reasons=(*failure.reasons, f"its process {exit_}"),
                command=bot.contestant.command,
                output=bot.output(),
            )
        )
    return failures


def _name_in_hello(connection: Connection) -> str:
    assert connection.hello is not None
    return connection.hello.name


def distinct(names: Sequence[str]) -> list[str]:
    """Make names different from each other by appending numbers: NAME, NAME-2, NAME-3."""
    given: list[str] = []
    for name in names:
        number, candidate = 1, name
        while candidate in given:
            number += 1
            # The name in a hello has at most 32 characters, and so has the result.
            suffix = f"-{number}"
            candidate = name[: 32 - len(suffix)] + suffix
        given.append(candidate)
    return given
