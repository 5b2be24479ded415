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
def new_folder(tmp_path):
    """The path of another folder for the test with each call."""
    numbers = itertools.count(1)
    return lambda: tmp_path / f"run{next(numbers)}"


@pytest.fixture
def start(new_folder, started):
    """Start `lanista WORD…` in a folder of its own and leave it running."""
    return lambda *words, env=None: started(Lanista(words, new_folder(), env=env))


@pytest.fixture
def lanista(new_folder):
    """Run `lanista WORD…` to its end within the test: code, out, err, and the folder it ran in.

    The bots are processes all the same. What happens to the command as a process (signals, its
    death, a terminal) is for `start`.
    """
    return lambda *words, env=None: run_here(words, new_folder(), env)


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
def serve(new_folder, started):
    """Start a daemon with options; ended after the test."""
    return lambda *options, **arguments: started(Daemon(new_folder(), *options, **arguments))


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
def pair(peers):
    """Connect two scripted bots, Ada and Bob, which are asked for their first answer."""

    def pair(daemon, options=""):
        bots = [peers(daemon, f"{name} v=1 {options}".strip()) for name in ("Ada", "Bob")]
        for peer in bots:
            peer.until("go")
        return bots

    return pair


@pytest.fixture
def join(new_folder, started):
    """Start a bot of tests/bots as a process of its own that connects to a daemon."""

    def join(daemon, script, *words, name=None):
        env = daemon.bot_environment(name or script)
        return started(Program(bot_words(script, *words), new_folder(), env=env))

    return join
