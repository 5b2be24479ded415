"""Microseconds a turn of two trivial bots over loopback, beside a floor measured in the same run.

The floor: blocking sockets, the same two bots in processes of their own, the same bytes each way,
no rules, no clock, no record. The arena: `StartedMatch`, rules, fair clock and record included.
Floor and arena take turns, so that a machine that changes its speed changes it for both.

`--quick` (`make bench-quick`) takes less than a minute, for work on a turn: fewer turns, and bots
in C, which leave the arena the larger share.
"""

import sys
import tempfile
import time
from pathlib import Path
from unittest import mock

from measured import compiled, connected, keep, match_between, median

from lanista.games import registry
from lanista.games.angrymob.game import AngryMob

TURNS = 10_000
PAIRS = 5
QUICK_TURNS = 4_000
BOT = (sys.executable, str(Path(__file__).parent / "trivial_bot.py"))
RULESET = registry.get("angrymob")


def floor(bot, turns, told):
    """Seconds for so many exchanges of `told` and an empty line with two bots."""
    with connected(bot, 2) as seats:
        began = time.perf_counter()
        for _ in range(turns):
            for seat in seats:
                seat.sendall(told)
            for seat in seats:
                seat.recv(65536)
        return time.perf_counter() - began


def play(bot, turns, folder):
    """Play a match of so many turns, with its record."""
    played = match_between("angrymob", bot, folder, settings={"move_limit": turns})
    assert played.result.turns == turns, played.result


def arena(bot, turns, folder):
    """Seconds of the loop's processor time, and of time, for so many turns with their record."""
    moments = {}
    advance = AngryMob.advance

    def timed(game, verdicts):
        # A watcher would change how the match is played: its record is written at another moment.
        advance(game, verdicts)
        if game.turn in (1, turns):
            moments[game.turn] = time.thread_time(), time.perf_counter()

    with mock.patch.object(AngryMob, "advance", timed):
        play(bot, turns, folder)
    return [after - before for before, after in zip(moments[1], moments[turns], strict=True)]


def main():
    quick = sys.argv[1:] == ["--quick"]
    turns = QUICK_TURNS if quick else TURNS
    board = RULESET.generate({}, RULESET.chance(1))
    game = RULESET.new({"move_limit": turns}, board, RULESET.chance(1))
    told = b"turn 1\nmoved 0\nmoved 1\n" + game.facts(0) + b"go\n"
    with tempfile.TemporaryDirectory() as folder:
        bot = (compiled(folder), "angrymob") if quick else BOT
        rows = [(floor(bot, turns, told), *arena(bot, turns, folder)) for _ in range(PAIRS)]
    keep(
        "turn_quick" if quick else "turn",
        {
            "turns": turns,
            "floor_us": median([1e6 * base / turns for base, _, _ in rows]),
            "arena_us": median([1e6 * took / turns for _, _, took in rows]),
            "arena_cpu_us": median([1e6 * worked / turns for _, worked, _ in rows]),
            "ratio": median([took / base for base, _, took in rows]),
            "ratios": [round(took / base, 2) for base, _, took in rows],
            "aim": "ratio 4 or less",
        },
    )


if __name__ == "__main__":
    main()
