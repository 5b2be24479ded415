"""The house bots as whoever starts them meets them: processes with a name, a match and an end."""

import ast
import os
import signal
import socket
import subprocess
import sys

import pytest

from client.scripted_arena import (
    CREMATORIA_START,
    CREMATORIA_TURN,
    FORFEIT,
    HOGWARTS_START,
    HOGWARTS_TURN,
    START,
    TURN_0,
    WELCOME,
    Hears,
    Says,
    ScriptedArena,
)
from lanista.games import registry
from lanista.hosting.names import about, bot_command

CAMPER_JOE = registry.house_bots("angrymob")["CamperJoe"]
BOTS = [
    (game, name, module)
    for game in registry.ours()
    for name, module in registry.house_bots(game).items()
]
ALL = pytest.mark.parametrize(
    ("game", "name", "module"), BOTS, ids=[f"{game}-{name}" for game, name, _ in BOTS]
)
WEAKEST = {bot[0]: bot for bot in reversed(BOTS)}
ONE_EACH = pytest.mark.parametrize(("game", "name", "module"), WEAKEST.values(), ids=WEAKEST)
"""A bot of each game: all are run by `lanista.games.house_bot.play`."""
OPENING = {
    "angrymob": WELCOME + START + TURN_0,
    "hogwarts": WELCOME + HOGWARTS_START + HOGWARTS_TURN,
    "crematoria": WELCOME + CREMATORIA_START + CREMATORIA_TURN,
}
"""Of each game, what the arena says to the first answer asked for."""


COMMANDS = {module: bot_command(game, name)[1] for game, name, module in BOTS}
"""The command of each house bot, by its module."""


def start(module, port, name=None, *, by_hand=False):
    """A house bot as the arena starts it, or as a person does whom `lanista bots` has told how."""
    environment = {key: value for key, value in os.environ.items() if "LANISTA" not in key}
    environment |= {"LANISTA_PORT": str(port)} | ({"LANISTA_NAME": name} if name else {})
    environment |= {} if by_hand else {"LANISTA_QUIET": "1"}
    words = COMMANDS[module][1:]
    if by_hand:
        _, told, _ = about(module, words[-1]).split("`")
        words = told.removeprefix("python ").split()
    return subprocess.Popen(
        [sys.executable, "-W", "error", *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(bot):
    """Its exit code and what it printed."""
    with bot:
        try:
            out, err = bot.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            bot.kill()
            raise
    return bot.returncode, out, err


@ALL
def test_a_bot_begins_without_the_rules(game, name, module):
    """It is a process for each seat of each match, which must be there in milliseconds.

    Nor does it import what is slow in Python's own library.
    """
    code = (
        f"import sys, {module}\n"
        "slow = {'socket', 'typing', 'enum', 're', 'signal', 'runpy', 'inspect'}\n"
        "print([name for name in sys.modules if 'lanista.' in name or name in slow])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    loaded = {"lanista.games", "lanista.games.house_bot", f"lanista.games.{game}"}
    loaded |= {f"lanista.games.{game}.house_bots", module}
    assert set(ast.literal_eval(done.stdout)) <= loaded


def test_a_bot_says_the_name_that_it_is_given():
    """Its own is what all others here say."""
    with ScriptedArena(Hears(b"Blue 7 v=1 game=angrymob\n"), Says(b"error shutdown\n")) as arena:
        assert (0, "", "") == end(start(CAMPER_JOE, arena.port, "Blue 7"))


@ALL
def test_a_bot_ends_quietly_with_its_match(game, name, module):
    """As a person starts it: as the arena does, all other tests here."""
    hello = f"{name} v=1 game={game}\n".encode()
    with ScriptedArena(Hears(hello), Says(OPENING[game] + FORFEIT + b"bye\n")) as arena:
        assert (0, "", "") == end(start(module, arena.port, by_hand=True))


@ONE_EACH
def test_a_bot_ends_quietly_when_the_arena_closes(game, name, module):
    """At once, within a line, or with a word of farewell: which of them depends on the game."""
    lasts = (b"", b"turn 1\nunit 2", b"error shutdown the arena closes\n")
    last = lasts[registry.ours().index(game)]
    hello = f"{name} v=1 game={game}\n".encode()
    with ScriptedArena(Hears(hello), Says(OPENING[game] + last)) as arena:
        assert (0, "", "") == end(start(module, arena.port))


@ONE_EACH
def test_a_refusal_is_told_in_one_line(game, name, module):
    hello = f"{name} v=1 game={game}\n".encode()
    with ScriptedArena(Hears(hello), Says(b"error bad-token not yours\n")) as arena:
        assert (0, "", f"{name}: bad-token: not yours\n") == end(start(module, arena.port))


@ONE_EACH
def test_an_interrupt_ends_a_bot_quietly(game, name, module):
    """While it waits for an opponent, or in mid-match: every other game's the one."""
    hello = f"{name} v=1 game={game}\n".encode()
    said = (WELCOME, OPENING[game])[registry.ours().index(game) % 2]
    bots = []

    def interrupt():
        """Keep the connection until the bot is gone."""
        bots[0].send_signal(signal.SIGINT)
        bots[0].wait(timeout=60)

    with ScriptedArena(Hears(hello), Says(said), interrupt) as arena:
        bots.append(start(module, arena.port))
        assert (-signal.SIGINT, "", "") == end(bots[0])


@pytest.mark.parametrize("by_hand", [False, True])
def test_no_arena_is_told_in_one_line_with_exit_code_1(by_hand):
    with socket.socket() as deaf:  # bound, so that no other test listens there meanwhile
        deaf.bind(("127.0.0.1", 0))
        port = deaf.getsockname()[1]
        code, out, err = end(start(CAMPER_JOE, port, by_hand=by_hand))
    words = f"unreachable: no arena at 127.0.0.1:{port}; start one with `lanista serve`"
    assert (1, "", f"CamperJoe: {words}\n") == (code, out, err)


def test_a_bad_environment_is_told_in_one_line_with_exit_code_1():
    code, out, err = end(start(CAMPER_JOE, "http"))
    words = "LANISTA_PORT must be a port number from 1 to 65535, such as 7777, not 'http'"
    assert (1, "", f"CamperJoe: {words}\n") == (code, out, err)


def test_camper_joe_sends_an_empty_line():
    with ScriptedArena(
        Hears(b"CamperJoe v=1 game=angrymob\n"),
        Says(WELCOME + START + TURN_0),
        Hears(b"\n"),
        Says(FORFEIT + b"bye\n"),
    ) as arena:
        assert (0, "", "") == end(start(CAMPER_JOE, arena.port))
