"""Hosting a match: `play_match` makes of bots that can be seated a match and its results.

    seats(spec) ─▶ SeatedMatch ─▶ play(seated) ─▶ MatchReport, and again while the match is void

What differs between those who call it is in its arguments. `seats` brings the bots to their seats:
it starts them, or has their connections. `play` plays the match in this event loop (`host_match`)
or has another process do so.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from pathlib import Path

import attrs
import trio

from lanista.bots.last_words import last_words
from lanista.bots.process import Exit
from lanista.games.outcome import FAILURES, Ending, Termination
from lanista.hosting.bot_pool import BotPool, PooledBot, limit_breakers
from lanista.hosting.control import Interruptible, MatchControl, RunningMatch, RunningMatches
from lanista.hosting.names import why_silent
from lanista.match import turn_lines
from lanista.match.bundle import Failure, has_bundles, write_bundles
from lanista.match.conditions import MatchSpec, match_id
from lanista.match.connection import Connection
from lanista.match.encoder import DialectEncoder
from lanista.match.figures import MatchFigures
from lanista.match.record import PART, BotInfo, ResultInfo
from lanista.match.record_writer import RecordWriter
from lanista.match.runner import Match
from lanista.match.stalls import StallMonitor

KEPT = "is kept for the next match"
"""The text in a record about a bot whose process didn't end with the match."""


@attrs.frozen(kw_only=True)
class SeatedMatch:
    """A match whose bots are seated, so that it can begin."""

    spec: MatchSpec
    connections: Sequence[Connection]
    """The bots' connections, by seat; their hellos have been read. Nobody else reads from them or
    writes to them."""
    names: Sequence[str]
    """The bots' names, by seat; all are different."""
    record: Path
    writer: RecordWriter | None = None
    """The record's writer, if that has been opened already."""
    writes_bundles: bool = True
    """Whether failure bundles are written beside the record."""
    bots: Sequence[PooledBot] = ()
    """The bots, by seat, if the host of the match is to end or to keep them."""
    pool: BotPool | None = None
    """The pool that they came from."""
    numbers: Sequence[int] = attrs.field(
        default=attrs.Factory(lambda self: range(len(self.names)), takes_self=True)
    )
    """The numbers of the bots' connections, by seat; without, the numbers of the seats."""
    room: str | None = None
    """The room of the lobby that the bots came from."""
    control: MatchControl = attrs.field(factory=MatchControl)
    """Can pause the match between turns."""
    may_rejoin: Collection[int] = ()
    """The seats whose bots may come back over another connection (see `Match.may_rejoin`)."""


@attrs.frozen(kw_only=True)
class MatchReport:
    """The result of a match that was at least begun, and the files that were written for it."""

    spec: MatchSpec
    names: tuple[str, ...]
    started: str
    """When it began, as in its record."""
    result: ResultInfo
    record: Path
    content: bytes | None = None
    """The content of the record, if its writer held it in memory and has written no file."""
    seconds: float = 0.0
    """Duration from the beginning to the end; 0 if another process played it."""
    stall: float = 0.0
    """Duration of the longest stall of its event loop meanwhile, in seconds."""
    exits: Sequence[Exit | None] = ()
    """How the bots' processes ended, by seat: None for one that is kept; empty if the host had none
    to end."""
    bundles: Mapping[int, Path] = attrs.field(factory=dict)
    """The folder of the failure bundle of each bot that failed, by seat."""
    bundle_error: OSError | None = None
    figures: MatchFigures = attrs.field(factory=MatchFigures)

    @property
    def is_void(self) -> bool:
        """Whether the match doesn't count, because its host stalled."""
        return self.result.end == Termination.VOID.value

    def how_ended(self, seat: int) -> str:
        """Return how a bot's process ended, with the reason in its output if it crashed."""
        exit_, info = self.exits[seat], self.result.bots[seat]
        ended = f"its process {exit_}"
        if info is not None and exit_ is not None and exit_.is_crash and exit_.limit is None:
            words = last_words(info.output)
            return f"{ended}: {words}" if words else ended
        return ended


async def play_match(
    spec: MatchSpec,
    seats: Callable[[MatchSpec], Awaitable[SeatedMatch | None]],
    play: Callable[[SeatedMatch], Awaitable[MatchReport | None]],
    *,
    running: RunningMatches | None = None,
    may_repeat: Callable[[], bool] = lambda: True,
) -> Sequence[MatchReport]:
    """Play a match; while it is void, repeat it as often as its spec says.

    Each try gets an id and a number of its own. `seats` returns None if not all bots come, `play`
    if the match could not begin or has left no result. If it is among `running` matches, the
    records of void tries are hidden there until all tries are over. Returns the reports of those
    that were played, in order.
    """
    reports: list[MatchReport] = []
    tried: list[str] = []
    try:
        for repetition in range(spec.void_tries):
            if reports and not may_repeat():
                break
            of_try = attrs.evolve(spec, match=match_id(), attempt=spec.attempt + repetition)
            tried.append(of_try.match)
            seated = await seats(of_try)
            report = None if seated is None else await play(seated)
            if report is None:
                break
            reports.append(report)
            if not report.is_void:
                break
    finally:
        if running is not None:
            for match in tried:
                running.show(match)
    return reports


async def host_match(
    seated: SeatedMatch,
    *,
    running: RunningMatches,
    stalls: StallMonitor,
    on_begin: Callable[[Match], Awaitable[None]] | None = None,
    on_over: Callable[[Match], None] | None = None,
    on_unwritten: Callable[[OSError], None] | None = None,
) -> MatchReport:
    """Play a seated match in this event loop, once; then end or keep its bots.

    At the end its connections are either closed, or ready for the next match.

    Args:
        seated: The match.
        running: The running matches, where the record is hidden if the match ends void.
        stalls: The stall monitor of this event loop.
        on_begin: Called before anything is sent to a bot or read from it; it may set the match's
            watcher or a prepared board, or interrupt it.
        on_over: Called when the match is over and the bots that are kept are in the pool again,
            but its record isn't complete.
        on_unwritten: Called if the record can't be completed, with what was played in its `.part`
            file; None to raise the OSError.
    """
    bots = seated.bots
    infos: list[BotInfo | None] = [None] * len(bots)
    try:
        record = seated.writer or RecordWriter(seated.record)
        match = _match_of(seated, record, stalls)
        try:
            if on_begin is not None:
                await on_begin(match)

            async def rejoin(seat: int, connection: Connection) -> Connection | None:
                return match.rejoin(seat, connection)

            running.begin(running_match(seated, match, rejoin))
            began = trio.current_time()
            await match.run()
            ended = trio.current_time()
            await _keep_bots(seated, match, infos)
            if on_over is not None:
                on_over(match)
            stall = stalls.worst(began, ended)
            exits = await _end_bots(bots, infos)
            report = MatchReport(
                spec=seated.spec,
                names=tuple(seated.names),
                started=match.started,
                result=_with_bots(match.result(), infos, exits),
                record=record.path,
                seconds=ended - began,
                stall=stall,
                exits=exits,
                figures=match.figures,
            )
            return await _complete(seated, match, report, on_unwritten)
        finally:
            # Break the reference cycle of match and control.
            seated.control.is_over = lambda: True
            is_void = match.outcome is not None and match.outcome.termination is Termination.VOID
            running.over(seated.spec.match, record.path, is_void=is_void)
            record.close()
    finally:
        for bot, info in zip(bots, infos, strict=True):
            if info is None:
                bot.leave.set()


def _match_of(seated: SeatedMatch, record: RecordWriter, stalls: StallMonitor) -> Match:
    bots = seated.bots
    match = Match(
        seated.spec,
        seated.connections,
        seated.names,
        record,
        stalls,
        seated.control.watch,
        [bot.contestant.command for bot in bots] or None,
        (lambda seat: bots[seat].bot.why_left()) if bots else None,
        (lambda began: limit_breakers(bots, began)) if bots else None,
        may_rejoin=seated.may_rejoin,
        silence_hints=[why_silent(bot.contestant.command) for bot in bots],
    )
    seated.control.is_over = lambda: match.outcome is not None
    for bot in bots:
        bot.bot.place_output(lambda: match.turn)
    return match


def running_match(
    seated: SeatedMatch,
    playing: Interruptible,
    rejoin: Callable[[int, Connection], Awaitable[Connection | None]],
) -> RunningMatch:
    """Return what is shown and controlled of a match that begins now."""
    return RunningMatch(
        match=seated.spec.match,
        ruleset=seated.spec.ruleset,
        room=seated.room,
        bots=list(zip(seated.numbers, seated.names, strict=True)),
        started=turn_lines.now(),
        part=seated.record.with_name(seated.record.name + PART),
        control=seated.control,
        playing=playing,
        rejoin=rejoin,
    )


async def _keep_bots(seated: SeatedMatch, match: Match, infos: list[BotInfo | None]) -> None:
    """Give the bots that can play again back to their pool; note what the record says of them."""
    assert match.outcome is not None
    if match.outcome.termination in {Termination.VOID, Termination.ABORTED}:
        return
    for seat, bot in enumerate(seated.bots):
        if seated.pool is None or match.ending(seat)[0] in FAILURES:
            continue
        if bot.may_play_again:
            infos[seat] = bot.info(KEPT)
            await seated.pool.give_back(bot)


async def _end_bots(
    bots: Sequence[PooledBot], infos: list[BotInfo | None]
) -> Sequence[Exit | None]:
    """End the bots that aren't kept, all at the same time, and return how they ended, by seat.

    What the record says of a bot is noted in `infos`; it is there already for those that are kept.
    """
    exits: list[Exit | None] = [None] * len(bots)

    async def end(seat: int) -> None:
        exits[seat] = exit_ = await bots[seat].end()
        infos[seat] = bots[seat].info(str(exit_))

    if None in infos:
        async with trio.open_nursery() as nursery:
            for seat, info in enumerate(infos):
                if info is None:
                    nursery.start_soon(end, seat)
    return exits


def _with_bots(
    result: ResultInfo, infos: Sequence[BotInfo | None], exits: Sequence[Exit | None]
) -> ResultInfo:
    """Return a result with what is known once the bots have ended, or are kept, by seat."""
    crashed = {seat for seat, exit_ in enumerate(exits) if exit_ is not None and exit_.is_crash}
    endings = (
        Ending.CRASH.value if seat in crashed and ending == Ending.DISCONNECT.value else ending
        for seat, ending in enumerate(result.endings)
    )
    return attrs.evolve(result, bots=tuple(infos), endings=tuple(endings))


async def _complete(
    seated: SeatedMatch,
    match: Match,
    report: MatchReport,
    on_unwritten: Callable[[OSError], None] | None,
) -> MatchReport:
    """Complete the record of a match that is over, and write its failure bundles."""
    try:
        await match.record.finish(report.result)
    except OSError as error:
        if on_unwritten is None:
            raise
        on_unwritten(error)
        return report
    report = attrs.evolve(report, content=match.record.content)
    if not seated.writes_bundles:
        return report
    path, seats = report.record, len(seated.names)
    failures = _failures(seated.bots, match, report)
    if not failures and not has_bundles(path, seats):
        return report  # most matches; a thread would cost more than to look
    try:
        with trio.CancelScope(shield=True):
            bundles = await trio.to_thread.run_sync(
                write_bundles, path, match.title, seats, failures
            )
    except OSError as error:
        return attrs.evolve(report, bundle_error=error)
    seats_out = [failure.seat for failure in failures]
    return attrs.evolve(report, bundles=dict(zip(seats_out, bundles, strict=True)))


def _failures(bots: Sequence[PooledBot], match: Match, report: MatchReport) -> Sequence[Failure]:
    """Return the failures of the bots that failed in the match, or whose process crashed."""
    in_match = [match.failure(seat.index) for seat in match.seats]
    if not bots:
        return [failure for failure in in_match if failure.reasons]
    assert match.outcome is not None
    failures = []
    each = zip(in_match, bots, report.exits, report.result.bots, strict=True)
    for failure, bot, exit_, info in each:
        # In a dialect, bots aren't told that the match has ended, and an aborted match just stops,
        # whether by an interrupt or by an error of the rules. A bot that crashes because of that
        # hasn't failed.
        is_surprised = match.outcome.termination is Termination.ABORTED or isinstance(
            match.seats[failure.seat].encoder, DialectEncoder
        )
        if not failure.reasons and (is_surprised or exit_ is None or not exit_.is_crash):
            continue
        ended = report.how_ended(failure.seat)
        is_said = any(ended in reason for reason in failure.reasons)
        failures.append(
            attrs.evolve(
                failure,
                reasons=failure.reasons if is_said else (*failure.reasons, ended),
                command=bot.contestant.command,
                output=None if info is None else info.output,
            )
        )
    return failures


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
