"""A match worker: a process that plays matches of an arena in an event loop of its own.

The front (`match_workers`) sends an `Order` for each match, and afterwards commands for it. It is
told three things: that the match begins (before anything is sent to a bot or read from it), which
connections were closed meanwhile, and the `Report` at the end, after the worker's sockets were.
"""

import socket
import traceback
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

import attrs
import trio
from cattrs.preconf.json import make_converter

from lanista.arena.match_player import close_all, our_fault, play_here
from lanista.arena.worker_process import (
    BrokenLinkError,
    Link,
    Message,
    close_sockets,
    end_of_link,
    forward_log,
    log,
)
from lanista.games import registry
from lanista.games.base import Ruleset
from lanista.hosting.control import MatchControl, RunningMatches
from lanista.hosting.host import MatchReport, SeatedMatch
from lanista.match.background import BackgroundWork
from lanista.match.channel import SocketChannel
from lanista.match.conditions import MatchSpec
from lanista.match.connection import Connection, ConnectionState
from lanista.match.figures import MatchFigures
from lanista.match.record import ResultInfo
from lanista.match.runner import RULES_RAISE, Match
from lanista.match.seat import RejoinError
from lanista.match.stalls import LoopLag, StallMonitor
from lanista.nurseries import helpers_nursery
from lanista.system import favour_event_loop, return_large_blocks, search_new_objects
from lanista_protocol import ErrorCode, SessionState

CONVERTER = make_converter()
"""Makes JSON values of orders and reports, and these of JSON values."""
# A bot's unread bytes may be 64 KiB, for which cattrs' own base 85 would take 20 ms.
CONVERTER.register_unstructure_hook(bytes, lambda data: b64encode(data).decode())
CONVERTER.register_structure_hook(bytes, lambda text, _: b64decode(text))
CONVERTER.register_unstructure_hook_func(lambda kind: kind is Ruleset, lambda ruleset: ruleset.name)
CONVERTER.register_structure_hook_func(
    lambda kind: kind is Ruleset, lambda name, _: registry.get(name)
)


@attrs.frozen(kw_only=True)
class Order:
    """A match to play. Its board, if the front has one that is ready, goes with it as bytes."""

    spec: MatchSpec
    """Its description; a given board is written as text."""
    names: tuple[str, ...]
    record: Path
    paused: bool
    steps: int
    connections: tuple[ConnectionState, ...]
    """The state of each connection, by seat; the sockets come in the same order."""
    sockets: tuple[int, ...]
    """By seat, how many sockets its connection has: see `SocketChannel.duplicates`."""
    may_rejoin: tuple[int, ...] = ()
    """The seats whose bots may come back over another connection."""


@attrs.frozen(kw_only=True)
class Report:
    """The report of a worker about a match that is over."""

    match: str
    started: str
    result: ResultInfo | None
    stall: float
    bundles: dict[int, Path]
    steps: int
    """The steps that its control had left."""
    sessions: tuple[SessionState, ...]
    """The state of each connection: by seat, then those of bots that came back, in order."""
    figures: MatchFigures
    lag: LoopLag


class HandedChannel(SocketChannel):
    """A channel whose socket the front has as well, so that it has to be told of the end."""

    on_close: Callable[[], object] | None = None

    def close(self) -> None:
        """See `Channel`."""
        super().close()
        on_close, self.on_close = self.on_close, None
        if on_close is not None:
            on_close()


@attrs.define(eq=False)
class _Match:
    """A match from its order to its report."""

    order: Order
    connections: list[Connection]
    """By seat, then those of bots that came back, in order."""
    control: MatchControl
    playing: Match = attrs.field(init=False)
    """Set before the front hears that it begins, after which it may send commands for it."""


@attrs.define(eq=False)
class MatchWorker:
    """Carries out what the front sends over a link."""

    link: Link
    _stalls: StallMonitor = attrs.field(factory=StallMonitor, init=False)
    _background: BackgroundWork = attrs.field(factory=BackgroundWork, init=False)
    _matches: dict[str, _Match] = attrs.field(factory=dict, init=False)

    async def run(self) -> None:
        """Play matches until the link ends; those that run then are broken off."""
        async with helpers_nursery() as helpers:
            helpers.start_soon(self._stalls.beat)
            helpers.start_soon(self.link.write)
            self.link.post({"kind": "ready"})
            async with trio.open_nursery() as matches:
                try:
                    while (message := await self.link.receive()) is not None:
                        self._carry_out(message, matches)
                except BrokenLinkError as error:
                    log.error("a worker's link is broken", why=str(error))
                matches.cancel_scope.cancel()

    def _carry_out(self, message: Message, nursery: trio.Nursery) -> None:
        content = message.content
        if content["kind"] == "play":
            match = self._take_up(message)
            self._matches[match.order.spec.match] = match
            nursery.start_soon(self._play, match, message.data)
            return
        if content["match"] not in self._matches:  # it is over, which the front doesn't know yet
            close_sockets(message.sockets)
            return
        match, kind = self._matches[content["match"]], content["kind"]
        if kind in {"pause", "resume", "step"}:
            getattr(match.control, kind)()
        elif kind == "kick":
            match.playing.kick(content["seat"], content["why"], ErrorCode(content["code"]))
        elif kind == "interrupt":
            match.playing.interrupt(content["why"])
        elif kind == "rejoin":
            self._rejoin(match, message)

    def _rejoin(self, match: _Match, message: Message) -> None:
        """Let a seat's bot go on over the connection that came with a message, and reply."""
        content, about = message.content, match.order.spec.match
        if not message.sockets:
            raise BrokenLinkError(f"no socket for a bot of match {about}")
        given = CONVERTER.structure(content["connection"], ConnectionState)
        connection = self._connection(message.sockets, given, about, len(match.connections))
        match.connections.append(connection)
        reply: dict[str, Any] = {"kind": "rejoined", "match": about}
        try:
            replaced = match.playing.rejoin(content["seat"], connection)
        except RejoinError as error:
            _let_go(connection)
            self.link.post({**reply, "why": str(error)})
            return
        if replaced is not None:
            _let_go(replaced)
        self.link.post({**reply, "why": None, "was_broken": replaced is None})

    def _take_up(self, message: Message) -> _Match:
        order = CONVERTER.structure(message.content["order"], Order)
        if sum(order.sockets) != len(message.sockets):  # this process has no more descriptors
            raise BrokenLinkError(f"{len(message.sockets)} sockets for match {order.spec.match}")
        control = MatchControl(paused=order.paused, steps=order.steps)
        connections = []
        left = iter(message.sockets)
        for seat, (count, given) in enumerate(zip(order.sockets, order.connections, strict=True)):
            sockets = list(islice(left, count))
            connections.append(self._connection(sockets, given, order.spec.match, seat))
        return _Match(order, connections, control)

    def _connection(
        self, sockets: Sequence[socket.socket], given: ConnectionState, match: str, number: int
    ) -> Connection:
        """Return a connection that the front has given away, which it is told when it is closed."""
        channel = HandedChannel.of_duplicates(sockets)
        closed = {"kind": "closed", "match": match, "connection": number}
        channel.on_close = partial(self.link.post, closed)
        return Connection.take_up(channel, given, self._background)

    async def _play(self, match: _Match, board: bytes) -> None:
        """Play a match and report it, whatever happens; close what it was handed."""
        played: MatchReport | None = None
        try:
            try:
                played = await self._play_to_its_end(match, board)
            except RULES_RAISE:  # a fault of ours or of a game must not reach another match
                log.error(
                    "match ended by an error",
                    match=match.order.spec.match,
                    trace=traceback.format_exc(),
                )
                await close_all(match.connections, our_fault(), match.order.spec.ruleset)
        finally:
            del self._matches[match.order.spec.match]
            for connection in match.connections:
                _let_go(connection)
        self._report(match, played)

    async def _play_to_its_end(self, match: _Match, board: bytes) -> MatchReport | None:
        async def begin(playing: Match) -> None:
            match.playing = playing
            # From now on, if this process dies, the front can't know how far a conversation got.
            await self.link.send({"kind": "begins", "match": match.order.spec.match})

        running = RunningMatches()  # the front knows them, and hides what must be
        return await play_here(self._seated(match), running, self._stalls, board, begin)

    def _seated(self, match: _Match) -> SeatedMatch:
        order, spec = match.order, match.order.spec
        board = None if spec.board is None else _board(spec.ruleset.name, spec.board)
        return SeatedMatch(
            spec=attrs.evolve(spec, board=board),
            connections=match.connections,
            names=order.names,
            record=order.record,
            control=match.control,
            may_rejoin=order.may_rejoin,
        )

    def _report(self, match: _Match, played: MatchReport | None) -> None:
        report = Report(
            match=match.order.spec.match,
            started="" if played is None else played.started,
            result=None if played is None else played.result,
            stall=0.0 if played is None else played.stall,
            bundles={} if played is None else dict(played.bundles),
            steps=match.control.steps,
            sessions=tuple(connection.session.give_away() for connection in match.connections),
            figures=MatchFigures() if played is None else played.figures,
            lag=self._stalls.lag,
        )
        self.link.post({"kind": "over", "report": CONVERTER.unstructure(report)})


@cache
def _board(game: str, text: str) -> Any:
    """Return a given board; an arena has few of them, but each for many matches."""
    return registry.get(game).read_board(text)


def _let_go(connection: Connection) -> None:
    """Close this process's duplicate of a socket; the front goes on with its own."""
    channel = connection.channel
    assert isinstance(channel, HandedChannel)
    channel.on_close = None
    channel.close()


def main() -> None:
    """Be a worker of the arena at the other end of the link."""
    theirs = end_of_link()
    favour_event_loop()
    return_large_blocks()
    registry.usable()  # loaded now, rather than between the turns of a match
    search_new_objects()

    async def run() -> None:
        link = Link(theirs)
        forward_log(link)
        await MatchWorker(link).run()

    trio.run(run)


if __name__ == "__main__":
    main()
