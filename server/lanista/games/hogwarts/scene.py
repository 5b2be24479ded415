"""The views of Hogwarts for viewers: walls, units, books, Voldemort, owners, events of a round.

All is derived from two positions and the orders between them, so that a match file shows the same
as a game. Positions from files may break any rule, so this module relies on none.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence

import attrs

from lanista.games.hogwarts.board import (
    AROUND,
    CELLS,
    CLANS,
    NEAR,
    OWNERS,
    PLACES,
    SIDE,
    SPELL_FREE_ROUNDS,
    WALL,
)
from lanista.games.hogwarts.orders import Order
from lanista.games.picture import (
    Event,
    Frame,
    Ground,
    Mark,
    Owners,
    Place,
    Scene,
    Shape,
    counted,
    named,
)

TURN_WORD = "round"
STATS = ("cells", "units", "strength", "strength per unit")
_SIGNS = (
    ("G", "ghost"),
    ("w", "wizard"),
    ("x", "converting"),
    ("+", "book"),
    ("V", "Voldemort"),
)
_KINDS = (
    (Shape.MAGE, "w", "wizard"),
    (Shape.TURNCOAT, "x", "wizard that is changing its clan"),
    (Shape.GHOST, "G", "ghost"),
    (Shape.BOOK, "+", "book"),
    (Shape.FIEND, "V", "Voldemort, who kills all around him"),
)
_SEATS = {code: seat for seat, code in enumerate(OWNERS)}


@attrs.frozen
class Position:
    """The visible state of a round, from a game or from a match file; all is as in `Hogwarts`."""

    turn: int
    owners: bytes
    clans: Sequence[int]
    cells: Sequence[int]
    rounds: Sequence[int]
    nexts: Sequence[int]
    books: frozenset[int]
    ingredients: tuple[int, ...]
    voldemort: int
    strength: Sequence[int]
    conversion_points: Sequence[int]
    scores: tuple[int, ...]
    status: tuple[float, ...] = ()
    """In a file, the share of its computing time that each player has used; -1: it is out."""


def scene(cells: bytes) -> Scene:
    """Return walls and floor."""
    ground = [Ground.WALL if cell == WALL else Ground.FLOOR for cell in cells]
    return Scene(
        rows=SIDE,
        cols=SIDE,
        ground=tuple(tuple(ground[start : start + SIDE]) for start in range(0, CELLS, SIDE)),
        owners={},
        signs=_SIGNS,
        stats=STATS,
        kinds=_KINDS,
        turn_word=TURN_WORD,
    )


def frame(
    now: Position,
    before: Position | None,
    executed: Sequence[Order],
    settings: Mapping[str, int],
) -> Frame:
    """Return the frame of a position, with the events that led to it from the one before, if any.

    `executed` are the orders that had an effect in the round between them, in order.
    """
    captions, stats = [], []
    for clan, points in enumerate(now.strength):
        units = now.clans.count(clan)
        # In a position from a file a clan may have no units.
        strength = points // units if units else 0
        captions.append(f"{now.scores[clan]} ({units} units, strength {strength})")
        stats.append((now.owners.count(OWNERS[clan]), units, points, strength))
    captured: dict[Place, int] = {}
    events: tuple[Event, ...] = ()
    if before is not None:
        entered, dead, attacks = _follow(before, now, executed)
        captured = _captured(before, now, executed, dead)
        events = (
            *_spells(before, executed, len(captured)),
            *_attacks(before, now, attacks),
            *_conversions(before, now, set(dead)),
            *_deaths(before, now, dead),
            *_books(before, now, entered, settings["BOOK_MAGIC_STRENGTH"]),
        )
    return Frame(
        turn=now.turn,
        marks=tuple(_marks(now, settings["NUM_ROUNDS"] - now.turn)),
        captions=tuple(captions),
        owned=Owners(now.owners, PLACES, _SEATS),
        stats=tuple(stats),
        captured=captured,
        events=events,
    )


# Marks


@functools.cache
def _book(cell: int) -> Mark:
    return Mark(*PLACES[cell], None, "+", Shape.BOOK, details=("book",))


def _marks(now: Position, left: int) -> Iterator[Mark]:
    """Yield books, units by number, and Voldemort, whose number follows those of all units."""
    yield from map(_book, sorted(now.books))
    for unit, (clan, cell, rounds, turns_to) in enumerate(
        zip(now.clans, now.cells, now.rounds, now.nexts, strict=True)
    ):
        row, col = PLACES[cell]
        if unit < CLANS:
            details = ("ghost", *_ghost_details(rounds, turns_to, left))
            yield Mark(row, col, clan, "G", Shape.GHOST, unit, None, details)
        elif rounds:
            change = f"changes to seat {turns_to} in {counted(rounds, 'round')}"
            details = (f"wizard {unit}", change)
            yield Mark(row, col, clan, "x", Shape.TURNCOAT, unit, None, details)
        else:
            yield Mark(row, col, clan, "w", Shape.MAGE, unit, None, (f"wizard {unit}",))
    place = PLACES[now.voldemort]
    details = ("Voldemort", "kills whoever comes next to him")
    yield Mark(*place, None, "V", Shape.FIEND, len(now.cells), details=details)


def _ghost_details(rounds: int, attacked: int, left: int) -> tuple[str, ...]:
    if rounds:
        spell = f"rests {counted(rounds, 'round')}"
    else:
        spell = "ready for a spell" if left > SPELL_FREE_ROUNDS else "no more spells"
    return (spell,) if attacked < 0 else (spell, f"attacked in round {attacked}")


# Events


def _follow(
    before: Position, now: Position, executed: Sequence[Order]
) -> tuple[set[int], list[int], list[tuple[int, int]]]:
    """Follow the executed orders by rules/hogwarts.md 6 and 10.

    Returns the cells that were entered, the units that Voldemort killed, in order, and the attacks
    on ghosts, as (wizard, ghost).
    """
    cells = list(before.cells)
    unit_at = {cell: unit for unit, cell in enumerate(cells)}
    danger = (before.voldemort, *AROUND[before.voldemort])
    entered: set[int] = set()
    dead: list[int] = []
    attacks: list[tuple[int, int]] = []
    for unit, direction, groups in executed:
        target = NEAR[direction][cells[unit]] if groups is None else -1
        if target < 0:
            continue
        if target in danger:
            dead.append(unit)
            unit_at.pop(cells[unit], None)
        elif target not in unit_at:
            unit_at.pop(cells[unit], None)
            unit_at[target] = unit
            cells[unit] = target
            entered.add(target)
        elif unit_at[target] < CLANS:
            attacks.append((unit, unit_at[target]))
    dead += [unit_at[cell] for cell in AROUND[now.voldemort] if cell in unit_at]
    return entered, dead, attacks


def _captured(
    before: Position, now: Position, executed: Sequence[Order], dead: Sequence[int]
) -> dict[Place, int]:
    """Return the cells that a spell captured and that nobody took back (rules/hogwarts.md 9.3).

    A cell that changed its owner in another way has a unit on it now, or was left by a wizard
    after the wizard had changed its clan.
    """
    caster = next((order.unit for order in executed if order.groups is not None), None)
    if caster is None:
        return {}
    clan = before.clans[caster]
    own = OWNERS[clan]
    other_cells = set(now.cells)
    other_cells.update(
        cell
        for unit, cell in enumerate(before.cells)
        if before.clans[unit] != clan and now.clans[unit] == clan and unit not in dead
    )
    return {
        PLACES[cell]: clan
        for cell, (old, new) in enumerate(zip(before.owners, now.owners, strict=True))
        if new == own and old != own and cell not in other_cells
    }


def _spells(before: Position, executed: Sequence[Order], captured: int) -> Iterator[Event]:
    for order in executed:
        if order.groups is not None:
            text = f"cast a spell: {counted(captured, 'cell')}"
            yield Event(before.clans[order.unit], text, (order.unit,))


def _attacks(
    before: Position, now: Position, attacks: Sequence[tuple[int, int]]
) -> Iterator[Event]:
    for wizard, ghost in attacks:
        # A wizard that was converted before it attacked did so for its new clan.
        clan, attacked = before.clans[wizard], before.clans[ghost]
        clan = now.clans[wizard] if clan == attacked else clan
        yield Event(clan, f"attacked the ghost of seat {attacked}", (wizard, ghost))


def _conversions(before: Position, now: Position, dead: set[int]) -> Iterator[Event]:
    """Yield conversions, begun and complete, by clan (rules/hogwarts.md 7.2 and 7.3)."""
    begun: dict[int, list[int]] = {}
    complete: dict[int, list[int]] = {}
    for wizard in range(CLANS, len(now.clans)):
        if wizard in dead:
            continue
        if now.clans[wizard] != before.clans[wizard]:
            complete.setdefault(now.clans[wizard], []).append(wizard)
        left = now.rounds[wizard]
        if left and left != before.rounds[wizard] - 1 and 0 <= now.nexts[wizard] < CLANS:
            begun.setdefault(now.nexts[wizard], []).append(wizard)
    for clan in range(CLANS):
        if clan in begun:
            yield Event(
                clan, f"began to convert {named('wizard', begun[clan])}", tuple(begun[clan])
            )
        if clan in complete:
            yield Event(clan, f"converted {named('wizard', complete[clan])}", tuple(complete[clan]))


def _deaths(before: Position, now: Position, dead: Sequence[int]) -> Iterator[Event]:
    """Yield the deaths by Voldemort, with the new clans of the dead (rules/hogwarts.md 11)."""
    lost: dict[tuple[int, int], list[int]] = {}
    for unit in sorted(dead):
        if unit < CLANS:
            text = "lost its ghost to Voldemort, reborn elsewhere"
            yield Event(before.clans[unit], text, (unit,))
        else:
            lost.setdefault((before.clans[unit], now.clans[unit]), []).append(unit)
    for (old, new), wizards in sorted(lost.items()):
        whom = "its own clan" if old == new else f"seat {new}"
        text = f"lost {named('wizard', wizards)} to Voldemort, reborn for {whom}"
        yield Event(old, text, tuple(wizards))


def _books(
    before: Position, now: Position, entered: set[int], book_strength: int
) -> Iterator[Event]:
    for clan in range(CLANS):
        read = (now.strength[clan] - before.strength[clan]) // book_strength
        if read > 0:
            yield Event(clan, f"read {counted(read, 'book')}")
    destroyed = len(before.books.intersection(AROUND[now.voldemort]) - entered)
    if destroyed:
        yield Event(None, f"Voldemort destroyed {counted(destroyed, 'book')}")
