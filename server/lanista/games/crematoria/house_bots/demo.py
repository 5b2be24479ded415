"""Demo shows the orders of Crematoria, and plays badly.

It plays like the original program's player of that name.
"""

from __future__ import annotations

import random

from lanista_client.crematoria import BOTTOM, BR, LEFT, RIGHT, RT, TOP, UP

TYPE_CHECKING = False  # type checkers know this name; importing typing would cost 15 ms
if TYPE_CHECKING:
    from lanista.games.house_bot import Steps
    from lanista_client import CrematoriaState, CrematoriaUnit

LEFT_UNTIL = 40
"""The round until which its furyans go left."""
ENOUGH_GEMS = 4
"""The number of gems with which its furyans change their direction."""
CYCLE = (BOTTOM, RIGHT, TOP, LEFT)
"""The steps of pioneers that walk in circles."""


class Demo:
    """A bot whose furyans go in a mixture of directions, and whose pioneers wander or circle."""

    def __init__(self, state: CrematoriaState) -> None:
        self._random = random.Random(state.seed)
        # By pioneer: whether it wanders. Decided at random when it first belongs to us.
        self._wanders: dict[int, bool] = {}

    def moves(self, state: CrematoriaState) -> Steps:
        """Return the orders of a round: furyans in random order, then pioneers."""
        furyans = state.furyans(state.me)
        self._random.shuffle(furyans)
        orders = [(unit.id, self._furyan(state, unit)) for unit in furyans]
        orders += [(unit.id, self._pioneer(state, unit)) for unit in state.pioneers(state.me)]
        return orders

    def _furyan(self, state: CrematoriaState, unit: CrematoriaUnit) -> int:
        if self._random.randrange(3) == 0:
            return self._random.randrange(10)
        if unit.k == 0 and state.elevator(unit.i, unit.j):
            return UP
        if state.round < LEFT_UNTIL:
            return LEFT
        if self._random.randrange(2) == 0:
            return self._random.choice((BOTTOM, RT))
        return BR if state.nb_gems[state.me] < ENOUGH_GEMS else TOP

    def _pioneer(self, state: CrematoriaState, unit: CrematoriaUnit) -> int:
        if unit.id not in self._wanders:
            self._wanders[unit.id] = self._random.randrange(2) == 0
        return self._random.randrange(8) if self._wanders[unit.id] else CYCLE[state.round % 4]
