"""Scripts that play the bot, and a check that no test leaves a process or descriptor behind."""

import textwrap

import pytest

from bots_start.processes import children
from lanista.bots.keeper_process import close_fork_server
from support.processes import adopt_no_orphans, open_files

# A bot that ignores polite signals and has the three kinds of descendants: a child, one that left
# its session, and one that left it twice, the process between being gone (a daemon). The four pids
# are written to stdout, a line each.
FAMILY = """
    import os, signal
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    def stay():
        os.write(1, b"%d\\n" % os.getpid())
        while True:
            signal.pause()
    if os.fork() == 0:
        stay()
    if os.fork() == 0:
        os.setsid()
        stay()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            stay()
        os._exit(0)
    stay()
"""


@pytest.fixture
def script(tmp_path):
    """Write a Python script, which any user may read, and return its path."""
    count = 0

    def write(text):
        nonlocal count
        count += 1
        path = tmp_path / f"script{count}.py"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        path.chmod(0o644)
        return path

    return write


@pytest.fixture
def family(script):
    """Path of a bot with descendants of all kinds; see FAMILY."""
    return script(FAMILY)


@pytest.fixture(autouse=True)
def nothing_left():
    """Every test leaves this process without a new child, zombie or file descriptor.

    It has a fork server of its own, which is ended with it: one that another folder's test has
    started in this process is ended before. A command that one has run in it may have had it adopt
    orphans, which these tests leave to others. What an earlier test left may go meanwhile, when the
    garbage collector finds it.
    """
    close_fork_server()
    adopt_no_orphans()
    had, files = children(), open_files("self")
    yield
    close_fork_server()
    assert had == children()
    assert {} == {
        number: path for number, path in open_files("self").items() if files.get(number) != path
    }
