"""A ladder at its largest: a million matches of a thousand names, in SQLite.

`ladder.py [SEATS [MATCHES [NAMES]]]`. Bots meet others of nearly their strength, as a ladder pairs
them; names join one after another. The database is made first (`fill`), which takes minutes;
`ladder.py table PATH SEATS NAMES` then computes the table in a process of its own, as an arena
does. Times are those of the processor, as a machine is seldom idle.
"""

import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta

import attrs
import numpy as np
from measured import keep, numbers_given

from lanista.ratings.compute import compute
from lanista.ratings.counting import count_pages
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from lanista.results.database import Store

FIRST = datetime(2020, 1, 1, tzinfo=UTC)
"""When the first match was stored; one follows in each second."""
CHUNK = 20_000
"""Matches that are made at once."""


def names(count):
    return [f"bot {number:04}" for number in range(count)]


def strengths(count):
    """The true ratings in Elo, by number of the bot."""
    return np.random.default_rng(count).normal(0, 300, count)


def ladder(seats, matches, count):
    """Yield (players, ranks) of many matches by seat, as arrays: (M, S) each."""
    chance = np.random.default_rng(1)
    elo = strengths(count)
    order = np.argsort(elo)
    for first in range(0, matches, CHUNK):
        size = min(CHUNK, matches - first)
        here = order[order <= max(50, count * (first + size) // matches)]
        centre = chance.integers(len(here), size=(size, 1))
        # So many different ones of the forty nearest.
        near = np.argsort(chance.random((size, 40)), axis=1)[:, :seats]
        players = here[(centre + near - 20) % len(here)]
        worth = elo[players] / 173.7 + chance.gumbel(size=(size, seats))
        ranks = (-worth).argsort(axis=1).argsort(axis=1) + 1
        tied = chance.random((size, 1)) < 0.05
        yield first, players, np.where(tied & (ranks == 2), 1, ranks)


def game_of(seats):
    return "hogwarts" if seats == 4 else "angrymob"


def opened(data, seats):
    """The results of the ladder, as a command opens them."""
    database = Database.of_arena(data, check=False)
    return Store.of_ladder(database, "ladder", game_of(seats))


def fill(data, seats, matches, count):
    """Make a database; rows are inserted directly, which takes a tenth of the time."""
    with opened(data, seats) as store:
        path, number_of_ladder = data.database, store.competition
    bots = names(count)
    connection = sqlite3.connect(path)
    for first, all_players, all_ranks in ladder(seats, matches, count):
        rows, sitting = [], []
        for number, (players, ranks) in enumerate(
            zip(all_players.tolist(), all_ranks.tolist(), strict=True), first + 1
        ):
            its = [bots[player] for player in players]
            committed = (FIRST + timedelta(seconds=number)).isoformat(timespec="milliseconds")
            text = str(ranks)
            record = f"{number % 256:02x}/{number:016x}.jsonl.gz"
            rows.append(
                (
                    *(number, number_of_ladder, f"{number:026}", None, 0, 1, str(number), ""),
                    *(committed, committed, committed, "finished"),
                    *('"capture"', text, text, 60, f"{number:016x}", 1.5, 0.001, record),
                )
            )
            for seat, bot in enumerate(its):
                ending = "crash" if number % 100 == 0 and not seat else "normal"
                of_seat = (number, seat, number_of_ladder, bot, ending, '""')
                sitting.append((*of_seat, 0, 0, 0, 0, None))
        for table, its_rows in (("matches", rows), ("seats", sitting)):
            marks = ", ".join("?" * len(its_rows[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", its_rows)
        connection.commit()
    connection.close()


def took(act):
    """Seconds of the processor."""
    began = time.process_time()
    act()
    return round(time.process_time() - began, 3)


def table(data, seats, count):
    """The standings of the database, its time and memory as JSON."""
    bots = names(count)

    def standings():
        with opened(data, seats) as store, store.ladder_reading() as now:
            compute(
                name="ladder",
                game="hogwarts",
                format="ladder",
                bots=bots,
                house=bots[:2],
                counted=count_pages(now.match_pages(), seats, bots),
                ended=now.endings(),
                head_to_head=False,
            )

    seconds = took(standings)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"table_seconds": seconds, "table_megabytes": memory}))


def measure(data, seats, matches, count):
    """Return what matches and the table of a full database cost."""
    fill(data, seats, matches, count)
    figures = {"bytes_a_match": data.database.stat().st_size // matches}
    with opened(data, seats) as store:
        with store.reading() as now:
            newest = next(now.matches())
        more = [attrs.evolve(newest.match, seed=at, id=f"new {at}") for at in range(200)]
        figures["add_200_matches_alone_seconds"] = took(
            lambda: [store.add_matches([one]) for one in more]
        )
        figures["add_200_matches_at_once_seconds"] = took(
            lambda: store.add_matches([attrs.evolve(one, id=f"other {one.id}") for one in more])
        )
    ended = subprocess.run(
        [sys.executable, __file__, "table", str(data.path), str(seats), str(count)],
        capture_output=True,
        check=True,
    )
    return figures | json.loads(ended.stdout)


def main():
    if sys.argv[1:2] == ["table"]:
        table(DataFolder(sys.argv[2]), *map(int, sys.argv[3:]))
        return
    seats, matches, count = numbers_given(4, 1_000_000, 1000)
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(DataFolder(folder), seats, matches, count)
    keep("ladder", {"seats": seats, "matches": matches, "names": count, **figures})


if __name__ == "__main__":
    main()
