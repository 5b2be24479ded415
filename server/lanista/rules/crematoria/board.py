"""Boards of Crematoria: the type, its rules, and the board file (rules/crematoria.md 2).

No units and no chance here: see `generator` for boards of the original's generator and
`placement` for who stands where.
"""

import functools
import re

import attrs

from lanista.rules.base import BadBoardError
from lanista.rules.crematoria.geometry import COLS, LEVEL, ROWS, bits_of

ROCK, CAVE, ELEVATOR, OUTSIDE = b"RCEO"
"""Cells as the board file writes them, and as the state holds them."""
GEM = ord("G")
OWNED = ord("0")
"""A cave of player p is OWNED + p."""
OWNERS = range(OWNED, OWNED + 4)
KEYWORD = "FIXED"
_LEVELS = ("underground", "outside")
_LETTERS = ("`R`, `C`, `E` or an owner from `0` to `3`", "`O`, `E` or `G`")
_KNOWN = (frozenset("RCE0123"), frozenset("OEG"))
_WORD = re.compile(r"[^ \t\r\n]+")


@attrs.frozen
class Board:
    """Terrain, first owners and first gems. Made valid by `read_board` or `generate`."""

    caves: bytes
    """Level 0, row by row: `R` rock, `C` cave, `0` to `3` cave of that player, `E` elevator."""
    outside: bytes
    """Level 1, row by row: `O`, `G` with a gem, `E` elevator."""

    @functools.cached_property
    def elevators(self) -> tuple[int, ...]:
        """Their cells of level 0, row by row."""
        return tuple(cell for cell, kind in enumerate(self.caves) if kind == ELEVATOR)

    @functools.cached_property
    def cave_bits(self) -> int:
        """Cave cells of any owner or none, without elevators."""
        return bits_of([cell for cell, kind in enumerate(self.caves) if kind in _CAVES])

    @functools.cached_property
    def open_bits(self) -> int:
        """All of level 0 but the rock."""
        return self.cave_bits | bits_of(self.elevators)

    @functools.cached_property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """By pair of columns (2n and 2n + 1), their cells outside without elevators, row by row."""
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
    """A level as the lines of files."""
    text = level.decode("ascii")
    return [text[at : at + COLS] for at in range(0, LEVEL, COLS)]


def write_board(board: Board) -> str:
    """The board as a board file, which is also how a `.cnf` file ends."""
    return "\n".join((KEYWORD, *rows_of(board.caves), *rows_of(board.outside), ""))


def read_board(text: str) -> Board:
    """Read a board file.

    Raises:
        BadBoardError: It breaks a rule of rules/crematoria.md 2; says line and column, from 1.
    """
    words = [
        (number, word)
        for number, line in enumerate(text.split("\n"), 1)
        for word in _WORD.finditer(line)
    ]
    if not words:
        raise BadBoardError(f"the file holds no board; it begins with `{KEYWORD}`")
    number, keyword = words[0]
    if keyword.group() != KEYWORD:
        raise BadBoardError(
            f"expected `{KEYWORD}`, got {_shown(keyword.group())}", number, keyword.start() + 1
        )
    if len(words) <= 2 * ROWS:
        raise BadBoardError(
            f"the board ends after {len(words) - 1} rows; it has {ROWS} of level 0 (underground), "
            f"then {ROWS} of level 1 (outside)",
            words[-1][0],
        )
    if len(words) > 2 * ROWS + 1:
        number, extra = words[2 * ROWS + 1]
        raise BadBoardError(
            f"{_shown(extra.group())} after the board's {2 * ROWS} rows",
            number,
            extra.start() + 1,
        )
    rows = words[1:]
    for at, (number, row) in enumerate(rows):
        _check_row(at, number, row)
    caves, outside = ("".join(row.group() for _, row in rows[at : at + ROWS]) for at in (0, ROWS))
    for cell, (below, above) in enumerate(zip(caves, outside, strict=True)):
        if (below == "E") != (above == "E"):
            i, col = divmod(cell, COLS)
            number, word = rows[i + ROWS]
            missing = _LEVELS[below == "E"]
            raise BadBoardError(
                f"({i}, {col}) is an elevator on one level but not {missing}; "
                "elevators join both levels",
                number,
                word.start() + col + 1,
            )
    return Board(caves.encode("ascii"), outside.encode("ascii"))


def _check_row(at: int, number: int, row: re.Match[str]) -> None:
    level, place = divmod(at, ROWS)
    what = f"row {place} of level {level} ({_LEVELS[level]})"
    for col, letter in enumerate(row.group()):
        if letter not in _KNOWN[level]:
            raise BadBoardError(
                f"unknown cell {_shown(letter)} in {what}; a cell there is {_LETTERS[level]}",
                number,
                row.start() + col + 1,
            )
    length = len(row.group())
    if length != COLS:
        raise BadBoardError(
            f"{what} has {length} cells; it has {COLS}", number, row.start() + min(length, COLS) + 1
        )


def _shown(text: str) -> str:
    """What a file says, safe and short enough for a message."""
    return ascii(text) if len(text) <= 40 else ascii(text[:40]) + "…"
