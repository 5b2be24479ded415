"""Workers of a dask.distributed cluster: one that is there, or a small one made on this machine.

The only module that imports `distributed`, which is an extra. Tasks and results travel as pickles
of plain data; a task that ran twice is harmless, as blocks have ids.
"""

import concurrent.futures
import contextlib
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import dask
import distributed as untyped
from distributed.scheduler import KilledWorker

from lanista.tournament.executors import FAREWELL, Concurrency, Workers, nothing
from lanista.tournament.futures import one_line
from lanista.tournament.local import holding_signals, leave_signals, start_tracker, usable_cores
from lanista.tournament.spec import SpecError

distributed: Any = untyped
"""It says nothing of most types."""

CONNECT = 10.0
"""Seconds that a scheduler has to answer."""
_LOGGERS = ("distributed", "tornado", "asyncio", "bokeh")
"""Who tells at length, on stderr, of connections that end."""


def dask_setup(_: object) -> None:
    """In a worker of a cluster of our own, first of all: dask calls it by this name.

    https://docs.dask.org/en/stable/deploying-customize-initialization.html
    """
    leave_signals()


class DaskWorkers(Workers):
    """The threads of a cluster's workers."""

    losses = (concurrent.futures.BrokenExecutor, KilledWorker)

    def __init__(self, address: str | None, concurrency: Concurrency = "auto") -> None:
        """Connect to nothing yet.

        Args:
            address: The scheduler's, as `tcp://HOST:PORT`; None for a cluster of our own on this
                machine.
            concurrency: Tasks at the same time; `auto`: as many as the workers have threads.
        """
        self._address = address
        self._fixed = None if concurrency == "auto" else concurrency
        self.is_near = address is None
        self.slots = self._fixed or (len(usable_cores()) if address is None else 1)
        self._cluster: Any = None
        self._client: Any = None
        self._executor: Any = None
        self._levels: dict[str, int] = {}
        self._ending = threading.Lock()

    def start(self) -> None:
        """Connect.

        Raises:
            SpecError: No scheduler answers, or no cluster can be made.
        """
        # Each by name: some have levels of their own.
        for name in [*_LOGGERS, *logging.root.manager.loggerDict]:
            if name.partition(".")[0] in _LOGGERS:
                self._levels[name] = logging.getLogger(name).level
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        where = self._address
        if where is None:
            self._cluster = self._make()
            where = self._cluster.scheduler_address
        try:
            self._client = distributed.Client(
                where, timeout=CONNECT, set_as_default=False, name="lanista"
            )
        except (OSError, TimeoutError):
            raise SpecError(
                f"executor: {where.replace('tcp:', 'dask:')}: no dask scheduler answers there"
            ) from None
        # Each block is played, whatever dask remembers of one like it.
        self._executor = self._client.get_executor(pure=False)
        self.slots = self.look() or 1

    def _make(self) -> Any:
        """A cluster of our own."""
        start_tracker()
        # Its workers read their environment before they could be told to be silent.
        quiet = {"DASK_LOGGING__DISTRIBUTED": "critical"}
        try:
            # Held back from the threads that start workers too, now and in place of dead ones.
            with holding_signals(), dask.config.set({"distributed.nanny.pre-spawn-environ": quiet}):
                return distributed.LocalCluster(
                    n_workers=self.slots,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    # It serves pages all the same: on any free port, to this machine alone.
                    scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
                    memory_limit=0,  # bots have limits of their own
                    silence_logs=logging.CRITICAL,
                    preload=[__name__],  # for `dask_setup`
                )
        except Exception as error:  # noqa: BLE001 - whatever dask met; nothing can be played then
            raise SpecError(
                f"executor: dask-local: no cluster can be made: {one_line(error)}"
            ) from None

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Give it to the scheduler."""
        future: Future[Any] = self._executor.submit(function, *arguments)
        return future

    def look(self) -> int | None:
        """Threads of the workers that are there now; the number that was given stays."""
        if self._fixed is not None:
            return self._fixed
        if self._client is None or self._client.status != "running":
            return None
        try:
            threads: int = sum(self._client.nthreads().values())
        except (OSError, TimeoutError):  # the scheduler is gone; the tasks' futures tell
            return None
        return threads

    def terminate(self) -> None:
        """Take back all tasks; a task that runs on a cluster of others' plays to its end there."""
        self._end(nothing)

    def close(self, farewell: Callable[[], None] = nothing) -> None:
        """Have the workers end their bots, and leave the cluster; end it if it is ours."""
        self._end(farewell)

    def _end(self, farewell: Callable[[], None]) -> None:
        with self._ending:
            client, self._client = self._client, None
            cluster, self._cluster = self._cluster, None
        gone = (OSError, TimeoutError, RuntimeError, ValueError, concurrent.futures.CancelledError)
        if client is not None:
            is_there = client.status == "running"
            if is_there:
                with contextlib.suppress(*gone):
                    self._executor.shutdown(wait=False)
            if is_there and farewell is not nothing:
                with contextlib.suppress(*gone):
                    client.run(farewell, on_error="ignore")
            with contextlib.suppress(*gone):
                # A scheduler that has gone would be looked for as long as that.
                client.close(FAREWELL if is_there else 0.5)
        if cluster is not None:
            with contextlib.suppress(*gone):
                cluster.close(FAREWELL)
        for name, level in self._levels.items():
            logging.getLogger(name).setLevel(level)
        self._levels = {}
