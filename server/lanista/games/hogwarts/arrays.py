"""Positions of Hogwarts as arrays, and actions as submoves (docs/training.md)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from lanista.games.arrays import Encoder, Observation, Size, UnitEncoder, refuse_size

_PLANES = 16


class HogwartsEncoder(UnitEncoder):
    """Hogwarts by unit; spells can't be cast."""

    def __init__(self, wizards_per_clan: int) -> None:
        units = 4 * (wizards_per_clan + 1)
        self.shapes = {"planes": (_PLANES, 60, 60), "units": (units, 6), "globals": (9,)}
        self.choices = (units, 9)

    def observe(self, rules: Any, seat: int) -> Observation:
        """Return walls, owners, wizards and ghosts by clan, conversions, books and Voldemort."""
        planes = np.zeros((_PLANES, 3600), np.float32)
        owners = np.frombuffer(rules.owners, np.uint8)
        planes[0] = owners == ord("W")
        clans, cells = np.asarray(rules.clans), np.asarray(rules.cells)
        rounds, nexts = np.asarray(rules.rounds), np.asarray(rules.nexts)
        relative = (clans - seat) % 4
        ghosts = np.arange(len(clans)) < 4
        for clan in range(4):
            planes[1 + clan] = owners == ord("0") + (seat + clan) % 4
        planes[5 + relative[~ghosts], cells[~ghosts]] = 1
        planes[9 + relative[ghosts], cells[ghosts]] = 1
        planes[13, cells[~ghosts]] = rounds[~ghosts]
        planes[14, list(rules.books)] = 1
        planes[15, rules.voldemort] = 1
        following = np.where(ghosts | (nexts < 0), -1, (nexts - seat) % 4)
        table = np.stack([relative, ghosts, cells // 60, cells % 60, rounds, following], axis=1)
        strength = np.roll(rules.strength, -seat)
        about = (rules.turn / rules.settings["NUM_ROUNDS"], *np.roll(rules.scores(), -seat))
        return {
            "planes": planes.reshape(_PLANES, 60, 60),
            "units": table.astype(np.float32),
            "globals": np.asarray((*about, *strength), np.float32),
        }


def encoder(settings: Mapping[str, int], size: Size | None) -> Encoder:
    """Return the encoder for these settings."""
    refuse_size("hogwarts", size)
    return HogwartsEncoder(settings["NUM_INI_WIZARDS_PER_CLAN"])
