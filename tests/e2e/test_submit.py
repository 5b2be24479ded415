"""A program from `lanista submit` to its matches, with a real arena and its sandboxes."""

from bots_start.arena import needs_sandbox
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

with Arena("me", game="angrymob") as arena:
    for state in arena:
        arena.send([])
"""
CRASHES = """\
import os
from lanista_client import Arena

with Arena("me", game="angrymob") as arena:
    for state in arena:
        if os.environ["LANISTA_NAME"] == "Ada":  # not in the check
            raise RuntimeError("lost count")
        arena.send([])
"""


@needs_sandbox
def test_a_program_is_handed_in_plays_and_is_disabled(started, tmp_path, one_sandbox):
    """What is decided by the arena's file reaches the arena while it runs."""
    arena = started(FileArena(tmp_path / "arena", FILE))
    folder = tmp_path / "author"
    folder.mkdir()
    (folder / "bot.py").write_text(BOT)
    env = environment(
        XDG_CONFIG_HOME=str(tmp_path / "config"), LANISTA_ARENA=arena.page, LANISTA_NAME="Ada"
    )

    def submit(*words):
        return run_here(["submit", *words, "--ladder", "pit"], folder, env)

    def operate(command, name, *words):
        words = ["arena", "submissions", command, "arena.toml", name, *words]
        done = run_here(words, arena.data.parent)
        assert (0, "") == (done.code, done.err)

    done = submit("bot.py", "--follow")
    assert (0, "") == (done.code, done.err), done.out
    lines = done.out.splitlines()
    assert "Ada: bot.py is version 1 on pit" == lines[0]
    assert {"$ python3 -m py_compile bot.py", "checking", "playing"} <= set(lines)
    players = {player.name for player in arena.record_with("Ada").header.players}
    assert {"Ada", "CamperJoe"} == players

    operate("disable", "ada", "--why", "copied")
    done = submit("bot.py")
    assert (2, "lanista: the operator has disabled Ada: copied\n") == (done.code, done.err)
    assert "disabled by the operator: copied" == submit("--list").out.splitlines()[-1]
    operate("enable", "Ada", "--ladder", "pit")
    listed = submit("--list").out
    assert " playing " in listed
    assert "match" not in listed  # it has ended its matches as it should

    (folder / "bot.py").write_text(CRASHES)
    assert 0 == submit("bot.py", "--follow").code
    why = ": its process exited with code 1: bot.py:7: RuntimeError: lost count"
    arena.until(lambda: why in submit("--list").out, "the reason of a crash in a match")
