"""Workers of a dask.distributed cluster: an existing one, or a small one made on this machine.

This is the only module that imports `distributed`, which is an extra. dask may run a task twice;
that is harmless, because a block that is stored is not stored again.
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

from lanista.competition.executors import CLEANUP_TIME, Concurrency, Workers
from lanista.errors import SpecError, one_line
from lanista.spawning import holding_signals, leave_signals, start_tracker

distributed: Any = untyped
"""The package, as Any: most of it has no type annotations."""

CONNECT = 10.0
"""Seconds within which a scheduler must answer."""
_LOGGERS = ("distributed", "tornado", "asyncio", "bokeh")
"""Packages that log many lines to stderr when connections end."""


def dask_setup(_: object) -> None:
    """Prepare a worker of a cluster of our own; dask finds this function by its name."""
    # https://docs.dask.org/en/stable/deploying-customize-initialization.html
    leave_signals()


class DaskWorkers(Workers):
    """The threads of the workers of a cluster."""

    losses = (concurrent.futures.BrokenExecutor, KilledWorker)

    def __init__(self, address: str | None, concurrency: Concurrency = "auto") -> None:
        """Describe a cluster by its scheduler's address, `tcp://HOST:PORT`; `start` connects to it.

        Without an address, a cluster is made on this machine, with a worker for each of as many
        tasks. `auto` stands for as many tasks at the same time as its workers have threads.
        """
        self._address = address
        self._fixed = None if concurrency == "auto" else concurrency
        self.is_near = address is None
        self.slots = self._fixed or 1  # until its workers are counted
        self._cluster: Any = None
        self._client: Any = None
        self._executor: Any = None
        self._levels: dict[str, int] = {}
        self._ending = threading.Lock()

    def start(self) -> None:
        """Connect to the cluster, after making it if it is to be our own."""
        # Each logger by its name, because some have levels of their own.
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
        # Not pure: dask must not return a remembered result in place of playing.
        self._executor = self._client.get_executor(pure=False)

    def _make(self) -> Any:
        start_tracker()
        # By the environment, because workers log before their configuration could reach them.
        quiet = {"DASK_LOGGING__DISTRIBUTED": "critical"}
        try:
            # Signals are also held back from the threads that start workers, now and later.
            with holding_signals(), dask.config.set({"distributed.nanny.pre-spawn-environ": quiet}):
                return distributed.LocalCluster(
                    n_workers=self.slots,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    # It serves web pages even so: on any free port, to this machine only.
                    scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
                    memory_limit=0,  # bots have limits of their own
                    silence_logs=logging.CRITICAL,
                    preload=[__name__],  # for `dask_setup`
                )
        except Exception as error:  # noqa: BLE001 - dask's errors are of many kinds
            raise SpecError(
                f"executor: dask-local: no cluster can be started: {one_line(error)}"
            ) from None

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have the scheduler call a function in a worker."""
        future: Future[Any] = self._executor.submit(function, *arguments)
        return future

    def count_threads(self) -> int | None:
        """Return how many threads the connected workers have, or the given concurrency if any."""
        if self._fixed is not None:
            return self._fixed
        if self._client is None or self._client.status != "running":
            return None
        try:
            threads: int = sum(self._client.nthreads().values())
        except (OSError, TimeoutError):  # the scheduler is gone; the futures of tasks will fail
            return None
        return threads

    def terminate(self) -> None:
        """Cancel all tasks; those that run on somebody else's cluster still play to their end."""
        self.close(None)

    def close(self, cleanup: Callable[[], None] | None) -> None:
        """Have the workers call `cleanup`, and disconnect; end the cluster if it is our own."""
        with self._ending:
            client, self._client = self._client, None
            cluster, self._cluster = self._cluster, None
        gone = (OSError, TimeoutError, RuntimeError, ValueError, concurrent.futures.CancelledError)
        if client is not None:
            is_there = client.status == "running"
            if is_there:
                with contextlib.suppress(*gone):
                    self._executor.shutdown(wait=False)
            if is_there and cleanup is not None:
                with contextlib.suppress(*gone):
                    client.run(cleanup, on_error="ignore")
            with contextlib.suppress(*gone):
                # With a scheduler that is gone, this waits for the whole timeout.
                client.close(CLEANUP_TIME if is_there else 0.5)
        if cluster is not None:
            with contextlib.suppress(*gone):
                cluster.close(CLEANUP_TIME)
        for name, level in self._levels.items():
            logging.getLogger(name).setLevel(level)
        self._levels = {}
