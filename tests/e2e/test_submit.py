"""A program from `lanista submit` to its matches, with a real arena and its sandboxes."""

import pytest

from e2e.running import FileArena, environment, run_here

FILE = """
port = 0
workers = 1
page = { listen = "127.0.0.1:0" }

[[ladders]]
name = "pit"
game = "angrymob"
house = ["CamperJoe"]
fill_after = 1  # not match after match, while the test goes on
settings = { move_limit = 3 }
clock = { time_init = 0, time_move = 0 }  # which `lanista check` doesn't know
submissions = true
"""
BOT = """\
from lanista_client import Arena

with Arena("me", game="angrymob", keep=True) as arena:
    for state in arena:
        arena.send([])
"""


@pytest.fixture
def arena(tmp_path):
    arena = FileArena(tmp_path / "arena", FILE)
    yield arena
    arena.end()


def test_a_program_is_handed_in_plays_and_is_disabled(arena, tmp_path, one_sandbox):
    """What is decided by the arena's file reaches the arena while it runs."""
    folder = tmp_path / "author"
    folder.mkdir()
    (folder / "bot.py").write_text(BOT)
    env = environment(
        XDG_CONFIG_HOME=str(tmp_path / "config"), LANISTA_ARENA=arena.page, LANISTA_NAME="Ada"
    )
    done = run_here(["submit", "bot.py", "--ladder", "pit", "--follow"], folder, env)
    assert (0, "") == (done.code, done.err), done.out
    lines = done.out.splitlines()
    assert "Ada: bot.py is version 1 on pit" == lines[0]
    assert {"$ python3 -m py_compile bot.py", "checking", "playing"} <= set(lines)
    players = {player.name for player in arena.record_with("Ada").header.players}
    assert {"Ada", "CamperJoe"} == players

    operate = ["arena", "submissions"]
    done = run_here(
        [*operate, "disable", "arena.toml", "ada", "--why", "copied"], arena.data.parent
    )
    assert (0, "") == (done.code, done.err)
    done = run_here(["submit", "bot.py", "--ladder", "pit"], folder, env)
    assert (2, "lanista: the operator has disabled Ada: copied\n") == (done.code, done.err)
    done = run_here(["submit", "--list", "--ladder", "pit"], folder, env)
    assert "disabled by the operator: copied" == done.out.splitlines()[-1]
    done = run_here([*operate, "enable", "arena.toml", "Ada", "--ladder", "pit"], arena.data.parent)
    assert (0, "") == (done.code, done.err)
    assert " playing " in run_here(["submit", "--list", "--ladder", "pit"], folder, env).out
