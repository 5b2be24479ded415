"""Accepting connections, no faster than they can be greeted."""

import logging
import os
import socket
from collections.abc import Awaitable, Callable, Sequence

import trio

from lanista.match.background import BackgroundWork

ACCEPT_AGAIN = 0.1
"""Seconds until the next try where the system had no descriptor for a connection."""
FEW = 64
"""Connections at once to a port that was opened for one bot."""

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


async def accept_few(
    greet: Callable[[trio.SocketStream], Awaitable[None]],
    listeners: Sequence[trio.SocketListener],
) -> None:
    """Serve the port of one bot until cancelled.

    Of too many connections the oldest gives way: a bot that dials again and again neither keeps
    itself out, nor takes the descriptors that matches need.
    """
    connected: dict[trio.CancelScope, None] = {}

    async def greet_or_give_way(stream: trio.SocketStream) -> None:
        with trio.CancelScope() as scope:
            if len(connected) == FEW:
                oldest = next(iter(connected))
                oldest.cancel()
                del connected[oldest]
            connected[scope] = None
            try:
                await greet(stream)
            finally:
                connected.pop(scope, None)

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
