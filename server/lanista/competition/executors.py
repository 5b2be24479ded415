"""Workers, which run tasks: processes of this machine, or an executor that was given.

Their interface adds to `concurrent.futures.Executor` how many tasks may run at the same time, which
errors mean that a worker died, and how workers are ended in order. `cluster` has those of dask.

Each process of this machine is a `ProcessPoolExecutor` of its own: the standard pool loses all its
processes when one of them dies, and can't give each of them its own cores. They are spawned, not
forked, because the manager has threads (`lanista.spawning`).
"""

import abc
import concurrent.futures
import contextlib
import os
import re
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any, Literal

import attrs
import trio

from lanista.bots.cgroup import use_cgroups
from lanista.bots.keeper_process import become_subreaper
from lanista.errors import SpecError, did_you_mean
from lanista.spawning import SpawnContext, begin_spawned
from lanista.system import usable_cores
from lanista_protocol import shown

CLEANUP_TIME = 10.0
"""Seconds that workers have to end their bots after the last task; then they are killed or left."""
KNOWN = "local, dask-local, dask://HOST:PORT"
"""The possible values of a spec's `executor`, for messages."""
_NAMED = ("local", "dask-local")
_ADDRESS = re.compile(r"dask://([^/\s:]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})")

Concurrency = int | Literal["auto"]


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

        A RuntimeError, such as BrokenExecutor, says that they take no more tasks.
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
    def close(self, cleanup: Callable[[], None]) -> None:
        """End the workers after the last task; each of their processes calls `cleanup` first."""


class GivenWorkers(Workers):
    """An executor made by the caller, which is left running: the caller shuts it down."""

    def __init__(self, executor: Executor, concurrency: Concurrency = "auto") -> None:
        """Use any executor; `auto` is the size of a pool of the standard library, otherwise 1."""
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

    def close(self, cleanup: Callable[[], None]) -> None:
        """Have the workers call `cleanup`, as far as they can be reached."""
        try:
            cleanups = [self._executor.submit(cleanup) for _ in range(self.slots)]
        except RuntimeError:  # it was broken, or shut down by its owner
            return
        concurrent.futures.wait(cleanups, CLEANUP_TIME)


def parse_executor(executor: str) -> re.Match[str] | None:
    """Check a spec's `executor`; return the match of an address, of host and port, or None.

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


def _begin(cores: Sequence[int]) -> None:
    """Initialise a worker's process, before its first task; without `cores`, it runs on all."""
    # It ends at SIGTERM, at once: a service manager that ends all our processes by SIGTERM may have
    # ended bots too, and the match that they are playing must not count. Keepers end its bots then.
    begin_spawned()
    if cores:
        os.sched_setaffinity(0, cores)
    become_subreaper()
    use_cgroups()


@attrs.define(eq=False)
class _LocalWorker:
    number: int
    """Number of the worker, from 1; it decides which cores it gets."""
    pool: ProcessPoolExecutor
    context: SpawnContext
    task: Future[Any] | None = None
    """The last task that it was given."""

    @property
    def is_idle(self) -> bool:
        return self.task is None or self.task.done()

    def kill(self) -> None:
        for process in self.context.processes:
            if process.pid is not None:  # else the system let us start no more
                process.kill()


def automatic_concurrency(seats: int) -> int:
    """Return how many matches this machine plays at the same time if no number is given.

    Each of their bots has a core then; the arena's share of a turn is small beside a bot's.
    """
    return max(1, len(usable_cores()) // seats)


class LocalWorkers(Workers):
    """Worker processes of this machine, each started when it is first needed."""

    is_local = True
    is_near = True

    def __init__(self, concurrency: int, *, pin: bool = False) -> None:
        """Describe the workers; if they are pinned, each has cores of its own, with its bots."""
        self._cores = usable_cores()
        self.slots = concurrency
        self._pin = pin
        self._all: list[_LocalWorker] = []

    def start(self) -> None:
        """Use control groups: if ours was delegated, workers start in a group within it."""
        use_cgroups()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have an idle worker call a function: one with bots that it has kept, if there is one."""
        self._dismiss_idle(self.slots)
        while True:
            worker = next((worker for worker in self._all if worker.is_idle), None) or self._new()
            try:
                worker.task = worker.pool.submit(function, *arguments)
            except concurrent.futures.BrokenExecutor:  # it died in its last task, or after it
                self._dismiss([worker])
            except (OSError, RuntimeError):
                # The system starts no more processes or threads; the pool would call the function
                # later, or never.
                worker.kill()
                self._dismiss([worker])
                raise
            else:
                return worker.task

    def set_slots(self, slots: int) -> None:
        """Set the number of workers; pinned ones share the cores again if all are idle."""
        self.slots = slots
        restart = self._pin and all(worker.is_idle for worker in self._all)
        self._dismiss_idle(0 if restart else slots)

    def terminate(self) -> None:
        """Kill the workers; keepers end their bots."""
        for worker in self._all:
            worker.kill()
        self._end()

    def close(self, cleanup: Callable[[], None]) -> None:
        """Have each worker call `cleanup` and end; kill all if one takes too long."""
        cleanups = []
        for worker in self._all:
            with contextlib.suppress(concurrent.futures.BrokenExecutor):
                cleanups.append(worker.pool.submit(cleanup))
        if concurrent.futures.wait(cleanups, CLEANUP_TIME).not_done:
            self.terminate()
        self._end()

    def _end(self) -> None:
        while self._all:
            self._all.pop().pool.shutdown(wait=True, cancel_futures=True)

    def _new(self) -> _LocalWorker:
        taken = {worker.number for worker in self._all}
        number = next(number for number in range(1, len(taken) + 2) if number not in taken)
        cores = deal(self._cores, self.slots)[(number - 1) % self.slots] if self._pin else ()
        context = SpawnContext()
        pool = ProcessPoolExecutor(1, mp_context=context, initializer=_begin, initargs=(cores,))
        if sys.version_info < (3, 12):
            # The pool's own thread would die of it if the system started no other one, and the
            # result of its task would never come.
            pool._call_queue._start_thread()  # type: ignore[attr-defined] # noqa: SLF001
        worker = _LocalWorker(number, pool, context)
        self._all.append(worker)
        return worker

    def _dismiss_idle(self, above: int) -> None:
        """Have the idle workers with numbers above this one end."""
        self._dismiss([each for each in self._all if each.is_idle and each.number > above])

    def _dismiss(self, leaving: Sequence[_LocalWorker]) -> None:
        for worker in leaving:
            self._all.remove(worker)
            worker.pool.shutdown(wait=False)


def deal(cores: Sequence[int], slots: int) -> list[tuple[int, ...]]:
    """Divide cores among slots: equally many neighbouring cores for each slot.

    The remainder is left to the manager. With more slots than cores, slots share cores.
    """
    share = len(cores) // slots
    if not share:
        return [(cores[slot % len(cores)],) for slot in range(slots)]
    return [tuple(cores[slot * share : (slot + 1) * share]) for slot in range(slots)]
