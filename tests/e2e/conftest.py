"""Fixtures that start processes and sockets and see to it that they end with their test."""

import contextlib
import itertools
import shutil
from pathlib import Path

import pytest

from e2e.running import Daemon, Lanista, Peer, Program, bot, bot_words, run_here


@pytest.fixture
def started():
    """Take a Program, which is ended after the test, and return it."""
    with contextlib.ExitStack() as stack:

        def add(program):
            stack.callback(program.end)
            return program

        yield add


@pytest.fixture
def start(tmp_path, started):
    """Start `lanista WORD…` in a folder of the test's own and leave it running."""
    numbers = itertools.count(1)

    def start(*words, env=None):
        return started(Lanista(words, tmp_path / f"run{next(numbers)}", env=env))

    return start


@pytest.fixture
def lanista(tmp_path):
    """Run `lanista WORD…` to its end within the test: code, out, err, and the folder it ran in.

    The bots are processes all the same. What happens to the command as a process (signals, its
    death, a terminal) is for `start`.
    """
    numbers = itertools.count(1)

    def run(*words, env=None):
        return run_here(words, tmp_path / f"here{next(numbers)}", env)

    return run


@pytest.fixture(scope="session")
def whole(tmp_path_factory):
    """The record, as plain text, of a match between a bot of version 1 and a classic one."""
    words = ["play", "angrymob", bot("version1"), bot("classic"), "-i", "pit", "-s", 3]
    words += ["--no-clock", "--move-limit", 9, "--console", "-o", "match.jsonl"]
    done = run_here(words, tmp_path_factory.mktemp("played"))
    assert (0, "") == (done.code, done.err)
    return done.folder / "match.jsonl"


@pytest.fixture
def record(whole, tmp_path):
    """A copy of it for one test."""
    return Path(shutil.copy(whole, tmp_path))


@pytest.fixture
def serve(tmp_path, started):
    """Start a daemon with options; ended after the test."""
    numbers = itertools.count(1)

    def serve(*options, **arguments):
        return started(Daemon(tmp_path / f"daemon{next(numbers)}", *options, **arguments))

    return serve


@pytest.fixture
def peers():
    """Connect scripted bots; closed after the test."""
    with contextlib.ExitStack() as stack:

        def connect(daemon, hello="", **arguments):
            peer = Peer(daemon.port, hello, **arguments)
            stack.callback(peer.leave)
            return peer

        yield connect


@pytest.fixture
def join(tmp_path, started):
    """Start a bot of tests/bots as a process of its own that connects to a daemon."""
    numbers = itertools.count(1)

    def join(daemon, script, *words, name=None):
        return started(
            Program(
                bot_words(script, *words),
                tmp_path / f"bot{next(numbers)}",
                env=daemon.bot_environment(name or script),
            )
        )

    return join
