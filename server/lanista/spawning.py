"""Processes of ours that multiprocessing starts: workers of tournaments and helpers.

They are started without our main module: a spawned process imports the script that started it, and
a script without `if __name__ == "__main__"` would run again in each of them.

They find no modules in the working directory. The interpreter that multiprocessing starts would
look there first, and a user's `socket.py` or `random.py` would break it.

A terminal sends its signals (Ctrl-C, hangup) to the whole process group, so to these processes too.
It is the process that started them that decides what the signals mean: it may want a task to be
finished. So they ignore them, and until they do so the signals are held back from them.

They end when the process that started them has ended in whatever way, whatever they are doing.
"""

import contextlib
import multiprocessing
import multiprocessing.context
import multiprocessing.process
import os
import resource
import signal
import sys
import threading
import types
import weakref
from collections.abc import Iterator
from multiprocessing import resource_tracker
from typing import Any

from lanista.system import HELPERS_GROUP, control_group, return_large_blocks

TERMINALS = (signal.SIGINT, signal.SIGHUP)
"""Signals that a terminal sends to the whole process group."""
_SAFE_PATH = "PYTHONSAFEPATH"
_OURS = "lanista"
"""Our value of that variable, by which a process knows that it isn't the user's."""
# Guards what the start of a process changes for a moment: the environment and the main module.
_starting = threading.Lock()


class _Process(multiprocessing.context.SpawnProcess):
    """A process that is started as this module says; it must call `begin_spawned` first."""

    def start(self) -> None:
        with _starting, _safe_path():
            main = sys.modules["__main__"]
            sys.modules["__main__"] = types.ModuleType("__main__")
            # Ours end by themselves, so a daemonic process, as of `multiprocessing.Pool`, may start
            # them; those of others would outlive it.
            this: Any = multiprocessing.current_process()
            is_daemonic, this._config["daemon"] = this.daemon, False  # noqa: SLF001
            try:
                with holding_signals():
                    super().start()
            finally:
                this._config["daemon"] = is_daemonic  # noqa: SLF001
                sys.modules["__main__"] = main


class SpawnContext(multiprocessing.context.SpawnContext):
    """A context of multiprocessing that makes such processes and knows them."""

    def __init__(self) -> None:
        super().__init__()
        # Now, as the locks of a pool that is made with this context would start it otherwise.
        with _starting, _safe_path():
            start_tracker()
        # Weakly: a process that its owner has dropped is to close its pipes.
        self.processes: weakref.WeakSet[multiprocessing.process.BaseProcess] = weakref.WeakSet()

    # Named like the class that other contexts have in its place, since it is called as that.
    def Process(self, *args: Any, **kwargs: Any) -> _Process:  # type: ignore[override] # noqa: N802
        """Make a process."""
        process = _Process(*args, **kwargs)
        self.processes.add(process)
        return process


def begin_spawned() -> None:
    """Initialise a process of `SpawnContext`, first and in its main thread; SIGTERM ends it."""
    if os.environ.get(_SAFE_PATH) == _OURS:
        del os.environ[_SAFE_PATH]  # bots and other processes that it starts aren't ours
    leave_signals()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def begin_helper(niceness: int, max_memory: int | None) -> None:
    """Initialise a process as `lanista.helper_processes` describes it, before its first call."""
    begin_spawned()
    os.dup2(2, 1)  # what a function prints must not get into the output of a command
    os.nice(niceness)
    if niceness and (own := control_group()) is not None:
        with contextlib.suppress(OSError):  # there seldom is such a group
            (own.with_name(HELPERS_GROUP) / "cgroup.procs").write_text("0\n")
    if max_memory is not None:
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        if most == resource.RLIM_INFINITY or most > max_memory:  # only root may raise a lower limit
            resource.setrlimit(resource.RLIMIT_AS, (max_memory, max_memory))
    return_large_blocks()


def leave_signals() -> None:
    """Ignore the signals of a terminal from now on; call this in the main thread."""
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


@contextlib.contextmanager
def _safe_path() -> Iterator[None]:
    """Have interpreters that are started within look for no module in the working directory.

    Only the environment that they inherit is changed, not `os.environ`: a bot that is started at
    the same time gets a copy of that.
    """
    if _SAFE_PATH in os.environ:
        yield
        return
    os.putenv(_SAFE_PATH, _OURS)
    try:
        yield
    finally:
        os.unsetenv(_SAFE_PATH)


def _leave_with_parent() -> None:
    """End this process at once when its parent has ended.

    PR_SET_PDEATHSIG is no substitute: its signal comes when the *thread* that has started a process
    ends, and trio's threads end when they were idle for ten seconds.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None, "it was started by multiprocessing"
    parent.join()
    os._exit(1)
