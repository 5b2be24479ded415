"""TOML files of tournaments and of arenas."""

import contextlib
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from fuzz.mutation import changed_text, warp
from fuzz.target import Target, may_refuse
from lanista.arena import spec as arena_spec
from lanista.arena.ladder_room import house_contestants
from lanista.competition.setup import prepare
from lanista.competition.spec import example, parse_spec, spec_of
from lanista.errors import BadInputError, SpecError
from lanista.games import registry
from lanista.hosting.inputs import configurations

SMALL = b"""\
name = "cup"
game = "angrymob"
format = "round-robin"
seeds = [1, 2, 3]
maps = ["pit", "meadow"]
settings = { move_limit = 150 }
clock = { time_init = 20.0, time_move = 0.2, time_start = 30.0, late_limit = 9, stall_margin = 0.1 }

[[bots]]
name = "Runner"
command = "RandomRunners"
limits = "memory=1G,cpu=3600"
restart = true
environment = { LEVEL = "2" }

[[bots]]
name = "Joe"
command = "CamperJoe"
"""
SWISS = b"""\
name = "Four"
game = "hogwarts"
format = "swiss"
seeds = { count = 100, base = 42 }
rounds = 3
blocks = 2
concurrency = "auto"
executor = "dask-local"
keep = "failures"
fill = "Null"
limits = "none"
bots = [{ name = "A", command = "Dummy" }, { name = "B", command = "Demo" }]
[sprt]
elo0 = 0.0
elo1 = 10.0
alpha = 0.05
beta = 0.05
"""
ODD = (
    *(b"inf", b"nan", b"-inf", b"1979-05-27T07:32:00Z", b"07:32:00", b"0xfffffffffffffffff"),
    *(b"0o7", b"1e400", b'"""', b"'''", b"a.b.c = 1", b"# a"),
    *(b'"\\u0000"', b'"\\u007f"', b'"\\U0010ffff"'),
)
ODD_IN_CUPS = (
    *(*ODD, b"[[bots]]", b"[bots]", b"[clock]"),
    *(b"seeds = [1, 1]", b"concurrency = 20000", b"seeds = 10000000", b"pin = true"),
    *(b'challenger = "Joe"', b'seatings = "all"', b'sandbox = "bwrap"', b'database = "x://"'),
    b"bots = 1",
)

Given = str | dict[str, Any]
"""A file's text, or what a reader of TOML made of it."""


def _draw(random: Random, corpus: Sequence[bytes]) -> Given:
    """A changed text; or, as most of those aren't TOML, values that hardly belong where they are.

    The corpus ends with odd pieces, which are no TOML.
    """
    if random.random() < 0.5:
        return changed_text(random, corpus)
    value = tomllib.loads(random.choice(corpus[:-1]).decode())
    warp(random, value)
    return value


def spec() -> Target:
    """A spec is read, and what it names is looked up; or one line says what is wrong."""
    written = example(registry.get("angrymob"), "cup")
    corpus = [SMALL, SWISS, SMALL, SWISS, written.encode(), b"\n".join(ODD_IN_CUPS)]
    folder = Path(tempfile.gettempdir())

    def check(given: Given) -> None:
        with may_refuse(SpecError):
            found = parse_spec(given, "cup.toml") if isinstance(given, str) else spec_of(given)
        with contextlib.suppress(SpecError):
            prepare(found, folder, plays=False)

    return Target(draw=lambda random: _draw(random, corpus), check=check, short=300)


ARENA = b"""\
host = "0.0.0.0"
port = 7777
game = "hogwarts"
data = "data"
store = "postgresql://arena:secret@db/arena"
registration = "closed"
max_connections = 500
max_per_address = 50
hello_timeout = 5
drain = 60.0
workers = 2
tls = { certificate = "fullchain.pem", key = "privkey.pem" }
page = { listen = "[::]:443", open_logs = true, tournaments = ["cup.toml"] }
"""
LADDERS = b"""\
[[ladders]]
name = "Hogwarts-1.0_x"
game = "hogwarts"
maps = ["great-hall", "default"]
house = ["Demo", { name = "My Anchor", command = "stdio: python3 anchor.py" }, "Demo"]
limits = "memory=1G"
sandbox = "bwrap"
fill_after = 0
bench_after = 1
window = 1000
lag_allowance = 0.25
settings = { NUM_ROUNDS = 100, "original" = 1 }

[ladders.clock]
time_init = 10
time_move = 0.1
time_start = 5
late_limit = 3
stall_margin = 0.1

[[ladders]]
name = "second"
game = "angrymob"
house = ["CamperJoe"]
"""
ODD_IN_ARENAS = (
    *(*ODD, b"[[ladders]]", b"[ladders]", b"[ladders.clock]", b"[[ladders.house]]"),
    *(b'listen = "none"', b'command = "x"', b"ladders = []", b"house = [[]]", b"settings = []"),
    *(b'name = "second"', b"port = 0", b"page = 1", b'store = "sqlite:///x"'),
)


def arena() -> Target:
    """An arena's spec is read, and written again; or one line says what is wrong."""
    written = arena_spec.example(registry.get("angrymob"), "arena.toml")
    corpus = [ARENA + LADDERS, LADDERS, ARENA, written.encode(), b"\n".join(ODD_IN_ARENAS)]
    folder = Path(tempfile.gettempdir())

    def check(given: Given) -> None:
        with may_refuse(SpecError):
            if isinstance(given, str):
                found = arena_spec.parse_spec(given, "arena.toml")
            else:
                found = arena_spec.spec_of(given)
        assert found == arena_spec.parse_spec(arena_spec.toml_of(found), "again")
        for ladder in found.ladders:
            with contextlib.suppress(BadInputError):
                ruleset = registry.get(ladder.game)
                house_contestants(ladder, folder)
                configurations(ruleset, ladder.maps, ladder.settings, folder)

    return Target(draw=lambda random: _draw(random, corpus), check=check, short=300)


TARGETS: Mapping[str, Callable[[], Target]] = {"spec": spec, "arena": arena}
