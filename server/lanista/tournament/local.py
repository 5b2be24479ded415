"""Workers that are processes of this machine, one pool of one process each.

A pool each, so that a worker's death is no other's, and so that cores can be dealt. Processes are
spawned, never forked: the manager has threads. What a task does is not known here.
"""

import concurrent.futures
import contextlib
import functools
import multiprocessing
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
from lanista.tournament.executors import FAREWELL, Concurrency, Workers, nothing

TERMINALS = (signal.SIGINT, signal.SIGHUP)
"""Signals that a terminal sends to the whole process group."""


class _Process(multiprocessing.context.SpawnProcess):
    """A worker's process: starts without our main module, and with some signals held back."""

    def start(self) -> None:
        """Start it."""
        # Workers need nothing of the script that plays a tournament. Without this they would
        # import it, and one without `if __name__ == "__main__"` would run again in each.
        main = sys.modules["__main__"]
        sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            with holding_signals():
                super().start()
        finally:
            sys.modules["__main__"] = main


class _Context(multiprocessing.context.SpawnContext):
    """Makes such processes, and remembers them."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[multiprocessing.process.BaseProcess] = []

    # The pool calls it as the class that it is in other contexts.
    def Process(self, *args: Any, **kwargs: Any) -> _Process:  # type: ignore[override] # noqa: N802
        """Make one."""
        process = _Process(*args, **kwargs)
        self.made.append(process)
        return process


def leave_signals() -> None:
    """In the main thread of a worker: what a terminal's signals mean the manager decides.

    It gets them too. They may have been held back from this process until now.
    """
    for number in TERMINALS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, TERMINALS)


@contextlib.contextmanager
def holding_signals() -> Iterator[None]:
    """Hold a terminal's signals back from the processes, and threads, that are started within.

    They go to the whole process group: there they wait until `leave_signals` ignores them.
    """
    held = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


def start_tracker() -> None:
    """Start the process that tracks multiprocessing's semaphores, before any is made.

    It ignores SIGINT, but not the SIGHUP of a terminal that is closed: it must not see it, as the
    workers end in order then. Started only with a worker's process, it would let SIGINT through.
    """
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    try:
        resource_tracker.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


def _begin(cores: Sequence[int], in_groups: bool) -> None:
    """In a worker, first of all.

    Args:
        cores: Those it and its bots run on; empty for all.
        in_groups: Whether the manager was given control groups to manage.
    """
    leave_signals()
    # Whoever sends this to all (a service manager) may have ended the bots too: what they play
    # must not count.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_leave_with_manager, daemon=True).start()
    if cores:
        os.sched_setaffinity(0, cores)
    become_subreaper()
    if in_groups:
        use_cgroups()


def _leave_with_manager() -> None:
    """End this worker at once when its manager has ended, however: by kill -9 too.

    Its bots are ended by their keepers then.
    """
    manager = multiprocessing.parent_process()
    assert manager is not None, "a worker is started by a manager"
    manager.join()
    os._exit(1)


@attrs.frozen(eq=False)
class _Slot:
    """One worker."""

    number: int
    """From 1."""
    pool: ProcessPoolExecutor
    context: _Context

    def kill(self) -> None:
        for process in self.context.made:
            process.kill()


class LocalWorkers(Workers):
    """Processes of this machine, each started when it is first needed."""

    is_local = True
    is_near = True

    def __init__(self, concurrency: Concurrency = "auto", *, pin: bool = False) -> None:
        """Start nothing yet.

        Args:
            concurrency: Workers; `auto`: at most as many as there are cores for us.
            pin: Whether each worker, with its bots, has cores of its own.
        """
        self._cores = usable_cores()
        self.is_auto = concurrency == "auto"
        self.slots = len(self._cores) if concurrency == "auto" else concurrency
        self._pin = pin
        self._in_groups = False
        self._all: list[_Slot] = []
        self._idle: list[_Slot] = []
        self._leaving: list[_Slot] = []
        # Of the lists: tasks end in threads of the pools. Nothing of a pool is called under it, nor
        # from those threads, as a pool may hold a lock of its own then.
        self._lock = threading.Lock()

    def start(self) -> None:
        """Take over our control group, if it was delegated: workers are born into it."""
        self._in_groups = use_cgroups()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have a worker that is free run it, the one that ran last."""
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

    def settle(self, slots: int) -> None:
        """Use so many workers. While none works, those that are pinned get other cores."""
        self.slots = slots
        with self._lock:
            again = self._pin and len(self._idle) == len(self._all)
            leaving = [slot for slot in self._idle if again or slot.number > slots]
            self._leaving += leaving
            self._idle = [slot for slot in self._idle if slot not in leaving]
            self._all = [slot for slot in self._all if slot not in leaving]
        self._dismiss()

    def terminate(self) -> None:
        """Kill the workers; their bots are ended by their keepers."""
        with self._lock:
            slots = self._all + self._leaving
            self._all, self._idle, self._leaving = [], [], []
        for slot in slots:
            slot.kill()
        for slot in slots:
            slot.pool.shutdown(wait=True, cancel_futures=True)

    def close(self, farewell: Callable[[], None] = nothing) -> None:
        """Have each worker say farewell and end; kill those that don't."""
        self._dismiss()
        goodbyes = []
        for slot in list(self._all):
            with contextlib.suppress(concurrent.futures.BrokenExecutor):
                goodbyes.append(slot.pool.submit(farewell))
        if concurrent.futures.wait(goodbyes, FAREWELL).not_done:
            self.terminate()
        with self._lock:
            slots, self._all, self._idle = self._all, [], []
        for slot in slots:
            slot.pool.shutdown(wait=True)

    def pids(self) -> list[int]:
        """The workers' process ids."""
        with self._lock:
            made = [process for slot in self._all for process in slot.context.made]
        return [process.pid for process in made if process.pid is not None]

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
            if slot not in self._all:  # all are being ended
                return
            if is_lost or slot.number > self.slots:
                self._all.remove(slot)
                self._leaving.append(slot)
            else:
                self._idle.append(slot)

    def _dismiss(self) -> None:
        """Let those go that aren't wanted any more."""
        with self._lock:
            leaving, self._leaving = self._leaving, []
        for slot in leaving:
            slot.pool.shutdown(wait=False)


def usable_cores() -> list[int]:
    """The cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def deal(cores: Sequence[int], slots: int) -> list[tuple[int, ...]]:
    """Cores for each slot: as many for each, neighbours; shared where there are more slots.

    Cores that would give some slot more than another are left to the manager.
    """
    share = len(cores) // slots
    if not share:
        return [(cores[slot % len(cores)],) for slot in range(slots)]
    return [tuple(cores[slot * share : (slot + 1) * share]) for slot in range(slots)]
