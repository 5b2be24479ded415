"""The first lines of a connection: hello, what it asks for, welcome (PROTOCOL.md 2, 3)."""

import hmac
import math
from collections.abc import Callable, Iterable, Sequence

import attrs
import trio

from lanista import __version__
from lanista.bots import Bot
from lanista.hosting.accept import accept_few
from lanista.match.background import BackgroundWork
from lanista.match.channel import BrokenChannelError, Channel, SocketChannel
from lanista.match.connection import Connection
from lanista.rules import registry
from lanista.rules.base import Ruleset
from lanista_protocol import (
    VERSION,
    ErrorCode,
    Hello,
    RemoteProtocolError,
    Wait,
    Welcome,
    bad_hello,
    shown,
)

LAST_LOOK = 0.2
"""Seconds for which the hello of a bot that has ended already may still be on its way."""


@attrs.define(eq=False)
class Handshake:
    """Lets in the one bot that was started for a port: its hello, token and game, the welcome."""

    ruleset: Ruleset
    token: str
    """The bot's. A hello without one is taken for the bot's too, since the port is its own."""
    tap: Callable[[Channel], Channel] | None = None
    """Makes the channel that stands before the connection's own, before a byte is read."""
    is_one_try: bool = False
    """Whether a refused hello ends the wait."""
    connection: Connection | None = attrs.field(default=None, init=False)
    """The bot's, once it has come."""
    refusal: RemoteProtocolError | None = attrs.field(default=None, init=False)
    """Why the last hello was refused."""

    async def wait(
        self, listeners: Sequence[trio.SocketListener], bot: Bot, seconds: float
    ) -> Connection | None:
        """Wait for the bot; None if it doesn't come. The port is closed then.

        Args:
            listeners: The bot's port.
            bot: Its process; the wait is given up when that has ended.
            seconds: How long to wait.
        """
        with trio.move_on_after(seconds):
            async with trio.open_nursery() as nursery:

                async def greet(stream: trio.SocketStream) -> None:
                    await self._greet(stream)
                    if self.connection is not None or (self.is_one_try and self.refusal):
                        nursery.cancel_scope.cancel()

                async def give_up_at_exit() -> None:
                    await bot.exited()
                    # Its hello may still be on its way to us: a last look at what has come.
                    await trio.sleep(LAST_LOOK)
                    nursery.cancel_scope.cancel()

                nursery.start_soon(accept_few, greet, listeners)
                nursery.start_soon(give_up_at_exit)
        return self.connection

    async def _greet(self, stream: trio.SocketStream) -> None:
        connection = accepted(stream)
        if connection is None:
            return
        if self.tap is not None:
            connection.channel = self.tap(connection.channel)
        try:
            hello = await connection.read_hello(math.inf)
            if hello is None:
                return
            self._check(hello)
            if speaks_version1(hello, self.ruleset):
                tell_at_once(connection, welcome())
            self.connection = connection
        except RemoteProtocolError as error:
            if self.connection is None:
                self.refusal = error
            await connection.refuse(error)
        finally:
            if self.connection is not connection:
                connection.channel.close()

    def _check(self, hello: Hello) -> None:
        """Check that it is the bot that was started, for this game.

        Raises:
            RemoteProtocolError: It isn't.
        """
        if ruleset_of(hello, self.ruleset).name != self.ruleset.name:
            raise RemoteProtocolError(
                ErrorCode.UNKNOWN_GAME,
                f"it asks for {hello.game}; {self.ruleset.name} is played here",
            )
        if hello.token is not None and not same_secret(hello.token, self.token):
            raise RemoteProtocolError(
                ErrorCode.BAD_TOKEN,
                "the token isn't that of LANISTA_TOKEN, or {token}; "
                "this port takes only the bot that was started for it",
            )
        if self.connection is not None:
            raise RemoteProtocolError(ErrorCode.SEAT_TAKEN, "one connection is all that a bot has")

    def why_not(self, bot: Bot, seconds: float) -> str:
        """Return why the bot didn't come, as a phrase."""
        refused = ""
        if self.refusal is not None:
            code = self.refusal.code.value
            refused = f"its hello was refused: {code}: {self.refusal.message}"
            if self.is_one_try:
                return refused
        why = f"no hello within {seconds:g} s"
        if bot.exit is not None:
            why = str(bot.exit) + ("" if bot.exit.failure else " before it said hello")
        return f"{why}; {refused}" if refused else why


def accepted(
    stream: trio.SocketStream, host: str = "", background: BackgroundWork | None = None
) -> Connection | None:
    """A connection from an accepted stream; None if the other end is gone already.

    Args:
        stream: Its socket is taken over.
        host: The address that its work is counted for.
        background: Where its work waits its turn; None: it has one of its own.
    """
    try:
        channel = SocketChannel.from_stream(stream)
    except OSError:  # the peer reset it before we could set the options
        return None
    return Connection(channel, host=host, background=background or BackgroundWork())


def peer_of(stream: trio.SocketStream) -> tuple[str, int]:
    """The other end's address and port."""
    try:
        host, port = stream.socket.getpeername()[:2]
    except (OSError, ValueError):
        return "gone", 0
    return host, port


def ruleset_of(hello: Hello, default: Ruleset) -> Ruleset:
    """The ruleset a hello asks for, its seat checked.

    Raises:
        RemoteProtocolError: `unknown-game`, or `bad-hello` for a seat the game doesn't have.
    """
    ruleset = default
    if hello.game is not None:
        if hello.game not in registry.names():
            raise RemoteProtocolError(
                ErrorCode.UNKNOWN_GAME,
                f"game {shown(hello.game)}; this arena has {', '.join(registry.names())}",
            )
        ruleset = registry.get(hello.game)
    if hello.seat is not None and hello.seat >= ruleset.seats:
        raise bad_hello(f"seat {hello.seat}; {ruleset.name} has seats 0 to {ruleset.seats - 1}")
    return ruleset


def speaks_version1(hello: Hello, ruleset: Ruleset) -> bool:
    """Whether the bot is spoken to in version 1, not in the ruleset's classic dialect."""
    return hello.version is not None or ruleset.classic is None


def tell_at_once(connection: Connection, data: bytes) -> bool:
    """Send a short line between matches; False if the bot doesn't read, or is gone."""
    try:
        return connection.channel.send_some(data) == len(data)
    except BrokenChannelError:
        return False


def welcome() -> bytes:
    """The line that answers an accepted hello in version 1."""
    return bytes(Welcome(VERSION, "lanista", __version__))


def http_reply(page: str | None) -> bytes:
    """The answer to an HTTP request on the bots' port, which says where the page is, if any."""
    where = "This arena has no page." if page is None else f"The page is {page}"
    body = f"This port is for bots, which speak Lanista's wire protocol. {where}\n".encode()
    head = (
        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body


def wait_line(taken: int, needed: int) -> bytes:
    """How many seats are taken of those needed."""
    return bytes(Wait(min(taken, needed), needed))


def announce(connections: Iterable[Connection], ruleset: Ruleset) -> None:
    """Tell the bots that have come for a match how many they are (PROTOCOL.md 3, `wait`)."""
    come = list(connections)
    line = wait_line(len(come), ruleset.seats)
    for connection in come:
        assert connection.hello is not None
        if speaks_version1(connection.hello, ruleset):
            tell_at_once(connection, line)


def same_secret(given: str, expected: str) -> bool:
    """Compare two tokens in a time that tells nothing of them."""
    return hmac.compare_digest(given.encode(), expected.encode())
