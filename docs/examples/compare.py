"""Compare two versions of a bot: python3 compare.py GAME OLD NEW [SEEDS]

They meet on each seed in both seats. A bot is a house bot's name or a command line.
"""

import sys
from collections import Counter

import lanista


def main(game: str, old: str, new: str, seeds: int = 20) -> None:
    """Play, and print who won how often, and the faults of each."""
    bots = [lanista.Bot(old, "old"), lanista.Bot(new, "new")]
    won, faults = Counter(), Counter()
    for match in lanista.play_many(game, [bots], range(seeds), seatings="rotations"):
        won[match.winner or "nobody"] += 1
        for row in match.rows():
            faults[row["bot"]] += row["late"] + row["malformed"] + row["illegal"]
    for name in ("old", "new", "nobody"):
        print(f"{name}: {won[name]} of {won.total()}, {faults[name]} faults")


if __name__ == "__main__":
    main(*sys.argv[1:4], *map(int, sys.argv[4:]))
