"""Who runs the tasks: a wrapper around `concurrent.futures.Executor`, and which one is wanted.

It tells how many tasks at a time, what a lost worker looks like, how to end. Processes of this
machine are in `local`, a cluster in `cluster`. What a task does is not known here.
"""

import abc
import concurrent.futures
import re
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any, Literal

from lanista.tournament.spec import SpecError
from lanista_protocol import shown

FAREWELL = 10.0
"""Seconds that workers have to end their bots when all is done; then they are killed, or left."""
KNOWN = "local, dask-local, dask://HOST:PORT"
"""What a spec's `executor` can be."""
_ADDRESS = re.compile(r"dask://([^/\s:]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})")

Concurrency = int | Literal["auto"]


def nothing() -> None:
    """Do nothing: the farewell of workers that keep nothing."""


class Workers(abc.ABC):
    """Runs tasks, `slots` at a time. Used by one director, from one thread.

    `start`, `look`, `terminate` and `close` may take seconds: call them beside an event loop.
    """

    slots: int
    """Tasks at the same time; 1 at least."""
    is_local: bool = False
    """Whether the workers share this machine's cores, so that fewer of them may help clocks."""
    is_near: bool = False
    """Whether the workers see this machine's files."""
    is_auto: bool = False
    """Whether `slots` is only the most that can be, and should be measured."""
    losses: tuple[type[BaseException], ...] = (concurrent.futures.BrokenExecutor,)
    """How a task ends whose worker died: it may be handed out again."""

    def start(self) -> None:  # noqa: B027 - most are ready as they are
        """Make ready to submit.

        Raises:
            SpecError: There are no such workers.
        """

    @abc.abstractmethod
    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have a function run in a worker; never more than `slots` at a time.

        Raises:
            concurrent.futures.BrokenExecutor: There are no workers any more.
        """

    def settle(self, slots: int) -> None:
        """Use so many slots from here on."""
        self.slots = slots

    def look(self) -> int | None:
        """How many workers' threads there are now; None where their number is fixed."""
        return None

    @abc.abstractmethod
    def terminate(self) -> None:
        """End now, whatever runs. Safe to call twice, and before `start`."""

    @abc.abstractmethod
    def close(self, farewell: Callable[[], None] = nothing) -> None:
        """End when nothing runs any more; each worker's process calls `farewell` before."""


class GivenWorkers(Workers):
    """An executor of somebody else's, used as it is; ending it is their business."""

    def __init__(self, executor: Executor, concurrency: Concurrency = "auto") -> None:
        """Use an executor.

        Args:
            executor: Any.
            concurrency: Tasks at the same time; `auto`: as many as its pool says it has, else 1.
        """
        self._executor = executor
        self._running: set[Future[Any]] = set()
        self.is_near = isinstance(executor, (ThreadPoolExecutor, ProcessPoolExecutor))
        if concurrency == "auto":
            concurrency = getattr(executor, "_max_workers", 1)
        self.slots = max(1, int(concurrency))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Hand it on."""
        future: Future[Any] = self._executor.submit(function, *arguments)
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        return future

    def terminate(self) -> None:
        """Take back what doesn't run yet; what runs goes on, and nobody hears of it."""
        for future in list(self._running):
            future.cancel()

    def close(self, farewell: Callable[[], None] = nothing) -> None:
        """Have its workers say farewell, as far as they can be reached; leave it as it is."""
        try:
            goodbyes = [self._executor.submit(farewell) for _ in range(self.slots)]
        except RuntimeError:  # it was broken, or shut down by its owner
            return
        concurrent.futures.wait(goodbyes, FAREWELL)


def checked(executor: str) -> re.Match[str] | None:
    """See that there can be such an executor; the address of a cluster's scheduler.

    Raises:
        SpecError: There is none of this name.
    """
    address = _ADDRESS.fullmatch(executor)
    if address is not None and not 0 < int(address[2]) < 65536:
        address = None
    if address is None and executor not in {"local", "dask-local"}:
        raise SpecError(f"executor: {shown(executor, 200)}; it can be {KNOWN}")
    return address
