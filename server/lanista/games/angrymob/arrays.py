"""Positions of Angry Mob as arrays, and actions as submoves (docs/training.md)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from lanista.errors import BadInputError
from lanista.games.angrymob.board import MAX_SIDE, MIN_SIDE
from lanista.games.arrays import Cells, Encoder, Mask, Moves, Observation, Size
from lanista.games.base import whole_number

LARGEST = (40, 60)
"""The rows and columns of the largest generated map."""
_PLANES = 6


class AngryMobEncoder:
    """Angry Mob by cell: stay, all units go, or one unit goes.

    For seat 1 the map is turned by half, so that both seats see the same map from the same side.
    """

    def __init__(self, size: Size) -> None:
        self.rows, self.cols = size
        self.shapes = {"planes": (_PLANES, *size), "globals": (3,)}
        self.choices = (self.rows * self.cols, 9)

    def _padded(self, rules: Any, cells: Cells, seat: int) -> Cells:
        """Return values by cell as a grid of this encoder's size, as a seat sees it."""
        board = rules.board
        if board.rows > self.rows or board.cols > self.cols:
            raise BadInputError(
                f"a map of {board.rows} by {board.cols} cells; the arrays have room for "
                f"{self.rows} by {self.cols}: give `size`"
            )
        turned = cells[::-1] if seat else cells
        grid = np.zeros((self.rows, self.cols, *cells.shape[1:]), cells.dtype)
        grid[: board.rows, : board.cols] = turned.reshape(board.rows, board.cols, *cells.shape[1:])
        return grid

    def observe(self, rules: Any, seat: int) -> Observation:
        """Return passable cells, own, enemy and neutral units, own and enemy base; and totals."""
        cells = np.zeros((len(rules.board.cells), _PLANES), np.float32)
        ground = np.asarray(rules.neutral, np.float32)
        cells[:, 0] = ground >= 0
        cells[:, 3] = np.maximum(ground, 0)
        for owner, units in enumerate(rules.units):
            plane = 1 + (owner != seat)
            for cell, count in units.items():
                cells[cell, plane] = count
            cells[rules.board.bases[owner], 3 + plane] = 1
        planes = np.ascontiguousarray(np.moveaxis(self._padded(rules, cells, seat), 2, 0))
        scores = rules.scores()
        about = (rules.turn / rules.move_limit, scores[seat], scores[1 - seat])
        return {"planes": planes, "globals": np.asarray(about, np.float32)}

    def mask(self, rules: Any, seat: int) -> Mask:
        """Return by cell: stay, all units go right, up, left, down, or one unit does."""
        cells = np.zeros((len(rules.board.cells), 9), np.int8)
        cols = rules.board.cols
        for (row, col), ways in rules.legal(seat).items():
            for _, _, _, direction in ways:
                seen = (direction + 2 * seat) % 4
                cells[row * cols + col, [1 + seen, 5 + seen]] = 1
        mask = self._padded(rules, cells, seat).reshape(-1, 9)
        mask[:, 0] = 1
        return mask

    def moves(self, rules: Any, seat: int, action: Cells) -> Moves:
        """Return the submoves of the cells in which the action isn't to stay."""
        board = rules.board
        allowed = self.mask(rules, seat)
        moves: Moves = []
        for index in np.flatnonzero(action):
            chosen = int(action[index])
            if not allowed[index, chosen]:
                continue
            row, col = divmod(int(index), self.cols)
            if seat:
                row, col = board.rows - 1 - row, board.cols - 1 - col
            units = rules.units[seat][row * board.cols + col] if chosen < 5 else 1
            moves.append((row, col, units, ((chosen - 1) % 4 + 2 * seat) % 4))
        return moves


def encoder(settings: Mapping[str, int], size: Size | None) -> Encoder:  # noqa: ARG001 - as in every game
    """Return the encoder for maps of at most this size; None: of any generated map.

    Raises:
        BadInputError: This is no size of a map.
    """
    if size is None:
        return AngryMobEncoder(LARGEST)
    try:
        rows, cols = (whole_number("size", side, MIN_SIDE, MAX_SIDE) for side in size)
    except (TypeError, ValueError, BadInputError):  # not two, or not such
        raise BadInputError(
            f"size {size!r:.200}; expected rows and columns, each from {MIN_SIDE} to {MAX_SIDE}, "
            "such as (8, 9)"
        ) from None
    return AngryMobEncoder((rows, cols))


def size_of(board: Any) -> Size:
    """Return the size that arrays must have for just one board."""
    return board.rows, board.cols
