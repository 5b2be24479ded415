"""The interface to workers: a wrapper around `concurrent.futures.Executor`.

It adds what an executor doesn't tell: how many tasks may run at the same time, which errors mean
that a worker died, and how its workers are ended in order. Processes of this machine are in
`local`, a cluster is in `cluster`. What a task does is not known here.
"""

import abc
import concurrent.futures
import contextlib
import re
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any, Literal

import trio

from lanista.errors import did_you_mean
from lanista.toml_spec import SpecError
from lanista_protocol import shown

CLEANUP_TIME = 10.0
"""Seconds that workers have to end their bots after the last task; then they are killed or left."""
KNOWN = "local, dask-local, dask://HOST:PORT"
"""The possible values of a spec's `executor`, for messages."""
_NAMED = ("local", "dask-local")
_ADDRESS = re.compile(r"dask://([^/\s:]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})")

Concurrency = int | Literal["auto"]


def no_cleanup() -> None:
    """Do nothing; the cleanup of workers that have nothing to end."""


class Workers(abc.ABC):
    """Workers that run tasks, up to `slots` at the same time.

    They are used by one director, from one thread. `start`, `count_threads`, `terminate` and
    `close` may take seconds: call them outside the thread of an event loop.
    """

    slots: int
    """Number of tasks that may run at the same time, at least 1."""
    is_local: bool = False
    """Whether the workers share this machine's cores, so that stalls are a reason to use fewer."""
    is_near: bool = False
    """Whether the workers see this machine's files."""
    losses: tuple[type[BaseException], ...] = (concurrent.futures.BrokenExecutor,)
    """The errors of tasks whose worker died; such a task may be submitted again."""

    def start(self) -> None:  # noqa: B027 - most are ready as they are
        """Make the workers ready to run tasks.

        Raises:
            SpecError: They can't be reached or made.
        """

    @abc.abstractmethod
    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have a worker call a function; the caller submits no more than `slots` at the same time.

        Raises:
            RuntimeError: The workers take no more tasks; a BrokenExecutor is one.
        """

    def set_slots(self, slots: int) -> None:
        """Set the number of slots."""
        self.slots = slots

    def count_threads(self) -> int | None:
        """Return how many threads the workers have now; None if unknown or always the same."""
        return None

    @abc.abstractmethod
    def terminate(self) -> None:
        """End the workers now, whatever they run. Safe to call twice, and before `start`."""

    @abc.abstractmethod
    def close(self, cleanup: Callable[[], None] = no_cleanup) -> None:
        """End the workers after the last task; each of their processes calls `cleanup` first."""


class GivenWorkers(Workers):
    """An executor made by the caller, which is left running: the caller shuts it down."""

    def __init__(self, executor: Executor, concurrency: Concurrency = "auto") -> None:
        """Use an executor.

        Args:
            executor: Any executor.
            concurrency: The number of tasks at the same time; `auto`: the number of workers of a
                pool of the standard library, otherwise 1.
        """
        self._executor = executor
        self._running: set[Future[Any]] = set()
        self.is_near = isinstance(executor, (ThreadPoolExecutor, ProcessPoolExecutor))
        if concurrency == "auto":
            concurrency = getattr(executor, "_max_workers", 1)
        self.slots = max(1, int(concurrency))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have the executor call a function."""
        future: Future[Any] = self._executor.submit(function, *arguments)
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        return future

    def terminate(self) -> None:
        """Cancel the tasks that don't run yet; the results of those that run are ignored."""
        for future in list(self._running):
            future.cancel()

    def close(self, cleanup: Callable[[], None] = no_cleanup) -> None:
        """Have the workers call `cleanup`, as far as they can be reached."""
        try:
            cleanups = [self._executor.submit(cleanup) for _ in range(self.slots)]
        except RuntimeError:  # it was broken, or shut down by its owner
            return
        concurrent.futures.wait(cleanups, CLEANUP_TIME)


def parse_executor(executor: str) -> re.Match[str] | None:
    """Check the value of a spec's `executor`.

    Returns:
        The match of a scheduler's address (group 1 the host, 2 the port), or None for the others.

    Raises:
        SpecError: It is none of the possible values.
    """
    address = _ADDRESS.fullmatch(executor)
    if address is not None and not 0 < int(address[2]) < 65536:
        address = None
    if address is None and executor not in _NAMED:
        meant = did_you_mean(executor, _NAMED)
        raise SpecError(f"executor: {shown(executor, 200)}; it can be {KNOWN}{meant}")
    return address


def deliver(future: Future[Any], call: Callable[[Future[Any]], object]) -> None:
    """Have a function called in the thread of this trio loop with a future when it is done."""
    token = trio.lowlevel.current_trio_token()

    def soon(done: Future[Any]) -> None:
        # If the loop has ended, nobody waits for the future any more.
        with contextlib.suppress(trio.RunFinishedError):
            token.run_sync_soon(call, done)

    future.add_done_callback(soon)


def error_of(future: Future[Any]) -> BaseException | None:
    """Return the exception of a future that is done, or None.

    It isn't raised, because an interrupt of a worker must not interrupt this process.
    """
    try:
        return future.exception()
    except concurrent.futures.CancelledError as error:
        return error
