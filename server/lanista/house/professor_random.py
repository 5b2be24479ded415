"""ProfessorRandom makes random legal moves (`python -m lanista.house.professor_random`)."""

from __future__ import annotations

import random
import sys

from lanista.house._play import play

TYPE_CHECKING = False  # type checkers take it for typing's own; importing that costs 15 ms
if TYPE_CHECKING:
    from lanista.house._play import Moves
    from lanista_client import AngryMobState

STAY = -1


class ProfessorRandom:
    """Every unit, every turn, goes in one of the directions open to it or stays, all as likely."""

    def __init__(self, state: AngryMobState) -> None:
        self._random = random.Random(state.seed)

    def moves(self, state: AngryMobState) -> Moves:
        """The submoves of a turn, sorted by cell and direction."""
        moves = []
        for (i, j), n in sorted(state.mine.items()):
            choices = [STAY, *(d for d, _ in state.neighbours(i, j))]
            drawn = self._random.choices(choices, k=n)
            moves += [(i, j, k, d) for d in choices[1:] if (k := drawn.count(d))]
        return moves


if __name__ == "__main__":
    sys.exit(play("ProfessorRandom", "angrymob", ProfessorRandom))
