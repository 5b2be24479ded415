"""Demo shows the orders of Crematoria, and plays badly (`python -m lanista.house.crematoria_demo`).

It does what the player of that name that came with the original does.
"""

from __future__ import annotations

import random
import sys

from lanista.house._play import play
from lanista_client.crematoria import BOTTOM, BR, LEFT, RIGHT, RT, TOP, UP

TYPE_CHECKING = False  # type checkers take it for typing's own; importing that costs 15 ms
if TYPE_CHECKING:
    from lanista.house._play import Steps
    from lanista_client import CrematoriaState, CrematoriaUnit

LEFT_UNTIL = 40
"""Until this round its furyans go left."""
ENOUGH_GEMS = 4
CYCLE = (BOTTOM, RIGHT, TOP, LEFT)


class Demo:
    """Furyans by a medley of fixed directions; a pioneer strays or walks in circles for good."""

    def __init__(self, state: CrematoriaState) -> None:
        self._random = random.Random(state.seed)
        self._strays: dict[int, bool] = {}  # by pioneer, drawn when it first is ours

    def moves(self, state: CrematoriaState) -> Steps:
        """The orders of a round: one for each unit, furyans first, in random order."""
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
        if unit.id not in self._strays:
            self._strays[unit.id] = self._random.randrange(2) == 0
        return self._random.randrange(8) if self._strays[unit.id] else CYCLE[state.round % 4]


if __name__ == "__main__":
    sys.exit(play("Demo", "crematoria", Demo))
