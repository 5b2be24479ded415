"""A folder for each test, and a look at what it leaves running."""

import asyncio
import os
import signal
import threading

import pytest

from e2e.conftest import started  # noqa: F401 - a fixture
from e2e.running import wait_until
from support.processes import argv_of, children_of, runs
from support.thread_workers import play_in_threads


def _running():
    """Our children, but for the process of Python's own that tracks semaphores."""
    children = children_of(os.getpid())
    return {
        pid for pid in children if runs(pid) and "resource_tracker" not in " ".join(argv_of(pid))
    }


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """The working directory; after the test, no process is left that it has started.

    If this process adopts orphans, as other tests have it do, it has those of killed workers for a
    moment: keepers that are ending their bots.
    """
    monkeypatch.chdir(tmp_path)
    before = _running()
    yield tmp_path
    wait_until(lambda: _running() <= before, "no process of the test is left")


@pytest.fixture
def in_threads(monkeypatch):
    """Matches are played by threads of this process instead of workers that would be started."""
    play_in_threads(monkeypatch)


@pytest.fixture
def interruptible():
    """SIGINT raises KeyboardInterrupt, also where the tests were begun with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def run_asyncio():
    """A function that runs a coroutine in a thread of its own and returns its result.

    A browser of other tests leaves a running loop in the main thread.
    """

    def run(main):
        results = []
        thread = threading.Thread(target=lambda: results.append(asyncio.run(main())))
        thread.start()
        thread.join()
        return results[0]

    return run
