"""Playing an arena's matches in this event loop, and making their boards beside it.

`match_workers` has the other player, which hands matches over to processes of their own; those play
them by the functions of this module as well.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import attrs
import trio

from lanista.arena.worker_process import log
from lanista.games.base import Ruleset
from lanista.helper_processes import HelperDiedError, HelperProcess
from lanista.hosting.control import RunningMatches
from lanista.hosting.host import MatchReport, SeatedMatch, host_match
from lanista.match.conditions import (
    MatchSpec,
    UnusableBoardError,
    pack_board,
    unpack_board,
)
from lanista.match.connection import Connection
from lanista.match.encoder import dialect_of
from lanista.match.record import ENDING
from lanista.match.runner import Match
from lanista.match.stalls import LoopLag, StallMonitor
from lanista.results.data_folder import DataFolder
from lanista_protocol import ErrorCode, RemoteProtocolError

FRONT = "front"
"""The name of the event loop that has the connections; without workers it plays the matches too."""

MAKING_TIME = 3.0
"""Seconds until a helper that doesn't answer is killed: fewer than an arena has to shut down."""


@attrs.define(eq=False)
class BoardMaker:
    """Makes the boards of matches, one after another, in a helper process; `run` it beside them.

    Making a board from a seed may take tens of milliseconds. In the arena's event loop that would
    be a stall for all running matches (`match.stalls`), and matches often begin together. Whatever
    goes wrong with the helper, a match begins: then `Match` makes the board itself.
    """

    is_ending: bool = attrs.field(default=False, init=False)
    """Whether the arena is being ended, so that no match needs its board any more."""
    # Matches take turns here, so that a pass of the loop begins at most one of them.
    _turn: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    # Matches wait for it, so it isn't of low priority.
    _helper: HelperProcess = attrs.field(factory=lambda: HelperProcess(niceness=0), init=False)

    @property
    def waiting(self) -> int:
        """Number of matches that wait until their board can be made."""
        return self._turn.statistics().tasks_waiting

    async def run(self) -> None:
        """Wait until cancelled, and then end the helper; nobody may wait for a board any more."""
        await self._helper.run()

    async def pack(self, spec: MatchSpec) -> bytes:
        """Wait for this match's turn, and make its board, to be unpacked by `unpack_board`.

        It is empty if `Match` is to make it: because the board is given, or can't be made here.
        """
        async with self._turn:
            await trio.lowlevel.checkpoint()
            if spec.board is not None:
                return b""
            ruleset, settings = spec.ruleset, dict(spec.settings)
            try:
                with trio.fail_after(MAKING_TIME):
                    return await self._helper.call(pack_board, ruleset.name, settings, spec.seed)
            except (HelperDiedError, OSError, trio.TooSlowError) as error:
                if not self.is_ending:
                    why = str(error) or "no answer"
                    log.error("the board worker failed", why=why, match=spec.match)
                return b""


@attrs.define(eq=False)
class MatchPlayer:
    """Plays an arena's matches; what both ways to do so have in common."""

    running: RunningMatches
    _stalls: StallMonitor = attrs.field(factory=StallMonitor, init=False)
    boards: BoardMaker = attrs.field(factory=BoardMaker, init=False)
    _interrupted: bool = attrs.field(default=False, init=False)

    def interrupt(self) -> None:
        """Abort all matches, those that would begin from now on too; the arena shuts down."""
        self._interrupted = self.boards.is_ending = True
        for running in self.running.matches.values():
            running.playing.interrupt()

    @property
    def lags(self) -> Mapping[str, LoopLag]:
        """How late the heartbeats of each event loop that plays matches were, by its name."""
        return {FRONT: self._stalls.lag}

    async def run(self) -> None:
        """Run what the matches need, until cancelled; nobody may be playing then."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._stalls.beat)
            nursery.start_soon(self.boards.run)


class LoopPlayer(MatchPlayer):
    """Plays matches in this event loop."""

    async def play(self, match: SeatedMatch) -> MatchReport | None:
        """Play a match to its end; then its connections are closed, or ready for the next.

        Its record is hidden if it ends void. Returns None if the match could not begin or has left
        no result; its bots were told so, and their connections are closed.
        """
        board = await self.boards.pack(match.spec)

        async def begin(playing: Match) -> None:
            if self._interrupted:
                playing.interrupt()

        return await play_here(match, self.running, self._stalls, board, begin)


async def play_here(
    seated: SeatedMatch,
    running: RunningMatches,
    stalls: StallMonitor,
    board: bytes,
    on_begin: Callable[[Match], Awaitable[None]],
) -> MatchReport | None:
    """Play an arena's match in this event loop (`host_match`), and log what comes of it.

    The match makes its `board` itself if that is empty or can't be unpacked. Returns None if the
    record can't be opened; the bots were told, and their connections are closed.
    """
    id_ = seated.spec.match

    async def begin(begun: Match) -> None:
        if board:
            try:
                begun.prepared = unpack_board(board)
            except UnusableBoardError as error:
                log.error("a board can't be used", why=str(error), match=id_)
        await on_begin(begun)
        log.info(
            "match begins",
            match=id_,
            game=seated.spec.ruleset.name,
            players=list(seated.names),
            attempt=seated.spec.attempt,
        )

    def unwritten(error: OSError) -> None:
        log.error(
            "the record is incomplete", match=id_, path=str(seated.record), why=error.strerror
        )

    try:
        report = await host_match(
            seated, running=running, stalls=stalls, on_begin=begin, on_unwritten=unwritten
        )
    except OSError as error:
        log.error(
            "no record can be written", match=id_, path=str(seated.record), why=error.strerror
        )
        why = "the arena can't write the match's record"
        await close_all(seated.connections, RemoteProtocolError(ErrorCode.INTERNAL, why))
        return None
    _log_end(report)
    return report


def _log_end(report: MatchReport) -> None:
    id_, result, error = report.spec.match, report.result, report.bundle_error
    if error is not None:
        log.error(
            "no failure bundle can be written",
            match=id_,
            path=str(error.filename),
            why=error.strerror,
        )
    for seat, bundle in report.bundles.items():
        log.info("failure bundle", match=id_, name=report.names[seat], path=str(bundle))
    log.info(
        "match ends",
        match=id_,
        end=result.end,
        reason=result.reason,
        ranks=list(result.ranks),
        scores=list(result.scores),
        turns=result.turns,
        stall=round(report.stall, 3),
        faults=[f"seat {fault.seat}: {fault.words}" for fault in result.faults[:4]],
        record=str(report.record),
    )
    if result.error is not None:
        log.error("match aborted by an error", match=id_, trace=result.error)


def record_path(data: DataFolder, match: str) -> Path:
    """Return where the record of a match is kept that is played today."""
    return data.records_today / f"{match}{ENDING}"


def our_fault() -> RemoteProtocolError:
    """Return the error for a bot that has to go because the arena failed."""
    return RemoteProtocolError(ErrorCode.INTERNAL, "the arena failed; this isn't the bot's fault")


def shutting_down() -> RemoteProtocolError:
    """Return the error for a bot that has to go because the arena ends."""
    return RemoteProtocolError(ErrorCode.SHUTDOWN, "the arena is shutting down")


async def close_all(
    connections: Sequence[Connection | None],
    error: RemoteProtocolError,
    begun: Ruleset | None = None,
) -> None:
    """Send bots the reason why there is no match, or no more of it, all at once, and close.

    `begun` is the ruleset of a match that may have begun: then its classic dialect has no errors
    (PROTOCOL.md 7).
    """
    async with trio.open_nursery() as nursery:
        for connection in connections:
            if connection is None or connection.closed:
                continue
            if begun is None or dialect_of(connection.greeting, begun) is None:
                nursery.start_soon(connection.refuse, error)
            else:
                nursery.start_soon(connection.close)
