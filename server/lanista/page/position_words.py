"""How two positions of a game differ, in plain English, from what viewers draw of them.

It knows no game: units, cells, scores and events are those of `Game.frame`. What a viewer can't
see, such as the random numbers to come, can't be said here either.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from lanista.games.base import Game
from lanista.games.picture import Event, Frame, Mark, Place, Scene

LINES = 20
"""Maximum number of lines about units, about cells and about events; a line says how many more."""


def position_words(a: Game, b: Game) -> tuple[str, ...]:
    """Return how the position of `a` differs from that of `b`, one line for each thing.

    Args:
        a: A game; it is called A in the lines.
        b: Another game on the same board, which is called B.

    Returns:
        The lines; empty if the positions look the same.
    """
    scene, one, other = a.scene(), a.frame(), b.frame()
    lines = list(_over(a, b))
    lines += _values("score", a.scores(), b.scores())
    for column, title in enumerate(scene.stats):
        values = [[stats[column] for stats in frame.stats] for frame in (one, other)]
        if values != [list(a.scores()), list(b.scores())]:
            lines += _values(title, *values)
    lines += _bounded(_units(scene, one, other), "units and cells")
    lines += _bounded(_owners(scene, one.owned, other.owned), "cells")
    lines += _bounded(_events(one.events, other.events), "events")
    return tuple(lines)


def differing(what: str, a: object, b: object) -> list[str]:
    """Return a line that says what something is in A and in B; none if it is the same."""
    return [] if a == b else [f"{what}: {a} in A, {b} in B"]


def _over(a: Game, b: Game) -> Iterator[str]:
    ends = [game.outcome() for game in (a, b)]
    if ends[0] != ends[1]:
        words = [
            "goes on" if end is None else f"is over: {end.termination.value} ({end.reason})"
            for end in ends
        ]
        yield f"the match {words[0]} in A, {words[1]} in B"


def _values(title: str, a: Sequence[object], b: Sequence[object]) -> Iterator[str]:
    for seat, values in enumerate(zip(a, b, strict=True)):
        yield from differing(f"{title} of seat {seat}", *values)


def _bounded(lines: Iterable[str], things: str) -> Iterator[str]:
    """Yield the first lines, and how many more things differ."""
    rest = iter(lines)
    yield from islice(rest, LINES)
    more = sum(1 for _ in rest)
    if more:
        yield f"… and {more} more differing {things}"


def _units(scene: Scene, a: Frame, b: Frame) -> Iterator[str]:
    """Yield what differs in marks: by the number of their unit, and by cell for all others."""
    numbered = [
        {mark.unit: mark for mark in frame.marks if mark.unit is not None} for frame in (a, b)
    ]
    for unit in sorted(numbered[0].keys() | numbered[1].keys()):
        marks = [of_frame.get(unit) for of_frame in numbered]
        if marks[0] != marks[1]:
            name = next(_name(mark) for mark in marks if mark is not None)
            where = ["not there" if mark is None else _state(scene, mark) for mark in marks]
            yield f"{name}: {where[0]} in A; {where[1]} in B"
    standing = [_by_cell(frame.marks) for frame in (a, b)]
    for place in sorted(standing[0].keys() | standing[1].keys()):
        counts = [of_frame.get(place, Counter()) for of_frame in standing]
        if counts[0] != counts[1]:
            what = [" and ".join(sorted(of_cell.elements())) or "nothing" for of_cell in counts]
            yield f"{place_words(scene, place)}: {what[0]} in A; {what[1]} in B"


def _by_cell(marks: Iterable[Mark]) -> Mapping[Place, Counter[str]]:
    cells: dict[Place, Counter[str]] = {}
    for mark in marks:
        if mark.unit is None:
            owner = "" if mark.seat is None else f" of seat {mark.seat}"
            words = f"{_name(mark)}{owner}" + "".join(f" ({line})" for line in mark.details[1:])
            cells.setdefault((mark.row, mark.col), Counter())[words] += 1
    return cells


def _name(mark: Mark) -> str:
    return mark.details[0] if mark.details else mark.text


def _state(scene: Scene, mark: Mark) -> str:
    """Return where a numbered unit is, whose it is, and what else a viewer says of it."""
    owner = [] if mark.seat is None else [f"of seat {mark.seat}"]
    return ", ".join([f"at {place_words(scene, (mark.row, mark.col))}", *owner, *mark.details[1:]])


def _owners(scene: Scene, a: Mapping[Place, int], b: Mapping[Place, int]) -> Iterator[str]:
    for place in sorted(a.keys() | b.keys()):
        if a.get(place) != b.get(place):
            seats = [
                "nobody" if seat is None else f"seat {seat}"
                for seat in (a.get(place), b.get(place))
            ]
            yield f"{place_words(scene, place)} belongs to {seats[0]} in A, to {seats[1]} in B"


def _events(a: Sequence[Event], b: Sequence[Event]) -> Iterator[str]:
    """Yield what happened in only one of the turns that led to the positions."""
    for name, events, others in (("A", a, b), ("B", b, a)):
        for event in events:
            if event not in others:
                seat = "" if event.seat is None else f"seat {event.seat} "
                yield f"only in {name}: {seat}{event.text}"


def place_words(scene: Scene, place: Place) -> str:
    """Return a cell as `(row, column)`, with the title of its level if the game has levels."""
    row, col = place
    for level in scene.levels:
        if level.col <= col < level.col + level.cols:
            return f"({row}, {col - level.col}) {level.title}"
    return f"({row}, {col})"
