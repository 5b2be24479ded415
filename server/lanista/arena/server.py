"""The daemon: opens what an arena needs, and runs it while it heeds signals and the console."""

import os
import signal
import sys
import traceback
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING

import structlog
import trio

from lanista.arena.arena import Arena
from lanista.arena.matches import Matches
from lanista.arena.options import Options
from lanista.arena.spec import Start
from lanista.errors import SpecError
from lanista.match.runner import RULES_RAISE
from lanista.nurseries import helpers_nursery, stop_signals
from lanista.system import favour_event_loop, return_large_blocks, search_new_objects, undoing

if TYPE_CHECKING:  # as in `lobby`
    from lanista.arena.ladder_room import LadderRoom
    from lanista.arena.names import Names
    from lanista.arena.submission_queue import AllSubmissions

Reread = Callable[[Options], Options]
"""Reads an arena's file again; given the options that hold, returns those that the file says, or
raises SpecError."""

Beside = Callable[[Arena, trio.Nursery], Awaitable[None]]
"""Starts tasks that run alongside an arena that listens, such as the web page, in the given
nursery. They are cancelled when the arena has ended."""

log = structlog.get_logger()


# -- signals and the console -------------------------------------------------------------------


async def heed_signals(
    arena: Arena,
    reread: Reread | None = None,
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Heed SIGTERM, SIGINT and SIGHUP until cancelled, except for those that we ignore.

    SIGTERM drains the arena. A second one and SIGINT end it at once, and so does SIGHUP if there is
    no file to `reread`. This has started when no signal can be missed any more.
    """
    reading = trio.Lock()
    async with trio.open_nursery() as nursery:
        with stop_signals() as signals:
            task_status.started()
            async for number in signals:
                if number == signal.SIGHUP and reread is not None:
                    # In a task of its own, so that no signal has to wait for a file.
                    nursery.start_soon(_reload, arena, reread, reading)
                elif number == signal.SIGTERM:
                    arena.drain()
                else:
                    arena.shut_down()


async def _reload(arena: Arena, reread: Reread, reading: trio.Lock) -> None:
    async with reading:
        try:
            options = await trio.to_thread.run_sync(reread, arena.options, abandon_on_cancel=True)
        except SpecError as error:
            log.error("the arena's file can't be used; nothing is changed", why=str(error))
        except RULES_RAISE:  # a fault of a game that reads a map must not end the arena
            trace = traceback.format_exc()
            log.error("the arena's file can't be used; nothing is changed", trace=trace)
        else:
            arena.reload(options)


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


# -- running an arena --------------------------------------------------------------------------


async def serve(options: Options, beside: Beside, reread: Reread | None = None) -> None:
    """Serve until a signal comes or the last match of `Options.matches` is over.

    Raises:
        CannotListenError: From `BotConnections.listen` or `beside`.
        SpecError, StoreError: From `open_ladders` or `open_submissions`.
    """
    with ExitStack() as opened:
        rooms, names, submissions = await _open_ladders(options, opened)
        arena = Arena(options, rooms, names, submissions)
        connections = arena.connections
        await connections.listen()
        async with helpers_nursery() as nursery:
            # This comes first, so that no signal can end us without cleaning up.
            await nursery.start(heed_signals, arena, reread)
            with undoing(connections.close):
                if connections.tls is not None:
                    await nursery.start(connections.tls.run)
                await beside(arena, nursery)
                if options.spec.friendly.start is Start.MANUAL:
                    nursery.start_soon(wait_for_enter, arena.matches, read_stdin)
                favour_event_loop()
                return_large_blocks()
                search_new_objects()
            await arena.serve()


async def _open_ladders(
    options: Options, opened: ExitStack
) -> "tuple[Mapping[str, LadderRoom], Names | None, AllSubmissions | None]":
    """Open an arena's ladders, the names on them and what was handed in; `opened` closes them."""
    if not options.spec.ladders:
        return {}, None, None
    # Imported only now, as they import SQLAlchemy.
    from lanista.arena.ladder_room import open_ladders  # noqa: PLC0415

    rooms, names = await trio.to_thread.run_sync(open_ladders, options, opened)
    if all(ladder.submissions is None for ladder in options.spec.ladders):
        return rooms, names, None
    from lanista.arena.submission_queue import open_submissions  # noqa: PLC0415 - as above

    submissions = await trio.to_thread.run_sync(open_submissions, rooms, options)
    await submissions.look_up_names(names)  # before a match begins
    return rooms, names, submissions
