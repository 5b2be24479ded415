"""Writes the golden fingerprints of generated maps: python tests/games/rewrite_golden.py

Run it only when maps are meant to change, and say so in the changelog: a seed that somebody
wrote down then gives another map.
"""

import hashlib
import json
from pathlib import Path

from lanista.games.angrymob.board import write_board
from lanista.games.angrymob.generator import generate
from lanista.games.chance import SeededChance

GOLDEN = Path(__file__).parent / "golden" / "angrymob_maps.json"
# The ends of the range, both sides of 0 and two seeds as people choose them; then one of each
# layout that these don't give: rooms, a maze, ruins.
SEEDS = (-(2**63), -1, 0, 1, 30, 2024, 2**63 - 1, 7, 10, 11)


def fingerprints() -> dict[str, dict[str, str]]:
    """By seed: the map's size, and the SHA-256 of its map file."""
    maps = {seed: write_board(generate(SeededChance(seed))) for seed in SEEDS}
    return {
        str(seed): {
            "size": text.splitlines()[0],
            "sha256": hashlib.sha256(text.encode("ascii")).hexdigest(),
        }
        for seed, text in maps.items()
    }


if __name__ == "__main__":
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(json.dumps(fingerprints(), indent=2) + "\n", encoding="ascii")
