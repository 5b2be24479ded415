"""Demo shows the orders of Hogwarts, and plays badly.

It plays like the original program's player of that name, except that it decides once a round what
its wizards do; the original, by mistake, for each of them.
"""

from __future__ import annotations

import random

from lanista_client.hogwarts import DIRECTIONS, DOWN, LEFT, RIGHT, UP

TYPE_CHECKING = False  # type checkers know this name; importing typing would cost 15 ms
if TYPE_CHECKING:
    from lanista.games.house_bot import Orders
    from lanista_client import HogwartsState

ORDER = (UP, DOWN, LEFT, RIGHT)
SPELL = (0, 2, 4, 1, 3, 2, 0, 1, 4, 1, 4, 0, 3, 3, 2)
"""The groups of its spell in every round, which are hardly ever a solution."""
TIRED = 0.9
"""The share of its time (`state.status`) after which it gives no more orders."""


class Demo:
    """A bot whose wizards wander in even rounds; in odd ones all go left, or all attack."""

    def __init__(self, state: HogwartsState) -> None:
        self._random = random.Random(state.seed)

    def moves(self, state: HogwartsState) -> Orders:
        """Return the orders of a round, the ghost's spell last."""
        me = state.me
        if state.status[me] >= TIRED:
            return []
        orders: Orders = []
        go_left = state.round % 2 == 1 and self._random.randrange(4) <= 1
        for wizard in state.wizards(me):
            if state.round % 2 == 0:
                d: int | None = self._random.choice(ORDER)
            elif go_left:
                d = LEFT
            else:
                d = self._enemy(state, wizard.i, wizard.j)
            if d is not None:
                di, dj = DIRECTIONS[d]
                if state.passable(wizard.i + di, wizard.j + dj):
                    orders.append(("m", wizard.id, d))
        orders.append(("s", state.ghost(me).id, *SPELL))
        return orders

    def _enemy(self, state: HogwartsState, i: int, j: int) -> int | None:
        """Return the first direction in which another clan's wizard stands next to a cell."""
        for d in ORDER:
            di, dj = DIRECTIONS[d]
            unit = state.unit_at(i + di, j + dj)
            if unit is not None and not unit.ghost and unit.player != state.me:
                return d
        return None
