"""Helper processes: CPU-bound work beside an event loop, without delaying it.

`trio_parallel` gives each one call at a time and keeps them for further calls. They are started as
`lanista.spawning` says, and print nothing on stdout.
"""

import contextlib
import math
import os
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

import attrs

from lanista.spawning import SpawnContext, begin_spawned

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
    from trio_parallel._proc import SpawnProcWorker  # noqa: PLC0415

    # There is no public way to say how its processes are started.
    SpawnProcWorker.mp_context = SpawnContext()
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
    begin_spawned()
    os.dup2(2, 1)  # what a function prints must not get into the output of a command
