"""The board of Crematoria: cells, distances, its type, its file (rules/crematoria.md 1 and 2).

A cell is a number, `level * 3200 + row * 80 + col`. A set of cells of one level is a bitboard, an
integer in which a cell has bit `row * 80 + col`. Random boards are made by `generator`.
"""

import functools
import re
from collections.abc import Iterable
from itertools import compress

import attrs

from lanista.games.base import BadBoardError
from lanista.games.tokens import Tokens
from lanista_protocol import shown

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
    # Each cell is the same object wherever it stands, as the tables have to fit into a small cache.
    numbers = list(range(2 * LEVEL))
    below, above, nowhere = numbers[:LEVEL], numbers[LEVEL:], [-1] * LEVEL

    def beside(level: list[int], down: int, right: int) -> list[int]:
        found: list[int] = []
        for row in range(down, ROWS + down):
            cells = level[row * COLS : (row + 1) * COLS] if 0 <= row < ROWS else nowhere[:COLS]
            found += [*cells[right:], *cells[:right]]
        return found

    return (
        *zip(*[beside(below, *step) for step in OFFSETS], above, nowhere, strict=True),
        *zip(*[beside(above, *step) for step in OFFSETS], nowhere, below, strict=True),
    )


NEAR = _near()
"""By cell and direction 0 to 9, the next cell, or -1; whether it is passable isn't considered."""


def apart(first: int, second: int) -> int:
    """Return the king's-move distance of two cells of a level, with circular columns."""
    rows = abs(first // COLS - second // COLS)
    cols = abs(first % COLS - second % COLS)
    return max(rows, min(cols, COLS - cols))


@functools.cache
def apart_after_step(down: int, right: int) -> tuple[int, ...]:
    """Return by direction the king's-move distance, after a step, to what is so far away now."""
    return tuple(
        max(abs(down - step), min((right - aside) % COLS, (aside - right) % COLS))
        for step, aside in OFFSETS
    )


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


def far_from_hellhounds(caves: int, hellhounds: Iterable[int]) -> int:
    """Return those of the caves, a bitboard, that are 4 or more away from hellhounds' cells."""
    for cell in hellhounds:
        caves &= ~square(cell, 3)
    return caves


def widened(bits: int) -> int:
    """Return the cells of a bitboard and all their neighbours."""
    bits |= (bits & _NOT_LAST) << 1 | bits >> COLS - 1 & _FIRST
    bits |= (bits & _NOT_FIRST) >> 1 | (bits & _FIRST) << COLS - 1
    return (bits | bits << COLS | bits >> COLS) & ALL


# -- the board ------------------------------------------------------------------------------------

ROCK, CAVE, ELEVATOR, OUTSIDE = b"RCEO"
"""The kinds of cells, in the board file and in the state."""
GEM = ord("G")
OWNED = ord("0")
"""The code of a cave of player 0; that of player p is OWNED + p."""
OWNERS = range(OWNED, OWNED + 4)
"""The codes of caves with an owner, by player."""
UNOWNED = bytes.maketrans(bytes(OWNERS), bytes([CAVE]) * len(OWNERS))
"""Maps the codes of caves with an owner to that of a cave without one."""
KEYWORD = "FIXED"
_LEVELS = ("underground", "outside")
_LETTERS = ("`R`, `C`, `E` or an owner from `0` to `3`", "`O`, `E` or `G`")
_KNOWN = (re.compile("[RCE0-3]*"), re.compile("[OEG]*"))


@attrs.frozen
class Board:
    """The terrain at the start; `read_board` and `generate` make sure that it is valid."""

    caves: bytes
    """Level 0 by row: `R` rock, `C` cave, `0` to `3` cave of that player, `E` elevator."""
    outside: bytes
    """Level 1 by row: `O` open, `G` open with a gem, `E` elevator."""

    @functools.cached_property
    def elevators(self) -> tuple[int, ...]:
        """The elevators' cells on level 0, by row."""
        return tuple(cell for cell, kind in enumerate(self.caves) if kind == ELEVATOR)

    @functools.cached_property
    def cave_bits(self) -> int:
        """The bitboard of caves, owned or not, without elevators."""
        return bits_of([cell for cell, kind in enumerate(self.caves) if kind in _CAVES])

    @functools.cached_property
    def open_bits(self) -> int:
        """The bitboard of all cells of level 0 except rock."""
        return self.cave_bits | bits_of(self.elevators)

    @functools.cached_property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """By pair of columns (2n and 2n + 1), their cells on level 1 without elevators, by row."""
        return tuple(
            tuple(
                LEVEL + row * COLS + col
                for row in range(ROWS)
                for col in (left, left + 1)
                if self.outside[row * COLS + col] != ELEVATOR
            )
            for left in range(0, COLS, 2)
        )


_CAVES = frozenset((CAVE, *OWNERS))


def rows_of(level: bytes | bytearray) -> list[str]:
    """Return the rows of a level as lines of a file."""
    text = level.decode("ascii")
    return [text[start : start + COLS] for start in range(0, LEVEL, COLS)]


def write_board(board: Board) -> str:
    """Return the board as the text of a board file, which is also the end of a `.cnf` file."""
    return "\n".join((KEYWORD, *rows_of(board.caves), *rows_of(board.outside), ""))


def read_board(text: str) -> Board:
    """Read a board file; raise BadBoardError if it breaks a rule of rules/crematoria.md 2."""
    tokens = Tokens(text, BadBoardError)
    tokens.literal(KEYWORD)
    caves = read_level(tokens, 0)
    outside = read_level(tokens, 1, caves)
    tokens.end()
    return Board(caves, outside)


def read_level(tokens: Tokens, level: int, below: bytes = b"") -> bytes:
    """Take all rows of a level; one that is given below must have the same elevators."""
    rows = (_read_row(tokens, level, row, below.decode("ascii")) for row in range(ROWS))
    return "".join(rows).encode("ascii")


def _read_row(tokens: Tokens, level: int, row: int, below: str) -> str:
    what = f"row {row} of level {level} ({_LEVELS[level]})"
    cells = tokens.word(what)
    valid = _KNOWN[level].match(cells)
    if valid and valid.end() < len(cells):
        raise tokens.error(
            f"unknown cell {shown(cells[valid.end()])} in {what}; "
            f"a cell there is {_LETTERS[level]}",
            valid.end(),
        )
    if len(cells) != COLS:
        message = f"{what} has {len(cells)} cells; it has {COLS}"
        raise tokens.error(message, min(len(cells), COLS))
    for col, pair in enumerate(zip(below[row * COLS :], cells, strict=False)):
        if pair.count("E") == 1:
            missing = _LEVELS[pair[0] == "E"]
            raise tokens.error(
                f"({row}, {col}) is an elevator on one level but not {missing}; "
                "elevators join both levels",
                col,
            )
    return cells
