"""Helper processes: CPU-bound work beside an event loop, without delaying it.

`trio_parallel` gives a process one call at a time and keeps it for further calls. It is started as
`lanista.spawning` says, and prints nothing on stdout.
"""

import contextlib
import math
import os
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import attrs
import trio

from lanista.spawning import SpawnContext, begin_helper

T = TypeVar("T")

LOW_PRIORITY = 15
"""Amount by which helpers lower their priority, so that they don't hold up matches."""
ENDING_TIME = 0.5
"""Seconds that an idle helper has to exit by itself; then it is killed."""


class HelperDiedError(Exception):
    """A helper died during a call, or was ended before it."""


@attrs.define(eq=False)
class HelperProcess:
    """The helper for one kind of work, started when it is first needed; `run` it.

    It does one call after another. If it dies, the next call starts another one.
    """

    niceness: int = attrs.field(factory=lambda: LOW_PRIORITY)
    max_memory: int | None = None
    """Limit of its address space in bytes; None for none."""
    _opened: Any = attrs.field(default=None, init=False)
    """The context manager that ends the helper; None before the first call."""
    _context: Any = attrs.field(default=None, init=False)
    _is_open: trio.Event = attrs.field(factory=trio.Event, init=False)
    """Set when calls are possible."""
    _one_call: trio.Lock = attrs.field(factory=trio.Lock, init=False)

    async def run(self) -> None:
        """Make calls possible until cancelled, then end the helper.

        No call may be under way then: cancel the tasks that wait for one.
        """
        import trio_parallel  # noqa: PLC0415 - 30 ms, but before there are matches to hold up

        try:
            self._is_open.set()
            await trio.sleep_forever()
        finally:
            if self._opened is not None:
                # One that died while it was idle, or had to be killed now, is no matter any more.
                with contextlib.suppress(trio_parallel.BrokenWorkerError):
                    await self._opened.__aexit__(None, None, None)

    async def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function in the helper; if this is cancelled, the helper is killed.

        The helper imports the function's module: a light one starts quickly. Arguments and result
        are pickled. Raises HelperDiedError if the helper died, had too little memory, or
        `sys.exit()` was called in it; OSError if none can be started; or what the function raises.
        """
        import trio_parallel  # noqa: PLC0415 - slow to import, and not always needed

        await self._is_open.wait()
        async with self._one_call:
            if self._context is None:
                await self._open()
            one = trio.CapacityLimiter(1)  # instead of one that all helpers share
            call = partial(self._context.run_sync, kill_on_cancel=True, limiter=one)
            try:
                result: T = await call(function, *arguments)
            except trio_parallel.BrokenWorkerError as error:
                raise HelperDiedError(f"the process ended ({error.args[-1].exitcode})") from None
            except MemoryError:
                # What it has kept takes the room, and the next one has all of it.
                with contextlib.suppress(MemoryError, trio_parallel.BrokenWorkerError):
                    await call(os._exit, 1)
                raise HelperDiedError("the process had too little memory") from None
            except SystemExit as error:  # here it would end the arena
                raise HelperDiedError(f"sys.exit() was called in the process: {error}") from None
            except trio.ClosedResourceError:
                await trio.lowlevel.checkpoint_if_cancelled()  # as `run` was, at the same moment
                raise HelperDiedError("the process was ended") from None
            return result

    async def _open(self) -> None:
        import trio_parallel  # noqa: PLC0415 - as above
        from trio_parallel._proc import SpawnProcWorker  # noqa: PLC0415

        # There is no public way to say how its processes are started.
        SpawnProcWorker.mp_context = SpawnContext()
        self._opened = trio_parallel.open_worker_context(
            idle_timeout=math.inf,
            init=partial(begin_helper, self.niceness, self.max_memory),
            grace_period=ENDING_TIME,
        )
        # It doesn't wait for anything, so no other call comes between.
        self._context = await self._opened.__aenter__()
