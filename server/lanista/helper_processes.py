"""Helper processes: CPU-bound work beside an event loop, without delaying it.

`trio_parallel` starts them, gives each one call at a time, and keeps them for further calls. Here
is what it leaves open: a helper ignores the signals of a terminal, prints nothing on stdout, and
ends when the process that started it has ended in whatever way, also in the middle of a call.
"""

import contextlib
import math
import multiprocessing
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

import attrs

T = TypeVar("T")

ENDING_TIME = 0.5
"""Seconds that idle helpers have to exit by themselves; then they are killed."""


class HelperDiedError(Exception):
    """A helper died during a call."""


@attrs.frozen
class HelperProcesses:
    """Helpers for one kind of work."""

    _context: Any

    async def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function in a helper; if this is cancelled, the helper is killed.

        Args:
            function: A function of a module, which the helper imports: a light one starts quickly.
            arguments: What it is called with; they are pickled, and so is what it returns.

        Raises:
            HelperDiedError: The helper died.
            OSError: No helper can be started.
            Exception: What the function raises.
        """
        import trio_parallel  # noqa: PLC0415 - slow to import, and a helper doesn't need it

        try:
            result: T = await self._context.run_sync(function, *arguments, kill_on_cancel=True)
        except trio_parallel.BrokenWorkerError:
            raise HelperDiedError("it has ended") from None
        return result


@contextlib.asynccontextmanager
async def open_helpers() -> AsyncIterator[HelperProcesses]:
    """Open helpers, each started when it is first needed; they end with the `async with`.

    No call may be under way then: cancel the tasks that wait for one.
    """
    import trio_parallel  # noqa: PLC0415 - as above

    opening = trio_parallel.open_worker_context(
        idle_timeout=math.inf, init=_begin, grace_period=ENDING_TIME
    )
    context = await opening.__aenter__()
    try:
        yield HelperProcesses(context)
    finally:
        # One that died while it was idle, or had to be killed now, is no matter any more.
        with contextlib.suppress(trio_parallel.BrokenWorkerError):
            await opening.__aexit__(None, None, None)


def _begin() -> None:
    """Initialise a helper, before its first call."""
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.dup2(2, 1)  # what a function prints must not get into the output of a command
    threading.Thread(target=leave_with_parent, daemon=True).start()


def leave_with_parent() -> None:
    """End this process, made by `multiprocessing`, at once when its parent has ended.

    PR_SET_PDEATHSIG is no substitute: its signal comes when the *thread* that has started a process
    ends, and trio's threads end when they were idle for ten seconds.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None, "it was started by multiprocessing"
    parent.join()
    os._exit(1)
