"""The board of Crematoria: its type, its rules, and the board file (rules/crematoria.md 2).

Random boards are made, and units placed, by `generator`.
"""

import functools
import re

import attrs

from lanista.games.base import BadBoardError, quoted
from lanista.games.crematoria.geometry import COLS, LEVEL, ROWS, bits_of

ROCK, CAVE, ELEVATOR, OUTSIDE = b"RCEO"
"""The kinds of cells, in the board file and in the state."""
GEM = ord("G")
OWNED = ord("0")
"""The code of a cave of player 0; that of player p is OWNED + p."""
OWNERS = range(OWNED, OWNED + 4)
"""The codes of caves with an owner, by player."""
KEYWORD = "FIXED"
_LEVELS = ("underground", "outside")
_LETTERS = ("`R`, `C`, `E` or an owner from `0` to `3`", "`O`, `E` or `G`")
_KNOWN = (frozenset("RCE0123"), frozenset("OEG"))
_TOKEN = re.compile(r"[^ \t\r\n]+")


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
    tokens = [
        (number, match)
        for number, line in enumerate(text.split("\n"), 1)
        for match in _TOKEN.finditer(line)
    ]
    if not tokens:
        raise BadBoardError(f"the file holds no board; it begins with `{KEYWORD}`")
    number, keyword = tokens[0]
    if keyword.group() != KEYWORD:
        raise BadBoardError(
            f"expected `{KEYWORD}`, got {quoted(keyword.group())}", number, keyword.start() + 1
        )
    if len(tokens) <= 2 * ROWS:
        raise BadBoardError(
            f"the board ends after {len(tokens) - 1} rows; it has {ROWS} of level 0 (underground), "
            f"then {ROWS} of level 1 (outside)",
            tokens[-1][0],
        )
    if len(tokens) > 2 * ROWS + 1:
        number, extra = tokens[2 * ROWS + 1]
        raise BadBoardError(
            f"{quoted(extra.group())} after the board's {2 * ROWS} rows",
            number,
            extra.start() + 1,
        )
    rows = tokens[1:]
    for index, (number, row) in enumerate(rows):
        _check_row(index, number, row)
    caves, outside = (
        "".join(row.group() for _, row in level) for level in (rows[:ROWS], rows[ROWS:])
    )
    for cell, (below, above) in enumerate(zip(caves, outside, strict=True)):
        if (below == "E") != (above == "E"):
            row_number, col = divmod(cell, COLS)
            number, word = rows[row_number + ROWS]
            missing = _LEVELS[below == "E"]
            raise BadBoardError(
                f"({row_number}, {col}) is an elevator on one level but not {missing}; "
                "elevators join both levels",
                number,
                word.start() + col + 1,
            )
    return Board(caves.encode("ascii"), outside.encode("ascii"))


def _check_row(index: int, number: int, row: re.Match[str]) -> None:
    level, row_number = divmod(index, ROWS)
    what = f"row {row_number} of level {level} ({_LEVELS[level]})"
    for col, letter in enumerate(row.group()):
        if letter not in _KNOWN[level]:
            raise BadBoardError(
                f"unknown cell {quoted(letter)} in {what}; a cell there is {_LETTERS[level]}",
                number,
                row.start() + col + 1,
            )
    length = len(row.group())
    if length != COLS:
        raise BadBoardError(
            f"{what} has {length} cells; it has {COLS}", number, row.start() + min(length, COLS) + 1
        )
