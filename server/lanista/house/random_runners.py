"""RandomRunners run straight until they must turn (`python -m lanista.house.random_runners`)."""

from __future__ import annotations

import random
import sys

from lanista.house._play import play

TYPE_CHECKING = False  # type checkers take it for typing's own; importing that costs 15 ms
if TYPE_CHECKING:
    from lanista.house._play import Moves
    from lanista_client import AngryMobState


class RandomRunners:
    """Each unit runs in a direction of its own; where the way ends, it draws one of those open.

    Units can't be told apart, so what is remembered is how many of those that come to a cell run
    in which direction. A fight may leave fewer, then those of the higher directions are taken for
    dead; recruits are more, and draw.
    """

    def __init__(self, state: AngryMobState) -> None:
        self._random = random.Random(state.seed)
        self._running: dict[tuple[int, int], list[int]] = {}  # by cell: units of each direction

    def moves(self, state: AngryMobState) -> Moves:
        """The submoves of a turn, sorted by cell and direction."""
        before, self._running = self._running, {}
        moves = []
        for cell, n in sorted(state.mine.items()):
            ways = dict(state.neighbours(*cell))
            runners = [0, 0, 0, 0]
            free = n  # those that have no way to go on
            for d, count in enumerate(before.get(cell, ())):
                if d in ways:
                    runners[d] = min(count, free)
                    free -= runners[d]
            if ways:
                for d in self._random.choices(list(ways), k=free):
                    runners[d] += 1
            for d, target in ways.items():
                if runners[d]:
                    moves.append((*cell, runners[d], d))
                    self._running.setdefault(target, [0, 0, 0, 0])[d] += runners[d]
        return moves


if __name__ == "__main__":
    sys.exit(play("RandomRunners", "angrymob", RandomRunners))
