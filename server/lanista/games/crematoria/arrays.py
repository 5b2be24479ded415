"""Positions of Crematoria as arrays, and actions as submoves (docs/training.md)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lanista.games.arrays import Cells, Observation, UnitEncoder, observations, seen_from
from lanista.games.base import Token
from lanista.games.crematoria.board import (
    COLS,
    ELEVATOR,
    LEVEL,
    NEAR,
    NIGHT,
    OWNERS,
    ROCK,
    ROWS,
    UP,
)
from lanista.games.crematoria.state import FURYAN, NECROMONGER, SEATS, roster

_PLANES = 27
_PEOPLE, _SUN = 6, 26
_LANDED, _HELLHOUNDS, _GEMS = (plane * LEVEL for plane in (22, 24, 25))
_NEAR = np.array(NEAR)
_CODES = np.array([(ROCK, ELEVATOR, *seen_from(seat, OWNERS)) for seat in range(SEATS)], np.uint8)[
    ..., None
]
"""By seat, the codes of cells that the first six planes show."""


class CrematoriaEncoder(UnitEncoder):
    """Crematoria by pioneer and furyan."""

    def __init__(self, settings: Mapping[str, int]) -> None:
        kinds, _ = roster(settings)
        people = kinds.index(NECROMONGER)
        self.shapes = {
            "globals": (5,),
            "planes": (_PLANES, ROWS, COLS),
            "units": (people, 6),
        }
        self.choices = (people, 11)
        self._is_furyan = np.array(kinds[:people]) == FURYAN
        # By person, where its plane begins underground if it is the seat's own.
        self._planes = (_PEOPLE + SEATS * self._is_furyan) * LEVEL

    def observe(self, rules: Any, seats: Sequence[int]) -> list[Observation]:
        """Return terrain, owners, units by level and player, monsters, gems and the sun."""
        state = rules.state
        people = self.choices[0]
        caves = np.frombuffer(state.caves, np.uint8)
        players, health, cells = np.array(
            (state.player[:people], state.health[:people], state.pos[:people])
        )
        levels, places = np.divmod(cells, LEVEL)
        in_planes = self._planes + 2 * SEATS * LEVEL * levels + places
        # What is the same for all seats, by its place in all planes.
        others = {
            _LANDED + LEVEL * (state.turns[unit] > 0) + state.pos[unit] % LEVEL: state.health[unit]
            for unit in state.necromongers
            if state.pos[unit] >= 0
        }
        others |= {_HELLHOUNDS + state.pos[unit] % LEVEL: 1 for unit in state.hellhounds}
        others |= {_GEMS + gem % LEVEL: 1 for gem in state.gems_lying}
        # Of all seats at once: an array for each of them would take longer to allocate.
        rows, shown = np.arange(len(seats))[:, None], np.array(seats)[:, None]
        planes = np.zeros((len(seats), *self.shapes["planes"]), np.float32)
        ground = planes.reshape(len(seats), _PLANES, LEVEL)[:, :_PEOPLE]
        np.equal(caves, _CODES[shown[:, 0]], out=ground, casting="unsafe")
        flat = planes.reshape(len(seats), -1)
        relative = (players - shown) % SEATS
        flat[rows, in_planes + LEVEL * relative] = health
        flat[:, list(others)] = list(others.values())
        planes[:, _SUN] = (np.arange(COLS) - 2 * rules.turn) % COLS >= NIGHT
        units = np.empty((len(seats), *self.shapes["units"]), np.float32)
        units[:, :, 0] = relative
        units[:, :, 1] = self._is_furyan
        units[:, :, 2] = health
        units[:, :, 3], units[:, :, 4] = np.divmod(places, COLS)
        units[:, :, 5] = levels
        played, scores = rules.turn / rules.settings["nb_rounds"], rules.scores()
        about = [(played, *seen_from(seat, scores)) for seat in seats]
        return observations(self.shapes, np.array(about, np.float32), planes, units)

    def steps(self, rules: Any) -> tuple[Cells, Cells]:
        """Return the player of each person, and its steps to passable cells."""
        state, people = rules.state, self.choices[0]
        caves = np.frombuffer(state.caves, np.uint8)
        cells = np.array(state.pos[:people])
        is_open = np.ones(2 * LEVEL + 1, np.bool_)
        np.not_equal(caves, ROCK, out=is_open[:LEVEL])
        is_open[-1] = False  # which -1, nowhere, reaches
        steps = is_open[_NEAR[cells]]
        steps[:, UP:] &= (caves[cells % LEVEL] == ELEVATOR)[:, None]
        return np.array(state.player[:people]), steps

    def order(self, unit: int, direction: int) -> tuple[Token, ...]:
        """Return the submove of a step."""
        return unit, direction


encoder = CrematoriaEncoder
