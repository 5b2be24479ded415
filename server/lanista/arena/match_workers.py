"""The front's side of match workers: processes that play an arena's matches on all cores.

docs/design.md, "Matches in worker processes", describes how a match is handed to a worker
(`match_worker`) and comes back, and what becomes of it if the worker dies. Until the worker has
reported the end of the match, the front neither reads from its bots' sockets nor writes to them.
"""

import socket
from collections import deque
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import attrs
import structlog
import trio

from lanista.arena.match_player import MatchPlayer, close_all, our_fault, shutting_down
from lanista.arena.match_worker import CONVERTER, Order, Report
from lanista.arena.worker_process import Link, LinkedProcess, close_sockets, keep_running
from lanista.hosting.control import Changes
from lanista.hosting.host import MatchReport, SeatedMatch, running_match
from lanista.match.channel import BrokenChannelError, SocketChannel
from lanista.match.connection import Connection
from lanista.match.record import PART, BadRecordError, Header, ResultInfo, read_ends
from lanista.match.seat import RejoinError
from lanista.match.stalls import LoopLag
from lanista.results.recovery import complete_part
from lanista.system import undoing
from lanista_protocol import ErrorCode

WHY = "the process that played the match ended before the match did"
"""The `error` in the record of a match whose worker died."""
TRIES = 3
"""How often a match is handed over until it begins: its board may be what ends the workers."""

log = structlog.get_logger()


@attrs.define(eq=False)
class _Rejoin:
    """A bot that wants to come back to its seat, until the worker has replied whether it may."""

    seat: int
    number: int
    """The index of its new connection among those of the match."""
    former: Connection | None = None
    """The connection that it had, once that is replaced."""
    reply: Mapping[str, Any] = attrs.field(factory=dict)
    answered: trio.Event = attrs.field(factory=trio.Event)


@attrs.define(eq=False)
class _HandedMatch:
    """A match that was handed to a worker, for those who watch and control it."""

    match: SeatedMatch
    link: Link
    connections: list[Connection | None] = attrs.field(init=False)
    """The connections that the worker has: by seat, then those of bots that came back, in order;
    None for one that it has let go."""
    begun: bool = False
    """Whether something may have been sent to its bots, or read from them."""
    report: Report | None = None
    over: trio.Event = attrs.field(factory=trio.Event)
    """Set when there is a report, or will be none since the worker has died."""
    _at: list[int] = attrs.field(init=False)  # by seat: the index of its connection
    # Those to which the worker hasn't replied, in the order in which it will; a bot that wanted to
    # come back may have left.
    _rejoins: deque[_Rejoin] = attrs.field(factory=deque, init=False)

    def __attrs_post_init__(self) -> None:
        self.connections = list(self.match.connections)
        self._at = list(range(len(self.connections)))

    def end(self) -> None:
        """Take note that nothing more will be heard of the match."""
        self.over.set()
        while self._rejoins:
            self.hear({"why": "the match is over"})

    def interrupt(self, why: str = "the arena is shutting down") -> None:
        """End the match as aborted."""
        self.command("interrupt", why=why)

    def kick(self, seat: int, why: str, code: ErrorCode = ErrorCode.SHUTDOWN) -> None:
        """Remove the bot on a seat from the match, and send it an error with this code."""
        self.command("kick", seat=seat, why=why, code=code.value)

    async def rejoin(self, seat: int, connection: Connection) -> Connection | None:
        """See `Match.rejoin`."""
        channel = connection.channel
        assert isinstance(channel, SocketChannel)
        if self.over.is_set():
            raise RejoinError("the match is over")
        try:
            duplicates = channel.duplicates()
        except (OSError, BrokenChannelError) as error:
            raise RejoinError(str(error)) from None
        asked = _Rejoin(seat, len(self.connections))
        self.connections.append(connection)
        self._rejoins.append(asked)
        given = connection.give_away()
        content = {
            "kind": "rejoin",
            "match": self.match.spec.match,
            "seat": seat,
            "connection": CONVERTER.unstructure(given),
        }
        self.link.post(content, b"", duplicates)
        await asked.answered.wait()
        if asked.reply["why"] is not None:
            connection.take_back(given.session)
            raise RejoinError(asked.reply["why"])
        return None if asked.reply["was_broken"] else asked.former

    def hear(self, reply: Mapping[str, Any]) -> None:
        """Take the reply to a `rejoin`, of which more may be heard before that goes on."""
        asked = self._rejoins.popleft()
        asked.reply = reply
        if reply["why"] is not None:
            self.connections[asked.number] = None  # `rejoin` gives it back to whoever has it
        else:
            at = self._at[asked.seat]
            asked.former, self.connections[at] = self.connections[at], None
            self._at[asked.seat] = asked.number
        asked.answered.set()

    def command(self, kind: str, **arguments: Any) -> None:
        """Have the worker carry something out."""
        self.link.post({"kind": kind, "match": self.match.spec.match, **arguments})


@attrs.define(eq=False)
class _Worker:
    number: int
    linked: LinkedProcess
    matches: dict[str, _HandedMatch] = attrs.field(factory=dict)


@attrs.define(eq=False)
class MatchWorkers(MatchPlayer):
    """Plays matches in a number of processes; this loop keeps all bots' connections meanwhile."""

    count: int
    # By worker, as it last reported.
    _lags: dict[str, LoopLag] = attrs.field(factory=dict, init=False)
    _workers: list[_Worker] = attrs.field(factory=list, init=False)
    # Told when there is a worker again, or none is to be waited for any more.
    _changes: Changes = attrs.field(factory=Changes, init=False)

    @property
    def lags(self) -> Mapping[str, LoopLag]:
        """How late the heartbeats were, by loop."""
        return {**super().lags, **self._lags}

    async def run(self) -> None:
        """Run the workers, and what else the matches need, until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(super().run)
            for number in range(1, self.count + 1):
                use = partial(self._use, number)
                module = "lanista.arena.match_worker"
                nursery.start_soon(
                    partial(keep_running, use, "match worker", module, worker=number)
                )

    def interrupt(self) -> None:
        """See `MatchPlayer`."""
        super().interrupt()
        self._changes.tell()

    async def _use(self, number: int, linked: LinkedProcess) -> None:
        """Have matches played by a worker until it has ended; then its matches are over."""
        worker = _Worker(number, linked)
        died = False
        try:
            if not await linked.listen(partial(self._hear, worker)):
                for handed in worker.matches.values():
                    handed.begun = True  # it may have said so, and nobody has read it
            died = True
        finally:
            if worker in self._workers:
                self._workers.remove(worker)
            await linked.stop()  # it must be gone before its bots are told anything
            if died:
                log.error(
                    "match worker ended",
                    worker=number,
                    code=linked.process.returncode,
                    matches=list(worker.matches),
                )
            for handed in worker.matches.values():
                handed.end()

    def _hear(self, worker: _Worker, content: dict[str, Any]) -> None:
        kind = content["kind"]
        if kind == "ready":
            self._workers.append(worker)
            self._changes.tell()
        elif kind == "over":
            report = CONVERTER.structure(content["report"], Report)
            self._lags[f"worker {worker.number}"] = report.lag
            handed = worker.matches.pop(report.match, None)
            if handed is not None:
                handed.report = report
                handed.end()
        else:
            handed = worker.matches.get(content["match"])
            if handed is None:
                return  # nobody waits for it any more
            if kind == "begins":
                self._begin(handed)
            elif kind == "closed":
                connection = handed.connections[content["connection"]]
                if connection is not None:
                    connection.channel.close()
                    connection.session.close()
            elif kind == "rejoined":
                handed.hear(content)

    def _begin(self, handed: _HandedMatch) -> None:
        handed.begun = True
        self.running.begin(running_match(handed.match, handed, handed.rejoin))
        if self._interrupted:
            handed.interrupt()

    # -- matches -------------------------------------------------------------------------------

    async def play(self, match: SeatedMatch) -> MatchReport | None:
        """See `LoopPlayer`."""
        board = await self.boards.pack(match.spec)
        for _ in range(TRIES):
            worker = await self._free_worker()
            if worker is None:
                await close_all(match.connections, shutting_down())
                return None
            try:
                sockets, counts = _duplicates(match)
            except (OSError, BrokenChannelError) as cause:
                log.error("a match can't be handed over", match=match.spec.match, why=str(cause))
                break
            control, handed = match.control, _HandedMatch(match, worker.linked.link)
            worker.matches[match.spec.match] = handed
            control.on_command = handed.command
            with self._stalls.watching():
                try:
                    order = CONVERTER.unstructure(_order_of(match, counts))
                    handed.link.post({"kind": "play", "order": order}, board, sockets)
                    await handed.over.wait()
                    if handed.report is not None:
                        return self._take_back(handed, handed.report)
                    if handed.begun:
                        return await self._abort(handed)
                finally:
                    control.on_command = None
                    worker.matches.pop(match.spec.match, None)
                    if match.spec.match in self.running.matches:
                        self.running.end(match.spec.match, None)
        await close_all(match.connections, our_fault())
        return None

    async def _free_worker(self) -> _Worker | None:
        """Wait for a worker, and return the one with the fewest matches; None at shutdown."""
        while not self._workers and not self._interrupted:
            await self._changes.wait(self._changes.count)
        if self._interrupted:
            return None
        return min(self._workers, key=lambda worker: len(worker.matches))

    def _take_back(self, handed: _HandedMatch, report: Report) -> MatchReport | None:
        """Go on with the connections of a match that is over, where its worker has left them."""
        match = handed.match
        # The worker never looked at a connection that came when the match was over there: it is
        # the last one, and `_HandedMatch.rejoin` takes it back.
        for connection, session in zip(handed.connections, report.sessions, strict=False):
            if connection is not None:
                connection.take_back(session)
        match.control.steps = report.steps
        if report.result is None:
            return None
        return self._ended(
            match,
            report.started,
            report.result,
            stall=report.stall,
            bundles=report.bundles,
            figures=report.figures,
        )

    async def _abort(self, handed: _HandedMatch) -> MatchReport | None:
        """Complete the record of a match whose worker has died, and close the connections."""
        match = handed.match
        log.error("match aborted: its worker ended", match=match.spec.match)
        await close_all(handed.connections, our_fault(), match.spec.ruleset)
        try:
            ends = await trio.to_thread.run_sync(_completed, match.record)
        except (OSError, BadRecordError) as error_:
            log.error(
                "a record can't be completed",
                match=match.spec.match,
                path=str(match.record),
                why=str(error_),
            )
            return None
        if ends is None:
            return None
        header, result = ends
        return self._ended(match, header.started, result)

    def _ended(
        self, match: SeatedMatch, started: str, result: ResultInfo, **more: Any
    ) -> MatchReport:
        """Tell watchers that a match is over, and return the report on it."""
        report = MatchReport(
            spec=match.spec,
            names=tuple(match.names),
            started=started,
            result=result,
            record=match.record,
            **more,
        )
        self.running.over(match.spec.match, match.record, is_void=report.is_void)
        return report


def _duplicates(match: SeatedMatch) -> tuple[Sequence[socket.socket], tuple[int, ...]]:
    by_seat: list[Sequence[socket.socket]] = []
    with undoing(lambda: close_sockets(chain(*by_seat))):
        for connection in match.connections:
            assert isinstance(connection.channel, SocketChannel)
            by_seat.append(connection.channel.duplicates())
    return list(chain(*by_seat)), tuple(map(len, by_seat))


def _order_of(match: SeatedMatch, sockets: tuple[int, ...]) -> Order:
    spec, control = match.spec, match.control
    board = None if spec.board is None else spec.ruleset.write_board(spec.board)
    return Order(
        spec=attrs.evolve(spec, board=board),
        names=tuple(match.names),
        record=match.record.absolute(),
        paused=control.paused,
        steps=control.steps,
        connections=tuple(connection.give_away() for connection in match.connections),
        sockets=sockets,
        may_rejoin=tuple(match.may_rejoin),
    )


def _completed(record: Path) -> tuple[Header, ResultInfo] | None:
    """Complete a record whose writer has died; return its ends, if any match had begun in it."""
    complete_part(record.with_name(record.name + PART), WHY)
    return read_ends(record) if record.exists() else None
