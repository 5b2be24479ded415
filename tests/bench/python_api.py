"""`lanista.play_many` beside `lanista.competition.run`: the same matches, as a ratio.

Both play short matches of house bots in one worker, in turns, so that what else this machine does
disturbs both. The time includes starting the worker and the bots, and the tournament's database.
"""

import tempfile
import time
from pathlib import Path

from measured import keep, median

import lanista

PAIR = ("RandomRunners", "CamperJoe")
SEEDS = 100
ROUNDS = 3
SETTINGS = {"move_limit": 8}


def tournament(folder):
    """Seconds of a tournament."""
    spec = {
        "name": "bench",
        "game": "angrymob",
        "format": "round-robin",
        "seeds": list(range(SEEDS)),
        "settings": SETTINGS,
        "concurrency": 1,
        "clock": {"stall_margin": 600.0},
        "bots": [{"name": name, "command": name} for name in PAIR],
    }
    began = time.perf_counter()
    report = lanista.competition.run(spec, folder=folder)
    assert (2 * SEEDS, True) == (report.standings.matches, report.over)
    return time.perf_counter() - began


def many(folder):
    """Seconds of the same matches by the library."""
    began = time.perf_counter()
    matches = lanista.play_many(
        *("angrymob", [PAIR], range(SEEDS)),
        workers=1,
        seatings="rotations",
        records=folder,
        settings=SETTINGS,
        stall_margin=600.0,
    )
    assert 2 * SEEDS == sum(1 for _ in matches)
    return time.perf_counter() - began


def main():
    """Measure both in turns."""
    ratios = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            by_tournament, by_library = tournament(Path(one)), many(Path(two))
        ratios.append(by_library / by_tournament)
        print(f"tournament {by_tournament:.2f} s, play_many {by_library:.2f} s")
    keep(
        "python_api", {"play_many_in_tournaments": median(ratios), "lowest": round(min(ratios), 3)}
    )


if __name__ == "__main__":
    main()
