"""RandomRunners run straight until they must turn."""

from __future__ import annotations

import random

TYPE_CHECKING = False  # type checkers know this name; importing typing would cost 15 ms
if TYPE_CHECKING:
    from lanista.games.house_bot import Moves
    from lanista_client import AngryMobState


class RandomRunners:
    """A bot whose units each run straight on; at an obstacle, one takes a random open direction.

    Units can't be told apart, so the bot remembers how many run into a cell in each direction. If
    a fight leaves fewer, those of the higher directions count as dead; recruits take a random one.
    """

    def __init__(self, state: AngryMobState) -> None:
        self._random = random.Random(state.seed)
        self._running: dict[tuple[int, int], list[int]] = {}  # by cell: units of each direction

    def moves(self, state: AngryMobState) -> Moves:
        """Return the submoves of a turn, sorted by cell and direction."""
        before, self._running = self._running, {}
        moves = []
        for cell, n in sorted(state.mine.items()):
            neighbours = dict(state.neighbours(*cell))
            runners = [0, 0, 0, 0]
            free = n  # units without a direction in which they can go on
            for d, count in enumerate(before.get(cell, ())):
                if d in neighbours:
                    runners[d] = min(count, free)
                    free -= runners[d]
            if neighbours:
                for d in self._random.choices(list(neighbours), k=free):
                    runners[d] += 1
            for d, target in neighbours.items():
                if runners[d]:
                    moves.append((*cell, runners[d], d))
                    self._running.setdefault(target, [0, 0, 0, 0])[d] += runners[d]
        return moves
