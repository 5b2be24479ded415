"""Accepting connections, no faster than they can be handled."""

import logging
import os
import socket
from collections.abc import Awaitable, Callable
from functools import partial

import trio

from lanista.errors import CannotListenError
from lanista.match.background import BackgroundWork
from lanista.unwatched import patiently
from lanista_client.console import address

ACCEPT_AGAIN = 0.1
"""Seconds to wait before accepting again after the system had no descriptor for a connection."""
FEW = 64
"""Maximum number of simultaneous connections to a port that was opened for one bot."""

log = logging.getLogger(__name__)


async def open_port(
    host: str, port: int, advice: str, *, use: str = ""
) -> tuple[list[trio.SocketListener], str, int]:
    """Open a port, any free one if it is 0; return its listeners, its address and its number.

    Raises CannotListenError, which says with what `advice` people choose another address, and what
    the port is for (`use`, such as ` for the page`).
    """
    try:
        listeners = await trio.open_tcp_listeners(port, host=host)
    except (OSError, UnicodeError) as error:
        # A UnicodeError says in words of Python's that no host can be called so.
        why = "unknown host" if isinstance(error, UnicodeError) else error.strerror or error
        raise CannotListenError(
            f"can't listen on {address(host, port)}{use}: {why}; "
            f"choose another address with {advice}"
        ) from None
    if not port:
        # A name with several addresses got another free port on each; only one is announced.
        for other in listeners[1:]:
            await other.aclose()
        del listeners[1:]
    host, port = listeners[0].socket.getsockname()[:2]
    return listeners, host, port


async def accept(
    listener: trio.SocketListener,
    places: trio.CapacityLimiter,
    greet: Callable[[socket.socket], Awaitable[None]],
    nursery: trio.Nursery,
    background: BackgroundWork,
) -> None:
    """Accept connections until cancelled, while there are places for them.

    Without a place, they wait in the listener's queue. Each is greeted in a task of its own, which
    owns the socket, and holds a place until `greet` returns. The event loop's background work
    determines how many may be accepted in one pass of the loop.
    """

    async def greet_and_leave(accepted: socket.socket, place: object) -> None:
        try:
            await greet(accepted)
        finally:
            places.release_on_behalf_of(place)

    # Whoever cancels this before it begins may have closed the port already.
    await trio.lowlevel.checkpoint_if_cancelled()
    # trio accepts one connection per pass of the event loop. If passes are long, thousands of
    # queued connections would then take minutes, so we accept more than one per pass where there
    # is room for more background work. A newcomer needs two pieces of that work, of two passes
    # each, until its hello is read. If we accepted newcomers faster than that, they would pile up,
    # and the next would be refused because too many connections of its address sent no hello.
    with socket.socket(fileno=os.dup(listener.socket.fileno())) as listening:
        listening.setblocking(False)
        while True:
            await patiently(partial(trio.lowlevel.wait_readable, listening))
            for _ in range(1 + background.more // 4):
                place = object()
                try:
                    places.acquire_on_behalf_of_nowait(place)
                except trio.WouldBlock:
                    await places.acquire_on_behalf_of(place)
                try:
                    accepted, _ = listening.accept()
                except OSError as error:
                    places.release_on_behalf_of(place)
                    if not isinstance(error, (BlockingIOError, ConnectionAbortedError)):
                        # Most likely there are no more descriptors.
                        log.error("%s", error.strerror)
                        await trio.sleep(ACCEPT_AGAIN)
                    break
                nursery.start_soon(greet_and_leave, accepted, place)


async def accept_few(
    listener: trio.SocketListener,
    greet: Callable[[socket.socket], Awaitable[None]],
    nursery: trio.Nursery,
) -> None:
    """Accept connections to the port of one bot until cancelled, at most FEW of them at once.

    When there are too many, the oldest is closed. So neither a bot that connects again and again
    nor anybody else on this machine locks the bot out, or uses up the descriptors that matches
    need.
    """
    connected: dict[trio.CancelScope, None] = {}

    async def greet_or_give_way(accepted: socket.socket) -> None:
        with trio.CancelScope() as scope:
            if len(connected) == FEW:
                oldest = next(iter(connected))
                oldest.cancel()
                del connected[oldest]
            connected[scope] = None
            try:
                await greet(accepted)
            finally:
                connected.pop(scope, None)

    # Twice as many, since a connection that gives way may take a moment to close.
    places = trio.CapacityLimiter(2 * FEW)
    await accept(listener, places, greet_or_give_way, nursery, BackgroundWork())
