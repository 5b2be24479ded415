"""TOML files of tournaments."""

import contextlib
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from fuzz.mutation import changed_text
from fuzz.target import Target, check_words
from lanista.tournament.example import example
from lanista.tournament.setup import prepare
from lanista.tournament.spec import SpecError, parse_spec

SMALL = b"""\
name = "cup"
game = "angrymob"
format = "round-robin"
seeds = [1, 2, 3]
maps = ["pit", "meadow"]
settings = { move_limit = 150 }
clock = { first = 20.0, turn = 0.2, start = 30.0, late_limit = 10, stall_margin = 0.05 }

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
    *(b"0o7", b"1e400", b'"""', b"'''", b"[[bots]]", b"[bots]", b"[clock]", b"a.b.c = 1"),
    *(b"seeds = [1, 1]", b"concurrency = 20000", b"seeds = 10000000", b"pin = true"),
    *(b'challenger = "Joe"', b"# a"),
    *(b'seatings = "all"', b'sandbox = "bwrap"', b'database = "x://"', b"bots = 1", b"\\U0010ffff"),
)  # fmt: skip


def spec() -> Target:
    """A spec is read, and what it names is looked up; or one line says what is wrong."""
    written = example(
        stem="cup",
        game="angrymob",
        title="Angry Mob",
        seats=2,
        house=("CamperJoe", "RandomRunners"),
        maps=("pit", "meadow"),
        settings=(("move_limit", 2400, "moves"),),
    )
    corpus = [SMALL, SWISS, SMALL, SWISS, written.encode(), b"\n".join(ODD)]
    folder = Path(tempfile.gettempdir())

    def check(text: str) -> None:
        try:
            found = parse_spec(text, "cup.toml")
        except SpecError as error:
            check_words(str(error))
            return
        with contextlib.suppress(SpecError):
            prepare(found, folder, plays=False)

    return Target(draw=lambda random: changed_text(random, corpus), check=check, short=300)


TARGETS: Mapping[str, Callable[[], Target]] = {"spec": spec}
