"""The board of Crematoria: its type, its rules, and the board file (rules/crematoria.md 2).

Random boards are made, and units placed, by `generator`.
"""

import functools

import attrs

from lanista.games.base import BadBoardError
from lanista.games.crematoria.geometry import COLS, LEVEL, ROWS, bits_of
from lanista.games.tokens import Tokens
from lanista_protocol import shown

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
_KNOWN = (frozenset("RCE0123"), frozenset("OEG"))


@attrs.frozen
class Board:
    """The terrain with the owners and gems of the start.

    `read_board` and `generate` make sure that it is valid; the constructor doesn't.
    """

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
    """Read a board file.

    Raises:
        BadBoardError: The file breaks a rule of rules/crematoria.md 2.
    """
    tokens = Tokens(text, BadBoardError)
    tokens.literal(KEYWORD)
    caves = "".join(_read_row(tokens, 0, row) for row in range(ROWS))
    outside = "".join(_read_row(tokens, 1, row, caves) for row in range(ROWS))
    tokens.end()
    return Board(caves.encode("ascii"), outside.encode("ascii"))


def _read_row(tokens: Tokens, level: int, row: int, below: str = "") -> str:
    """Read a row of a level, given level 0 for a row of level 1."""
    what = f"row {row} of level {level} ({_LEVELS[level]})"
    cells = tokens.word(what)
    for col, letter in enumerate(cells):
        if letter not in _KNOWN[level]:
            message = f"unknown cell {shown(letter)} in {what}; a cell there is {_LETTERS[level]}"
            raise tokens.error(message, col)
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
