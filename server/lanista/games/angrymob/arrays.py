"""Positions of Angry Mob as arrays, and actions as submoves (docs/training.md)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lanista.errors import BadInputError
from lanista.games.angrymob.board import MAX_SIDE, MIN_SIDE
from lanista.games.arrays import Cells, Encoder, Mask, Moves, Observation, Size
from lanista.games.base import whole_number

LARGEST = (40, 60)
"""The rows and columns of the largest generated map."""
_PLANES = 6
_OPPOSITE = [2, 3, 0, 1]
"""By direction, the one in which seat 1 sees it."""


class AngryMobEncoder:
    """Angry Mob by cell: stay, all units go, or one unit goes; seat 1's map is turned by half."""

    def __init__(self, size: Size) -> None:
        self.rows, self.cols = size
        self.shapes = {"globals": (3,), "planes": (_PLANES, *size)}
        self.choices = (self.rows * self.cols, 9)
        self._board: Any = None
        # Of that board: by seat, what it sees before the first turn; by seat and cell, the thing by
        # which it knows the cell; by cell and direction, whether there is a way.
        self._beginnings: list[Cells] = []
        self._things: list[Cells] = []
        self._ways: Cells = np.empty(0)

    def _take(self, board: Any) -> None:
        """Take over what doesn't change in a game on this board."""
        if board is self._board:
            return
        if board.rows > self.rows or board.cols > self.cols:
            raise BadInputError(
                f"a map of {board.rows} by {board.cols} cells; the arrays have room for "
                f"{self.rows} by {self.cols}: give `size`"
            )
        self._board = board
        near = board.neighbours()
        self._ways = np.array([near[cell] for cell in range(len(board.cells))]) >= 0
        ground = np.array(board.cells, np.float32)
        cells = np.arange(len(ground))
        seen = [cells, cells[::-1]]
        self._things = [cells + cells // board.cols * (self.cols - board.cols) for cells in seen]
        self._beginnings = []
        for seat, things in enumerate(self._things):
            beginning = np.zeros((_PLANES, self.rows * self.cols), np.float32)
            beginning[0, things] = ground >= 0
            beginning[3, things] = np.maximum(ground, 0)
            for owner, base in enumerate(board.bases):
                beginning[4 + (owner != seat), things[base]] = 1
            self._beginnings.append(beginning)

    def observe(self, rules: Any, seats: Sequence[int]) -> list[Observation]:
        """Return passable cells, own, enemy and neutral units, own and enemy base; and totals."""
        self._take(rules.board)
        # Of seat 0, seat 1 and nobody: the cells whose number of units isn't as at the beginning.
        standing = [
            (_cells_of(units), np.fromiter(units.values(), np.float32, len(units)))
            for units in (*rules.units, {cell: rules.neutral[cell] for cell in rules.changed})
        ]
        scores = rules.scores()
        observations = []
        for seat in seats:
            planes = self._beginnings[seat].copy()
            things = self._things[seat]
            for plane, (cells, counts) in zip((1 + seat, 2 - seat, 3), standing, strict=True):
                planes[plane][things[cells]] = counts
            about = (rules.turn / rules.move_limit, scores[seat], scores[1 - seat])
            observations.append(
                {
                    "globals": np.array(about, np.float32),
                    "planes": planes.reshape(self.shapes["planes"]),
                }
            )
        return observations

    def masks(self, rules: Any, seats: Sequence[int]) -> list[Mask]:
        """Return by cell: stay, all units go right, up, left, down, or one unit does."""
        self._take(rules.board)
        masks = []
        for seat in seats:
            cells = _cells_of(rules.units[seat])
            ways = self._ways[cells]
            if seat:
                ways = ways[:, _OPPOSITE]
            mask = np.zeros(self.choices, np.int8)
            mask[:, 0] = 1
            mask[self._things[seat][cells], 1:] = np.tile(ways, 2)
            masks.append(mask)
        return masks

    def moves(self, rules: Any, seat: int, mask: Mask, action: Cells) -> Moves:
        """Return the submoves of the cells in which the action isn't to stay."""
        board = rules.board
        moves: Moves = []
        for thing in np.flatnonzero(action).tolist():
            chosen = int(action[thing])
            if not mask[thing, chosen]:
                continue
            row, col = divmod(thing, self.cols)
            if seat:
                row, col = board.rows - 1 - row, board.cols - 1 - col
            units = rules.units[seat][row * board.cols + col] if chosen < 5 else 1
            moves.append((row, col, units, ((chosen - 1) % 4 + 2 * seat) % 4))
        return moves


def _cells_of(units: Mapping[int, int]) -> Cells:
    return np.fromiter(units, np.int64, len(units))


def encoder(settings: Mapping[str, int], size: Size | None) -> Encoder:  # noqa: ARG001 - as in every game
    """Return the encoder for maps of at most this size; None: of any generated map."""
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
