"""Cells, directions and distances of Crematoria (rules/crematoria.md 1).

A cell is a number, `level * 3200 + row * 80 + col`. A set of cells of one level is a bitboard:
bit `row * 80 + col` of one integer, so that bits in ascending order are cells row by row.
No state, no chance and no terrain here.
"""

from itertools import compress

ROWS, COLS = 40, 80
LEVEL = ROWS * COLS
"""Cells of a level, and what to add to a cell of level 0 for the one above it."""
NIGHT = COLS // 2
"""Columns of the night."""

BOTTOM, BR, RIGHT, RT, TOP, TL, LEFT, LB, UP, DOWN, NONE = range(11)
DIRECTIONS = ("Bottom", "BR", "Right", "RT", "Top", "TL", "Left", "LB", "Up", "Down", "None")
LETTERS = "bwrxtylzudn"
"""By direction, its letter in a match record."""
OFFSETS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
"""By direction of a level, 0 to 7: what it adds to row and column."""

ALL = (1 << LEVEL) - 1
"""Every cell of a level."""
_FIRST = sum(1 << row * COLS for row in range(ROWS))  # column 0
_NOT_FIRST, _NOT_LAST = ALL ^ _FIRST, ALL ^ _FIRST << COLS - 1
_BITS = bytes(48 <= byte < 58 and byte != 48 for byte in range(256))  # "0" to 0, "1" to 1


def cell_at(row: int, col: int, level: int = 0) -> int:
    """The cell of a position; columns wrap."""
    return level * LEVEL + row * COLS + col % COLS


def position(cell: int) -> tuple[int, int, int]:
    """Row, column and level of a cell; (-1, -1, -1) for -1, which is nowhere."""
    if cell < 0:
        return -1, -1, -1
    level, place = divmod(cell, LEVEL)
    return *divmod(place, COLS), level


def _near(cell: int) -> tuple[int, ...]:
    row, col, level = position(cell)
    around = [
        cell_at(row + down, col + right, level) if 0 <= row + down < ROWS else -1
        for down, right in OFFSETS
    ]
    return (*around, -1 if level else cell + LEVEL, cell - LEVEL if level else -1)


NEAR = tuple(_near(cell) for cell in range(2 * LEVEL))
"""By cell and direction 0 to 9, the cell there, or -1. Whether there is a way, terrain says."""


def apart(one: int, other: int) -> int:
    """Steps of a king between two cells of a level, over anything; columns are circular."""
    rows = abs(one // COLS - other // COLS)
    cols = abs(one % COLS - other % COLS)
    return max(rows, min(cols, COLS - cols))


def is_sunlit(cell: int, turn: int) -> bool:
    """Whether the sun shines on a cell in the position of a turn."""
    return cell >= LEVEL and (cell - 2 * turn) % COLS >= NIGHT  # LEVEL and COLS: columns stay


def bits_of(cells: set[int] | list[int] | tuple[int, ...]) -> int:
    """The bitboard of cells of one level, either."""
    bits = 0
    for cell in cells:
        bits |= 1 << cell % LEVEL
    return bits


def cells_of(bits: int) -> list[int]:
    """The cells of a bitboard, row by row."""
    return list(compress(range(LEVEL), f"{bits:b}"[::-1].encode().translate(_BITS)))


def widened(bits: int) -> int:
    """The cells of a bitboard and all their neighbours."""
    bits |= (bits & _NOT_LAST) << 1 | bits >> COLS - 1 & _FIRST
    bits |= (bits & _NOT_FIRST) >> 1 | (bits & _FIRST) << COLS - 1
    return (bits | bits << COLS | bits >> COLS) & ALL
