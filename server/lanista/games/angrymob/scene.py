"""The views of Angry Mob for viewers: the map, units, arrows of the last move, events."""

from collections.abc import Iterable, Mapping, Sequence

from lanista.games.angrymob.board import IMPASSABLE, Board, neighbours_of
from lanista.games.outcome import Outcome, Termination
from lanista.games.picture import Arrow, Event, Ground, Mark, Scene, Shape, counted

TURN_WORD = "move"
STATS = ("units",)
_KINDS = ((Shape.COUNT, "9", "units on a cell; neutral ones can be recruited"),)


def scene(board: Board) -> Scene:
    """Return the map without its units."""
    grounds = [Ground.WALL if state == IMPASSABLE else Ground.FLOOR for state in board.cells]
    for cell in board.bases:
        grounds[cell] = Ground.BASE
    return Scene(
        rows=board.rows,
        cols=board.cols,
        ground=tuple(
            tuple(grounds[row * board.cols : (row + 1) * board.cols]) for row in range(board.rows)
        ),
        owners={divmod(cell, board.cols): seat for seat, cell in enumerate(board.bases)},
        signs=(("9", "neutral"),),
        stats=STATS,
        kinds=_KINDS,
        turn_word=TURN_WORD,
    )


def neutral_marks(board: Board, neutral: Sequence[int]) -> dict[int, Mark]:
    """Return a mark for every cell with neutral units, by cell; `neutral` has their number now."""
    return {
        cell: _count(board, cell, None, count, counted(count, "neutral unit"))
        for cell, count in enumerate(neutral)
        if count > 0
    }


def marks(
    board: Board, standing: Sequence[Mapping[int, int]], neutral: Mapping[int, Mark]
) -> tuple[Mark, ...]:
    """Return neutral units where no player stands, then the players' units, cell by cell.

    `standing` are each seat's units by cell, `neutral` the marks of those not yet recruited.
    """
    first, second = standing
    shown = [mark for cell, mark in neutral.items() if cell not in first and cell not in second]
    for cell, seat, count in sorted(
        (cell, seat, count)
        for seat, of_seat in enumerate(standing)
        for cell, count in of_seat.items()
    ):
        below = neutral.get(cell)
        shown.append(
            _count(board, cell, seat, count, units(count), *(below.details if below else ()))
        )
    return tuple(shown)


def _count(board: Board, cell: int, seat: int | None, count: int, *details: str) -> Mark:
    row, col = divmod(cell, board.cols)
    return Mark(row, col, seat, str(count), Shape.COUNT, details=details)


def arrows(board: Board, moved: Sequence[Sequence[int] | None]) -> tuple[Arrow, ...]:
    """Return an arrow for each seat, cell and direction in which units moved.

    `moved` are by seat the numbers of an answer that was carried out, `i j k d i j k d …`.
    """
    sent: dict[tuple[int, int, int], int] = {}
    for seat, answer in enumerate(moved):
        numbers = answer or ()
        for start in range(0, len(numbers), 4):
            row, col, count, direction = numbers[start : start + 4]
            key = seat, row * board.cols + col, direction
            sent[key] = sent.get(key, 0) + count
    return tuple(
        Arrow(
            divmod(cell, board.cols),
            divmod(neighbours_of(board.rows, board.cols, cell)[direction], board.cols),
            seat,
            str(count),
        )
        for (seat, cell, direction), count in sent.items()
    )


def events(
    board: Board,
    standing: Sequence[Mapping[int, int]],
    fought: Mapping[int, tuple[int, int]],
    taken: Iterable[int],
    outcome: Outcome | None,
) -> tuple[Event, ...]:
    """Return fights, recruits and the end, in the order of rules/angrymob.md 2 and 3.

    `standing` are each seat's units by cell, `fought` the units of both seats that fought in a
    cell, `taken` the cells that were recruited.
    """
    happened = [_fight(board, cell, *counts) for cell, counts in sorted(fought.items())]
    for cell in sorted(taken):
        # Recruiting takes all neutral units of a cell, so their number is that of the start.
        text = f"recruited {units(board.cells[cell])} at {_place(board, cell)}"
        seat = 0 if cell in standing[0] else 1
        happened.append(Event(seat, text, cells=(divmod(cell, board.cols),)))
    if outcome is not None:
        happened += _ending(outcome)
    return tuple(happened)


def _fight(board: Board, cell: int, first: int, second: int) -> Event:
    cells = (divmod(cell, board.cols),)
    if first == second:
        return Event(None, f"{units(first)} of each fell at {_place(board, cell)}", cells=cells)
    most, least = max(first, second), min(first, second)
    text = f"won at {_place(board, cell)}, {units(most)} against {least}"
    return Event(int(second > first), text, cells=cells)


def _ending(outcome: Outcome) -> list[Event]:
    best = [seat for seat, rank in enumerate(outcome.ranks) if rank == 1]
    if outcome.termination is Termination.FORFEIT:
        at_fault = [seat for seat in (0, 1) if seat not in best] or best
        return [Event(seat, "lost by forfeit") for seat in at_fault]
    if outcome.reason in ("capture", "both-captured"):
        return [Event(seat, f"captured the base of seat {1 - seat}") for seat in best]
    return [Event(None, "nobody has a unit left" if outcome.reason == "no-units" else "move limit")]


def units(count: int) -> str:
    """Return a number of units, such as `1 unit` or `12 units`."""
    return counted(count, "unit")


def _place(board: Board, cell: int) -> str:
    row, col = divmod(cell, board.cols)
    return f"({row}, {col})"
