"""The connections of bots: listening for them, greeting each, and seating it in match after match.

Each connection is a task of its own, and catches all exceptions, so that a fault in one doesn't
affect the others. Which connections may stay when there are too many is decided by `admission`.
"""

import itertools
import socket
import time
import traceback
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import attrs
import structlog
import trio

from lanista.arena.admission import Admission, Place, address_of
from lanista.arena.ladder_matches import REPLACED, LadderMatches
from lanista.arena.limits import LogLimit, Turns
from lanista.arena.lobby import Lobby, Member, Player, advice_on_room, ladder_of
from lanista.arena.match_player import our_fault, shutting_down
from lanista.arena.matches import Matches
from lanista.arena.options import ENTERING, LINGERING, Options
from lanista.arena.spec import Rooms
from lanista.arena.tls import HANDSHAKE, TlsRelay
from lanista.games.base import Ruleset
from lanista.hosting import handshake
from lanista.hosting.accept import accept, open_port
from lanista.hosting.control import RunningMatches
from lanista.match.background import BackgroundWork
from lanista.match.channel import SocketChannel
from lanista.match.connection import Connection
from lanista.nurseries import helpers_nursery
from lanista.system import undoing
from lanista_client.console import address
from lanista_protocol import (
    ErrorCode,
    Hello,
    HttpRequestError,
    NoteCode,
    RemoteProtocolError,
    bad_hello,
    messages,
    shown,
)

if TYPE_CHECKING:  # as in `lobby`
    from lanista.arena.names import Names

REFUSALS_KEPT = 100
"""Number of refused connections that are kept for the operator."""
LINES_LOGGED = 20
"""Number of hellos per second, and of refused connections, that are logged one by one; others are
only counted."""
KICKED = "the operator closed this connection"

log = structlog.get_logger()


@attrs.frozen
class RefusedConnection:
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
class BotConnections:
    """All connections of bots to an arena. Call `listen`, then `accept`, each only once."""

    options: Options
    lobby: Lobby
    running: RunningMatches
    matches: Matches
    ladders: LadderMatches
    names: "Names | None"
    """The names on ladders; None if there are no ladders."""
    tls: TlsRelay | None
    """Speaks TLS with bots; None if they speak plain text."""
    background: BackgroundWork = attrs.field(factory=BackgroundWork)
    page: str | None = None
    """Address of the web page, for browsers that connect to the bots' port instead."""
    address: tuple[str, int] | None = attrs.field(default=None, init=False)
    """The address and the port that are listened to, after `listen`."""
    refusals: deque[RefusedConnection] = attrs.field(
        factory=lambda: deque(maxlen=REFUSALS_KEPT), init=False
    )
    """The last refused connections, the newest last."""
    players: dict[int, Player] = attrs.field(factory=dict, init=False)
    """By number: each bot whose hello was accepted, while it is connected or plays."""
    members: dict[tuple[str, str], Player] = attrs.field(factory=dict, init=False)
    """By ladder and key of the name: the bot that is connected under it."""
    admission: Admission = attrs.field(init=False)
    _sockets: trio.CapacityLimiter = attrs.field(init=False)  # how many may be accepted
    _listeners: list[trio.SocketListener] = attrs.field(factory=list, init=False)
    _accepting: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)
    _arrivals: Turns = attrs.field(factory=Turns, init=False)  # of members, by their keys
    _greetings: set[trio.CancelScope] = attrs.field(factory=set, init=False)
    _lingering: int = attrs.field(default=0, init=False)
    _hello_lines: LogLimit = attrs.field(factory=lambda: LogLimit(LINES_LOGGED, 1.0), init=False)
    _refusal_lines: LogLimit = attrs.field(factory=lambda: LogLimit(LINES_LOGGED, 1.0), init=False)
    _numbers: Iterator[int] = attrs.field(factory=lambda: itertools.count(1), init=False)

    def __attrs_post_init__(self) -> None:
        spec = self.options.spec
        self.admission = Admission(spec.max_connections, spec.max_per_address)
        self._sockets = trio.CapacityLimiter(spec.max_connections + LINGERING + ENTERING)

    def reload(self, options: Options) -> None:
        """Go on with other limits; connections beyond a lowered maximum stay until they end."""
        self.options, spec = options, options.spec
        self.admission.limit = spec.max_connections
        self.admission.per_address = spec.max_per_address
        self._sockets.total_tokens = spec.max_connections + LINGERING + ENTERING
        if self.tls is not None:
            self.tls.reload()

    def by_state(self) -> Mapping[str, int]:
        """Return the number of connections before their hello, waiting, playing, and leaving."""
        greeting, waiting = len(self._greetings), len(self.lobby.waiting())
        return {
            "greeting": greeting,
            "waiting": waiting,
            "playing": max(0, self.admission.taken - greeting - waiting),
            "leaving": self._lingering,
        }

    # -- listening -----------------------------------------------------------------------------

    async def listen(self) -> None:
        """Open the port; it is a CannotListenError if that can't be done."""
        spec = self.options.spec
        self._listeners, host, port = await open_port(spec.host, spec.port, "--host and --port")
        log.info("listening", host=host, port=port, game=self.options.default.name)
        self.address = host, port

    async def accept(self) -> None:
        """Accept connections until `end` is called."""
        try:
            with self._accepting:
                async with trio.open_nursery() as accepting:
                    for listener in self._listeners:
                        greet = partial(self._greet, tls=self.tls)
                        accepting.start_soon(self._accept, listener, greet)
        finally:
            self.close()

    async def _accept(
        self, listener: trio.SocketListener, greet: Callable[[socket.socket], Awaitable[None]]
    ) -> None:
        nursery = self.matches.nursery
        assert nursery is not None
        await accept(listener, self._sockets, greet, nursery, self.background)

    def end(self) -> None:
        """Accept no more connections, and close those that don't play, by `error shutdown`."""
        self._accepting.cancel()
        for scope in self._greetings:
            scope.cancel()
        self.empty_lobby()

    def empty_lobby(self) -> None:
        """Have the waiting bots told that the arena shuts down; `Matches.closing` must be set."""
        for player in self.lobby.waiting():
            player.waiting.cancel()

    def close(self) -> None:
        """Close the port."""
        for listener in self._listeners:
            listener.socket.close()

    @asynccontextmanager
    async def listening_nearby(self) -> AsyncIterator[tuple[str, int]]:
        """Give an address within this machine, of a port of its own, at which no TLS is spoken."""
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        async with listener, trio.open_nursery() as accepting:
            accepting.start_soon(self._accept, listener, self._greet)
            yield listener.socket.getsockname()[:2]
            accepting.cancel_scope.cancel()

    # -- greeting ------------------------------------------------------------------------------

    async def _greet(self, accepted: socket.socket, tls: TlsRelay | None = None) -> None:
        """Handle one connection, over TLS if there is a relay to speak it."""
        host, port = handshake.peer_of(accepted)
        peer, host = address(host, port), address_of(host)
        connection: Connection | None = None
        place: Place | None = None
        try:
            async with self.background.piece(host):
                connection = handshake.connection_of(accepted, host, self.background)
                if connection is None:
                    return
                place = self.admission.admit(host, trio.current_time())
                place.has_input = connection.channel.has_input
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
            log.error(
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
            accepted.close()
            self._leave(place)

    async def _send_away(self, connection: Connection, error: RemoteProtocolError) -> None:
        reply = messages.error(error.code, error.message)
        if isinstance(error, HttpRequestError):
            reply = handshake.http_reply(self.page)
        if self._lingering >= LINGERING:
            connection.send_some(reply)
            return
        self._lingering += 1
        try:
            await connection.close(reply)
        finally:
            self._lingering -= 1

    def _leave(self, place: Place | None) -> None:
        if place is not None:
            self.admission.leave(place)
            # Break the reference cycle of the place and its holder, so that the garbage collector
            # has less to do.
            place.give_way = _no_longer

    def _log_refusal(self, error: RemoteProtocolError, connection: Connection, peer: str) -> None:
        self.matches.figures.refusals[error.code] += 1
        self.refusals.append(RefusedConnection(time.time(), peer, error.code.value, error.message))
        details = {"code": error.code.value, "why": error.message, **_name_of(connection)}
        self._refusal_lines.log(log.warning, "refused", **details, peer=peer)

    async def _enter(
        self, connection: Connection, place: Place, peer: str, tls: TlsRelay | None
    ) -> Player | None:
        """Read a hello, check who it is from, and answer it; return None if the bot leaves."""
        why = shutting_down()
        with trio.CancelScope() as scope:
            if self._accepting.cancel_called:
                scope.cancel()

            def give_way(error: RemoteProtocolError) -> None:
                nonlocal why
                why = error
                scope.cancel()

            place.give_way = give_way
            self._greetings.add(scope)
            try:
                hello = await self._read_hello(connection, place, tls)
                newcomer = None
                if hello is not None:
                    place.greeted = place.is_proving = True
                    place.since = connection.hello_at
                    newcomer = await self._identify(hello, connection, place, peer)
                    place.is_proving = False
            finally:
                self._greetings.discard(scope)
            if not scope.cancel_called:
                return newcomer
            if newcomer is not None and newcomer.member is not None:
                self._forget(newcomer, newcomer.member)  # it was too late to cancel anything
        try:
            raise why
        finally:
            # The exception refers to this frame: break the cycle. Else the connection would stay in
            # memory until the garbage collector runs.
            del why

    async def _read_hello(
        self, connection: Connection, place: Place, tls: TlsRelay | None
    ) -> Hello | None:
        """Read a hello that comes in time, TLS included; return None if the bot leaves."""
        seconds = self.options.spec.hello_timeout
        with trio.move_on_after(seconds) as in_time:
            if tls is not None:
                await self._begin_tls(tls, connection, in_time.deadline)
                place.has_input = connection.channel.has_input
            return await connection.read_hello()
        raise RemoteProtocolError(
            ErrorCode.HELLO_TIMEOUT,
            f"no complete hello within {seconds:g} s; the first line is the name",
        )

    async def _begin_tls(self, tls: TlsRelay, connection: Connection, until: float) -> None:
        """Have TLS spoken with a bot, by a relay between, as soon as it begins to."""
        channel = connection.channel
        assert isinstance(channel, SocketChannel)
        await channel.wait_readable()
        async with self.background.piece(connection.host):
            first = channel.peek()
            if first and first != HANDSHAKE:
                raise bad_hello("this port speaks TLS, and this was plain text")
            (duplicate,) = channel.duplicates()
        inner = await tls.relay(duplicate, connection.host, until - trio.current_time())
        connection.channel = channel.relayed(inner)

    async def _identify(
        self, hello: Hello, connection: Connection, place: Place, peer: str
    ) -> Player | None:
        """Find out where a bot wants to play and whether it may use its name, and welcome it."""
        ladder, member, note = ladder_of(hello, self.ladders.rooms), None, b""
        seen = 0
        ruleset = handshake.ruleset_of(hello, self.options.default)
        if ladder is not None:
            ruleset = ladder.ruleset
            assert self.names is not None
            seen = self.names.changed.count
            async with helpers_nursery() as nursery:
                nursery.start_soon(_watch, connection, place, nursery.cancel_scope)
                member = Member(ladder, await self.names.check(hello, place.host))
            if member is None:
                return None
            place.is_proving = False
        else:
            note = self._check_room(hello, ruleset)
        details = {"name": hello.name, "game": ruleset.name, "room": hello.room}
        self._hello_lines.log(log.info, "hello", **details, peer=peer)
        player = Player(
            connection,
            ruleset,
            peer,
            next(self._numbers),
            place,
            member=member,
        )
        if member is not None:
            await self._arrive(player, member, seen)
        else:
            handshake.tell(player.connection, ruleset, handshake.welcome() + note)
        return player

    def _check_room(self, hello: Hello, ruleset: Ruleset) -> bytes:
        """Return a note for a bot whose room isn't a ladder; empty in an arena without ladders."""
        if not self.ladders.rooms:
            return b""
        advice = advice_on_room(hello, ruleset, self.ladders.rooms)
        if self.options.spec.rooms is Rooms.LADDERS:
            room = "no room" if hello.room is None else f"room {shown(hello.room)}"
            raise bad_hello(f"{room}; this arena has only ladders; {advice}")
        about = "no room is named, so this bot meets only others that name none"
        if hello.room is not None:
            about = f"room {shown(hello.room)} isn't a ladder, so only bots that name it meet in it"
        return messages.note(NoteCode.ROOM, 0, None, f"{about}; {advice}")

    async def _arrive(self, player: Player, member: Member, seen: int) -> None:
        """Let a bot have its name on a ladder, as soon as it is clear what the name does there.

        While a match that has taken an older connection of the name is about to begin, nobody can
        come back to it. `seen` is the last change of the operator's that the bot's token goes by.
        """
        assert self.names is not None
        async with self._arrivals.turn(member.key):
            while True:
                old = self.members.get(member.key)
                if self.names.changed.count != seen:
                    seen = self.names.changed.count
                    if await self.names.is_revoked(member.who):
                        raise _revoked(member)
                elif (
                    old is not None and member.who.is_registered and self.matches.is_beginning(old)
                ):
                    await self.matches.begun(old)
                else:
                    break
            await self._take_over(player, member)

    async def _take_over(self, player: Player, member: Member) -> None:
        """Welcome a bot, and let it have its name on a ladder, instead of an older connection."""
        old = self.members.get(member.key)
        if old is not None and not member.who.is_registered:
            raise RemoteProtocolError(
                ErrorCode.NAME_TAKEN,
                "another bot uses this name; choose another one, or register one with a token",
            )
        # Before its match sends anything, which may be in another process.
        handshake.tell(player.connection, player.ruleset, handshake.welcome())
        self.members[member.key] = player
        if old is None:
            member.ladder.connect(member.who.name)
            return
        old.replaced = True
        details = {"name": member.who.name, "ladder": member.ladder.spec.name, "peer": old.peer}
        self._hello_lines.log(log.info, "replaced", **details, by=player.peer)
        why = RemoteProtocolError(ErrorCode.REPLACED, REPLACED)
        if not old.taken:
            self.lobby.dismiss(old, why)
            return
        with undoing(partial(self._forget, player, member)):
            await self.ladders.replace(old, player)

    # -- seating -------------------------------------------------------------------------------

    async def _keep_playing(self, player: Player) -> None:
        self.players[player.number] = player
        try:
            await self._keep_seating(player)
        finally:
            del self.players[player.number]
            if player.member is not None:
                self._forget(player, player.member)

    def _forget(self, player: Player, member: Member) -> None:
        """Let a name be free on its ladder, unless a newer connection has it."""
        present = self.members.get(member.key)
        if present is not None and present.number == player.number:
            del self.members[member.key]
            member.ladder.disconnect(player.name)
            self.ladders.start_ready()

    async def _keep_seating(self, player: Player) -> None:
        connection, place = player.connection, player.place
        while not connection.closed:
            if self.matches.closing and not player.taken:
                raise shutting_down()
            if not player.taken:
                connection.look()  # it may have left since its last match
                if connection.session.ended and not connection.session.has_answer:
                    return
                await self._wait(player)
            if player.taken:
                with player.seated:
                    await player.over.wait()
                if player.replaced:
                    if player.seated.cancelled_caught and player.sent_off is not None:
                        self._leave(place)  # as of others that are sent away
                        await self._send_away(connection, player.sent_off)
                    return
                if player.sent_off is not None and not connection.closed:
                    # It was kicked after its last answer, when the match no longer closed it.
                    raise player.sent_off
            elif player.sent_off is not None:
                self.matches.announce(player.room)
                raise player.sent_off
            elif not self.matches.closing:
                self.matches.announce(player.room)
                return
            player = player.again(trio.current_time())
            self.players[player.number] = player
            if player.member is not None:
                self.members[player.member.key] = player

    async def _wait(self, player: Player) -> None:
        """Let a bot wait in the lobby until a match takes it, or it leaves."""
        self.lobby.join(player)
        player.place.give_way = partial(self.lobby.dismiss, player)
        self.running.changes.tell()
        self.matches.announce(player.room)
        if player.member is None:
            self.matches.start_ready()
        else:
            self.ladders.note_rest(player, player.member)
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

    # -- what the operator asks for ------------------------------------------------------------

    def kick(self, number: int, error: RemoteProtocolError | None = None) -> bool:
        """Send a bot away by `error`, else by `shutdown`; return False if it isn't there."""
        player = self.players.get(number)
        if player is None:
            return False
        error = error or RemoteProtocolError(ErrorCode.SHUTDOWN, KICKED)
        log.info("kicked", name=player.name, peer=player.peer)
        if not player.taken:
            self.lobby.dismiss(player, error)
            return True
        player.sent_off = error
        assert self.matches.nursery is not None
        self.matches.nursery.start_soon(self._kick_from_match, player, error)
        return True

    def revoke(self, number: int, member: Member) -> None:
        """Send a bot away whose name was removed or has another token now."""
        self.kick(number, _revoked(member))

    async def _kick_from_match(self, player: Player, error: RemoteProtocolError) -> None:
        """Put a player out of the match that has taken it, which may be about to begin."""
        begun = await self.matches.begun(player)
        if begun is not None:
            running, seat = begun
            running.playing.kick(seat, error.message, error.code)


async def _watch(connection: Connection, place: Place, scope: trio.CancelScope) -> None:
    """Cancel what is done for a bot when it leaves."""
    try:
        await connection.watch()
    except RemoteProtocolError as error:
        place.give_way(error)
    else:
        if not connection.session.has_answer:
            scope.cancel()


def _name_of(connection: Connection | None) -> Mapping[str, str]:
    """Return the name in a connection's hello, for the log; nothing if none was read."""
    if connection is None or connection.hello is None:
        return {}
    return {"name": connection.hello.name}


def _no_longer(_: RemoteProtocolError) -> None:
    """Do nothing, in place of a `give_way` whose place has been freed already."""


def _revoked(member: Member) -> RemoteProtocolError:
    why = "the operator has removed this name, or given it another token"
    if not member.who.is_registered:
        why = "somebody has registered this name; send its token, or choose another name"
    return RemoteProtocolError(ErrorCode.BAD_TOKEN, why)
