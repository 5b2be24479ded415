"""Boards of Hogwarts: the type, its rules, and the board file (rules/hogwarts.md 14).

A board file is what follows the word FIXED in a configuration: words separated by white space,
as a match file shows a position. No chance here: see `generator`.
"""

import re

import attrs

from lanista.rules.base import BadBoardError
from lanista.rules.hogwarts.grid import AROUND, BORDER, CELLS, COL, ROW, SIDE
from lanista.rules.hogwarts.placing import INGREDIENTS

CLANS = 4
WALL, FREE = ord("W"), ord(".")
OWNERS = b"0123"
"""How a cell's owner is written, by clan."""
MAX_WIZARDS, MAX_BOOKS = 30, 400
"""By clan; on the board."""
MAX_INGREDIENT = 30
MAX_COUNT = 1_000_000
"""Above the rounds that a unit of a board file can have to wait."""
SPARE = 9
"""Corridors there must be beyond units and books, so that things which appear find a cell outside
Voldemort's 3x3."""
TITLES = ("type", "id", "player", "row", "column", "rounds", "next")
_WORD = re.compile(r"\S+", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,9}", re.ASCII)
_ROW = re.compile(r"[W.0-3]*", re.ASCII)
_LABELS = (
    "".join(str(col // 10) for col in range(SIDE)),
    "".join(str(col % 10) for col in range(SIDE)),
)


@attrs.frozen
class Unit:
    """A ghost or a wizard at the start; its number is its place in the board's list."""

    clan: int
    cell: int
    rounds: int
    """Of a wizard: until it changes clan, 0 when it isn't being converted. Of a ghost: of rest."""
    next: int
    """Of a wizard: the clan it will change to. Of a ghost: round of the last attack. Or -1."""


@attrs.frozen
class Board:
    """A position to start from. Made valid by `read_board` or `generate`."""

    cells: bytes
    """By cell: `W` wall, `.` corridor without owner, `0` to `3` corridor of that clan."""
    units: tuple[Unit, ...]
    """By id: the ghosts of the clans 0 to 3, then the wizards."""
    books: tuple[int, ...]
    """Their cells, ascending."""
    ingredients: tuple[int, ...]
    voldemort: int
    """His cell."""

    @property
    def wizards_per_clan(self) -> int:
        """The setting NUM_INI_WIZARDS_PER_CLAN that this board needs."""
        return (len(self.units) - CLANS) // CLANS


def write_board(board: Board) -> str:
    """The board as a file: spaces and no empty lines, where a match file has tabs and some."""
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
    """Read a board file. What follows Voldemort's place is ignored, as section 14 says.

    Raises:
        BadBoardError: It breaks a rule of rules/hogwarts.md 14; says the line, from 1.
    """
    words = _Words(text)
    for label in _LABELS:
        words.literal(label)
    cells = b"".join(_read_row(words, row) for row in range(SIDE))
    units = _read_units(words, cells)
    books = _read_books(words, cells, {unit.cell for unit in units})
    needed = len(units) + len(books) + SPARE
    corridors = CELLS - cells.count(WALL)
    if corridors < needed:
        raise words.error(
            f"{corridors} corridors for {len(units)} units and {len(books)} books; "
            f"a board has at least {SPARE} more corridors than both"
        )
    words.literal("spell_ingredients", str(INGREDIENTS))
    ingredients = tuple(
        words.number("an ingredient", 0, MAX_INGREDIENT) for _ in range(INGREDIENTS)
    )
    words.literal("Voldemort")
    voldemort = words.cell("Voldemort")
    if voldemort in BORDER:
        raise words.error(
            "Voldemort stands on the border; his place is in rows and columns 1 to 58"
        )
    standing = {unit.cell: number for number, unit in enumerate(units)}
    for cell in (voldemort, *AROUND[voldemort]):
        if cell in standing:
            raise words.error(
                f"unit {standing[cell]} stands at ({ROW[cell]}, {COL[cell]}), next to Voldemort; "
                "nobody does at the start of a round"
            )
    return Board(cells, units, books, ingredients, voldemort)


def _read_row(words: "_Words", row: int) -> bytes:
    words.literal(f"{row:02}")
    cells = words.word(f"the {SIDE} cells of row {row}")
    if len(cells) != SIDE:
        raise words.error(f"row {row} has {len(cells)} cells; a row has {SIDE}")
    good = _ROW.match(cells)
    if good and good.end() < SIDE:
        bad = cells[good.end()]
        raise words.error(
            f"unknown cell {bad!a}; a cell is `W`, `.` or its owner, `0` to `3`", good.end()
        )
    return cells.encode()


def _read_units(words: "_Words", cells: bytes) -> tuple[Unit, ...]:
    words.literal("units")
    count = words.number("the number of units", 2 * CLANS, CLANS + CLANS * MAX_WIZARDS)
    if count % CLANS:
        raise words.error(f"{count} units; it is 4 ghosts and as many wizards for each of 4 clans")
    words.literal(*TITLES)
    units: list[Unit] = []
    standing: dict[int, int] = {}
    for number in range(count):
        is_ghost = number < CLANS
        words.literal("g" if is_ghost else "w", str(number))
        if is_ghost:
            words.literal(str(number))
            clan = number
        else:
            clan = words.number("the clan", 0, CLANS - 1)
        cell = words.cell(f"unit {number}")
        where = f"({ROW[cell]}, {COL[cell]})"
        if cell in standing:
            raise words.error(f"units {standing[cell]} and {number} both stand at {where}")
        standing[cell] = number
        if cells[cell] != OWNERS[clan]:
            raise words.error(
                f"unit {number} of clan {clan} stands at {where}, which is "
                f"`{chr(cells[cell])}`; a unit stands on a corridor that its clan owns"
            )
        rounds = words.number("its rounds", 0, MAX_COUNT)
        turns_to = words.number("its next", -1, MAX_COUNT if is_ghost else CLANS - 1)
        if not is_ghost and ((rounds == 0) != (turns_to == -1) or turns_to == clan):
            raise words.error(
                f"wizard {number} of clan {clan} has rounds {rounds} and next {turns_to}; it has "
                "0 and -1, or rounds above 0 and another clan"
            )
        units.append(Unit(clan, cell, rounds, turns_to))
    return tuple(units)


def _read_books(words: "_Words", cells: bytes, units: set[int]) -> tuple[int, ...]:
    words.literal("books")
    count = words.number("the number of books", 1, MAX_BOOKS)
    words.literal("row", "column")
    books: set[int] = set()
    for _ in range(count):
        cell = words.cell("a book")
        if cells[cell] == WALL or cell in units or cell in books:
            what = (
                "a wall" if cells[cell] == WALL else "a unit" if cell in units else "another book"
            )
            raise words.error(
                f"a book lies at ({ROW[cell]}, {COL[cell]}), where {what} is; "
                "a book lies alone on a corridor"
            )
        books.add(cell)
    return tuple(sorted(books))


class _Words:
    """The words of a board file, taken one after another, with their places for messages."""

    def __init__(self, text: str) -> None:
        self._words = [
            (match.group(), number, match.start() + 1)
            for number, line in enumerate(text.split("\n"), 1)
            for match in _WORD.finditer(line)
        ]
        self._at = 0

    def error(self, words: str, further: int = 0) -> BadBoardError:
        """An error about the word taken last, or the character so much further in it."""
        _, line, column = self._words[self._at - 1]
        return BadBoardError(words, line, column + further)

    def word(self, expected: str) -> str:
        if self._at == len(self._words):
            line = self._words[-1][1] if self._words else 1
            raise BadBoardError(f"the board ends where {expected} belongs", line)
        self._at += 1
        return self._words[self._at - 1][0]

    def literal(self, *wanted: str) -> None:
        for want in wanted:
            got = self.word(f"`{want}`")
            if got != want:
                raise self.error(f"expected `{want}`, got {_shown(got)}")

    def number(self, what: str, low: int, high: int) -> int:
        got = self.word(what)
        if not _NUMBER.fullmatch(got) or not low <= int(got) <= high:
            raise self.error(f"expected {what}, from {low} to {high}, got {_shown(got)}")
        return int(got)

    def cell(self, what: str) -> int:
        row = self.number(f"the row of {what}", 0, SIDE - 1)
        return row * SIDE + self.number(f"the column of {what}", 0, SIDE - 1)


def _shown(text: str) -> str:
    """What a file says, safe and short enough for a message."""
    return ascii(text) if len(text) <= 40 else ascii(text[:40]) + "…"
