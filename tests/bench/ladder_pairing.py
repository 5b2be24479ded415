"""A standing ladder: restarting with many stored matches, choosing the next among many names.

A million matches of 1,000 names, who then all wait. Times are processor time, without the time that
making up the matches takes.
"""

import random
import time

from measured import keep, median

from lanista.arena.ladders.ladder import Ladder, LadderResult
from lanista.pairing.blocks import Pairing, seatings
from lanista.pairing.shared import arranged

MATCHES = 1_000_000
NAMES = [f"bot{number}" for number in range(1000)]
NEAR = 40
"""How far apart opponents are in the list of names, at most."""


def stored(seats):
    """Matches as a database has them; one block of a hundred ends after its first match."""
    chance = random.Random(1)
    ranks = [tuple(chance.sample(range(1, seats + 1), seats)) for _ in range(100)]
    number = opening = 0
    while number < MATCHES:
        first = chance.randrange(len(NAMES))
        near = chance.sample(range(1, NEAR), seats - 1)
        names = [NAMES[(first + step) % len(NAMES)] for step in (0, *near)]
        pairing = Pairing(arranged(names, opening, int), opening)
        for seating in range(1 if opening % 100 == 0 else seats):
            yield LadderResult(pairing, seating, 1, chance.choice(ranks), (), float(number))
            number += 1
        opening += 1


def took(act):
    began = time.process_time()
    act()
    return time.process_time() - began


def measure(seats):
    ladder = Ladder(seated=seatings(range(seats)))
    making = took(lambda: sum(1 for _ in stored(seats)))
    restoring = took(lambda: ladder.restore(stored(seats)))
    for name in NAMES:
        ladder.wait(name, name, float(MATCHES))
    now = MATCHES + 60.0
    choosing = [took(lambda: ladder.next(now)) for _ in range(len(NAMES) // seats)]
    keep(
        f"ladder_{seats}_seats",
        {
            "matches": MATCHES,
            "names": len(NAMES),
            "restore_seconds": round(restoring - making, 1),
            "of_that_ratings_seconds": round(took(ladder._ratings.rate_anew), 1),
            "next_ms_longest": round(max(choosing) * 1000, 2),
            "next_ms_median": median([seconds * 1000 for seconds in choosing]),
            "aim": "next under 5 ms",
        },
    )


if __name__ == "__main__":
    for players in (2, 4):
        measure(players)
