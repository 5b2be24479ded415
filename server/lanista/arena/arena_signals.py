"""Acting on the signals of an arena: SIGTERM and SIGINT end it, SIGHUP has its file read again."""

import signal
from collections.abc import Callable
from typing import Protocol

import structlog
import trio

from lanista.arena.options import Options
from lanista.system import heeded
from lanista.toml_spec import SpecError

Reread = Callable[[Options], Options]
"""Reads an arena's file again; given the options that hold, returns those that the file says.

Raises:
    SpecError: The file can't be used; nothing changes then.
"""

log = structlog.get_logger()


class Signalled(Protocol):
    """What signals do to an arena (`server.Arena`)."""

    options: Options

    def drain(self) -> None:
        """Begin no more matches, and end when the running ones are over."""
        ...

    def shut_down(self) -> None:
        """End at once."""
        ...

    def reload(self, options: Options) -> None:
        """Go on with other limits."""
        ...


async def heed_signals(
    arena: Signalled,
    reread: Reread | None = None,
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Heed SIGTERM, SIGINT and SIGHUP until cancelled, except for those that we ignore.

    SIGTERM drains the arena. A second one and SIGINT end it at once, and so does SIGHUP if there is
    no file to read again.

    Args:
        arena: The arena.
        reread: Reads the arena's file again; None if it has no file.
        task_status: Told when no signal can be missed any more.
    """
    wanted = trio.Event()
    async with trio.open_nursery() as nursery:

        async def reload() -> None:
            nonlocal wanted
            assert reread is not None
            while True:
                await wanted.wait()
                wanted = trio.Event()
                await _reload(arena, reread)

        if reread is not None:
            # In a task of its own, so that no signal has to wait for a file.
            nursery.start_soon(reload)
        with trio.open_signal_receiver(*heeded()) as signals:
            task_status.started()
            async for number in signals:
                if number == signal.SIGHUP and reread is not None:
                    wanted.set()
                elif number == signal.SIGTERM:
                    arena.drain()
                else:
                    arena.shut_down()


async def _reload(arena: Signalled, reread: Reread) -> None:
    """Read an arena's file again; a file that can't be used changes nothing."""
    try:
        options = await trio.to_thread.run_sync(reread, arena.options, abandon_on_cancel=True)
    except SpecError as error:
        log.error(  # noqa: TRY400 - the reason is enough
            "the arena's file can't be used; everything stays as it was", why=str(error)
        )
        return
    arena.reload(options)
