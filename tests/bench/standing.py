"""Matches a second on a ladder, beside those of a tournament of the same bots and matches.

The bots are trivial ones in C, kept from match to match. All that a match takes is in it: pairing,
clock, record, database. Ladder and tournament take turns.
"""

import os
import sqlite3
import subprocess
import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path

from measured import arena_of_file, compiled, keep, median
from tournament import MAP, TURNS, matches_a_second

BOTS = 8
SECONDS = 5.0
"""For so long the matches on a ladder are counted, when the first ones are over."""
PAIRS = 1
FILE = f"""
port = 0
workers = {{workers}}
data = "data"
page = {{{{ listen = "none" }}}}

[[ladders]]
name = "angrymob"
game = "angrymob"
maps = ["{MAP}"]
settings = {{{{ move_limit = {TURNS} }}}}
"""


def ladder_matches_a_second(folder, bot, workers):
    """Matches that are stored in a second."""
    with ExitStack() as stack:
        _, port = stack.enter_context(arena_of_file(folder, FILE.format(workers=workers)))
        env = {**os.environ, "LANISTA_PORT": str(port), "LANISTA_KEEP": "1"}
        for number in range(BOTS):
            process = subprocess.Popen([bot, "angrymob", f"bot{number}"], env=env)
            stack.callback(process.wait)
            stack.callback(process.kill)
        path = folder / "data" / "lanista.db"
        with closing(sqlite3.connect(path)) as connection:

            def stored():
                return connection.execute("SELECT count(*) FROM matches").fetchone()[0]

            while stored() < 2 * BOTS:
                time.sleep(0.01)
            before, began = stored(), time.perf_counter()
            time.sleep(SECONDS)
            return (stored() - before) / (time.perf_counter() - began)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bot = compiled(folder)
        rates = {}
        for processes in (1, 2):
            # In turns, so that a machine that changes its speed does so for both.
            rows = [
                (
                    ladder_matches_a_second(folder / f"{processes}-{number}", bot, processes),
                    matches_a_second(folder, f"{bot} angrymob", processes),
                )
                for number in range(PAIRS)
            ]
            rates[str(processes)] = {
                "ladder_matches_a_second": median([ladder for ladder, _ in rows]),
                "tournament_matches_a_second": median([cup for _, cup in rows]),
                "ratio": median([ladder / cup for ladder, cup in rows]),
            }
    keep("standing", {"by_processes": rates})


if __name__ == "__main__":
    main()
