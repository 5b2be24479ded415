"""The views of Crematoria for viewers: both levels side by side, units, gems, the sun, events.

All is derived from a position and the one before it, so that a match file shows the same as a game.
Positions from files may break any rule, so this module relies on none.
"""

import functools
from collections.abc import Iterator, Sequence

import attrs

from lanista.games.crematoria.board import (
    COLS,
    ELEVATOR,
    LEVEL,
    OWNED,
    OWNERS,
    ROCK,
    ROWS,
    position,
)
from lanista.games.crematoria.state import (
    FURYAN,
    HELLHOUND,
    MAX_HEALTH,
    NECROMONGER,
    PIONEER,
    SEATS,
)
from lanista.games.picture import (
    Event,
    Frame,
    Ground,
    Level,
    Mark,
    Owners,
    Place,
    Scene,
    Shape,
    counted,
    named,
)

TURN_WORD = "round"
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
    (Shape.MINER, "p", "pioneer"),
    (Shape.WARRIOR, "f", "furyan"),
    (Shape.RAIDER, "n", "necromonger"),
    (Shape.SHIP, "2", "necromonger descending; rounds until it lands"),
    (Shape.HOUND, "h", "hellhound, which kills all around it"),
    (Shape.GEM, "*", "gem"),
)
NAMES = {PIONEER: "pioneer", FURYAN: "furyan", NECROMONGER: "necromonger", HELLHOUND: "hellhound"}
_SHAPES = {
    PIONEER: Shape.MINER,
    FURYAN: Shape.WARRIOR,
    NECROMONGER: Shape.RAIDER,
    HELLHOUND: Shape.HOUND,
}

_SEATS = {owner: owner - OWNED for owner in OWNERS}


@attrs.frozen
class Position:
    """The visible state of a round, from a game or from a match file; all is as in `State`."""

    turn: int
    caves: bytes
    outside: bytes
    """Level 1 by row, without gems: `O` or `E`."""
    gems_lying: frozenset[int]
    kind: Sequence[str]
    player: Sequence[int]
    health: Sequence[int]
    turns: Sequence[int]
    pos: Sequence[int]
    """By unit id, the unit's cell; -1 when it is dead or was never used."""
    cells: Sequence[int]
    gems: Sequence[int]
    """By seat, the number of gems that it has picked."""
    scores: tuple[int, ...]
    status: tuple[float, ...] = ()
    """In a file, the share of its time that each player has used; -1: it is out."""


def scene(caves: bytes, outside: bytes) -> Scene:
    """Return level 0 at the left, level 1 at the right, and a wall between them."""
    grounds = {ROCK: Ground.WALL, ELEVATOR: Ground.BASE}
    wall = bytes((ROCK,))
    return Scene(
        rows=ROWS,
        cols=2 * COLS + 1,
        ground=tuple(
            tuple(
                grounds.get(kind, Ground.FLOOR)
                for kind in caves[row : row + COLS] + wall + outside[row : row + COLS]
            )
            for row in range(0, LEVEL, COLS)
        ),
        owners={},
        signs=_SIGNS,
        levels=(
            Level(title="underground", col=0, cols=COLS, wraps=True),
            Level(title="outside", col=COLS + 1, cols=COLS, wraps=True),
        ),
        stats=STATS,
        kinds=_KINDS,
        turn_word=TURN_WORD,
        free_base="elevator",
    )


def _place(cell: int) -> Place:
    row, col, level = position(cell)
    return row, col + level * (COLS + 1)


PLACES = tuple(_place(cell) for cell in range(2 * LEVEL))
"""The place of each cell in the scene."""


def frame(now: Position, before: Position | None) -> Frame:
    """Return the frame of a position, with the events since the one before, if there was one."""
    people = [[0, 0] for _ in range(SEATS)]
    for kind, player in zip(now.kind, now.player, strict=True):
        if kind in (PIONEER, FURYAN):
            people[player][kind == FURYAN] += 1
    return Frame(
        turn=now.turn,
        marks=tuple(_marks(now)),
        captions=tuple(
            f"{score} ({counted(cells, 'cell')}, {counted(gems, 'gem')})"
            for score, cells, gems in zip(now.scores, now.cells, now.gems, strict=True)
        ),
        owned=Owners(now.caves, PLACES, _SEATS),
        # In round r the columns 2r … 2r + 39 are in the night (rules/crematoria.md 1).
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
    """Yield gems, then units by id."""
    yield from map(_gem, sorted(now.gems_lying))
    for unit, (kind, player, health, turns, cell) in enumerate(
        zip(now.kind, now.player, now.health, now.turns, now.pos, strict=True)
    ):
        if cell < 0:
            continue
        row, col = PLACES[cell]
        seat = player if player >= 0 else None
        share, details = _state(unit, kind, health)
        if turns > 0:
            details = (*details, f"lands in {counted(turns, 'round')}")
            yield Mark(row, col, seat, str(turns), Shape.SHIP, unit, share, details)
        else:
            yield Mark(row, col, seat, kind, _SHAPES[kind], unit, share, details)


@functools.cache
def _gem(cell: int) -> Mark:
    return Mark(*PLACES[cell], None, "*", Shape.GEM, details=("gem",))


@functools.lru_cache(4096)
def _state(unit: int, kind: str, health: int) -> tuple[float | None, tuple[str, ...]]:
    """Return a unit's share of its full health, if it has any, and what there is to say of it."""
    name = f"{NAMES[kind]} {unit}"
    if kind == HELLHOUND:
        return None, (name, "kills whoever comes next to it")
    most = MAX_HEALTH[kind]
    return min(1.0, health / most), (name, f"health {health} of {most}")


def _events(before: Position, now: Position) -> Iterator[Event]:
    """Yield picked gems by seat, then deaths by seat, then events of necromongers."""
    for seat in range(SEATS):
        picked = now.gems[seat] - before.gems[seat]
        if picked > 0:
            yield Event(seat, "picked a gem" if picked == 1 else f"picked {picked} gems")
    lost: dict[tuple[int, int, str], list[int]] = {}
    for unit, (kind, old, new) in enumerate(zip(now.kind, before.player, now.player, strict=True)):
        # A unit changes its player exactly when it dies (rules/crematoria.md 5).
        if old != new:
            lost.setdefault((old, new, kind), []).append(unit)
    for (old, new, kind), units in sorted(lost.items()):
        text = f"lost {named(NAMES[kind], units)}, reborn for seat {new}"
        yield Event(old, text, tuple(units))
    yield from _necromongers(before, now)


def _necromongers(before: Position, now: Position) -> Iterator[Event]:
    landed, died, appeared = [], [], []
    for unit, kind in enumerate(now.kind):
        if kind != NECROMONGER:
            continue
        turns_before, turns_now = before.turns[unit], now.turns[unit]
        was_standing = before.health[unit] > 0 and turns_before == 0
        if turns_before > 0 and turns_now == 0:
            landed.append(unit)
        if turns_now > 0 and turns_now != turns_before - 1:
            appeared.append(unit)
        is_dead = not now.health[unit]
        # A unit with turns left again died and was used for a new necromonger.
        if (was_standing and (is_dead or turns_now > 0)) or (turns_before > 0 and is_dead):
            died.append(unit)
    for units, event in ((landed, "landed"), (died, "died"), (appeared, "came in sight")):
        if units:
            yield Event(None, f"{named(NAMES[NECROMONGER], units)} {event}", tuple(units))
