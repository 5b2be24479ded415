"""Waiting for descriptors that the event loop can't watch, as the system has no more watches.

The kernel limits how many descriptors all processes of a user may watch by epoll
(`/proc/sys/fs/epoll/max_user_watches`), and a bot in a sandbox may be of the arena's user. The
keepers end a bot that holds all of them (`bots.usage`). Until then whoever waits for a descriptor
that wasn't watched before looks again from time to time.
"""

import errno
from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio

T = TypeVar("T")

PAUSE = 0.02
"""Seconds between two looks at a descriptor that isn't watched."""


async def pause_unwatched(error: OSError | trio.BrokenResourceError) -> None:
    """Pause if a wait failed because the system has no more watches; raise any other error."""
    # A SocketStream tells every OSError by a BrokenResourceError.
    cause = error.__cause__ if isinstance(error, trio.BrokenResourceError) else error
    if not isinstance(cause, OSError) or cause.errno != errno.ENOSPC:
        raise error
    await trio.sleep(PAUSE)


async def patiently(call: Callable[[], Awaitable[T]]) -> T:
    """Return what a call of trio's returns, which is repeated while the system has no watches."""
    while True:
        try:
            return await call()
        except (OSError, trio.BrokenResourceError) as error:
            await pause_unwatched(error)
