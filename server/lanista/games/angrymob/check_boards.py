"""Boards of Angry Mob on which `lanista check` plays a bot."""

from typing import Any

import attrs

from lanista.games.angrymob.ruleset import RULESET
from lanista.games.base import complete_settings

SIDE = 200
"""The number of rows, and of columns, of the largest map (rules/angrymob.md 1)."""
_BASE = (10, 10)
CROWDED_TURNS = 300
"""The number of turns of the match on a crowded board."""
RICH, RICH_STEPS = 50, 3
"""Neutral units in a cell, and steps from the rival's base to such cells, on a crowded board."""


def crowded(seed: int, seat: int) -> Any:
    """Return a board on which the seat is soon outnumbered.

    It is a generated map with nothing to recruit in the seat's half, and hundreds of units around
    the other base. No real match has such a map: they are symmetrical.
    """
    board = RULESET.generate(complete_settings(RULESET, {}), RULESET.chance(seed))
    own_steps = board.distances(board.bases[seat])
    rival_steps = board.distances(board.bases[1 - seat])
    cells = list(board.cells)
    for cell, (own, rival) in enumerate(zip(own_steps, rival_steps, strict=True)):
        if 0 < rival <= RICH_STEPS:
            cells[cell] = RICH
        elif 0 <= own <= rival:  # -1: impassable
            cells[cell] = 0
    return attrs.evolve(board, cells=tuple(cells))


def largest() -> Any:
    """Return a map of 200 rows and 200 columns: walls, and neutral units in a tenth of the rest."""
    rows = [" ".join(_cell(row, col) for col in range(SIDE)) for row in range(SIDE)]
    return RULESET.read_board("\n".join((f"{SIDE} {SIDE}", *rows, "")))


def _cell(row: int, col: int) -> str:
    mirrored = (SIDE - 1 - row, SIDE - 1 - col)
    if _BASE in ((row, col), mirrored):
        return "A" if (row, col) == _BASE else "B"
    # Of two cells that mirror each other the first decides for both (rules/angrymob.md 1).
    row, col = min((row, col), mirrored)
    if row % 4 == 2 and col % 4 == 1:
        return "#"
    return str(1 + (row + col) % 9) if (7 * row + 3 * col) % 11 == 0 else "."
