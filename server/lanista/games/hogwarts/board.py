"""The board of Hogwarts: its type, its rules, and the board file (rules/hogwarts.md 14).

A board file is the part of a configuration after the word FIXED. It consists of tokens separated
by white space, in the same form as a position of a match file. Random boards are made by
`generator`.
"""

import re

import attrs

from lanista.games.base import BadBoardError, quoted
from lanista.games.hogwarts.grid import AROUND, BORDER, CELLS, COL, ROW, SIDE
from lanista.games.hogwarts.placing import INGREDIENTS

CLANS = 4
WALL, FREE = ord("W"), ord(".")
OWNERS = b"0123"
"""By clan, the code of a cell that it owns."""
MAX_WIZARDS, MAX_BOOKS = 30, 400
"""The greatest number of wizards per clan, and of books on the board."""
MAX_INGREDIENT = 30
MAX_COUNT = 1_000_000
"""The greatest number of points or rounds in a setting or a board file."""
SPARE = 9
"""The number of corridors that a board needs in addition to those with units and books.

It guarantees a free cell outside Voldemort's 3x3 for whatever appears.
"""
TITLES = ("type", "id", "player", "row", "column", "rounds", "next")
"""The column titles of the units."""
_TOKEN = re.compile(r"\S+", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,9}", re.ASCII)
_ROW = re.compile(r"[W.0-3]*", re.ASCII)
_LABELS = (
    "".join(str(col // 10) for col in range(SIDE)),
    "".join(str(col % 10) for col in range(SIDE)),
)


@attrs.frozen
class Unit:
    """A ghost or a wizard at the start; its id is its index in `Board.units`."""

    clan: int
    cell: int
    rounds: int
    """For a wizard, rounds until it changes its clan, or 0; for a ghost, rounds of rest left."""
    next: int
    """For a wizard, the clan it will change to; for a ghost, the last attack's round; or -1."""


@attrs.frozen
class Board:
    """A position to start from.

    `read_board` and `generate` make sure that it is valid; the constructor doesn't.
    """

    cells: bytes
    """By cell: `W` wall, `.` corridor without owner, `0` to `3` corridor of that clan."""
    units: tuple[Unit, ...]
    """By id: the ghosts of clans 0 to 3, then the wizards."""
    books: tuple[int, ...]
    """The cells with a book, ascending."""
    ingredients: tuple[int, ...]
    """The ingredients for the first round's spell."""
    voldemort: int

    @property
    def wizards_per_clan(self) -> int:
        """The setting NUM_INI_WIZARDS_PER_CLAN that this board needs."""
        return (len(self.units) - CLANS) // CLANS


def write_board(board: Board) -> str:
    """Return the board as the text of a board file.

    A match file shows the same position with tabs and empty lines instead.
    """
    lines = [f"   {label}" for label in _LABELS]
    cells = board.cells.decode()
    lines += [f"{row:02} {cells[row * SIDE : (row + 1) * SIDE]}" for row in range(SIDE)]
    lines += ["units", str(len(board.units)), " ".join(TITLES)]
    for number, unit in enumerate(board.units):
        kind = "g" if number < CLANS else "w"
        fields = (number, unit.clan, ROW[unit.cell], COL[unit.cell], unit.rounds, unit.next)
        lines.append(f"{kind} {' '.join(map(str, fields))}")
    lines += ["books", str(len(board.books)), "row column"]
    lines += [f"{ROW[cell]} {COL[cell]}" for cell in board.books]
    lines += ["spell_ingredients", str(len(board.ingredients))]
    lines += [" ".join(map(str, board.ingredients))]
    lines += ["Voldemort", f"{ROW[board.voldemort]} {COL[board.voldemort]}", ""]
    return "\n".join(lines)


def read_board(text: str) -> Board:
    """Read a board file; text after Voldemort's place is ignored, as section 14 says.

    Raises:
        BadBoardError: The file breaks a rule of rules/hogwarts.md 14.
    """
    tokens = _Tokens(text)
    for label in _LABELS:
        tokens.literal(label)
    cells = b"".join(_read_row(tokens, row) for row in range(SIDE))
    units = _read_units(tokens, cells)
    books = _read_books(tokens, cells, {unit.cell for unit in units})
    needed = len(units) + len(books) + SPARE
    corridors = CELLS - cells.count(WALL)
    if corridors < needed:
        raise tokens.error(
            f"{corridors} corridors for {len(units)} units and {len(books)} books; "
            f"a board has at least {SPARE} more corridors than both"
        )
    tokens.literal("spell_ingredients", str(INGREDIENTS))
    ingredients = tuple(
        tokens.number("an ingredient", 0, MAX_INGREDIENT) for _ in range(INGREDIENTS)
    )
    tokens.literal("Voldemort")
    voldemort = tokens.cell("Voldemort")
    if voldemort in BORDER:
        raise tokens.error(
            "Voldemort stands on the border; his place is in rows and columns 1 to 58"
        )
    standing = {unit.cell: number for number, unit in enumerate(units)}
    for cell in (voldemort, *AROUND[voldemort]):
        if cell in standing:
            raise tokens.error(
                f"unit {standing[cell]} stands at ({ROW[cell]}, {COL[cell]}), next to Voldemort; "
                "nobody does at the start of a round"
            )
    return Board(cells, units, books, ingredients, voldemort)


def _read_row(tokens: "_Tokens", row: int) -> bytes:
    tokens.literal(f"{row:02}")
    cells = tokens.next(f"the {SIDE} cells of row {row}")
    if len(cells) != SIDE:
        raise tokens.error(f"row {row} has {len(cells)} cells; a row has {SIDE}")
    valid = _ROW.match(cells)
    if valid and valid.end() < SIDE:
        bad = cells[valid.end()]
        raise tokens.error(
            f"unknown cell {bad!a}; a cell is `W`, `.` or its owner, `0` to `3`", valid.end()
        )
    return cells.encode()


def _read_units(tokens: "_Tokens", cells: bytes) -> tuple[Unit, ...]:
    tokens.literal("units")
    count = tokens.number("the number of units", 2 * CLANS, CLANS + CLANS * MAX_WIZARDS)
    if count % CLANS:
        raise tokens.error(
            f"{count} units; there must be 4 ghosts, and equally many wizards per clan"
        )
    tokens.literal(*TITLES)
    units: list[Unit] = []
    standing: dict[int, int] = {}
    for number in range(count):
        is_ghost = number < CLANS
        tokens.literal("g" if is_ghost else "w", str(number))
        if is_ghost:
            tokens.literal(str(number))
            clan = number
        else:
            clan = tokens.number("the clan", 0, CLANS - 1)
        cell = tokens.cell(f"unit {number}")
        where = f"({ROW[cell]}, {COL[cell]})"
        if cell in standing:
            raise tokens.error(f"units {standing[cell]} and {number} both stand at {where}")
        standing[cell] = number
        if cells[cell] != OWNERS[clan]:
            raise tokens.error(
                f"unit {number} of clan {clan} stands at {where}, which is "
                f"`{chr(cells[cell])}`; a unit stands on a corridor that its clan owns"
            )
        rounds = tokens.number("its rounds", 0, MAX_COUNT)
        turns_to = tokens.number("its next", -1, MAX_COUNT if is_ghost else CLANS - 1)
        if not is_ghost and ((rounds == 0) != (turns_to == -1) or turns_to == clan):
            raise tokens.error(
                f"wizard {number} of clan {clan} has rounds {rounds} and next {turns_to}; it has "
                "0 and -1, or rounds above 0 and another clan"
            )
        units.append(Unit(clan, cell, rounds, turns_to))
    return tuple(units)


def _read_books(tokens: "_Tokens", cells: bytes, units: set[int]) -> tuple[int, ...]:
    tokens.literal("books")
    count = tokens.number("the number of books", 1, MAX_BOOKS)
    tokens.literal("row", "column")
    books: set[int] = set()
    for _ in range(count):
        cell = tokens.cell("a book")
        if cells[cell] == WALL or cell in units or cell in books:
            obstacle = (
                "a wall" if cells[cell] == WALL else "a unit" if cell in units else "another book"
            )
            raise tokens.error(
                f"a book lies at ({ROW[cell]}, {COL[cell]}), where {obstacle} is; "
                "a book lies alone on a corridor"
            )
        books.add(cell)
    return tuple(sorted(books))


class _Tokens:
    """The tokens of a board file, read one after another, with their places for messages."""

    def __init__(self, text: str) -> None:
        self._tokens = [
            (match.group(), number, match.start() + 1)
            for number, line in enumerate(text.split("\n"), 1)
            for match in _TOKEN.finditer(line)
        ]
        self._index = 0

    def error(self, message: str, offset: int = 0) -> BadBoardError:
        """Return an error at the last token read, or at a character of that token."""
        _, line, column = self._tokens[self._index - 1]
        return BadBoardError(message, line, column + offset)

    def next(self, expected: str) -> str:
        if self._index == len(self._tokens):
            line = self._tokens[-1][1] if self._tokens else 1
            raise BadBoardError(f"the board ends where {expected} belongs", line)
        self._index += 1
        return self._tokens[self._index - 1][0]

    def literal(self, *wanted: str) -> None:
        for expected in wanted:
            token = self.next(f"`{expected}`")
            if token != expected:
                raise self.error(f"expected `{expected}`, got {quoted(token)}")

    def number(self, what: str, low: int, high: int) -> int:
        token = self.next(what)
        if not _NUMBER.fullmatch(token) or not low <= int(token) <= high:
            raise self.error(f"expected {what}, from {low} to {high}, got {quoted(token)}")
        return int(token)

    def cell(self, what: str) -> int:
        row = self.number(f"the row of {what}", 0, SIDE - 1)
        return row * SIDE + self.number(f"the column of {what}", 0, SIDE - 1)
