"""Playing an arena's matches: the interface for that, and the player that uses this event loop.

The other implementation of the interface is `match_workers`, which hands matches over to processes
of their own. Those play them by the functions of this module as well.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import attrs
import structlog
import trio

from lanista.arena.processes.board_maker import BoardMaker
from lanista.hosting.control import MatchControl, RunningMatches
from lanista.hosting.host import HostedMatch, VoidRecords
from lanista.match.boards import PreparedBoard
from lanista.match.conditions import MatchSpec
from lanista.match.connection import Connection
from lanista.match.figures import MatchFigures
from lanista.match.record import ResultInfo
from lanista.match.record_writer import RecordWriter
from lanista.match.stalls import LoopLag, StallMonitor
from lanista.rules.outcome import Termination
from lanista_protocol import ErrorCode, RemoteProtocolError

FRONT = "front"
"""The name of the event loop that has the connections; without workers it plays the matches too."""

log = structlog.get_logger()


@attrs.frozen(kw_only=True)
class SeatedMatch:
    """A match whose bots are seated, so that it can begin."""

    spec: MatchSpec
    connections: Sequence[Connection]
    """The bots' connections, by seat. Nobody else reads from them or writes to them."""
    names: Sequence[str]
    """The bots' names, by seat."""
    numbers: Sequence[int]
    """The numbers of the bots' connections, by seat."""
    room: str | None
    """The room of the lobby that the bots came from."""
    record: Path
    """Where to write the record."""
    control: MatchControl
    may_rejoin: Collection[int] = ()
    """The seats whose bots may come back over another connection (see `Match.may_rejoin`)."""


@attrs.frozen(kw_only=True)
class PlayedMatch:
    """A match that is over."""

    result: ResultInfo
    stall: float = 0.0
    """Seconds of the longest stall of its event loop while it was played."""
    bundles: Sequence[Path] = ()
    """The folders of its failure bundles."""
    figures: MatchFigures = attrs.field(factory=MatchFigures)
    """What was counted in its turns."""

    @property
    def termination(self) -> Termination:
        """How it ended."""
        return Termination(self.result.end)


class MatchPlayer(Protocol):
    """Plays an arena's matches, and keeps `RunningMatches` up to date; `run` it beside them."""

    @property
    def lags(self) -> Mapping[str, LoopLag]:
        """How late the heartbeats of each event loop were, by the loop's name."""
        ...

    @property
    def boards_waiting(self) -> int:
        """Number of matches that wait until their board can be made."""
        ...

    async def run(self) -> None:
        """Run what the matches need, until cancelled; nobody may be playing then."""
        ...

    async def play(self, match: SeatedMatch, void: VoidRecords) -> PlayedMatch | None:
        """Play a match to its end.

        Args:
            match: The match. At the end its connections are either closed, or ready for the next.
            void: Where to hide its record if it ends void.

        Returns:
            None if the match could not begin or has left no result; its bots were told so, and
            their connections are closed.
        """
        ...

    def interrupt(self) -> None:
        """Abort all matches, those that would begin from now on too; the arena shuts down."""
        ...


@attrs.define(eq=False)
class LoopPlayer:
    """Plays matches in this event loop."""

    running: RunningMatches
    _stalls: StallMonitor = attrs.field(factory=StallMonitor, init=False)
    _boards: BoardMaker = attrs.field(factory=BoardMaker, init=False)
    _interrupted: bool = attrs.field(default=False, init=False)

    @property
    def lags(self) -> Mapping[str, LoopLag]:
        """See `MatchPlayer`."""
        return {FRONT: self._stalls.lag}

    @property
    def boards_waiting(self) -> int:
        """See `MatchPlayer`."""
        return self._boards.waiting

    async def run(self) -> None:
        """See `MatchPlayer`."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._stalls.beat)
            nursery.start_soon(self._boards.run)

    async def play(self, match: SeatedMatch, void: VoidRecords) -> PlayedMatch | None:
        """See `MatchPlayer`."""
        prepared = await self._boards.prepare(match.spec)
        hosted = await host(match, self._stalls, prepared, self.running)
        if hosted is None:
            return None
        if self._interrupted:
            hosted.match.interrupt()
        try:
            return await play_hosted(hosted)
        finally:
            void.close(hosted)

    def interrupt(self) -> None:
        """See `MatchPlayer`."""
        self._interrupted = True
        for running in self.running.matches.values():
            running.playing.interrupt()


async def host(
    match: SeatedMatch,
    stalls: StallMonitor,
    prepared: PreparedBoard | None,
    running: RunningMatches | None = None,
) -> HostedMatch | None:
    """Open a match's record and return the match, ready to be played.

    Args:
        match: The match.
        stalls: The stall monitor of this event loop.
        prepared: The board; None if the match is to make it.
        running: The running matches among which it is to be while it is played.

    Returns:
        None if the record can't be opened; the bots were told, and their connections are closed.
    """
    try:
        record = RecordWriter(match.record)
    except OSError as error:
        log.error(  # noqa: TRY400 - a trace would add nothing
            "no record can be written",
            match=match.spec.match,
            path=str(match.record),
            why=error.strerror,
        )
        await close_all(
            match.connections,
            RemoteProtocolError(ErrorCode.INTERNAL, "the arena can't write the match's record"),
        )
        return None
    hosted = HostedMatch(
        spec=match.spec,
        connections=match.connections,
        names=match.names,
        record=record,
        stalls=stalls,
        control=match.control,
        running=running,
        room=match.room,
        numbers=match.numbers,
        may_rejoin=match.may_rejoin,
    )
    hosted.match.prepared = prepared
    return hosted


def our_fault() -> RemoteProtocolError:
    """Return the error for a bot that has to go because the arena failed."""
    return RemoteProtocolError(ErrorCode.INTERNAL, "the arena failed; this is no fault of the bot")


async def close_all(connections: Sequence[Connection], error: RemoteProtocolError) -> None:
    """Send bots the reason why there is no match, all at the same time, and close."""
    async with trio.open_nursery() as nursery:
        for connection in connections:
            if not connection.closed:
                nursery.start_soon(connection.refuse, error)


async def play_hosted(hosted: HostedMatch) -> PlayedMatch:
    """Play a match, and complete its record; the caller closes it."""
    spec, match, path = hosted.spec, hosted.match, hosted.record.path
    log.info(
        "match begins",
        match=spec.match,
        game=spec.ruleset.name,
        players=list(hosted.names),
        attempt=spec.try_,
    )
    began = trio.current_time()
    await hosted.run()
    stall = hosted.stalls.worst(began, trio.current_time())
    result = match.result()
    bundles: Sequence[Path] = ()
    try:
        result = await hosted.complete()
    except trio.Cancelled:
        # Everything is in the `.part` file; the next arena with this folder completes it.
        log.warning("no time to compress a record", match=spec.match, path=str(hosted.record.part))
        raise
    except OSError as error:
        log.error(  # noqa: TRY400 - a trace would add nothing
            "the record isn't whole", match=spec.match, path=str(path), why=error.strerror
        )
    else:
        bundles = await _write_bundles(hosted)
    log.info(
        "match ends",
        match=spec.match,
        end=result.end,
        reason=result.reason,
        ranks=list(result.ranks),
        scores=list(result.scores),
        turns=result.turns,
        stall=round(stall, 3),
        faults=[f"seat {fault.seat}: {fault.words}" for fault in result.faults[:4]],
        record=str(path),
    )
    if match.error is not None:
        log.error("match aborted by an error", match=spec.match, trace=match.error)
    return PlayedMatch(result=result, stall=stall, bundles=bundles, figures=match.figures)


async def _write_bundles(hosted: HostedMatch) -> Sequence[Path]:
    """Write the failure bundles of a match; a failure to do so is only logged."""
    failures = hosted.match.failures()
    try:
        with trio.CancelScope(shield=True):
            bundles = await hosted.write_bundles(failures)
    except OSError as error:
        log.error(  # noqa: TRY400 - a trace would add nothing
            "no failure bundle can be written",
            match=hosted.spec.match,
            path=str(error.filename),
            why=error.strerror,
        )
        return ()
    for bundle, failure in zip(bundles, failures, strict=True):
        match = hosted.spec.match
        log.info("failure bundle", match=match, name=failure.name, path=str(bundle))
    return bundles
