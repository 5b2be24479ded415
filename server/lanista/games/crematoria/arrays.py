"""Positions of Crematoria as arrays, and actions as submoves (docs/training.md)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from lanista.games.arrays import Encoder, Observation, Size, UnitEncoder, refuse_size

_PLANES = 27


class CrematoriaEncoder(UnitEncoder):
    """Crematoria by pioneer and furyan."""

    def __init__(self, people: int) -> None:
        self.shapes = {
            "planes": (_PLANES, 40, 80),
            "units": (people, 6),
            "globals": (5,),
        }
        self.choices = (people, 11)

    def observe(self, rules: Any, seat: int) -> Observation:
        """Return terrain, owners, units by level and player, monsters, gems and the sun."""
        state = rules.state
        size = 3200
        planes = np.zeros((_PLANES, size), np.float32)
        caves = np.frombuffer(state.caves, np.uint8)
        planes[0], planes[1] = caves == ord("R"), caves == ord("E")
        for player in range(4):
            planes[2 + player] = caves == ord("0") + (seat + player) % 4
        table = np.zeros(self.shapes["units"], np.float32)
        for unit, (kind, player, health, cell) in enumerate(
            zip(state.kind, state.player, state.health, state.pos, strict=True)
        ):
            if cell < 0:
                continue
            level, place = divmod(cell, size)
            if unit < len(table):
                relative = (player - seat) % 4
                planes[6 + 8 * level + 4 * (kind == "f") + relative, place] = health
                table[unit] = (relative, kind == "f", health, *divmod(place, 80), level)
            elif kind == "n":
                planes[22 + (state.turns[unit] > 0), place] = health
            else:
                planes[24, place] = 1
        planes[25, [cell - size for cell in state.gems_lying]] = 1
        planes[26] = (np.arange(size) - 2 * rules.turn) % 80 >= 40
        scores = np.roll(rules.scores(), -seat)
        about = (rules.turn / rules.settings["nb_rounds"], *scores)
        return {
            "planes": planes.reshape(_PLANES, 40, 80),
            "units": table,
            "globals": np.asarray(about, np.float32),
        }


def encoder(settings: Mapping[str, int], size: Size | None) -> Encoder:
    """Return the encoder for these settings."""
    refuse_size("crematoria", size)
    return CrematoriaEncoder(4 * (settings["nb_furyans"] + settings["nb_pioneers"]))
