"""Signals that a program was started to ignore: it goes on ignoring them.

A shell starts a background job with SIGINT ignored, and `nohup` a program with SIGHUP ignored.
That Ctrl-C is heeded otherwise, and how, is tested with each command.
"""

import shlex
import signal
import sys

import pytest

from e2e.running import BOTS, Program, as_json, command, wait_until

IGNORED = (signal.SIGINT, signal.SIGHUP)
WAITING = """\
# Answers once the test has made the file `go`; tells that it was asked by the file `asked`.
import pathlib, sys, time
sys.path.insert(0, {bots!r})
from wire import Arena

arena = Arena()
while True:
    arena.turn()
    pathlib.Path({folder!r}, "asked").touch()
    while not pathlib.Path({folder!r}, "go").exists():
        time.sleep(0.01)
    arena.say(b"\\n")
"""
SPEC = """\
name = "cup"
game = "angrymob"
format = "round-robin"
seeds = [1]
settings = {{ move_limit = 1 }}
concurrency = 1
clock = {{ time_init = 60.0, time_move = 60.0, time_start = 60.0, stall_margin = 60.0 }}
bots = [{{ name = "Waiting", command = {bot!r} }}, {{ name = "Joe", command = "CamperJoe" }}]
"""


@pytest.fixture
def ignoring(tmp_path, started):
    """Start `lanista WORD…` as a shell starts a background job under nohup."""

    def ignoring(*words):
        shell = f"trap '' INT HUP; exec {shlex.join(command(*words))}"
        return started(Program(["sh", "-c", shell], tmp_path))

    return ignoring


@pytest.fixture
def waiting(tmp_path):
    """The command line of a bot that answers when a test wants it to."""
    script = tmp_path / "waiting.py"
    script.write_text(WAITING.format(bots=str(BOTS), folder=str(tmp_path)))
    return shlex.join([sys.executable, "-S", str(script)])


def interrupt(program, folder):
    """Interrupt a program while its bot thinks; then have the bot answer."""
    program.until((folder / "asked").exists, "the bot is asked")
    for number in IGNORED:
        program.signal(number)
    (folder / "go").touch()


def test_serve_goes_on(tmp_path, ignoring, peers):
    daemon = ignoring("serve", "--port", 0, "--no-web", "--move-limit", 1, "--no-clock")
    daemon.until(lambda: daemon.out.endswith("\n"), "the daemon says where it listens")
    daemon.port = int(daemon.out.rpartition(":")[2])
    for number in IGNORED:
        daemon.signal(number)
    pair = [peers(daemon, f"{name} v=1") for name in ("Ada", "Bob")]
    for peer in pair:
        peer.until("go")
        peer.say("\n")
    for peer in pair:
        assert "end finished" in peer.rest()
    wait_until(lambda: list(tmp_path.rglob("*.jsonl.gz")), "the record")
    daemon.signal(signal.SIGTERM)
    assert 0 == daemon.wait()


def test_play_goes_on(tmp_path, ignoring, waiting):
    options = ("--no-clock", "--move-limit", 1, "--json")
    playing = ignoring("play", "angrymob", waiting, "CamperJoe", *options)
    interrupt(playing, tmp_path)
    assert 0 == playing.wait(), playing.err
    (result,) = as_json(playing)
    assert "finished" == result["end"]


@pytest.mark.long
def test_a_tournament_goes_on(tmp_path, ignoring, waiting):
    (tmp_path / "cup.toml").write_text(SPEC.format(bot=waiting))
    running = ignoring("tournament", "run", "cup.toml", "--json")
    interrupt(running, tmp_path)
    assert 0 == running.wait(), running.err
    assert '"event": "finishing"' not in running.out
    assert '"event": "block-done"' in running.out
