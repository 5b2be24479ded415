"""Two arenas with one PostgreSQL store have the same names, tokens and ratings (docs/arena.md)."""

import json
import re
import urllib.request

import pytest

from e2e.running import PATIENCE, FileArena, wait_until
from results import postgres

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")

FILE = """
port = 0
workers = 1
data = "data"
store = "{store}"
page = {{ listen = "127.0.0.1:0" }}

[[ladders]]
name = "pit"
game = "angrymob"
settings = {{ move_limit = 1 }}
clock = {{ time_init = 0, time_move = 0 }}
"""


class Arena(FileArena):
    """One with a page, and results in PostgreSQL."""

    def figure(self, name):
        """One of its figures (docs/api.md), the sum of all its labels."""
        with urllib.request.urlopen(f"{self.page}/metrics", timeout=PATIENCE) as answer:
            lines = answer.read().decode().splitlines()
        named = [line for line in lines if re.match(f"{name}[ {{]", line)]
        assert named, name
        return sum(float(line.rpartition(" ")[2]) for line in named)

    @property
    def has_stored_all(self):
        """Whether nobody is here, and no result waits to be stored."""
        return not self.figure("lanista_connections") and not self.figure("lanista_results_waiting")

    def table(self):
        """By name: the matches and the rating, as the page shows them."""
        url = f"{self.page}/api/1/ladders/pit"
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            rows = json.load(answer)["rows"]
        return {row["bot"]: (row["matches"], row["rating"]) for row in rows}


@pytest.fixture
def arenas(tmp_path, started):
    """Two arenas of one store."""
    with postgres.server() as server:
        store = postgres.url(server, "postgres")
        text = FILE.format(store=store)
        both = [started(Arena(tmp_path / name, text, waits=False)) for name in ("a", "b")]
        for arena in both:
            arena.listens()
        yield both, store
        for arena in both:
            arena.end()


def play_block(bots):
    """Let two bots play both matches of their block, and leave."""
    for _ in range(2):
        for bot in bots:
            bot.until("go")
            bot.say("\n")
        for bot in bots:
            assert "end finished" in bot.until("end")
    for bot in bots:
        bot.leave()


def matches(store):
    """The number of matches that are stored."""
    with psycopg.connect(store) as connection:
        return connection.execute("SELECT count(*) FROM lanista.matches").fetchone()[0]


@pytest.mark.long
def test_two_arenas_show_one_ladder_and_know_the_same_tokens(arenas, peers):
    """A match played at one arena is in the other's table; a name is its owner's at both.

    Short, within one process: results/test_shared_ladder.py.
    """
    both, store = arenas
    for arena, names in zip(both, (("Ada", "Bob"), ("Cem", "Dil")), strict=True):
        play_block([peers(arena, f"{name} v=1 keep=1 room=pit token=of-{name}") for name in names])
    # A table is kept for ten seconds, so none is asked for before.
    for arena in both:
        wait_until(lambda arena=arena: arena.has_stored_all, "all matches are stored")
    assert matches(store) >= 4  # a next one may have begun before the bots left
    first, second = (arena.table() for arena in both)
    assert {"Ada", "Bob", "Cem", "Dil"} == first.keys()
    assert first == second
    assert 2 * matches(store) == sum(number for number, _ in first.values())
    thief = peers(both[1], "ada v=1 room=pit token=guessed")
    assert "error bad-token the name 'ada' is registered with another token" in thief.rest()
    owner = peers(both[1], "Ada v=1 room=pit token=of-Ada")
    owner.until("wait")
