"""The first lines of a connection: hello, what it asks for, welcome (PROTOCOL.md 2, 3)."""

import hmac
import logging
import os
import socket
from collections.abc import Awaitable, Callable, Sequence

import trio

from lanista import __version__
from lanista.match.background import BackgroundWork
from lanista.match.channel import BrokenChannelError, SocketChannel
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

ACCEPT_AGAIN = 0.1
"""Seconds until the next try where the system had no descriptor for a connection."""
FEW = 64
"""Connections without a seat to a port that was opened for a few bots."""

log = logging.getLogger(__name__)


async def accept(
    listener: trio.SocketListener,
    places: trio.Semaphore,
    greet: Callable[[trio.SocketStream], Awaitable[None]],
    nursery: trio.Nursery,
    background: BackgroundWork,
) -> None:
    """Take connections until cancelled, as long as there are places for them.

    Args:
        listener: Whoever dials when there is no place waits in the system's queue.
        places: One is taken for each connection that is being greeted.
        greet: Called with each connection, in a task of its own.
        nursery: Where those tasks run.
        background: Tells how many may be accepted in a pass of the loop.
    """

    async def greet_and_leave(stream: trio.SocketStream) -> None:
        try:
            await greet(stream)
        finally:
            places.release()

    # trio accepts one connection a pass of the loop. So do we, in the order in which they dialled;
    # but where passes are long, those who dialled after a storm would wait for minutes. A
    # newcomer has two pieces of two passes each until its hello is read: more of them would pile
    # up, and whoever dials next would be refused because too many of its address have said none.
    with socket.socket(fileno=os.dup(listener.socket.fileno())) as door:
        door.setblocking(False)
        while True:
            await trio.lowlevel.wait_readable(door)
            for _ in range(1 + background.more // 4):
                try:
                    places.acquire_nowait()
                except trio.WouldBlock:
                    await places.acquire()
                try:
                    dialled, _ = door.accept()
                except OSError as error:
                    places.release()
                    if not isinstance(error, (BlockingIOError, ConnectionAbortedError)):
                        # No descriptor, most likely: said in a line of the daemon's log.
                        log.error("%s", error.strerror)  # noqa: TRY400
                        await trio.sleep(ACCEPT_AGAIN)
                    break
                stream = trio.SocketStream(trio.socket.from_stdlib_socket(dialled))
                nursery.start_soon(greet_and_leave, stream)


Seated = Callable[[], None]
"""Said of a connection that has got its seat: it is not to give way any more."""


async def accept_few(
    greet: Callable[[trio.SocketStream, Seated], Awaitable[None]],
    listeners: Sequence[trio.SocketListener],
) -> None:
    """Serve the port of bots that were started for it, until cancelled.

    Of too many connections the oldest without a seat gives way: a bot that dials again and again
    neither keeps another one out, nor takes the descriptors that matches need.
    """
    unseated: dict[trio.CancelScope, None] = {}

    async def greet_or_give_way(stream: trio.SocketStream) -> None:
        with trio.CancelScope() as scope:
            if len(unseated) == FEW:
                oldest = next(iter(unseated))
                oldest.cancel()
                del unseated[oldest]
            unseated[scope] = None
            try:
                await greet(stream, lambda: unseated.pop(scope, None))
            finally:
                unseated.pop(scope, None)

    try:
        async with trio.open_nursery() as nursery:
            for listener in listeners:
                # Those that give way may linger for a moment.
                places = trio.Semaphore(2 * FEW)
                nursery.start_soon(
                    accept, listener, places, greet_or_give_way, nursery, BackgroundWork()
                )
    finally:
        for listener in listeners:
            listener.socket.close()


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


def same_secret(given: str, expected: str) -> bool:
    """Compare two tokens in a time that tells nothing of them."""
    return hmac.compare_digest(given.encode(), expected.encode())
