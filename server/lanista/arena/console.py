"""Starting matches by pressing Enter (`lanista serve --start manual`)."""

import os
import sys
from collections.abc import Awaitable, Callable

import structlog
import trio

from lanista.arena.matches import Matches

log = structlog.get_logger()


async def wait_for_enter(matches: Matches, read: Callable[[], Awaitable[bytes]]) -> None:
    """Start a match for each line that `read` returns, until it returns nothing."""
    while True:
        data = await read()
        if not data:
            log.warning("standard input has ended; no more matches can be started")
            return
        for _ in range(data.count(b"\n")):
            if not matches.start_next():
                log.info("no match is ready", waiting=len(matches.lobby.waiting()))
            # A match and its bots per pass of the loop, however many lines come at once.
            await trio.lowlevel.checkpoint()


async def read_stdin() -> bytes:
    """Read some bytes of standard input, without a thread, which couldn't be cancelled."""
    if sys.stdin is None:  # it was closed when we were started
        await trio.lowlevel.checkpoint()
        return b""
    fd = sys.stdin.fileno()
    try:
        await trio.lowlevel.wait_readable(fd)
    except PermissionError:  # epoll refuses regular files, which are always readable
        await trio.lowlevel.checkpoint()
    return os.read(fd, 4096)
