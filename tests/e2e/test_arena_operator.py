"""The operator's commands for a running arena, with one arena for all tests (docs/arena.md)."""

import json
import re
import sys
import tempfile
from pathlib import Path

import pytest

from e2e.running import FileArena, hello, read, run_here, wait_until
from results.samples import asking
from support.arenas import stored_ladder

LADDERS = """
port = 0
workers = 1
data = "data"
page = { listen = "none" }

[[ladders]]
name = "pit"
game = "angrymob"
settings = { move_limit = 1 }
clock = { time_init = 0, time_move = 0 }
"""
SLOW = """
[[ladders]]
name = "NAME"
game = "hogwarts"
house = [{ name = "Slow", command = '''sh -c "touch NAME; until test -e NAME.go; do sleep 0.02; \
done; exec PYTHON -m lanista.games.house_bot \
lanista.games.hogwarts.house_bots.null Null"''' }, "Null", "Null"]
fill_after = 0
clock = { time_init = 20, time_move = 20, stall_margin = 600 }
""".replace("PYTHON", sys.executable)
"""A ladder whose first match is about to begin as long as a test wants."""


class Arena(FileArena):
    """One with a ladder."""

    def __init__(self, folder):
        self.top = folder
        self.run()

    def run(self):
        """Start it, also again after its end."""
        slow = [SLOW.replace("NAME", name) for name in ("slow", "late")]
        super().__init__(self.top, "".join([LADDERS, *slow]))

    def is_beginning(self, ladder):
        """Whether one of these ladders is about to begin its first match."""
        return (self.top / ladder).exists()

    def go(self, ladder):
        """Let that begin."""
        (self.top / f"{ladder}.go").touch()

    def operate(self, command, *words):
        """Run `lanista arena COMMAND arena.toml WORD…`; what it prints."""
        done = run_here(["arena", *command.split(), "arena.toml", *words], self.top)
        assert (0, "") == (done.code, done.err)
        return done.out

    def figures(self):
        """How many bots are connected, and what each ladder has."""
        return json.loads(self.operate("status", "--json"))

    def status(self):
        """The figures of the ladder."""
        return self.figures()["ladders"][0]


@pytest.fixture(scope="module")
def arena():
    """In a folder whose path is longer than the address of a socket may be."""
    with tempfile.TemporaryDirectory() as top:
        arena = Arena(Path(top, "long" * 20, "er" * 20))
        yield arena
        arena.end()
        assert "ended by an error" not in arena.err


def test_status_and_kick(arena, peers):
    peer = peers(arena, hello("Ada", "pit"))
    peer.until("wait")
    alone = {"waiting": 1, "playing": 0}
    wait_until(lambda: alone.items() <= arena.status().items(), "only it is here")
    assert "1 connection closed\n" == arena.operate("kick", "ADA")
    assert "error shutdown the operator closed this connection" in peer.rest()
    refused = run_here(["arena", "kick", "arena.toml", "Ada"], arena.top)
    why = "lanista: arena.toml: no bot called 'Ada' is connected\n"
    assert (2, "", why) == (refused.code, refused.out, refused.err)
    wait_until(lambda: not arena.status()["waiting"], "it has gone")
    assert ", 0 matches running in 1 process," in arena.operate("status")


def test_a_name_is_registered_reset_and_removed(arena, peers):
    """A bot with a token that means nothing any more is told and closed; the new one holds."""
    token = arena.operate("name add", "Bob").strip()
    for change in ("reset", "remove"):
        bot = peers(arena, f"bob v=1 room=pit token={token}")
        bot.until("wait")
        listed = arena.operate("name list")
        assert re.search(r"\nBob +\d{4}-\d\d-\d\d \d\d:\d\d +operator\n", listed)
        new = arena.operate(f"name {change}", "BOB").strip()
        assert "error bad-token the operator has removed this name, or given" in bot.rest()
        old = peers(arena, f"Bob v=1 room=pit token={token}")
        if change == "reset":
            assert "error bad-token the name 'Bob' is registered with another" in old.rest()
            token = new
        else:
            old.until("wait")  # it is registered anew by this


def test_a_bot_without_a_token_gives_up_its_name_to_whoever_registers_it(arena, peers):
    """Also on another ladder than theirs, and where capitals differ."""
    bot = peers(arena, "Cat v=1 room=pit")
    bot.until("wait")
    peers(arena, "CAT v=1 room=slow token=x").until("wait")
    assert "error bad-token somebody has registered this name; send its token" in bot.rest()


def test_a_newer_connection_plays_the_match_that_was_about_to_begin(arena, peers):
    """The last one of several; and it is its owner's and the operator's then."""
    wait_until(lambda: not arena.figures()["connections"], "bots of other tests are gone")
    bots = []
    for number in (1, 2, 3):
        bots.append(peers(arena, hello("Kay", "slow")))
        heard = (
            f"name=Kay game=hogwarts room=slow peer=127.0.0.1:{bots[-1].socket.getsockname()[1]}"
        )
        wait_until(lambda heard=heard: heard in arena.err, "the hello was read", lambda: arena.err)
        if number == 1:
            wait_until(lambda: arena.is_beginning("slow"), "a match is about to begin")
    arena.go("slow")
    for bot in bots[:2]:
        assert "error replaced " in bot.rest()
    assert any(line.startswith("start ") for line in bots[2].until("go"))
    # Those that were replaced have no place any more, though the match goes on.
    wait_until(lambda: arena.figures()["connections"] == 1, "the others are gone")
    arena.operate("name remove", "kay")
    assert "error bad-token the operator has removed this name" in bots[2].rest()


def test_a_bot_is_kicked_out_of_the_match_that_is_about_to_begin(arena, peers):
    bot = peers(arena, hello("Lea", "late"))
    wait_until(lambda: arena.is_beginning("late"), "a match is about to begin")
    assert "1 connection closed\n" == arena.operate("kick", "Lea")
    arena.go("late")
    assert "error shutdown the operator closed this connection" in bot.rest()


def test_benching_lasts_over_a_kill_until_it_is_taken_back(arena, peers):
    """And a killed arena's socket is no obstacle."""
    bots = [peers(arena, hello(name, "pit")) for name in ("Cem", "Dil")]
    for bot in bots:
        bot.until("go")
    arena.operate("bench", "cem", "--ladder", "pit")
    for bot in bots:
        bot.say("\n")
    benched = "note benched 0 - the arena's operator has benched it"
    bots[0].until("end")
    assert benched == bots[0].until("note")[-1]
    arena.process.kill()
    arena.wait()
    arena.run()
    bot = peers(arena, hello("Cem", "pit"))
    assert benched == bot.until("note")[-1]
    assert 1 == arena.status()["resting"]
    arena.operate("unbench", "Cem")
    assert {"waiting": 1, "resting": 0}.items() <= arena.status().items()


def play(arena, peers, *names):
    """Have two bots play one match, which is stored, and leave."""
    stored = arena.status()["stored"]
    bots = [peers(arena, hello(name, "pit", "v=1")) for name in names]
    for bot in bots:
        bot.until("go")
        bot.say("\n")
    for bot in bots:
        bot.until("end")
    wait_until(lambda: arena.status()["stored"] > stored, "the match is stored")


def test_a_struck_bots_matches_are_taken_out_and_put_back(arena, peers):
    def counted():
        with stored_ladder(arena.data) as store, store.ladder_reading() as now:
            return [match for match in now.counted_matches() if "Gus" in match.bots]

    play(arena, peers, "Fay", "Gus")
    before = counted()
    arena.operate("strike", "gus", "--ladder", "pit")
    assert [] == counted() != before
    arena.operate("unstrike", "Gus", "--ladder", "pit")
    assert before == counted()


def test_an_arena_runs_from_its_backup(arena, peers, started, tmp_path):
    """While the first one runs; with the same matches, whose records are there."""
    play(arena, peers, "Hal", "Ida")
    stored = arena.status()["stored"]
    copy = tmp_path / "copy"
    assert "1 database" in arena.operate("backup", copy)
    again = started(Arena(copy))
    assert stored == again.status()["stored"]
    with stored_ladder(again.data) as store:
        for match in asking(store).matches():
            read(again.data / "records" / match.match.record)


def test_a_ladder_without_a_file(serve, tmp_path):
    """`lanista serve --ladder`; with the file that stands for it, the commands find the arena."""
    words = ("--ladder", "angrymob=pit", "--no-clock")
    daemon = serve(*words)
    done = run_here(["serve", *words, "--print-config"], tmp_path / "here")
    (daemon.data.parent / "arena.toml").write_text(done.out)
    done = run_here(["arena", "status", daemon.data.parent / "arena.toml"], tmp_path / "here")
    assert re.search(r"\npit +angrymob +0 ", done.out), done.err
