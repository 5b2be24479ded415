"""What a person who starts a bot reads: why there is no match, or that the bot waits."""

import os
import signal
import subprocess
import sys

import pytest

import lanista_client
from client.scripted_arena import (
    FORFEIT,
    START,
    TURN_0,
    WELCOME,
    Hears,
    Says,
    ScriptedArena,
    wired,
)
from lanista_client import Arena, ArenaError, console

MATCH = START + TURN_0 + FORFEIT + b"bye\n"
REFUSED = ConnectionRefusedError(111, "Connection refused")
CHECK = "check the host and the port"
WAITING = (
    "lanista: waiting for an opponent at 127.0.0.1:7777 ({}1 of 2 seats taken); "
    "the arena's page, whose address `lanista serve` prints, shows who is there\n"
)


def play(arena):
    for _ in arena:
        arena.send()
    return arena.result.end


def test_a_bot_may_catch_the_error_and_its_own_still_have_tracebacks():
    code = """\
from lanista_client import Arena, ArenaError
try:
    Arena("MyBot", port=1)
except ArenaError as error:
    print(error.code)
raise KeyError("mine")
"""
    command = [sys.executable, "-B", "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (1, "unreachable\n") == (done.returncode, done.stdout)
    assert done.stderr.startswith("Traceback")
    assert done.stderr.endswith("KeyError: 'mine'\n")


@pytest.mark.parametrize(
    ("call", "is_shown"), [("Arena('A', reconnect=True)", False), ("sleep(0)", True)]
)
def test_ctrl_c_while_it_waits_for_the_arena_ends_it_without_a_traceback(call, is_shown):
    """Bots in other languages end so too; one that doesn't wait shows where it was."""
    code = f"""\
import signal
import time
import lanista_client
from lanista_client import Arena
def sleep(seconds):
    signal.raise_signal(signal.SIGINT)
time.sleep = sleep
lanista_client.console.install_hook()
{call}
"""
    command = [sys.executable, "-B", "-W", "error", "-c", code]
    environment = {**os.environ, "LANISTA_PORT": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert -signal.SIGINT == done.returncode
    assert is_shown == ("Traceback" in done.stderr)


def test_a_hook_of_the_bots_own_stays(monkeypatch):
    own = lambda *_: None  # noqa: E731
    monkeypatch.setattr(sys, "excepthook", own)
    console.install_hook()
    assert own is sys.excepthook


@pytest.mark.parametrize(
    ("host", "error", "words"),
    [
        ("localhost", REFUSED, "no arena at localhost:7; start one with `lanista serve`"),
        ("::1", REFUSED, "no arena at [::1]:7; start one with `lanista serve`"),
        ("example.org", REFUSED, f"no arena at example.org:7: connection refused; {CHECK}"),
        ("127.0.0.1", TimeoutError("timed out"), f"no arena at 127.0.0.1:7: timed out; {CHECK}"),
        ("::2", OSError(101, "No route"), f"no arena at [::2]:7: No route; {CHECK}"),
    ],
)
def test_an_arena_can_only_be_started_on_this_machine(host, error, words):
    assert words == console.no_arena(host, 7, error)


@pytest.mark.parametrize(
    ("options", "details"),
    [
        ({}, ""),
        ({"game": "angrymob"}, "game angrymob, "),
        ({"game": "angrymob", "room": "lab", "token": "secret"}, "game angrymob, room lab, "),
    ],
)
def test_a_bot_that_waits_for_a_second_says_so_once(monkeypatch, capsys, options, details):
    # None is a second of silence.
    wire = wired(monkeypatch, WELCOME, None, b"wait 1 2\n", MATCH)
    with Arena("A", **options) as arena:
        assert "forfeit" == play(arena)
    assert ("", WAITING.format(details)) == capsys.readouterr()
    assert [None, 1.0, None] == wire.timeouts, "the second time nothing is timed"


def test_a_match_that_begins_at_once_is_played_in_silence(monkeypatch, capsys):
    wired(monkeypatch, WELCOME, MATCH)
    with Arena("A") as arena:
        assert "forfeit" == play(arena)
    assert ("", "") == capsys.readouterr()


@pytest.mark.parametrize(
    ("quiet", "variable", "tells"),
    [(True, None, False), (None, "1", False), (None, "0", True), (False, "1", True)],
)
def test_it_can_be_switched_off(capsys, monkeypatch, quiet, variable, tells):
    if variable is not None:
        monkeypatch.setenv("LANISTA_QUIET", variable)
    wire = wired(monkeypatch, WELCOME, *[None] * tells, MATCH)
    with Arena("A", quiet=quiet) as arena:
        assert "forfeit" == play(arena)
    assert ("", WAITING.format("") if tells else "") == capsys.readouterr()
    assert tells == (1.0 in wire.timeouts)


def test_an_arena_that_ends_while_a_bot_waits_is_an_error_as_ever(monkeypatch):
    wired(monkeypatch, WELCOME, None, b"error shutdown x\n")
    with pytest.raises(ArenaError, match="shutdown: x"):
        play(Arena("A"))


def test_a_real_socket_is_read_on_after_the_silence(monkeypatch, capsys):
    monkeypatch.setattr(lanista_client, "_SILENCE", 0.01)
    told = lanista_client.tell_waiting
    heard = []
    monkeypatch.setattr(
        lanista_client, "tell_waiting", lambda *said: (told(*said), bot.log("on"), heard.append(1))
    )
    with ScriptedArena(
        Hears(b"A v=1\n"),
        Says(WELCOME),
        Hears(b"# on\n"),  # so the match begins only once the bot has told
        Says(START + TURN_0),
        Hears(b"\n"),
        Says(FORFEIT + b"bye\n"),
    ) as scripted:
        bot = Arena("A", port=scripted.port)
        assert "forfeit" == play(bot)
        bot.close()
    assert [1] == heard
    assert WAITING.format("").replace("7777", str(scripted.port)) == capsys.readouterr().err
