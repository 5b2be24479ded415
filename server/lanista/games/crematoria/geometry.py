"""Cells, directions and distances of Crematoria (rules/crematoria.md 1).

A cell is a number, `level * 3200 + row * 80 + col`. A set of cells of one level is a bitboard, an
integer in which a cell has bit `row * 80 + col`, so that ascending bits are cells row by row.
Nothing here knows of terrain, state or chance.
"""

from collections.abc import Iterable
from itertools import compress

ROWS, COLS = 40, 80
LEVEL = ROWS * COLS
"""The number of cells of a level; a cell of level 0 plus LEVEL is the cell above it."""
NIGHT = COLS // 2
"""The number of columns in the night."""

BOTTOM, BR, RIGHT, RT, TOP, TL, LEFT, LB, UP, DOWN, NONE = range(11)
DIRECTIONS = ("Bottom", "BR", "Right", "RT", "Top", "TL", "Left", "LB", "Up", "Down", "None")
LETTERS = "bwrxtylzudn"
"""The letter of each direction in a match record."""
OFFSETS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
"""The steps in row and column of directions 0 to 7, which stay on a level."""

ALL = (1 << LEVEL) - 1
"""The bitboard of all cells of a level."""
_FIRST = sum(1 << row * COLS for row in range(ROWS))  # column 0
_NOT_FIRST, _NOT_LAST = ALL ^ _FIRST, ALL ^ _FIRST << COLS - 1
_BITS = bytes(48 <= byte < 58 and byte != 48 for byte in range(256))  # "0" to 0, "1" to 1


def cell_at(row: int, col: int, level: int = 0) -> int:
    """Return the cell at a row and a column, which wraps around."""
    return level * LEVEL + row * COLS + col % COLS


def position(cell: int) -> tuple[int, int, int]:
    """Return row, column and level of a cell, or (-1, -1, -1) for -1, which means nowhere."""
    if cell < 0:
        return -1, -1, -1
    level, place = divmod(cell, LEVEL)
    return *divmod(place, COLS), level


def _near() -> tuple[tuple[int, ...], ...]:
    # By rows rather than cells: whoever plays or shows a match waits for this first.
    level: list[list[int]] = []
    for down, right in OFFSETS:
        beside: list[int] = []
        for row in range(down, ROWS + down):
            first = row * COLS
            cells = range(first, first + COLS) if 0 <= row < ROWS else [-1] * COLS
            beside += [*cells[right:], *cells[:right]]
        level.append(beside)
    upper = [[cell if cell < 0 else cell + LEVEL for cell in beside] for beside in level]
    nowhere = [-1] * LEVEL
    return (
        *zip(*level, range(LEVEL, 2 * LEVEL), nowhere, strict=True),
        *zip(*upper, nowhere, range(LEVEL), strict=True),
    )


NEAR = _near()
"""By cell and direction 0 to 9, the next cell, or -1; whether it is passable isn't considered."""


def apart(first: int, second: int) -> int:
    """Return the king's-move distance of two cells of a level, with circular columns."""
    rows = abs(first // COLS - second // COLS)
    cols = abs(first % COLS - second % COLS)
    return max(rows, min(cols, COLS - cols))


def is_sunlit(cell: int, turn: int) -> bool:
    """Return whether the sun shines on a cell in the position of a turn."""
    # LEVEL is a multiple of COLS, so `cell % COLS` is the column on both levels.
    return cell >= LEVEL and (cell - 2 * turn) % COLS >= NIGHT


def bits_of(cells: Iterable[int]) -> int:
    """Return the bitboard of cells, which are counted within their level."""
    bits = 0
    for cell in cells:
        bits |= 1 << cell
    return bits


def cells_of(bits: int) -> list[int]:
    """Return the cells of a bitboard, row by row."""
    return list(compress(range(LEVEL), f"{bits:b}"[::-1].encode().translate(_BITS)))


def _bands(reach: int) -> tuple[int, ...]:
    """Return by column the cells of `2 * reach + 1` rows at most `reach` columns from it."""
    rows = range(2 * reach + 1)
    return tuple(
        bits_of(
            row * COLS + (col + step) % COLS for row in rows for step in range(-reach, reach + 1)
        )
        for col in range(COLS)
    )


_BANDS = tuple(map(_bands, range(4)))


def square(cell: int, reach: int) -> int:
    """Return the cells at most `reach` king's moves from a cell, up to 3, as a bitboard."""
    row, col = divmod(cell, COLS)
    return _BANDS[reach][col] << row * COLS >> reach * COLS & ALL


def widened(bits: int) -> int:
    """Return the cells of a bitboard and all their neighbours."""
    bits |= (bits & _NOT_LAST) << 1 | bits >> COLS - 1 & _FIRST
    bits |= (bits & _NOT_FIRST) >> 1 | (bits & _FIRST) << COLS - 1
    return (bits | bits << COLS | bits >> COLS) & ALL
