"""Blocks to store, the same ones for the same number, in any process."""

import contextlib
import random
import sqlite3
from collections.abc import Iterator

import attrs

from lanista.games.outcome import Ending
from lanista.results.match_result import BlockResult, MatchResult, SeatResult
from lanista.results.reading import Reading


class asking:  # noqa: N801 - reads like a function
    """Questions to a store: `asking(store).played()` is what `Reading.played` returns now.

    An iterator is returned as a list.
    """

    def __init__(self, store):
        self._store = store

    def __getattr__(self, name):
        question = getattr(Reading, name)

        def ask(*args, **more):
            with self._store.reading() as now:
                answer = question(now, *args, **more)
                return list(answer) if isinstance(answer, Iterator) else answer

        return ask


def seat(bot, rank=1, ending=Ending.NORMAL, **more):
    return SeatResult(bot=bot, rank=rank, ending=ending, **({"score": 10 * rank} | more))


def match(seating, *seats, attempt=1, end="finished", **more):
    told = {
        "seed": 1,
        "map": "",
        "reason": "capture",
        "turns": 60,
        "digest": f"{seating:016x}",
        "seconds": 1.5,
        "stall": 0.001,
        "record": f"ab/{seating}.jsonl.gz",
    }
    return MatchResult(seating=seating, attempt=attempt, end=end, seats=seats, **(told | more))


def block(number, *matches, bots=("Ant", "Bee"), **opening):
    """A block of two matches of two bots, unless other ones are given. Its id is by number."""
    first, second = bots[0], bots[-1]
    usual = (match(0, seat(first, 1), seat(second, 2)), match(1, seat(second, 2), seat(first, 1)))
    opening = {"seed": number} | opening
    matches = tuple(attrs.evolve(one, **opening) for one in matches or usual)
    return BlockResult(block=f"id{number}", bots=bots, matches=matches)


def ended(number, *endings, bot="Ant"):
    """A block in which a bot's matches, in the order played, ended so; void ones are attempts."""
    matches, seating, attempt = [], 0, 1
    for ending in endings:
        void = ending is Ending.VOID
        matches.append(
            match(
                seating,
                seat(bot, 1, ending),
                seat("Bee", 1, Ending.VOID if void else Ending.NORMAL),
                attempt=attempt,
                end="void" if void else "finished",
            )
        )
        seating, attempt = (seating, attempt + 1) if void else (seating + 1, 1)
    return block(number, *matches, bots=(bot, "Bee"))


def drawn(number):
    """A block as they come: four bots, all endings, void attempts, odd texts."""
    chance = random.Random(number)
    bots = tuple(chance.sample(["Ant", "Bee", "Cat", "Dög", "Élan", "F' \"\\"], 4))
    seed = chance.choice([-(2**63), 2**64 - 1, chance.getrandbits(64)])
    map_ = chance.choice(["", "maze"])
    matches = []
    for seating in chance.sample(range(4), 4):
        voids = chance.choice([0, 0, 0, 1, 2])
        for attempt in range(1, voids + 2):
            void = attempt <= voids
            endings = [Ending.VOID] if void else [ending for ending in Ending if ending != "void"]
            seats = [
                seat(
                    bots[(seating + at) % 4],
                    rank=chance.randrange(1, 5),
                    score=chance.randrange(-(2**63), 2**63),
                    ending=chance.choice(endings),
                    words=chance.choice(["", "plain", "\x00\ud800 \U0001f41c", "line\nline"]),
                    late=chance.randrange(3),
                    malformed=chance.randrange(3),
                    illegal=chance.randrange(3),
                    version=chance.choice([None, None, 1, 7]),
                )
                for at in range(4)
            ]
            matches.append(
                match(
                    seating,
                    *seats,
                    attempt=attempt,
                    seed=seed,
                    map=map_,
                    end="void" if void else chance.choice(["finished", "forfeit"]),
                    reason=chance.choice(["capture", "\x00"]),
                    turns=chance.randrange(1000),
                    digest=f"{chance.getrandbits(64):016x}",
                    seconds=chance.random() * 100,
                    stall=chance.random(),
                    record=chance.choice([None, f"{number}/{seating}.jsonl.gz"]),
                )
            )
    return BlockResult(block=f"id{number}", bots=bots, matches=tuple(matches))


def alone(number, *seats, **more):
    """A match of a ladder; its id is by number."""
    return match(0, *seats, id=f"M{number}", started="2026-01-01T00:00:00+00:00", **more)


def drawn_alone(numbers):
    """Matches of a ladder as they come: those of `drawn` blocks."""
    return [
        attrs.evolve(each, id=f"{one.block}-{at}")
        for one in map(drawn, numbers)
        for at, each in enumerate(one.matches)
    ]


def stored_alone(store):
    """All matches of a ladder, as they were given to the database."""
    return [found.match for found in asking(store).matches()][::-1]


def stored(store):
    """All blocks of a database, as they were given to it."""
    with store.reading() as now:
        matches = {}
        # Newest first, within a block too.
        for found in now.matches():
            matches.setdefault(found.block, []).insert(0, found.match)
        return [
            BlockResult(block=one.id, bots=one.bots, matches=tuple(matches[one.id]))
            for one in now.played()
        ]


def check_integrity(path):
    """Check that SQLite finds nothing wrong with a database."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert [("ok",)] == connection.execute("PRAGMA integrity_check").fetchall()
        assert [] == connection.execute("PRAGMA foreign_key_check").fetchall()
