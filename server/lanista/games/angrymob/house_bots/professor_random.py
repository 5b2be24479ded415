"""ProfessorRandom makes random legal moves."""

from __future__ import annotations

import random

TYPE_CHECKING = False  # type checkers know this name; importing typing would cost 15 ms
if TYPE_CHECKING:
    from lanista.games.house_bot import Moves
    from lanista_client import AngryMobState

STAY = -1


class ProfessorRandom:
    """A bot whose units each go in a random open direction or stay, all equally likely."""

    def __init__(self, state: AngryMobState) -> None:
        self._random = random.Random(state.seed)

    def moves(self, state: AngryMobState) -> Moves:
        """Return the submoves of a turn, sorted by cell and direction."""
        moves = []
        for (i, j), n in sorted(state.mine.items()):
            choices = [STAY, *(d for d, _ in state.neighbours(i, j))]
            chosen = self._random.choices(choices, k=n)
            moves += [(i, j, k, d) for d in choices[1:] if (k := chosen.count(d))]
        return moves
