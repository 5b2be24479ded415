"""Workers that are processes of this machine.

Each worker is a `ProcessPoolExecutor` of its own with a single process: the standard pool loses all
its processes when one of them dies, and can't give each of them its own cores. Processes are
spawned, not forked, because the manager has threads (`lanista.spawning`). What a task does is not
known here.
"""

import concurrent.futures
import contextlib
import functools
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Any

import attrs

from lanista.bots.cgroup import use_cgroups
from lanista.bots.keeper_process import become_subreaper
from lanista.competition.executors import CLEANUP_TIME, Workers, no_cleanup
from lanista.spawning import SpawnContext, begin_spawned
from lanista.system import usable_cores


def _begin(cores: Sequence[int], in_groups: bool) -> None:
    """Initialise a worker's process, before its first task; without `cores`, it runs on all."""
    # It ends at SIGTERM, at once: a service manager that ends all our processes by SIGTERM may have
    # ended bots too, and the match that they are playing must not count. Keepers end its bots then.
    begin_spawned()
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
    context: SpawnContext

    def kill(self) -> None:
        for process in self.context.processes:
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
        """Describe the workers; each is started by `submit` when it is needed.

        If they are pinned, each has cores of its own, with its bots.
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
        """Set the number of workers; pinned ones share the cores again if all are idle."""
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

    def _new(self) -> _Slot:
        taken = {slot.number for slot in self._all}
        number = next(number for number in range(1, len(taken) + 2) if number not in taken)
        cores = deal(self._cores, self.slots)[(number - 1) % self.slots] if self._pin else ()
        context = SpawnContext()
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
