"""A folder for each test, and a look at what it leaves running."""

import os

import pytest

from support.processes import argv_of, children_of


def _running():
    """Our children, but for the process of Python's own that tracks semaphores."""
    children = children_of(os.getpid())
    return {pid for pid in children if "resource_tracker" not in " ".join(argv_of(pid))}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """The working directory; after the test, no process is left that it has started."""
    monkeypatch.chdir(tmp_path)
    before = _running()
    yield tmp_path
    assert _running() <= before
