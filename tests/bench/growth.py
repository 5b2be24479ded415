"""What a turn costs a daemon, and how much memory a match takes, as more are played at once.

A daemon in a process of its own plays matches between bots in C. Told is its processor time for a
turn of a match, record included: the difference between matches of two lengths divided by that of
their turns, so that what beginnings and ends cost isn't in it. And the most memory that it ever
had, beyond what it has with one match, for each of the other matches. One match and many are
measured by turns, as the machine's speed changes.

Beside it is told how a floor grows: one process passes lines of the same length to as many bots and
reads their answers, with no rules, no clock and no record. What its turns cost more with many
matches is the kernel's, and that of other processes that need the same caches.

With `--thinking` bots that wait before they answer are measured, too: how many of their matches one
core could play, if it were busy for BUSY of the time. That is computed from the cost of a turn, not
tried.
"""

import argparse
import os
import select
import subprocess
import tempfile
import time
from pathlib import Path

from measured import SEATS, compiled, connected, keep, listening, printed

from lanista.games import registry
from lanista.games.base import complete_settings, start_game

SHORT = 20
"""Turns of the shorter matches."""
TURNS = 6_000
"""Turns, of all matches together, by which the longer ones are longer, at least."""
STEPS = {
    # The numbers of matches between bots that answer at once; then some for bots that think for so
    # many milliseconds, which keep a core about half busy.
    "angrymob": ((100,), {1: 5, 10: 40, 100: 300}),
    "hogwarts": ((100,), {1: 2, 10: 12, 100: 100}),
    "crematoria": ((100,), {1: 2, 10: 12, 100: 100}),
}
PAIRS = 2
BUSY = 0.7
GAMES = {
    # Options, and the setting for the number of turns.
    "angrymob": (("--map", "meadow"), "move_limit"),
    "hogwarts": (("--map", "great-hall"), "NUM_ROUNDS"),
    "crematoria": (("--map", "galleries"), "nb_rounds"),
}


def used_by(bot, game, matches, turns, think, folder):
    """Seconds that a daemon works for so many matches of so many turns, and its most KiB."""
    options, setting = GAMES[game]
    words = [
        *("serve", "--port", "0", "--no-web", "--data", str(folder), "--game", game, *options),
        *("--set", f"{setting}={turns}", "--matches", str(matches)),
        *("--max-connections", "2000", "--no-clock"),
    ]
    with listening(words) as (daemon, port):
        env = {**os.environ, "LANISTA_PORT": str(port), "THINK_MS": str(think)}
        bots = []
        for _ in range(SEATS[game] * matches):
            bots.append(subprocess.Popen([bot, game], env=env))
            # An address may have 100 connections that haven't said their hello.
            time.sleep(0.004)
        _, status, used = os.wait4(daemon.pid, 0)
        daemon.returncode = os.waitstatus_to_exitcode(status)
    for process in bots:
        process.wait()
    assert daemon.returncode == 0, daemon.returncode
    return used.ru_utime + used.ru_stime, used.ru_maxrss


def measured(bot, game, matches, think, folder):
    """Microseconds that a turn costs, and the daemon's most KiB."""
    more = max(20, TURNS // matches)
    (short, _), (long, kib) = [
        used_by(bot, game, matches, SHORT + extra, think, folder) for extra in (0, more)
    ]
    return 1e6 * (long - short) / (matches * more), kib


def first_turn(game):
    """The bytes that a bot gets in the first turn, or about so many."""
    ruleset = registry.get(game)
    settings = complete_settings(ruleset, {})
    rules = start_game(ruleset, settings, 1)
    return b"turn 1\n" + rules.facts(0) + b"go\n"


def floor(bot, game, matches):
    """Microseconds that a turn costs a process that only passes lines."""
    lines, seats, turns = first_turn(game), SEATS[game], max(20, TURNS // matches)
    with connected([bot, game], seats * matches) as sockets, select.epoll() as ready:
        tables = [sockets[at : at + seats] for at in range(0, len(sockets), seats)]
        table_of = {
            seat.fileno(): (table, seat) for table, sitting in enumerate(tables) for seat in sitting
        }
        for seat in sockets:
            ready.register(seat, select.EPOLLIN)
        # By table: the answers that this turn still needs, and the turns that follow.
        waiting, left, playing = [0] * matches, [turns] * matches, matches
        asked = range(matches)
        began = time.process_time()
        while playing:
            for table in asked:
                waiting[table] = seats
                for seat in tables[table]:
                    seat.sendall(lines)
            asked = []
            for place, _ in ready.poll():
                table, seat = table_of[place]
                seat.recv(65536)
                waiting[table] -= 1
                if not waiting[table]:
                    left[table] -= 1
                    if left[table]:
                        asked.append(table)
                    else:
                        playing -= 1
        took = time.process_time() - began
    return 1e6 * took / (turns * matches)


def growth(bot, game, steps, folder):
    """Yield a row for each number of matches between bots that answer at once, beside one."""
    for matches in steps:
        pairs = [
            [measured(bot, game, count, 0, folder) for count in (1, matches)] for _ in range(PAIRS)
        ]
        floors = [[floor(bot, game, count) for count in (1, matches)] for _ in range(PAIRS)]
        (_, kib_alone), (_, kib) = pairs[0]
        yield {
            "game": game,
            "matches": matches,
            "us_a_turn": [round(us, 1) for _, (us, _) in pairs],
            "us_alone": [round(us, 1) for (us, _), _ in pairs],
            "ratios": [round(us / alone, 2) for (alone, _), (us, _) in pairs],
            "floor_us_alone": [round(alone, 1) for alone, _ in floors],
            "floor_ratios": [round(us / alone, 2) for alone, us in floors],
            "kib_a_match": round((kib - kib_alone) / (matches - 1), 1),
        }


def scale(bot, game, steps, folder):
    """Yield a row for each time that bots think."""
    for think, matches in steps.items():
        us, _ = measured(bot, game, matches, think, folder)
        yield {
            "game": game,
            "think_ms": think,
            "matches": matches,
            "us_a_turn": round(us, 1),
            "matches_of_a_core": int(BUSY * (1000 * think + us) / us),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--matches", type=int, nargs="+", metavar="N", help="more than 1, in place of all steps"
    )
    parser.add_argument(
        "--thinking", action="store_true", help="measure matches of bots that think, too"
    )
    options = parser.parse_args()

    def told(folder):
        bot = compiled(folder)
        for game, (steps, thinking) in STEPS.items():
            place = Path(folder) / game
            yield from growth(bot, game, options.matches or steps, place)
            if options.thinking:
                yield from scale(bot, game, thinking, place)

    with tempfile.TemporaryDirectory() as folder:
        rows = printed(told(folder))
    keep("growth", {"rows": rows, "aim": "ratio 1.1 or less with 100 matches"})


if __name__ == "__main__":
    main()
