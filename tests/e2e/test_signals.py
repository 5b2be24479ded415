"""Signals that a program was started to ignore: it goes on ignoring them.

A shell starts a background job with SIGINT ignored, and `nohup` a program with SIGHUP ignored.
That Ctrl-C is heeded otherwise, and how, is tested with each command.
"""

import shlex
import signal

import pytest

from e2e.running import Program, as_json, bot, command, environment, wait_until

IGNORED = (signal.SIGINT, signal.SIGHUP)
MATCHES = ("angrymob", bot("waits"), "CamperJoe", "--no-clock", "--set", "move_limit=2", "--json")


@pytest.fixture
def ignoring(tmp_path, started):
    """Start `lanista WORD…` as a shell starts a background job under nohup."""

    def ignoring(*words):
        shell = f"trap '' INT HUP; exec {shlex.join(command(*words))}"
        env = environment(GATE=str(tmp_path / "go"))
        return started(Program(["sh", "-c", shell], tmp_path, env=env))

    return ignoring


def interrupt(program, folder):
    """Interrupt a program while its bot thinks; then have the bot answer."""
    program.until((folder / "go.asked").exists, "the bot is asked")
    for number in IGNORED:
        program.signal(number)
    (folder / "go").touch()
    assert 0 == program.wait(), program.err


def test_serve_goes_on(tmp_path, ignoring, pair):
    daemon = ignoring("serve", "--port", 0, "--no-web", "--move-limit", 1, "--no-clock")
    daemon.until(lambda: daemon.out.endswith("\n"), "the daemon says where it listens")
    daemon.port = int(daemon.out.rpartition(":")[2])
    for number in IGNORED:
        daemon.signal(number)
    bots = pair(daemon)
    for peer in bots:
        peer.say("\n")
    for peer in bots:
        assert "end finished" in peer.rest()
    wait_until(lambda: list(tmp_path.rglob("*.jsonl.gz")), "the record")
    daemon.signal(signal.SIGTERM)
    assert 0 == daemon.wait()


def test_play_goes_on(tmp_path, ignoring):
    playing = ignoring("play", *MATCHES)
    interrupt(playing, tmp_path)
    (result,) = as_json(playing)
    assert "finished" == result["end"]


@pytest.mark.long
def test_a_tournament_goes_on(tmp_path, ignoring):
    running = ignoring("tournament", "run", *MATCHES, "--seeds", 1)
    interrupt(running, tmp_path)
    assert '"event": "finishing"' not in running.out
    assert '"event": "block-done"' in running.out
