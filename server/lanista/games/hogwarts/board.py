"""The board of Hogwarts: cells, directions, the type, and the board file (rules/hogwarts.md 14).

Cells are numbered row by row, `row * 60 + col`. A set of cells is an integer with one bit per
cell, in rows of 64 bits, so that shifts can extend a set by two cells in every direction without
carrying cells into the next row.

A board file, the part of a configuration after the word FIXED, has the same form as a position of a
match file. Random boards are made by `generator`.
"""

import re
from collections.abc import Iterable, Iterator

import attrs

from lanista.games.base import BadBoardError
from lanista.games.chance import nth_member
from lanista.games.tokens import Tokens

SIDE = 60
"""The number of rows, and of columns, of the board."""
CELLS = SIDE * SIDE
STEPS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
"""The steps in row and column of the directions 0 to 7 (rules/hogwarts.md 2)."""
DOWN, RIGHT, UP, LEFT = 0, 2, 4, 6
OUTSIDE = -1
"""The number of a cell outside the board."""

ROW = tuple(cell // SIDE for cell in range(CELLS))
COL = tuple(cell % SIDE for cell in range(CELLS))
PLACES = tuple(zip(ROW, COL, strict=True))
"""By cell, its row and column."""


# Each cell is the same object wherever it stands, as the tables have to fit into a small cache.
_NUMBERS = tuple(range(CELLS))


def _beside(down: int, right: int) -> tuple[int, ...]:
    # By rows rather than cells: whoever plays or shows a match waits for this first.
    beside: list[int] = []
    for row in range(down, SIDE + down):
        if 0 <= row < SIDE:
            cells = _NUMBERS[row * SIDE + max(right, 0) : (row + 1) * SIDE + min(right, 0)]
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
    """Return the set of the corridors of a board: all cells except `W`."""
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


# -- the board ------------------------------------------------------------------------------------

CLANS = 4
WALL, FREE = ord("W"), ord(".")
OWNERS = b"0123"
"""By clan, the code of a cell that it owns."""
MAX_WIZARDS, MAX_BOOKS = 30, 400
"""The greatest number of wizards per clan, and of books on the board."""
INGREDIENTS = 15
GROUPS = 5
"""The number of groups of a spell, of equally many ingredients each."""
MAX_INGREDIENT = 30
SPELL_FREE_ROUNDS = 50
"""The number of rounds at the end of a match without spells (rules/hogwarts.md 1)."""
MAX_COUNT = 1_000_000
"""The greatest number of points or rounds in a setting or a board file."""
SPARE = 9
"""The number of corridors that a board needs in addition to those with units and books.

It guarantees a free cell outside Voldemort's 3x3 for whatever appears.
"""
TITLES = ("type", "id", "player", "row", "column", "rounds", "next")
"""The column titles of the units."""
_ROW = re.compile(r"[W.0-3]*", re.ASCII)
LABELS = (
    "".join(str(col // 10) for col in range(SIDE)),
    "".join(str(col % 10) for col in range(SIDE)),
)
"""The titles of the columns of cells."""


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
    """A position to start from; `read_board` and `generate` make sure that it is valid."""

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
    def needs(self) -> dict[str, int]:
        """The settings that this board needs."""
        wizards = (len(self.units) - CLANS) // CLANS
        return {"NUM_INI_WIZARDS_PER_CLAN": wizards, "NUM_INI_BOOKS": len(self.books)}


def write_board(board: Board) -> str:
    """Return the board as the text of a board file."""
    lines = [f"   {label}" for label in LABELS]
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
    """Read a board file; raise BadBoardError if it breaks a rule of rules/hogwarts.md 14."""
    tokens = Tokens(text, BadBoardError)
    cells = read_cells(tokens)
    units = _checked_units(tokens, cells)
    books = _checked_books(tokens, cells, {unit.cell for unit in units})
    needed = len(units) + len(books) + SPARE
    corridors = CELLS - cells.count(WALL)
    if corridors < needed:
        raise tokens.error(
            f"{corridors} corridors for {len(units)} units and {len(books)} books; "
            f"a board has at least {SPARE} more corridors than both"
        )
    ingredients, voldemort = read_rest(tokens)
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


def read_cells(tokens: Tokens) -> bytes:
    """Take all rows of a board or of a state in a match file, with the labels above them."""
    tokens.literal(*LABELS)
    return b"".join(_read_row(tokens, row) for row in range(SIDE))


def _read_row(tokens: Tokens, row: int) -> bytes:
    tokens.literal(f"{row:02}")
    cells = tokens.word(f"the {SIDE} cells of row {row}")
    if len(cells) != SIDE:
        raise tokens.error(f"row {row} has {len(cells)} cells; a row has {SIDE}")
    valid = _ROW.match(cells)
    if valid and valid.end() < SIDE:
        bad = cells[valid.end()]
        raise tokens.error(
            f"unknown cell {bad!a}; a cell is `W`, `.` or its owner, `0` to `3`", valid.end()
        )
    return cells.encode()


def read_units(tokens: Tokens, low: int, high: int) -> Iterator[Unit]:
    """Take from `low` to `high` units of a board or of a state in a match file, one by one."""
    tokens.literal("units")
    count = tokens.integer("the number of units", low, high)
    if count % CLANS:
        raise tokens.error(
            f"{count} units; there must be 4 ghosts, and equally many wizards per clan"
        )
    tokens.literal(*TITLES)
    for number in range(count):
        tokens.literal("g" if number < CLANS else "w", str(number))
        yield Unit(
            clan=tokens.integer(f"the player of unit {number}", 0, CLANS - 1),
            cell=read_cell(tokens, f"unit {number}"),
            rounds=tokens.integer(f"the rounds of unit {number}", 0),
            next=tokens.integer(f"next of unit {number}", -1),
        )


def read_books(tokens: Tokens, low: int, high: int) -> Iterator[int]:
    """Take the cells of `low` to `high` books of a board or of a state, one by one."""
    tokens.literal("books")
    count = tokens.integer("the number of books", low, high)
    tokens.literal("row", "column")
    for _ in range(count):
        yield read_cell(tokens, "a book")


def read_rest(tokens: Tokens) -> tuple[tuple[int, ...], int]:
    """Take the ingredients and Voldemort's cell of a board or of a state."""
    tokens.literal("spell_ingredients", str(INGREDIENTS))
    ingredients = tokens.integers(INGREDIENTS, "an ingredient", 0, MAX_INGREDIENT)
    tokens.literal("Voldemort")
    return ingredients, read_cell(tokens, "Voldemort")


def _checked_units(tokens: Tokens, cells: bytes) -> tuple[Unit, ...]:
    units: list[Unit] = []
    standing: dict[int, int] = {}
    for number, unit in enumerate(read_units(tokens, 2 * CLANS, CLANS + CLANS * MAX_WIZARDS)):
        clan, where = unit.clan, f"({ROW[unit.cell]}, {COL[unit.cell]})"
        if number < CLANS and clan != number:
            raise tokens.error(f"ghost {number} is of clan {clan}; it must be of clan {number}")
        if unit.cell in standing:
            raise tokens.error(f"units {standing[unit.cell]} and {number} both stand at {where}")
        standing[unit.cell] = number
        if cells[unit.cell] != OWNERS[clan]:
            raise tokens.error(
                f"unit {number} of clan {clan} stands at {where}, which is "
                f"`{chr(cells[unit.cell])}`; a unit stands on a corridor that its clan owns"
            )
        if max(unit.rounds, unit.next) > MAX_COUNT:
            raise tokens.error(f"unit {number} has rounds or next above {MAX_COUNT}")
        others = {*range(CLANS)} - {clan} if unit.rounds else {-1}
        if number >= CLANS and unit.next not in others:
            raise tokens.error(
                f"wizard {number} of clan {clan} has rounds {unit.rounds} and next {unit.next}; "
                "it has 0 and -1, or rounds above 0 and another clan"
            )
        units.append(unit)
    return tuple(units)


def _checked_books(tokens: Tokens, cells: bytes, units: set[int]) -> tuple[int, ...]:
    books: set[int] = set()
    for cell in read_books(tokens, 1, MAX_BOOKS):
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


def read_cell(tokens: Tokens, what: str) -> int:
    """Take the row and the column of a cell, and return its number."""
    row = tokens.integer(f"the row of {what}", 0, SIDE - 1)
    return row * SIDE + tokens.integer(f"the column of {what}", 0, SIDE - 1)
