"""What a turn costs a daemon, and how much memory a match takes, as more are played at once.

A daemon in a process of its own plays matches between bots in C that answer at once. Told is its
processor time for a turn of a match, record included: the difference between matches of two lengths
divided by that of their turns, so that what beginnings and ends cost isn't in it. And the most
memory that it ever had, beyond what it has with one match, for each of the other matches.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measured import keep

BOT_SOURCE = Path(__file__).parent / "empty_bots" / "empty.c"
SHORT = 20
"""Turns of the shorter matches."""
TURNS = 6_000
"""Turns, of all matches together, by which the longer ones are longer, at least."""
STEPS = {"angrymob": (1, 10, 100, 300), "hogwarts": (1, 100), "crematoria": (1, 100)}
GAMES = {
    # Seats, options, and the setting for the number of turns.
    "angrymob": (2, ("--map", "meadow"), "move_limit"),
    "hogwarts": (4, ("--map", "great-hall"), "NUM_ROUNDS"),
    "crematoria": (4, ("--map", "galleries"), "NUM_ROUNDS"),
}


def used_by(bot, game, matches, turns, folder):
    """Seconds that a daemon works for so many matches of so many turns, and its most KiB."""
    seats, options, setting = GAMES[game]
    daemon = subprocess.Popen(
        [
            *(sys.executable, "-m", "lanista.cli", "serve", "--port", "0", "--no-web"),
            *("--data", str(folder), "--game", game, *options, "--set", f"{setting}={turns}"),
            *("--matches", str(matches), "--max-connections", "2000", "--no-clock"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    port = daemon.stdout.readline().rsplit(":", 1)[1].strip()
    env = {**os.environ, "LANISTA_PORT": port}
    bots = []
    for _ in range(seats * matches):
        bots.append(subprocess.Popen([bot, game], env=env))
        # An address may have 100 connections that haven't said their hello.
        time.sleep(0.004)
    _, status, used = os.wait4(daemon.pid, 0)
    daemon.returncode = os.waitstatus_to_exitcode(status)
    daemon.stdout.close()
    for process in bots:
        process.wait()
    assert daemon.returncode == 0, daemon.returncode
    return used.ru_utime + used.ru_stime, used.ru_maxrss


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, nargs="+", metavar="N", help="in place of all steps")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        bot = str(Path(folder) / "empty")
        subprocess.run([shutil.which("cc") or "gcc", "-O2", "-o", bot, BOT_SOURCE], check=True)
        for game, steps in STEPS.items():
            alone = None
            for matches in options.matches or steps:
                more = max(20, TURNS // matches)
                (short, _), (long, kib) = [
                    used_by(bot, game, matches, SHORT + extra, Path(folder) / game)
                    for extra in (0, more)
                ]
                us = 1e6 * (long - short) / (matches * more)
                row = {"game": game, "matches": matches, "us_a_turn": round(us, 1)}
                if alone is None:
                    alone = us, kib
                elif matches > 1:
                    row["ratio"] = round(us / alone[0], 2)
                    row["kib_a_match"] = round((kib - alone[1]) / (matches - 1), 1)
                rows.append(row)
                print(json.dumps(row), flush=True)
    keep("growth", {"rows": rows, "aim": "ratio 1.1 or less with 100 matches"})


if __name__ == "__main__":
    main()
