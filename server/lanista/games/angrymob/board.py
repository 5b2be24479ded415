"""The board of Angry Mob: its type, its rules, and the map file (rules/angrymob.md 1).

Cells are numbered row by row, `row * cols + col`. Random boards are made by `generator`.
"""

import functools
import re

import attrs

from lanista.games.base import BadBoardError
from lanista_protocol import shown

IMPASSABLE = -1
MIN_SIDE, MAX_SIDE = 2, 200
MAX_NEUTRAL_IN_CELL = 10_000
MAX_NEUTRAL = 1_000_000
_SIZE = re.compile(r"[0-9]{1,9}", re.ASCII)
_NEUTRAL = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
_BLANKS = " \t\r"  # files from Windows have a CR before the end of a line
_WORD = re.compile(f"[^{_BLANKS}]+")


def neighbours_of(rows: int, cols: int, cell: int) -> tuple[int, int, int, int]:
    """Return by direction (rules/angrymob.md 2) the cell beside a cell, -1 where the map ends."""
    row, col = divmod(cell, cols)
    return (
        cell + 1 if col + 1 < cols else -1,
        cell - cols if row > 0 else -1,
        cell - 1 if col > 0 else -1,
        cell + cols if row + 1 < rows else -1,
    )


class Neighbours(dict[int, tuple[int, int, int, int]]):
    """By cell, its passable neighbours in directions 0 to 3, -1 where there is none.

    A cell is looked at when it is asked for first: a match visits few cells of a large map, and
    looking at all of them takes 20 ms.
    """

    def __init__(self, board: "Board") -> None:
        super().__init__()
        self.board = board

    def __missing__(self, cell: int) -> tuple[int, int, int, int]:
        rows, cols, cells = self.board.rows, self.board.cols, self.board.cells
        near = (-1, -1, -1, -1)
        if cells[cell] != IMPASSABLE:
            near = tuple(  # type: ignore[assignment]  # always four values
                [
                    to if to >= 0 and cells[to] != IMPASSABLE else -1
                    for to in neighbours_of(rows, cols, cell)
                ]
            )
        self[cell] = near
        return near


@attrs.frozen
class Board:
    """A map; `read_board` and `generate` make sure that it is valid, the constructor doesn't."""

    rows: int
    cols: int
    cells: tuple[int, ...]
    """By cell: `IMPASSABLE`, or the number of neutral units."""
    bases: tuple[int, int]
    """The cell of each seat's base."""

    @functools.lru_cache(maxsize=16)  # noqa: B019 - few boards are shared by matches at a time
    def neighbours(self) -> Neighbours:
        """Return each cell's passable neighbours."""
        return Neighbours(self)

    def distances(self, start: int) -> list[int]:
        """Return the number of steps from `start` to each cell, -1 where there is no path."""
        neighbours = self.neighbours()
        steps = [-1] * len(self.cells)
        steps[start] = 0
        queue = [start]
        for cell in queue:  # which grows in the loop
            for near in neighbours[cell]:
                if near >= 0 and steps[near] < 0:
                    steps[near] = steps[cell] + 1
                    queue.append(near)
        return steps

    @functools.lru_cache(maxsize=64)  # noqa: B019 - as for neighbours
    def lines(self, own: int = 0) -> tuple[str, ...]:
        """Return the rows as in a map file and on the wire, with `A` for the base of seat `own`."""
        tokens = [_token(state) for state in self.cells]
        tokens[self.bases[own]], tokens[self.bases[1 - own]] = "A", "B"
        starts = range(0, len(tokens), self.cols)
        return tuple(" ".join(tokens[start : start + self.cols]) for start in starts)


def _token(state: int) -> str:
    return _TOKENS.get(state) or str(state)


_TOKENS = {IMPASSABLE: "#", 0: "."}


def write_board(board: Board) -> str:
    """Return the board as the text of a map file."""
    return "\n".join((f"{board.rows} {board.cols}", *board.lines(), ""))


def read_board(text: str) -> Board:
    """Read a map file; raise BadBoardError if it breaks a rule of rules/angrymob.md 1."""
    board, places = _read(text)
    _check(board, places)
    return board


def read_unfair_board(text: str) -> Board:
    """Read a map that needn't be fair, as that on which `lanista check` outnumbers a bot."""
    return _read(text)[0]


def _read(text: str) -> tuple[Board, list[tuple[int, int]]]:
    """Return a map, and by cell its line and column in the file."""
    lines = _lines(text)
    if not lines:
        raise BadBoardError("the file holds no map; the first line is its size, `rows columns`")
    rows, cols = _size(*lines[0])
    if len(lines) <= rows:
        message = f"the map ends after {len(lines) - 1} of its {rows} rows"
        raise BadBoardError(message, lines[-1][0] + 1, 1)
    cells: list[int] = []
    places: list[tuple[int, int]] = []
    bases: dict[str, int] = {}
    neutral = 0
    for row, (number, line) in enumerate(lines[1 : rows + 1]):
        row_cells = list(_WORD.finditer(line))
        if len(row_cells) != cols:
            # Point at the first surplus cell, or at where the first missing one belongs.
            surplus = len(row_cells) > cols
            start = row_cells[cols].start() if surplus else len(line.rstrip(_BLANKS))
            raise BadBoardError(
                f"row {row} has {len(row_cells)} cells; the first line says {cols}",
                number,
                start + 1,
            )
        for match in row_cells:
            place = (number, match.start() + 1)
            token = match.group()
            if token in ("A", "B"):
                if token in bases:
                    raise BadBoardError(f"a second base {token}; each player has one", *place)
                bases[token] = len(cells)
            state = _state(token, *place)
            neutral += max(state, 0)
            if neutral > MAX_NEUTRAL:
                message = f"more than {MAX_NEUTRAL} neutral units in all, which this cell exceeds"
                raise BadBoardError(message, *place)
            cells.append(state)
            places.append(place)
    if len(lines) > rows + 1:
        message = f"more than the {rows} rows that the first line says"
        raise BadBoardError(message, lines[rows + 1][0], 1)
    for base in ("A", "B"):
        if base not in bases:
            raise BadBoardError(f"there is no base {base}; a map has one A and one B")
    return Board(rows, cols, tuple(cells), (bases["A"], bases["B"])), places


def _lines(text: str) -> list[tuple[int, str]]:
    """Return numbered lines, without comments, and without empty lines at the end."""
    lines = [
        (number, line)
        for number, line in enumerate(text.split("\n"), 1)
        if not line.lstrip(_BLANKS).startswith(";")
    ]
    while lines and not lines[-1][1].strip(_BLANKS):
        lines.pop()
    return lines


def _size(number: int, line: str) -> tuple[int, int]:
    matches = list(_WORD.finditer(line))
    if len(matches) != 2 or not all(_SIZE.fullmatch(match.group()) for match in matches):
        raise BadBoardError(
            f"expected the size as two numbers `rows columns`, got {shown(line)}", number, 1
        )
    sides = [int(match.group()) for match in matches]
    for name, side, match in zip(("rows", "columns"), sides, matches, strict=True):
        if not MIN_SIDE <= side <= MAX_SIDE:
            raise BadBoardError(
                f"{side} {name}; a map has from {MIN_SIDE} to {MAX_SIDE} of each",
                number,
                match.start() + 1,
            )
    return sides[0], sides[1]


def _state(token: str, line: int, column: int) -> int:
    if token == "#":  # noqa: S105 - a cell, not a secret
        return IMPASSABLE
    if token in (".", "A", "B"):
        return 0
    if _NEUTRAL.fullmatch(token) and int(token) <= MAX_NEUTRAL_IN_CELL:
        return int(token)
    raise BadBoardError(
        f"unknown cell {shown(token)}; a cell is `#`, `.`, `A`, `B` "
        f"or a number of neutral units from 1 to {MAX_NEUTRAL_IN_CELL}",
        line,
        column,
    )


def _check(board: Board, places: list[tuple[int, int]]) -> None:
    last = len(board.cells) - 1
    if board.bases[1] != last - board.bases[0]:
        raise BadBoardError(
            "base B isn't the mirror image of base A; maps are symmetrical about their centre",
            *places[board.bases[1]],
        )
    for cell in range(len(board.cells) // 2):
        if board.cells[cell] != board.cells[last - cell]:
            row, col = divmod(cell, board.cols)
            mirror_row, mirror_col = divmod(last - cell, board.cols)
            raise BadBoardError(
                f"cell ({mirror_row}, {mirror_col}) is `{_token(board.cells[last - cell])}` "
                f"but its mirror image ({row}, {col}) is `{_token(board.cells[cell])}`; "
                "maps are symmetrical about their centre",
                *places[last - cell],
            )
    if board.distances(board.bases[0])[board.bases[1]] < 0:
        raise BadBoardError("no path of passable cells joins the bases", *places[board.bases[0]])
