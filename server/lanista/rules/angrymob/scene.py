"""What a viewer draws of Angry Mob: the map, units, arrows of the last move, events.

Reads what the game gives it and changes nothing. No rule is decided here.
"""

from collections.abc import Iterable, Mapping, Sequence

from lanista.rules.angrymob.board import IMPASSABLE, Board, neighbours_of
from lanista.rules.outcome import Outcome, Termination
from lanista.rules.picture import Arrow, Event, Ground, Mark, Scene, Shape

STATS = ("units",)
_KINDS = ((Shape.COUNT, "9", "units on a cell; neutral ones can be recruited"),)


def scene(board: Board) -> Scene:
    """The map without its units."""
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
    )


def neutral_marks(board: Board, neutral: Sequence[int]) -> dict[int, Mark]:
    """A mark for every cell with neutral units, by cell.

    Args:
        board: The map.
        neutral: By cell, how many there are now.
    """
    return {
        cell: _count(board, cell, None, count, f"{units(count, 'neutral unit')}")
        for cell, count in enumerate(neutral)
        if count > 0
    }


def marks(
    board: Board, standing: Sequence[Mapping[int, int]], neutral: Mapping[int, Mark]
) -> tuple[Mark, ...]:
    """Neutral units where no player stands, then the players', cell by cell.

    Args:
        board: The map.
        standing: By seat, its units by cell.
        neutral: What `neutral_marks` made, without the cells that were recruited.
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
    """What each player sent from a cell in a direction, submoves of both taken together.

    Args:
        board: The map.
        moved: By seat, the numbers of an answer that was carried out, `i j k d i j k d …`.
    """
    sent: dict[tuple[int, int, int], int] = {}
    for seat, answer in enumerate(moved):
        numbers = answer or ()
        for at in range(0, len(numbers), 4):
            row, col, count, direction = numbers[at : at + 4]
            way = seat, row * board.cols + col, direction
            sent[way] = sent.get(way, 0) + count
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
    """Fights, recruits and the end, in the order of a move's steps (rules/angrymob.md 2 and 3).

    Args:
        board: The map as the match began.
        standing: By seat, its units by cell.
        fought: By cell, the units of both seats that met there.
        taken: Cells that were recruited.
        outcome: How the game ended; None: it goes on.
    """
    happened = [_fight(board, cell, *met) for cell, met in sorted(fought.items())]
    for cell in sorted(taken):
        # Neutral units stay as many as they were until somebody recruits them all.
        words = f"recruited {units(board.cells[cell])} at {_place(board, cell)}"
        happened.append(Event(0 if cell in standing[0] else 1, words))
    if outcome is not None:
        happened += _ending(outcome)
    return tuple(happened)


def _fight(board: Board, cell: int, first: int, second: int) -> Event:
    if first == second:
        return Event(None, f"{units(first)} of each fell at {_place(board, cell)}")
    most, least = max(first, second), min(first, second)
    words = f"won at {_place(board, cell)}, {units(most)} against {least}"
    return Event(int(second > first), words)


def _ending(outcome: Outcome) -> list[Event]:
    best = [seat for seat, rank in enumerate(outcome.ranks) if rank == 1]
    if outcome.termination is Termination.FORFEIT:
        at_fault = [seat for seat in (0, 1) if seat not in best] or best
        return [Event(seat, "lost by forfeit") for seat in at_fault]
    if outcome.reason in ("capture", "both-captured"):
        return [Event(seat, "captured the base") for seat in best]
    return [Event(None, "nobody has a unit left" if outcome.reason == "no-units" else "move limit")]


def units(count: int, thing: str = "unit") -> str:
    """As `1 unit`, `12 units`."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _place(board: Board, cell: int) -> str:
    row, col = divmod(cell, board.cols)
    return f"({row}, {col})"
