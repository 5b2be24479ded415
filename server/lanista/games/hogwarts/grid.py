"""The grid of Hogwarts: cells by number, directions, sets of cells as bits.

Cells are numbered row by row, `row * 60 + col`. A set of cells is an integer with one bit per
cell, in rows of 64 bits, so that shifts can extend a set by two cells in every direction without
carrying cells into the next row. Nothing here depends on chance or on a game.
"""

from collections.abc import Iterable

from lanista.games.chance import nth_member

SIDE = 60
"""The number of rows, and of columns, of the board."""
CELLS = SIDE * SIDE
STEPS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
"""The steps in row and column of the directions Down, DR, Right, RU, Up, UL, Left, LD.

    See rules/hogwarts.md 2.
"""
DOWN, RIGHT, UP, LEFT = 0, 2, 4, 6
OUTSIDE = -1
"""The number of a cell outside the board."""

ROW = tuple(cell // SIDE for cell in range(CELLS))
COL = tuple(cell % SIDE for cell in range(CELLS))
PLACES = tuple(zip(ROW, COL, strict=True))
"""By cell, its row and column."""


def _beside(down: int, right: int) -> tuple[int, ...]:
    # By rows rather than cells: whoever plays or shows a match waits for this first.
    beside: list[int] = []
    for row in range(down, SIDE + down):
        if 0 <= row < SIDE:
            cells = range(row * SIDE + max(right, 0), (row + 1) * SIDE + min(right, 0))
            beside += [*[OUTSIDE] * -right, *cells, *[OUTSIDE] * right]
        else:
            beside += [OUTSIDE] * SIDE
    return tuple(beside)


NEAR = tuple(_beside(*step) for step in STEPS)
"""By direction and cell, the next cell, or OUTSIDE."""
AROUND = tuple(
    tuple(cell for cell in near if cell != OUTSIDE) if OUTSIDE in near else near
    for near in zip(*NEAR, strict=True)
)
"""By cell, the cells around it, at most 8, in the order of the directions."""
BORDER = frozenset(cell for cell in range(CELLS) if len(AROUND[cell]) < 8)

WIDTH = 64
"""The number of bits per row: 60 cells and 4 unused ones, so that shifts never wrap around."""
BIT = tuple(1 << (ROW[cell] * WIDTH + COL[cell]) for cell in range(CELLS))
_UNUSED = b"0" * (WIDTH - SIDE)
_IS_CORRIDOR = bytes(ord("0") if code == ord("W") else ord("1") for code in range(256))


def bits(cells: Iterable[int]) -> int:
    """Return the set of these cells."""
    found = 0
    for cell in cells:
        found |= BIT[cell]
    return found


def corridors_of(cells: bytes | bytearray) -> int:
    """Return the set of the corridors of a board, which are all cells except `W`."""
    binary = cells.translate(_IS_CORRIDOR)[::-1]  # the highest bit comes first in a number
    rows = [binary[start : start + SIDE] for start in range(0, CELLS, SIDE)]
    return int(_UNUSED.join(rows), 2)


def grown(cells: int) -> int:
    """Return the cells with a cell of the set in their 5x5; bits outside the board may be set."""
    wide = cells | cells << 1 | cells << 2
    wide |= wide >> 2
    high = wide | wide << WIDTH | wide << 2 * WIDTH
    return high | high >> 2 * WIDTH


def nth(cells: int, n: int) -> int:
    """Return the n-th cell of a set, counted from 0, row by row."""
    row, col = divmod(nth_member(cells, n), WIDTH)
    return row * SIDE + col


INTERIOR = bits(cell for cell in range(CELLS) if cell not in BORDER)
"""The set of all cells except those of the border."""
EVERYWHERE = bits(range(CELLS))
