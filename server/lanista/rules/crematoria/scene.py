"""What a viewer draws of Crematoria: both levels side by side, units, gems, the sun; events.

Everything is told from a position and the one before it, so that a match file shows the same as
a game. Positions of files may break any rule: nothing here relies on one. No rule is decided
here.
"""

from collections.abc import Iterator, Sequence

import attrs

from lanista.rules.crematoria.board import ELEVATOR, OWNED, OWNERS, ROCK
from lanista.rules.crematoria.geometry import COLS, LEVEL, ROWS, position
from lanista.rules.crematoria.state import (
    FURYAN,
    HELLHOUND,
    MAX_HEALTH,
    NECROMONGER,
    PIONEER,
    SEATS,
)
from lanista.rules.picture import Event, Frame, Ground, Level, Mark, Place, Scene, Shape

STATS = ("cells", "gems", "pioneers", "furyans")
_SIGNS = (
    ("p", "pioneer"),
    ("f", "furyan"),
    ("n", "necromonger"),
    ("2", "one descending"),
    ("h", "hellhound"),
    ("*", "gem"),
)
_KINDS = (
    (Shape.DISC, "p", "pioneer; nobody's: necromonger"),
    (Shape.CROSS, "f", "furyan"),
    (Shape.SHIP, "2", "necromonger descending; rounds until it lands"),
    (Shape.BEAST, "h", "hellhound, which kills all around it"),
    (Shape.GEM, "*", "gem"),
)
_NAMES = {PIONEER: "pioneer", FURYAN: "furyan", NECROMONGER: "necromonger", HELLHOUND: "hellhound"}
_SHAPES = {
    PIONEER: Shape.DISC,
    FURYAN: Shape.CROSS,
    NECROMONGER: Shape.DISC,
    HELLHOUND: Shape.BEAST,
}


@attrs.frozen
class Position:
    """What can be seen in a round; lists are by id, cells are numbers as in `geometry`."""

    turn: int
    caves: bytes
    """Level 0 as in `Board.caves`, with present owners."""
    gems_lying: frozenset[int]
    """Cells."""
    kind: Sequence[str]
    player: Sequence[int]
    health: Sequence[int]
    turns: Sequence[int]
    pos: Sequence[int]
    """-1: dead or never used."""
    cells: Sequence[int]
    """By seat, caves it owns."""
    gems: Sequence[int]
    """By seat, gems it ever picked."""
    scores: tuple[int, ...]


def scene(caves: bytes, outside: bytes) -> Scene:
    """Level 0 at the left, level 1 at the right, a wall between them."""
    grounds = {ROCK: Ground.WALL, ELEVATOR: Ground.BASE}
    wall = bytes((ROCK,))
    return Scene(
        rows=ROWS,
        cols=2 * COLS + 1,
        ground=tuple(
            tuple(
                grounds.get(kind, Ground.FLOOR)
                for kind in caves[at : at + COLS] + wall + outside[at : at + COLS]
            )
            for at in range(0, LEVEL, COLS)
        ),
        owners={},
        signs=_SIGNS,
        levels=(
            Level(title="underground", col=0, cols=COLS, wraps=True),
            Level(title="outside", col=COLS + 1, cols=COLS, wraps=True),
        ),
        stats=STATS,
        kinds=_KINDS,
    )


def _drawn(cell: int) -> Place:
    row, col, level = position(cell)
    return row, col + level * (COLS + 1)


_PLACES = tuple(_drawn(cell) for cell in range(2 * LEVEL))
"""By cell, where the scene has it."""


def frame(now: Position, before: Position | None) -> Frame:
    """A position and what led to it.

    Args:
        now: The position.
        before: The one a round earlier; None: the match begins.
    """
    people = [[0, 0] for _ in range(SEATS)]
    for kind, player in zip(now.kind, now.player, strict=True):
        if kind in (PIONEER, FURYAN):
            people[player][kind == FURYAN] += 1
    return Frame(
        turn=now.turn,
        marks=tuple(_marks(now)),
        captions=tuple(
            f"{score} ({_counted(cells, 'cell')}, {_counted(gems, 'gem')})"
            for score, cells, gems in zip(now.scores, now.cells, now.gems, strict=True)
        ),
        owned={
            _PLACES[cell]: kind - OWNED for cell, kind in enumerate(now.caves) if kind in OWNERS
        },
        # rules/crematoria.md 1: the 40 columns behind the night of 2r … 2r + 39.
        lit=frozenset(
            COLS + 1 + (2 * now.turn + COLS // 2 + col) % COLS for col in range(COLS // 2)
        ),
        stats=tuple(
            (cells, gems, *of_seat)
            for cells, gems, of_seat in zip(now.cells, now.gems, people, strict=True)
        ),
        events=() if before is None else tuple(_events(before, now)),
    )


def _marks(now: Position) -> Iterator[Mark]:
    """Gems, then units by id."""
    for cell in sorted(now.gems_lying):
        yield Mark(*_PLACES[cell], None, "*", Shape.GEM, details=("gem",))
    for unit, (kind, player, health, turns, cell) in enumerate(
        zip(now.kind, now.player, now.health, now.turns, now.pos, strict=True)
    ):
        if cell < 0:
            continue
        details = [f"{_NAMES[kind]} {unit}"]
        share = None
        if kind == HELLHOUND:
            details.append("kills who comes beside it")
        else:
            share = min(1.0, health / MAX_HEALTH[kind])
            details.append(f"health {health} of {MAX_HEALTH[kind]}")
        text, shape = kind, _SHAPES[kind]
        if turns > 0:
            text, shape = str(turns), Shape.SHIP
            details.append(f"lands in {_counted(turns, 'round')}")
        seat = player if player >= 0 else None
        yield Mark(*_PLACES[cell], seat, text, shape, unit, share, tuple(details))


def _events(before: Position, now: Position) -> Iterator[Event]:
    """Gems picked, persons that died, necromongers: in this order, by seat."""
    for seat in range(SEATS):
        picked = now.gems[seat] - before.gems[seat]
        if picked > 0:
            yield Event(seat, "picked a gem" if picked == 1 else f"picked {picked} gems")
    lost: dict[tuple[int, int, str], list[int]] = {}
    for unit, (kind, old, new) in enumerate(zip(now.kind, before.player, now.player, strict=True)):
        # Whoever dies changes its player, and nobody else does (rules/crematoria.md 5).
        if old != new:
            lost.setdefault((old, new, kind), []).append(unit)
    for (old, new, kind), units in sorted(lost.items()):
        yield Event(old, f"lost {_named(kind, units)}, reborn for seat {new}")
    yield from _necromongers(before, now)


def _necromongers(before: Position, now: Position) -> Iterator[Event]:
    landed, died, coming = [], [], []
    for unit, kind in enumerate(now.kind):
        if kind != NECROMONGER:
            continue
        was, left = before.turns[unit], now.turns[unit]
        stood = before.health[unit] > 0 and was == 0
        if was > 0 and left == 0:
            landed.append(unit)
        if left > 0 and left != was - 1:
            coming.append(unit)
        if (stood and (not now.health[unit] or left > 0)) or (was > 0 and not now.health[unit]):
            died.append(unit)
    for units, what in ((landed, "landed"), (died, "died"), (coming, "came in sight")):
        if units:
            yield Event(None, f"{_named(NECROMONGER, units)} {what}")


def _named(kind: str, units: Sequence[int]) -> str:
    """As `pioneer 12`, `pioneers 12, 14 and 15`."""
    *first, last = map(str, units)
    return f"{_NAMES[kind]}s {', '.join(first)} and {last}" if first else f"{_NAMES[kind]} {last}"


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"
