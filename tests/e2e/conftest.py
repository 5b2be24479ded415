"""Fixtures that start processes and sockets and see to it that they end with their test."""

import pytest

from e2e.running import Daemon, Lanista, Peer, Program, bot_words, run_here


@pytest.fixture
def started():
    """Add a Program; it is ended after the test."""
    programs = []
    yield programs.append
    for program in programs:
        program.end()


@pytest.fixture
def start(tmp_path, started):
    """Start `lanista WORD…` in a folder of the test's own and leave it running."""
    count = 0

    def start(*words, env=None):
        nonlocal count
        count += 1
        program = Lanista(words, tmp_path / f"run{count}", env=env)
        started(program)
        return program

    return start


@pytest.fixture
def lanista(tmp_path):
    """Run `lanista WORD…` to its end within the test: code, out, err, and the folder it ran in.

    The bots are processes all the same. What happens to the command as a process (signals, its
    death, a terminal) is for `start`.
    """
    count = 0

    def run(*words, env=None):
        nonlocal count
        count += 1
        return run_here(words, tmp_path / f"here{count}", env)

    return run


@pytest.fixture
def serve(tmp_path, started):
    """Start a daemon with options; ended after the test."""
    count = 0

    def serve(*options, **arguments):
        nonlocal count
        count += 1
        daemon = Daemon(tmp_path / f"daemon{count}", *options, **arguments)
        started(daemon)
        return daemon

    return serve


@pytest.fixture
def peers():
    """Connect scripted bots; closed after the test."""
    connected = []

    def connect(daemon, hello="", **arguments):
        peer = Peer(daemon.port, hello, **arguments)
        connected.append(peer)
        return peer

    yield connect
    for peer in connected:
        peer.leave()


@pytest.fixture
def join(tmp_path, started):
    """Start a bot of tests/bots as a process of its own that connects to a daemon."""
    count = 0

    def join(daemon, script, *words, name=None):
        nonlocal count
        count += 1
        program = Program(
            bot_words(script, *words),
            tmp_path / f"bot{count}",
            env=daemon.bot_environment(name or script),
        )
        started(program)
        return program

    return join
