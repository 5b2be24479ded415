"""Workers that are processes of this machine.

Each worker is a `ProcessPoolExecutor` of its own with a single process: the standard pool loses all
its processes when one of them dies, and can't give each of them its own cores. Processes are
spawned, not forked, because the manager has threads. What a task does is not known here.

A terminal sends its signals (Ctrl-C, hangup) to the whole process group, so to the workers too. It
is the manager that decides what they mean: it may want the workers to finish their tasks. So
workers ignore them, and until they have started to do so the signals are held back from them.
"""

import concurrent.futures
import contextlib
import functools
import multiprocessing.context
import multiprocessing.process
import os
import signal
import sys
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import resource_tracker
from typing import Any

import attrs

from lanista.bots import become_subreaper, use_cgroups
from lanista.cores import usable_cores
from lanista.helper_processes import leave_with_parent
from lanista.tournament.executors import CLEANUP_TIME, Workers, no_cleanup

TERMINALS = (signal.SIGINT, signal.SIGHUP)
"""Signals that a terminal sends to the whole process group."""


class _Process(multiprocessing.context.SpawnProcess):
    """The process of a worker, started without our main module and with signals held back."""

    def start(self) -> None:
        """Start the process."""
        # A spawned process imports the script that started it, and a script without
        # `if __name__ == "__main__"` would run again in each worker. They don't need it.
        main = sys.modules["__main__"]
        sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            with holding_signals():
                super().start()
        finally:
            sys.modules["__main__"] = main


class _Context(multiprocessing.context.SpawnContext):
    """A context of multiprocessing that makes such processes and keeps a list of them."""

    def __init__(self) -> None:
        super().__init__()
        self.processes: list[multiprocessing.process.BaseProcess] = []

    # Named like the class that other contexts have in its place, since the pool calls it.
    def Process(self, *args: Any, **kwargs: Any) -> _Process:  # type: ignore[override] # noqa: N802
        """Make a process."""
        process = _Process(*args, **kwargs)
        self.processes.append(process)
        return process


def leave_signals() -> None:
    """Ignore the signals of a terminal from now on; call this in the main thread of a worker.

    The manager gets them too, and decides what they mean.
    """
    for number in TERMINALS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, TERMINALS)


@contextlib.contextmanager
def holding_signals() -> Iterator[None]:
    """Block the signals of a terminal in the processes and threads that are started within.

    They stay pending there until `leave_signals` ignores them.
    """
    held = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


def start_tracker() -> None:
    """Start the process in which multiprocessing tracks semaphores, with SIGHUP blocked.

    That process ignores SIGINT, but the hangup of a terminal would end it while the workers, which
    end in order then, still need it. Call this before a worker is started: `ensure_running`
    unblocks SIGINT in the process that calls it, which must not happen within `holding_signals`.
    """
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    try:
        resource_tracker.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


def _begin(cores: Sequence[int], in_groups: bool) -> None:
    """Initialise a worker's process, before its first task.

    Args:
        cores: The cores that it and its bots run on; empty for all.
        in_groups: Whether the manager may make control groups.
    """
    leave_signals()
    # End at once: a service manager that ends all our processes by SIGTERM may have ended bots too,
    # and the match that they are playing must not count.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # Keepers end its bots then.
    threading.Thread(target=leave_with_parent, daemon=True).start()
    if cores:
        os.sched_setaffinity(0, cores)
    become_subreaper()
    if in_groups:
        use_cgroups()


@attrs.frozen(eq=False)
class _Slot:
    """A worker."""

    number: int
    """Number of the worker, from 1; it decides which cores the worker gets."""
    pool: ProcessPoolExecutor
    context: _Context

    def kill(self) -> None:
        for process in self.context.processes:
            process.kill()


def automatic_concurrency(seats: int) -> int:
    """Return how many matches this machine plays at the same time if no number is given.

    Each of their bots has a core then; the arena's share of a turn is small beside a bot's.

    Args:
        seats: The number of bots in a match.
    """
    return max(1, len(usable_cores()) // seats)


class LocalWorkers(Workers):
    """Worker processes of this machine, each started when it is first needed."""

    is_local = True
    is_near = True

    def __init__(self, concurrency: int, *, pin: bool = False) -> None:
        """Describe the workers; each is started by `submit` when it is needed.

        Args:
            concurrency: The number of workers.
            pin: Whether each worker, with its bots, has cores of its own.
        """
        self._cores = usable_cores()
        self.slots = concurrency
        self._pin = pin
        self._in_groups = False
        self._all: list[_Slot] = []
        self._idle: list[_Slot] = []
        self._leaving: list[_Slot] = []
        # It guards the lists, because tasks end in threads of the pools. No method of a pool is
        # called while it is held, nor from those threads: a pool may hold its own lock then, and
        # there could be a deadlock.
        self._lock = threading.Lock()

    def start(self) -> None:
        """Use control groups: if ours was delegated, workers start in a group within it."""
        self._in_groups = use_cgroups()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have an idle worker call a function: the one that was busy last, as its bots are kept."""
        self._dismiss()
        while True:
            with self._lock:
                slot = self._idle.pop() if self._idle else self._new()
            try:
                future = slot.pool.submit(function, *arguments)
            except concurrent.futures.BrokenExecutor:  # it died while it had nothing to do
                self._free(slot, is_lost=True)
                continue
            future.add_done_callback(functools.partial(self._done, slot))
            return future

    def set_slots(self, slots: int) -> None:
        """Set the number of workers; pinned ones share the cores anew if all are idle."""
        self.slots = slots
        with self._lock:
            restart = self._pin and len(self._idle) == len(self._all)
            leaving = [slot for slot in self._idle if restart or slot.number > slots]
            self._leaving += leaving
            self._idle = [slot for slot in self._idle if slot not in leaving]
            self._all = [slot for slot in self._all if slot not in leaving]
        self._dismiss()

    def terminate(self) -> None:
        """Kill the workers; keepers end their bots."""
        with self._lock:
            slots = self._all + self._leaving
            self._all, self._idle, self._leaving = [], [], []
        for slot in slots:
            slot.kill()
        for slot in slots:
            slot.pool.shutdown(wait=True, cancel_futures=True)

    def close(self, cleanup: Callable[[], None] = no_cleanup) -> None:
        """Have each worker call `cleanup` and end; kill all if one takes too long."""
        self._dismiss()
        cleanups = []
        for slot in list(self._all):
            with contextlib.suppress(concurrent.futures.BrokenExecutor):
                cleanups.append(slot.pool.submit(cleanup))
        if concurrent.futures.wait(cleanups, CLEANUP_TIME).not_done:
            self.terminate()
        with self._lock:
            slots, self._all, self._idle = self._all, [], []
        for slot in slots:
            slot.pool.shutdown(wait=True)

    def pids(self) -> list[int]:
        """Return the process ids of the workers."""
        with self._lock:
            processes = [process for slot in self._all for process in slot.context.processes]
        return [process.pid for process in processes if process.pid is not None]

    def _new(self) -> _Slot:
        taken = {slot.number for slot in self._all}
        number = next(number for number in range(1, len(taken) + 2) if number not in taken)
        cores = deal(self._cores, self.slots)[(number - 1) % self.slots] if self._pin else ()
        start_tracker()
        context = _Context()
        pool = ProcessPoolExecutor(
            1, mp_context=context, initializer=_begin, initargs=(cores, self._in_groups)
        )
        slot = _Slot(number, pool, context)
        self._all.append(slot)
        return slot

    def _done(self, slot: _Slot, future: Future[Any]) -> None:
        is_lost = not future.cancelled() and isinstance(future.exception(), self.losses)
        self._free(slot, is_lost=is_lost)

    def _free(self, slot: _Slot, *, is_lost: bool) -> None:
        with self._lock:
            if slot not in self._all:  # `terminate` or `close` has emptied the list
                return
            if is_lost or slot.number > self.slots:
                self._all.remove(slot)
                self._leaving.append(slot)
            else:
                self._idle.append(slot)

    def _dismiss(self) -> None:
        """Shut down the workers that are no longer wanted."""
        with self._lock:
            leaving, self._leaving = self._leaving, []
        for slot in leaving:
            slot.pool.shutdown(wait=False)


def deal(cores: Sequence[int], slots: int) -> list[tuple[int, ...]]:
    """Divide cores among slots: equally many neighbouring cores for each slot.

    The remainder is left to the manager. With more slots than cores, slots share cores.
    """
    share = len(cores) // slots
    if not share:
        return [(cores[slot % len(cores)],) for slot in range(slots)]
    return [tuple(cores[slot * share : (slot + 1) * share]) for slot in range(slots)]
