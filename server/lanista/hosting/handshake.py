"""The first lines of a connection: hello, the checks of what it asks for, welcome (PROTOCOL.md 2).

There are two ways in which bots get seats, and this module serves both:

- A bot that we have started connects to a port that was opened for it alone (`Handshake`). Whatever
  a process of our own user connects there is assumed to be that bot, so a hello needn't have a
  token; but if it has one, the token must be right, so that a bot that was started for another
  match isn't admitted by mistake. Other users of the machine can connect there as well, and need
  the token. A connection that says nothing, or whose hello is refused, doesn't end the wait (unless
  `is_one_try`), because the bot may connect again.
- Any bot may connect to the port of an arena. The arena reads the hello itself
  (`arena.bot_connections`) and uses the functions below.
"""

import hmac
import os
import re
import secrets
import socket
import sys
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path

import attrs
import trio

from lanista import __version__
from lanista.bots.process import Bot
from lanista.games import registry
from lanista.games.base import Ruleset
from lanista.hosting.accept import accept_few
from lanista.hosting.names import why_no_hello
from lanista.match.background import BackgroundWork
from lanista.match.channel import Channel, SocketChannel
from lanista.match.connection import Connection
from lanista.match.encoder import dialect_of
from lanista_protocol import (
    VERSION,
    ErrorCode,
    Hello,
    RemoteProtocolError,
    bad_hello,
    messages,
    shown,
)

LAST_LOOK = 0.2
"""Seconds to wait for the hello of a bot after its process has ended."""
GONE = ("gone", 0)
"""The address and port that stand for an end that has left."""


@attrs.define(eq=False)
class Handshake:
    """Admits the one bot that was started for a port: checks its hello and answers `welcome`."""

    ruleset: Ruleset
    token: str
    """The bot's token. A hello of our own user's without a token is accepted too."""
    tap: Callable[[Channel], Channel] | None = None
    """Wraps the connection's channel before the first byte is read, for example to record it."""
    is_one_try: bool = False
    """Whether a refused hello ends the wait."""
    connection: Connection | None = attrs.field(default=None, init=False)
    """The bot's connection, once it was admitted."""
    refusal: RemoteProtocolError | None = attrs.field(default=None, init=False)
    """Why the last hello was refused that isn't known to be another user's; None if none was."""
    _is_refused: bool = attrs.field(default=False, init=False)
    """Whether a hello was refused that our user has sent."""
    _has_left: bool = attrs.field(default=False, init=False)
    """Whether the bot's process ended during the wait, so not because its connection was closed."""

    async def wait(
        self,
        listener: trio.SocketListener,
        exited: Callable[[], Awaitable[object]],
        seconds: float,
    ) -> Connection | None:
        """Wait so many seconds for the bot's hello, then close the port; return its connection.

        It is None if the bot wasn't admitted in time. `exited` waits for the bot's process to end,
        after which the wait ends early.
        """
        try:
            with trio.move_on_after(seconds):
                await self._admit_one(listener, exited)
        except BaseException:
            # If we are cancelled in the moment in which the bot is admitted, nobody gets its
            # connection.
            if self.connection is not None:
                self.connection.channel.close()
            raise
        finally:
            listener.socket.close()
        return self.connection

    async def _admit_one(
        self, listener: trio.SocketListener, exited: Callable[[], Awaitable[object]]
    ) -> None:
        """Greet whoever connects, until one is admitted or the bot's process has ended."""
        async with trio.open_nursery() as nursery:

            async def greet(accepted: socket.socket) -> None:
                await self._greet(accepted)
                if self.connection is not None or (self.is_one_try and self._is_refused):
                    nursery.cancel_scope.cancel()

            async def give_up_at_exit() -> None:
                await exited()
                self._has_left = True
                # Its hello may still be in a socket's buffer.
                await trio.sleep(LAST_LOOK)
                nursery.cancel_scope.cancel()

            nursery.start_soon(accept_few, listener, greet, nursery)
            nursery.start_soon(give_up_at_exit)

    async def _greet(self, accepted: socket.socket) -> None:
        connection = connection_of(accepted)
        if connection is None:
            return
        ends = peer_of(accepted), accepted.getsockname()
        if self.tap is not None:
            connection.channel = self.tap(connection.channel)
        try:
            hello = await connection.read_hello()
            if hello is None:
                return
            # It takes a while on a machine with thousands of connections.
            user = None if hello.token else await trio.to_thread.run_sync(_user_of, *ends)
            self._check(hello, is_ours=user == os.geteuid())
            tell(connection, self.ruleset, welcome())
            self.connection = connection
        except RemoteProtocolError as error:
            user = await trio.to_thread.run_sync(_user_of, *ends)
            if self.connection is None and user in {None, os.geteuid()}:
                self.refusal = error
                self._is_refused |= user is not None
            await connection.refuse(error)
        finally:
            if self.connection is not connection:
                connection.channel.close()

    def _check(self, hello: Hello, *, is_ours: bool) -> None:
        """Raise an error if a hello is from another bot than was started, or for another game."""
        if ruleset_of(hello, self.ruleset).name != self.ruleset.name:
            raise RemoteProtocolError(
                ErrorCode.UNKNOWN_GAME,
                f"it asks for {hello.game}; {self.ruleset.name} is played here",
            )
        token = self.token if hello.token is None and is_ours else hello.token or ""
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            raise RemoteProtocolError(
                ErrorCode.BAD_TOKEN,
                "the token isn't the one in LANISTA_TOKEN or {token}, without which only the same "
                "user's bot is accepted; this port accepts only the bot that was started for it",
            )
        if self.connection is not None:
            raise RemoteProtocolError(
                ErrorCode.SEAT_TAKEN, "the bot is connected already; it has only one connection"
            )

    def why_not(self, bot: Bot, command: Sequence[str], seconds: float) -> tuple[str, str]:
        """Return why the bot wasn't admitted in time, as a phrase, and what to do about it."""
        why = f"no hello within {seconds:g} s"
        if self._has_left and bot.exit is not None:
            is_sentence = bot.exit.failure is not None or bot.exit.limit is not None
            was_heard = is_sentence or self.refusal is not None
            why = str(bot.exit) if was_heard else f"{bot.exit} before it said hello"
        if self.refusal is not None:
            refused = f"its hello was refused: {self.refusal.code.value}: {self.refusal.message}"
            return (refused if self.is_one_try else f"{refused}; then: {why}"), ""
        return why, why_no_hello(bot, command)


def connection_of(
    accepted: socket.socket, host: str = "", background: BackgroundWork | None = None
) -> Connection | None:
    """Make a connection of an accepted socket; None if the other end is gone already.

    Its background work is counted for an address, and belongs to the given one, or to its own.
    """
    try:
        channel = SocketChannel(accepted)
    except OSError:  # the peer has reset it before we could set the socket's options
        accepted.close()
        return None
    return Connection(channel, host=host, background=background or BackgroundWork())


def peer_of(accepted: socket.socket) -> tuple[str, int]:
    """Return the address and port of the other end; GONE if it has left."""
    try:
        host, port = accepted.getpeername()[:2]
    except (OSError, ValueError):
        return GONE
    return host, port


def _user_of(peer: tuple[str, int], ours: tuple[str, int]) -> int | None:
    """Return the id of the user who has the other end of a connection; None if it was closed.

    The ends are IPv4 addresses with ports. Where the system doesn't say it, it is our user.
    """
    if peer == GONE:
        return None
    local, remote = (
        f"{int.from_bytes(socket.inet_aton(host), sys.byteorder):08X}:{port:04X}"
        for host, port in (peer, ours)
    )
    # Java, for one, connects to an IPv4 address by a socket for IPv6.
    mapped = f"{0:016X}{int.from_bytes(bytes([0, 0, 255, 255]), sys.byteorder):08X}"
    try:
        rows = b"".join(path.read_bytes() for path in Path("/proc/net").glob("tcp*"))
    except OSError:
        rows = b""
    # proc_net(5): … Local Remote State Queues Timer Retransmits User …; 01 is established.
    form = rf" (?:{mapped})?{local} (?:{mapped})?{remote} 01 (?:\S+ +){{3}}(\d+) "
    row = re.search(form.encode(), rows)
    return int(row[1]) if row else None if rows else os.geteuid()


def ruleset_of(hello: Hello, default: Ruleset) -> Ruleset:
    """Return the ruleset that a hello asks for, or the default; it must have the seat asked for.

    Raises RemoteProtocolError (`unknown-game`, or `bad-hello` for a seat that there isn't).
    """
    ruleset = default
    if hello.game is not None:
        try:
            ruleset = registry.get(hello.game)
        except registry.UnknownGameError:
            others = ", ".join(name for name in registry.names() if name != hello.game)
            raise RemoteProtocolError(
                ErrorCode.UNKNOWN_GAME, f"game {shown(hello.game)}; this arena has {others}"
            ) from None
    if hello.seat is not None and hello.seat >= ruleset.seats:
        raise bad_hello(f"seat {hello.seat}; {ruleset.name} has seats 0 to {ruleset.seats - 1}")
    return ruleset


def tell(connection: Connection, ruleset: Ruleset, line: bytes) -> bool:
    """Send a line of version 1, unless the bot speaks a dialect; return whether all of it was sent.

    This never waits, as a bot that doesn't read must not keep anybody else waiting. Lines between
    matches are short enough for a socket's buffer.
    """
    if dialect_of(connection.greeting, ruleset) is not None:
        return True
    return not connection.send_some(line)


def welcome() -> bytes:
    """Return the line that answers an accepted hello in version 1."""
    return messages.welcome(VERSION, "lanista", __version__)


def http_reply(page: str | None) -> bytes:
    """Return the answer to an HTTP request on the bots' port, with the page's address if any."""
    where = "This arena has no page." if page is None else f"The page is {page}"
    body = f"This port is for bots, which speak Lanista's wire protocol. {where}\n".encode()
    head = (
        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body


def wait_line(taken: int, needed: int) -> bytes:
    """Return the line `wait`, which says how many seats are taken of those needed."""
    return messages.wait(min(taken, needed), needed)


def announce(connections: Iterable[Connection], ruleset: Ruleset) -> None:
    """Tell the bots of a match that has not begun how many they are (PROTOCOL.md 3, `wait`)."""
    present = list(connections)
    line = wait_line(len(present), ruleset.seats)
    for connection in present:
        tell(connection, ruleset, line)


def seat_token() -> str:
    """Return a new secret token for a seat."""
    return secrets.token_urlsafe(24).replace("=", "")
