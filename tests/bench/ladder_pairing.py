"""A ladder: restarting with the last matches of many names, choosing the next among them.

1,000 names, of which 50 matches each are known, and who then all wait. Times are processor time,
without the time that making up the matches takes.
"""

import itertools
import random
import time

from measured import keep, median

from lanista.competition.formats.ladder import Ladder

NAMES = [f"bot{number}" for number in range(1000)]
KNOWN = 50
"""The number of known matches of each name."""
NEAR = 40
"""How far apart opponents are in the list of names, at most."""


def stored(seats):
    """Matches as a database has them."""
    chance = random.Random(1)
    for _ in range(KNOWN * len(NAMES) // seats):
        first = chance.randrange(len(NAMES))
        near = chance.sample(range(1, NEAR), seats - 1)
        yield [NAMES[(first + step) % len(NAMES)] for step in (0, *near)]


def took(act):
    began = time.process_time()
    act()
    return time.process_time() - began


def measure(seats):
    ladder = Ladder(seats=seats, chance=random.Random(1))
    known = list(stored(seats))
    restoring = took(lambda: [ladder.take(names, (), 0.0) for names in known])
    ladder.ratings = {name: 10.0 * number for number, name in enumerate(NAMES)}
    for name in NAMES:
        ladder.wait(name, name, 0.0)
    choosing, distances = [], []
    for _ in range(len(NAMES) // seats):
        began = time.process_time()
        match = ladder.next(60.0)
        choosing.append(time.process_time() - began)
        order = sorted(map(NAMES.index, match))
        distances += [after - before for before, after in itertools.pairwise(order)]
    keep(
        f"ladder_{seats}_seats",
        {
            "names": len(NAMES),
            "restore_seconds": round(restoring, 2),
            "next_ms_longest": round(max(choosing) * 1000, 2),
            "next_ms_median": median([seconds * 1000 for seconds in choosing]),
            "names_between_opponents_median": median(distances),
            "aim": "next under 5 ms",
        },
    )


if __name__ == "__main__":
    for players in (2, 4):
        measure(players)
