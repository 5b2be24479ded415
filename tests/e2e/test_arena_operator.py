"""The operator's commands for a running arena, with one arena for all tests (docs/arena.md)."""

import json
import shutil
import tempfile
from pathlib import Path

import pytest

from e2e.running import Daemon, Program, command, run_here, wait_until

LADDERS = """
port = 0
data = "data"
page = { listen = "none" }

[[ladders]]
name = "pit"
game = "angrymob"
settings = { move_limit = 1 }
clock = { first = 0, turn = 0 }
"""


class Arena(Daemon):
    """`lanista arena run` with a ladder."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "arena.toml").write_text(LADDERS)
        Program.__init__(self, command("arena", "run", "arena.toml"), folder)
        self.data = folder / "data"
        self.until(lambda: self.out.count("\n") >= 1, "the arena says where it listens")
        self.port = int(self.out.split("\n")[0].rpartition(":")[2])

    def operate(self, name, *words):
        """Run `lanista arena NAME FILE WORD…`; what it prints."""
        done = run_here(["arena", name, "arena.toml", *words], self.folder)
        assert (0, "") == (done.code, done.err)
        return done.out

    def status(self):
        """The figures of the ladder."""
        return json.loads(self.operate("status", "--json"))["ladders"][0]


@pytest.fixture(scope="module")
def arena():
    """In a folder whose path is longer than the address of a socket may be."""
    top = Path(tempfile.mkdtemp())
    arena = Arena(top / ("long" * 20) / ("er" * 20))
    yield arena
    arena.end()
    assert "ended by an error" not in arena.err
    shutil.rmtree(top)


def hello(name, options="v=1 keep=1"):
    return f"{name} {options} room=pit token=secret-of-{name}"


def test_status_and_kick(arena, peers):
    peer = peers(arena, hello("Ada"))
    peer.until("wait")
    assert {"waiting": 1, "playing": 0, "resting": 0}.items() <= arena.status().items()
    assert "1 connection closed\n" == arena.operate("kick", "ADA")
    assert "error shutdown the operator closed this connection" in peer.rest()
    done = run_here(["arena", "kick", "arena.toml", "Ada"], arena.folder)
    assert (2, "lanista: arena.toml: no bot called 'Ada' is connected\n") == (done.code, done.err)
    wait_until(lambda: not arena.status()["waiting"], "it has gone")
    assert ", 0 matches running in 1 process," in arena.operate("status")
