"""A game of Angry Mob from what a bot is told of it (PROTOCOL.md 5)."""

import functools

from lanista.games.angrymob.board import read_board
from lanista.games.angrymob.game import SEATS, AngryMob, Units
from lanista.games.search import Facts, UnreadableFactsError, settings_of

_board = functools.lru_cache(maxsize=8)(read_board)
"""Reads a map, which a bot that looks ahead wants in every turn of a match."""


def restored(start: Facts, turn: int, position: Facts) -> AngryMob:
    """Return the game in this position; see `games.search.RestorableRuleset.restore`.

    `position` has a line `neutral` for every cell that changed since the start.
    """
    rows = sorted((int(row), cells) for row, *cells in start["row"])
    lines = [" ".join(start["size"][0]), *(" ".join(cells) for _, cells in rows)]
    board = _board("\n".join(lines))
    game = AngryMob(board, settings_of(start)["move_limit"])
    count, cols = len(board.cells), board.cols
    units: tuple[Units, Units] = ({}, {})
    neutral: dict[int, int] = {}
    for row, col, seat, number in position.get("unit", ()):
        units[int(seat)][_cell(row, col, cols, count)] = int(number)
    for row, col, number in position.get("neutral", ()):
        neutral[_cell(row, col, cols, count)] = int(number)
    moved: list[tuple[int, ...] | None] = [None] * SEATS
    for seat, *numbers in position.get("moved", ()):
        moved[int(seat)] = tuple(map(int, numbers))
    game.resume(turn, units, neutral, tuple(moved))
    return game


def _cell(row: str, col: str, cols: int, count: int) -> int:
    cell = int(row) * cols + int(col)
    if not (0 <= cell < count and 0 <= int(col) < cols):
        raise UnreadableFactsError(f"({row}, {col}) lies outside the map")
    return cell
