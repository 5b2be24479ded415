"""Positions of Hogwarts as arrays, and actions as submoves (docs/training.md)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lanista.games.arrays import Cells, Observation, UnitEncoder, observations, seen_from
from lanista.games.base import Token
from lanista.games.hogwarts.board import AROUND, CELLS, CLANS, NEAR, OWNERS, SIDE, WALL

_PLANES = 16
_CONVERSIONS, _BOOKS, _VOLDEMORT = (plane * CELLS for plane in (13, 14, 15))
_NEAR = np.array(NEAR)
_CODES = np.array([(WALL, *seen_from(seat, OWNERS)) for seat in range(CLANS)], np.uint8)[..., None]
"""By seat, the codes of cells that the first five planes show."""


class HogwartsEncoder(UnitEncoder):
    """Hogwarts by unit; spells can't be cast."""

    def __init__(self, settings: Mapping[str, int]) -> None:
        units = CLANS * (settings["NUM_INI_WIZARDS_PER_CLAN"] + 1)
        self.shapes = {"globals": (9,), "planes": (_PLANES, SIDE, SIDE), "units": (units, 6)}
        self.choices = (units, 9)
        self._is_ghost = np.arange(units) < CLANS
        # By unit, where its plane begins if its clan is the seat's own.
        self._planes = np.where(self._is_ghost, 9, 5) * CELLS

    def observe(self, rules: Any, seats: Sequence[int]) -> list[Observation]:
        """Return walls, owners, wizards and ghosts by clan, conversions, books and Voldemort."""
        owners = np.frombuffer(rules.owners, np.uint8)
        clans, cells, rounds, nexts = np.array(
            (rules.clans, rules.cells, rules.rounds, rules.nexts)
        )
        in_planes = self._planes + cells
        # What is the same for all seats, by its place in all planes.
        books = np.fromiter(rules.books, np.int64, len(rules.books))
        others = np.concatenate(
            (cells[CLANS:] + _CONVERSIONS, books + _BOOKS, [rules.voldemort + _VOLDEMORT])
        )
        values = np.ones(len(others), np.float32)
        values[: len(cells) - CLANS] = rounds[CLANS:]
        # Of all seats at once: an array for each of them would take longer to allocate.
        rows, shown = np.arange(len(seats))[:, None], np.array(seats)[:, None]
        planes = np.zeros((len(seats), *self.shapes["planes"]), np.float32)
        ground = planes.reshape(len(seats), _PLANES, CELLS)[:, :5]
        np.equal(owners, _CODES[shown[:, 0]], out=ground, casting="unsafe")
        flat = planes.reshape(len(seats), -1)
        relative = (clans - shown) % CLANS
        flat[rows, in_planes + CELLS * relative] = 1
        flat[:, others] = values
        units = np.empty((len(seats), *self.shapes["units"]), np.float32)
        units[:, :, 0] = relative
        units[:, :, 1] = self._is_ghost
        units[:, :, 2], units[:, :, 3] = np.divmod(cells, SIDE)
        units[:, :, 4] = rounds
        follows = ~self._is_ghost & (nexts >= 0)
        units[:, :, 5] = np.where(follows, (nexts - shown) % CLANS, -1)
        played, scores = rules.turn / rules.settings["NUM_ROUNDS"], rules.scores()
        about = [
            (played, *seen_from(seat, scores), *seen_from(seat, rules.strength)) for seat in seats
        ]
        return observations(self.shapes, np.array(about, np.float32), planes, units)

    def steps(self, rules: Any) -> tuple[Cells, Cells]:
        """Return the clan of each unit, and its steps that don't lead into a harmless wall."""
        is_open = np.zeros(CELLS + 1, np.bool_)  # the last one is what OUTSIDE reaches
        np.not_equal(np.frombuffer(rules.owners, np.uint8), WALL, out=is_open[:CELLS])
        is_open[[rules.voldemort, *AROUND[rules.voldemort]]] = True
        steps = is_open[_NEAR[:, rules.cells]].T
        steps[CLANS:, 1::2] = False
        return np.array(rules.clans), steps

    def order(self, unit: int, direction: int) -> tuple[Token, ...]:
        """Return the submove of a step."""
        return "m", unit, direction


encoder = HogwartsEncoder
