"""The daemon: accepts connections, keeps waiting bots in the lobby, and runs many matches at once.

Its tasks are in nested nurseries so that they are shut down in order: first no more connections are
accepted and no more matches begin; then the running matches tell their bots and complete their
records; then everything else is cancelled. Each connection and each match is a task of its own, and
catches all exceptions, so that a fault in one doesn't affect the others.
"""

import gc
import itertools
import time
import traceback
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import attrs
import structlog
import trio

from lanista.arena.admission import Admission, Place, address_of
from lanista.arena.arena_signals import Reread, heed_signals
from lanista.arena.console import read_stdin, wait_for_enter
from lanista.arena.figures import ArenaFigures
from lanista.arena.guests import Guests
from lanista.arena.ladder_matches import REPLACED, LadderMatches
from lanista.arena.lobby import Lobby, Player
from lanista.arena.match_player import our_fault
from lanista.arena.matches import Matches
from lanista.arena.options import ENTERING, LINGERING, Options
from lanista.arena.record_space import RecordSpace
from lanista.arena.spec import Registration, Start
from lanista.arena.tls import HANDSHAKE, TlsRelay
from lanista.errors import CannotListenError
from lanista.hosting import handshake
from lanista.hosting.accept import accept
from lanista.hosting.control import RunningMatches
from lanista.match.background import BackgroundWork
from lanista.match.channel import SocketChannel
from lanista.match.connection import Connection
from lanista.nurseries import helpers_nursery
from lanista.results.recovery import complete_records
from lanista.system import heeded, return_large_blocks
from lanista_protocol import (
    Error,
    ErrorCode,
    Hello,
    HttpRequestError,
    RemoteProtocolError,
    bad_hello,
    shown,
)

SHUTDOWN_TIME = 4.0
"""Seconds that running matches have at shutdown to tell their bots and write their records."""

STORING_TIME = 1.0
"""Seconds that the results of ladders may then take to be stored; later they are in the records."""
REFUSALS_KEPT = 100
"""Number of refused connections that are kept for the operator."""
REFUSALS_LOGGED = 20
"""Number of refused connections per second that are logged one by one; others are only counted."""

if TYPE_CHECKING:  # as in `lobby`
    from lanista.arena.ladder_room import LadderRoom
    from lanista.arena.names import Names

log = structlog.get_logger()


class CannotOpenError(Exception):
    """A ladder can't be opened; the message is one line that says why."""


@attrs.frozen
class Refusal:
    """A connection that was refused."""

    time: float
    """When it was, in seconds since 1970."""
    peer: str
    """Its address and port."""
    code: str
    """The code of the error that it was sent."""
    why: str
    """The reason in one line, which may quote what the bot has sent."""


@attrs.define(eq=False)
class Arena:
    """A daemon. Call `listen`, then `serve`, each only once."""

    options: Options
    lobby: Lobby = attrs.field(factory=Lobby)
    running: RunningMatches = attrs.field(factory=RunningMatches)
    matches: Matches = attrs.field(init=False)
    guests: Guests = attrs.field(init=False)
    ladders: LadderMatches = attrs.field(init=False)
    names: "Names | None" = attrs.field(default=None, init=False)
    """The names on ladders; None if there are no ladders."""
    refusals: deque[Refusal] = attrs.field(factory=lambda: deque(maxlen=REFUSALS_KEPT), init=False)
    """The last refused connections, the newest last."""
    tls: TlsRelay | None = attrs.field(default=None, init=False)
    """Speaks TLS with bots and viewers; None if these speak plain text."""
    background: BackgroundWork = attrs.field(factory=BackgroundWork)
    """The background work for connections."""
    figures: ArenaFigures = attrs.field(factory=ArenaFigures)
    """What is counted for the operator."""
    page: str | None = None
    """Address of the web page, for browsers that connect to the bots' port instead."""
    address: tuple[str, int] | None = attrs.field(default=None, init=False)
    """The address and the port on which bots are listened to, after `listen`."""
    _greetings: set[trio.CancelScope] = attrs.field(factory=set, init=False)
    _admission: Admission = attrs.field(init=False)
    _sockets: trio.CapacityLimiter = attrs.field(init=False)  # how many may be accepted
    _space: RecordSpace = attrs.field(init=False)
    _helpers: trio.Nursery | None = attrs.field(default=None, init=False)
    _lingering: int = attrs.field(default=0, init=False)
    _refused: int = attrs.field(default=0, init=False)  # connections in `_refused_second`
    _refused_second: int = attrs.field(default=0, init=False)  # a second of trio's clock
    _numbers: Iterator[int] = attrs.field(factory=lambda: itertools.count(1), init=False)
    _accepting: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)
    _draining: trio.Event = attrs.field(factory=trio.Event, init=False)
    _is_ending: bool = attrs.field(default=False, init=False)  # whether `shut_down` was called
    members: dict[tuple[str, str], Player] = attrs.field(factory=dict, init=False)
    """By ladder and key of the name: the bot that is connected under it."""
    _listeners: list[trio.SocketListener] = attrs.field(factory=list, init=False)

    def __attrs_post_init__(self) -> None:
        options = self.options
        self._space = RecordSpace(options.data.records, self._has_room_again)
        self.guests = Guests(self._listening_nearby)
        self.matches = Matches(
            options, self.lobby, self.running, self.shut_down, self._space, self.figures
        )
        self.ladders = LadderMatches(
            options, self.lobby, self.running, self.matches.play, self._space
        )
        spec, folder = options.spec, options.folder
        if spec.tls is not None:
            self.tls = TlsRelay(folder / spec.tls.certificate, folder / spec.tls.key)
        self._admission = Admission(spec.max_connections, spec.max_per_address)
        self._sockets = trio.CapacityLimiter(spec.max_connections + LINGERING + ENTERING)

    async def listen(self) -> tuple[str, int]:
        """Open the port, and return its address and number.

        Raises:
            CannotListenError: The port is in use, or the address isn't this machine's.
        """
        spec = self.options.spec
        try:
            self._listeners = await trio.open_tcp_listeners(spec.port, host=spec.host)
        except OSError as error:
            raise CannotListenError(
                f"can't listen on {spec.host}:{spec.port}: {error.strerror or error}; "
                "choose another address with --host and --port"
            ) from None
        if not spec.port:
            # A host name with several addresses got a different free port on each, but we announce
            # only one.
            for other in self._listeners[1:]:
                await other.aclose()
            del self._listeners[1:]
        host, port = self._listeners[0].socket.getsockname()[:2]
        log.info("listening", host=host, port=port, game=self.options.default.name)
        self.address = host, port
        return host, port

    async def serve(self) -> None:
        """Serve, after `listen`, until `drain`, `shut_down` or the last of `Options.matches`."""
        async with trio.open_nursery() as helpers:
            helpers.start_soon(self.matches.player.run)
            helpers.start_soon(self._space.run)
            self._helpers = helpers
            self._complete_records()
            helpers.start_soon(self._shut_down_when_drained)
            if self.names is not None:
                helpers.start_soon(self.names.run)
            # Connections and matches are in an inner nursery, because they need the helpers until
            # they end.
            async with trio.open_nursery() as matches:
                self.matches.nursery = matches
                self.ladders.open(helpers, matches)
                try:
                    with self._accepting:
                        async with trio.open_nursery() as accepting:
                            for listener in self._listeners:
                                accepting.start_soon(
                                    accept,
                                    listener,
                                    self._sockets,
                                    self._greet,
                                    matches,
                                    self.background,
                                )
                finally:
                    self.close()
                matches.cancel_scope.deadline = trio.current_time() + SHUTDOWN_TIME
            with trio.move_on_after(STORING_TIME):
                await self.ladders.settle()
            helpers.cancel_scope.cancel()
        log.info("ended", matches=self.matches.over + self.ladders.over)

    @asynccontextmanager
    async def _listening_nearby(self) -> AsyncIterator[tuple[str, int]]:
        """Give an address within this machine at which bots speak plain text.

        With TLS that is a port of its own: no certificate is valid for it.

        Raises:
            OSError: There are no more descriptors or ports.
        """
        assert self.address is not None
        assert self.matches.nursery is not None
        if self.tls is None:
            host, port = self.address
            yield {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port  # noqa: S104 - compared
            return
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        async with listener, trio.open_nursery() as accepting:
            greet = partial(self._greet, is_nearby=True)
            accepting.start_soon(
                accept, listener, self._sockets, greet, self.matches.nursery, self.background
            )
            yield listener.socket.getsockname()[:2]
            accepting.cancel_scope.cancel()

    def _complete_records(self) -> None:
        """Complete the records that are left behind, while the arena runs."""
        if self._helpers is not None:
            records = self.options.data.records
            self._helpers.start_soon(complete_records, records, self.running.end)

    def _has_room_again(self, was_full: bool) -> None:
        """Go on with matches after there was, or might have been, no room for records."""
        if was_full:  # a record may lack no more than compressing
            self._complete_records()
        self.matches.start_ready()
        self.ladders.start_ready()

    def drain(self) -> None:
        """Begin no more matches, wait `Options.drain` seconds for the running ones, and shut down.

        Until then bots may still come back to their matches; all others get `error shutdown`. If
        the arena drains already, it shuts down at once.
        """
        if self.options.spec.drain == 0 or self._draining.is_set():
            self.shut_down()
            return
        running, waiting = len(self.running.matches), len(self.lobby.waiting())
        log.info("draining", seconds=self.options.spec.drain, running=running, waiting=waiting)
        self.matches.closing = self.ladders.closing = True
        self._draining.set()
        for player in self.lobby.waiting():
            player.waiting.cancel()

    async def _shut_down_when_drained(self) -> None:
        """Wait until the arena drains, and then until no match is left, or their time is over."""
        await self._draining.wait()
        with trio.move_on_after(self.options.spec.drain):
            while self.matches.unfinished or self.ladders.unfinished:
                await self.running.changes.wait(self.running.changes.count)
        self.shut_down()

    @property
    def is_ready(self) -> bool:
        """Whether bots that connect now are served: the arena neither begins nor ends."""
        return self.matches.nursery is not None and not self.matches.closing

    @property
    def connections(self) -> int:
        """Number of connections of bots that have a place."""
        return self._admission.taken

    @property
    def greetings(self) -> int:
        """Number of these connections whose hello hasn't been read and checked."""
        return len(self._greetings)

    @property
    def leaving(self) -> int:
        """Number of connections without a place that are told why they have none."""
        return self._lingering

    def shut_down(self) -> None:
        """Begin no more matches, end the running ones by `error shutdown`, and make `serve` end."""
        if self._is_ending:
            return
        self._is_ending = True
        self.matches.shut_down()
        self.ladders.closing = True
        self._accepting.cancel()
        for scope in self._greetings:
            scope.cancel()
        for player in self.lobby.waiting():
            player.waiting.cancel()

    def reload(self, options: Options) -> None:
        """Go on with the limits of other options (`reloading.with_limits`).

        Connections beyond a lowered maximum stay until they end or give way to others.
        """
        self.options, spec = options, options.spec
        self._admission.limit = spec.max_connections
        self._admission.per_address = spec.max_per_address
        self._sockets.total_tokens = spec.max_connections + LINGERING + ENTERING
        if self.names is not None:
            self.names.is_open = spec.registration is Registration.OPEN
        self.ladders.reload(spec.ladders)
        if self.tls is not None:
            self.tls.reload()
        log.info(
            "the arena's file was read again",
            max_connections=spec.max_connections,
            max_per_address=spec.max_per_address,
            hello_timeout=spec.hello_timeout,
            registration=spec.registration.value,
            drain=spec.drain,
        )

    def close(self) -> None:
        """Close the port."""
        for listener in self._listeners:
            listener.socket.close()

    # -- connections ---------------------------------------------------------------------------

    async def _greet(self, stream: trio.SocketStream, *, is_nearby: bool = False) -> None:
        """Handle one connection, from its hello to its end.

        Args:
            stream: The connection.
            is_nearby: Whether it came to a port of `_listening_nearby`.
        """
        host, port = handshake.peer_of(stream)
        peer, host = f"{host}:{port}", address_of(host)
        connection: Connection | None = None
        place: Place | None = None
        try:
            async with self.background.piece(host):
                connection = handshake.accepted(stream, host, self.background)
                if connection is None:
                    return
                place = self._admission.admit(host, trio.current_time())
                place.has_input = connection.channel.has_input
            tls = None if is_nearby else self.tls
            newcomer = await self._enter(connection, place, peer, tls)
            if newcomer is not None:
                await self._keep_playing(newcomer)
        except RemoteProtocolError as error:
            assert connection is not None
            # It gives up its place now, though it stays connected until it has read why. Otherwise
            # bots that connect again and again would take the places that others free.
            self._leave(place)
            self._log_refusal(error, connection, peer)
            await self._send_away(connection, error)
        except Exception:  # noqa: BLE001 - a fault of ours must not reach another connection
            log.error(  # noqa: TRY400 - the trace is in the line
                "connection ended by an error",
                **_name_of(connection),
                peer=peer,
                trace=traceback.format_exc(),
            )
            if connection is not None:
                await connection.refuse(our_fault())
        finally:
            if connection is not None:
                connection.channel.close()
            stream.socket.close()
            self._leave(place)

    async def _send_away(self, connection: Connection, error: RemoteProtocolError) -> None:
        """Send a connection the reason why it is closed, and close it."""
        reply = bytes(Error(error.code, error.message))
        if isinstance(error, HttpRequestError):
            reply = handshake.http_reply(self.page)
        if self._lingering >= LINGERING:
            handshake.send_at_once(connection, reply)
            return
        self._lingering += 1
        try:
            await connection.close(reply)
        finally:
            self._lingering -= 1

    def _leave(self, place: Place | None) -> None:
        if place is not None:
            self._admission.leave(place)
            # Break the reference cycle of the place and its holder, so that the garbage collector
            # has less to do.
            place.give_way = _no_longer

    def _log_refusal(self, error: RemoteProtocolError, connection: Connection, peer: str) -> None:
        """Count and log why a connection was refused; of many in a second, only the first."""
        self.figures.refusals[error.code] += 1
        self.refusals.append(Refusal(time.time(), peer, error.code.value, error.message))
        second = int(trio.current_time())
        if second != self._refused_second:
            if self._refused > REFUSALS_LOGGED:
                log.warning("more were refused", count=self._refused - REFUSALS_LOGGED)
            self._refused_second, self._refused = second, 0
        self._refused += 1
        if self._refused <= REFUSALS_LOGGED:
            code, name = error.code.value, _name_of(connection)
            log.warning("refused", code=code, why=error.message, **name, peer=peer)

    async def _enter(
        self, connection: Connection, place: Place, peer: str, tls: TlsRelay | None
    ) -> Player | None:
        """Read a hello, check who it is from, and answer it; return None if the bot leaves.

        Raises:
            RemoteProtocolError: The hello is refused, or the connection must give up its place, or
                the arena shuts down.
        """
        why = _shutting_down()
        with trio.CancelScope() as scope:
            if self._is_ending:
                scope.cancel()

            def give_way(error: RemoteProtocolError) -> None:
                nonlocal why
                why = error
                scope.cancel()

            place.give_way = give_way
            self._greetings.add(scope)
            try:
                seconds = self.options.spec.hello_timeout
                until = trio.current_time() + seconds
                if tls is not None:
                    await self._begin_tls(tls, connection, until)
                    place.has_input = connection.channel.has_input
                hello = await connection.read_hello(seconds, until)
                newcomer = None
                if hello is not None:
                    place.greeted = place.is_proving = True
                    newcomer = await self._identify(hello, connection, place, peer)
                    place.is_proving = False
            finally:
                self._greetings.discard(scope)
            if not scope.cancel_called:
                return newcomer
        try:
            raise why
        finally:
            # The exception refers to this frame: break the cycle. Else the connection would stay in
            # memory until the garbage collector runs.
            del why

    async def _begin_tls(self, tls: TlsRelay, connection: Connection, until: float) -> None:
        """Have TLS spoken with a bot as soon as it begins to.

        Args:
            tls: The relay.
            connection: The bot's connection, which leads to the relay afterwards.
            until: When the hello must be complete.

        Raises:
            RemoteProtocolError: The bot speaks plain text.
        """
        channel = connection.channel
        assert isinstance(channel, SocketChannel)
        with trio.move_on_at(until):
            await channel.wait_readable()
            async with self.background.piece(connection.host):
                first = channel.peek()
                if first and first != HANDSHAKE:
                    raise bad_hello("this port speaks TLS, and this was plain text")
                (socket,) = channel.duplicates()
            seconds = until - trio.current_time()
            inner = await tls.relay(socket, connection.host, seconds)
            connection.channel = channel.relayed(inner)

    async def _identify(
        self, hello: Hello, connection: Connection, place: Place, peer: str
    ) -> Player:
        """Find out where a bot wants to play and whether it may use its name, and welcome it."""
        ladder, who = ladder_of(hello, self.ladders.rooms), None
        ruleset = handshake.ruleset_of(hello, self.options.default)
        if ladder is not None:
            ruleset = ladder.ruleset
            assert self.names is not None
            who = await self.names.check(hello, place.host)
        log.info("hello", name=hello.name, game=ruleset.name, room=hello.room, peer=peer)
        player = Player(
            connection,
            ruleset,
            peer,
            next(self._numbers),
            connection.hello_at,
            place,
            ladder=ladder,
            who=who,
        )
        if who is not None:
            await self._take_over(player)
        if handshake.speaks_version1(hello, ruleset):
            handshake.send_at_once(connection, handshake.welcome())
        return player

    async def _take_over(self, player: Player) -> None:
        """Let a bot have its name on a ladder, instead of an older connection of its own.

        If that one plays a match to which a bot may come back, this one goes on with it.

        Raises:
            RemoteProtocolError: The name isn't registered, and somebody uses it (`name-taken`).
        """
        room, who = player.ladder, player.who
        assert room is not None
        assert who is not None
        member = room.spec.name, who.key
        old = self.members.get(member)
        if old is not None and not who.is_registered:
            raise RemoteProtocolError(
                ErrorCode.NAME_TAKEN,
                "another bot uses this name; choose another one, or register one with a token",
            )
        self.members[member] = player
        if old is None:
            return
        old.replaced = True
        log.info("replaced", name=who.name, ladder=room.spec.name, peer=old.peer, by=player.peer)
        if not old.taken:
            self.lobby.dismiss(old, _replaced())
            return
        replaced = await self.ladders.replace(old, player)
        if replaced is not None and self.matches.nursery is not None:
            self.matches.nursery.start_soon(replaced.refuse, _replaced())

    def _member(self, player: Player) -> tuple[str, str] | None:
        """Return the key of a bot among those on ladders; None if it isn't on one."""
        if player.ladder is None or player.who is None:
            return None
        return player.ladder.spec.name, player.who.key

    async def _keep_playing(self, player: Player) -> None:
        """Seat a bot in one match after another, while it keeps its connection."""
        try:
            await self._keep_seating(player)
        finally:
            self.matches.kicked.pop(player.number, None)
            member = self._member(player)
            present = None if member is None else self.members.get(member)
            if member is not None and present is not None and present.number == player.number:
                del self.members[member]

    async def _keep_seating(self, player: Player) -> None:
        connection, place = player.connection, player.place
        while not connection.closed:
            if self.matches.closing and not player.taken:
                raise _shutting_down()
            if not player.taken:
                connection.look()  # it may have left since its last match
                if connection.session.ended and not connection.session.has_answer:
                    return
                await self._wait(player)
            if player.sent_off is not None:
                self.matches.announce(player.room)
                raise player.sent_off
            if player.taken:
                await player.over.wait()
                if player.replaced:
                    return
                kicked = self.matches.kicked.get(player.number)
                if kicked is not None and not connection.closed:
                    # It was kicked after its last answer, when the match no longer closed it.
                    raise kicked
            elif not self.matches.closing:
                self.matches.announce(player.room)
                return
            player = player.again(trio.current_time())
            member = self._member(player)
            if member is not None:
                self.members[member] = player
            place.plays = False

    async def _wait(self, player: Player) -> None:
        """Let a bot wait in the lobby until a match takes it, or it leaves.

        Raises:
            RemoteProtocolError: It has sent what it must not send.
        """
        place = player.place
        self.lobby.join(player)
        place.since, place.plays = trio.current_time(), False
        place.give_way = partial(self.lobby.dismiss, player)
        self.running.changes.tell()
        self.matches.announce(player.room)
        if player.ladder is None:
            self.matches.start_ready()
        else:
            self.ladders.note_rest(player)
            self.ladders.start_ready()
        try:
            with player.waiting:
                await player.connection.watch()
        except RemoteProtocolError:
            if not player.taken:
                raise
            # A match has just taken it, and will read the same bytes and deal with them.
        finally:
            self.lobby.leave(player)
            self.running.changes.tell()
            player.released.set()


def _name_of(connection: Connection | None) -> Mapping[str, str]:
    """Return the name in a connection's hello, for the log; nothing if none was read."""
    if connection is None or connection.hello is None:
        return {}
    return {"name": connection.hello.name}


def ladder_of(hello: Hello, ladders: "Mapping[str, LadderRoom]") -> "LadderRoom | None":
    """Return the ladder that a hello asks for; None if it asks for another room.

    Raises:
        RemoteProtocolError: The ladder plays another game (`unknown-game`), or the hello asks for
            a seat (`bad-hello`).
    """
    if hello.room is not None:
        ladder = ladders.get(hello.room)
    else:
        ladder = None if hello.game is None else ladders.get(hello.game)
    if ladder is None:
        return None
    if hello.game not in {None, ladder.ruleset.name}:
        raise RemoteProtocolError(
            ErrorCode.UNKNOWN_GAME,
            f"game {shown(hello.game or '')}; the ladder {ladder.spec.name} plays "
            f"{ladder.ruleset.name}",
        )
    if hello.seat is not None:
        raise bad_hello(f"seat {hello.seat}; a ladder deals the seats, so leave it out")
    return ladder


def _replaced() -> RemoteProtocolError:
    return RemoteProtocolError(ErrorCode.REPLACED, REPLACED)


def _no_longer(_: RemoteProtocolError) -> None:
    """Do nothing, in place of a `give_way` whose place has been freed already."""


def _shutting_down() -> RemoteProtocolError:
    return RemoteProtocolError(ErrorCode.SHUTDOWN, "the arena is shutting down")


async def wait_for_signals(
    shut_down: Callable[[], None], *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    """Call `shut_down` at SIGINT, SIGTERM and SIGHUP, except for those that we ignore."""
    with trio.open_signal_receiver(*heeded()) as signals:
        task_status.started()
        async for _ in signals:
            shut_down()


Beside = Callable[["Arena", trio.Nursery], Awaitable[None]]
"""Starts tasks that run alongside an arena, such as the web page, in the given nursery. They are
cancelled when the arena has ended."""


async def serve(
    options: Options,
    announce: Callable[[str, int], None],
    beside: Beside | None = None,
    reread: Reread | None = None,
) -> None:
    """Serve until a signal comes or the last match of `Options.matches` is over.

    Args:
        options: What the operator has chosen.
        announce: Called once, with the address and port on which the arena listens.
        beside: Starts what runs alongside the arena.
        reread: Reads the arena's file again at SIGHUP; None if it has no file.

    Raises:
        CannotListenError: From `Arena.listen` or `beside`.
        CannotOpenError: A ladder doesn't fit its game, or its results can't be read or written.
    """
    arena = Arena(options)
    with ExitStack() as opened:
        if options.spec.ladders:
            await _open_ladders(arena, opened)
        address = await arena.listen()
        async with helpers_nursery() as nursery:
            # This comes first, so that no signal can end us without cleaning up.
            await nursery.start(heed_signals, arena, reread)
            if arena.tls is not None:
                await nursery.start(arena.tls.run)
            if beside is not None:
                try:
                    await beside(arena, nursery)
                except CannotListenError:
                    arena.close()
                    raise
            await _serve(arena, address, announce, nursery)


async def _open_ladders(arena: Arena, opened: ExitStack) -> None:
    """Open the ladders of an arena, which `opened` closes.

    Raises:
        CannotOpenError: One can't be opened.
    """
    # Imported only now, as they import SQLAlchemy.
    from lanista.arena.ladder_opening import open_ladders  # noqa: PLC0415
    from lanista.results.errors import StoreError  # noqa: PLC0415
    from lanista.toml_spec import SpecError  # noqa: PLC0415

    try:
        arena.ladders.rooms, arena.names = await trio.to_thread.run_sync(
            open_ladders, arena.options, opened
        )
    except (SpecError, StoreError) as error:
        raise CannotOpenError(str(error)) from None


async def _serve(
    arena: Arena,
    address: tuple[str, int],
    announce: Callable[[str, int], None],
    nursery: trio.Nursery,
) -> None:
    if arena.options.spec.friendly.start is Start.MANUAL:
        nursery.start_soon(wait_for_enter, arena.matches, read_stdin)
    return_large_blocks()
    # The objects that exist now will stay. Freeze them, because a full garbage collection of them
    # would block the event loop, and so every match, for tens of milliseconds.
    gc.collect()
    gc.freeze()
    # The collector waits until there are a quarter as many new objects as it found the last time.
    # So have it find none: else the garbage of many closed connections would come together first.
    gc.collect()
    try:
        announce(*address)
    except BaseException:
        arena.close()
        raise
    await arena.serve()
    nursery.cancel_scope.cancel()
