"""Bytes of the record of a match of 2400 moves between bots that move all their units."""

import sys
import tempfile
from pathlib import Path

from measured import keep, recorded

WANDERER = """
import random
from lanista_client import Arena
with Arena("Wanderer") as arena:
    for state in arena:
        chance = random.Random(state.seed + state.turn)
        moves = []
        for (i, j), units in state.mine.items():
            ways = [(i, j + 1), (i - 1, j), (i, j - 1), (i + 1, j)]
            open_ways = [
                d for d, way in enumerate(ways)
                if state.passable(*way) and way != state.enemy_base
            ]
            if open_ways:
                moves.append((i, j, units, chance.choice(open_ways)))
        arena.send(moves)
"""
"""Moves every unit every turn and never takes the base, so that the match goes to its limit."""


def main():
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record.jsonl.gz"
        wanderer = Path(folder) / "wanderer.py"
        wanderer.write_text(WANDERER)
        bot = f"{sys.executable} {wanderer}"
        recorded(record, "angrymob", bot, bot)
        keep("record_size", {"bytes": record.stat().st_size, "aim": "under 150 000 bytes"})


if __name__ == "__main__":
    main()
