"""What a viewer draws of Hogwarts: walls, units, books, Voldemort, owners; events of a round.

Everything is told from a position, the one before it and the orders carried out between them, so
that a match file shows the same as a game. Positions of files may break any rule: nothing here
relies on one. No rule is decided here.
"""

from collections.abc import Iterator, Mapping, Sequence

import attrs

from lanista.rules.hogwarts.board import CLANS, OWNERS, WALL
from lanista.rules.hogwarts.grid import AROUND, CELLS, COL, NEAR, ROW, SIDE
from lanista.rules.hogwarts.orders import Order
from lanista.rules.picture import Event, Frame, Ground, Mark, Place, Scene, Shape

SPELL_FREE_ROUNDS = 50
"""No spell in so many last rounds (rules/hogwarts.md 1)."""
STATS = ("cells", "units", "strength", "strength per unit")
_SIGNS = (
    ("G", "ghost"),
    ("w", "wizard"),
    ("x", "converting"),
    ("+", "book"),
    ("V", "Voldemort"),
)
_KINDS = (
    (Shape.DISC, "w", "wizard"),
    (Shape.CROSS, "x", "wizard that is changing its clan"),
    (Shape.SQUARE, "G", "ghost"),
    (Shape.BOOK, "+", "book"),
    (Shape.BEAST, "V", "Voldemort, who kills all around him"),
)
_PLACES: tuple[Place, ...] = tuple((ROW[cell], COL[cell]) for cell in range(CELLS))
_SEATS = {code: seat for seat, code in enumerate(OWNERS)}
_BOOKS = tuple(Mark(*place, None, "+", Shape.BOOK, details=("book",)) for place in _PLACES)


@attrs.frozen
class Position:
    """What can be seen in a round. A unit is its number: the ghosts first, then the wizards."""

    turn: int
    owners: bytes
    """By cell, as in `Hogwarts.owners`."""
    clans: Sequence[int]
    cells: Sequence[int]
    """By unit: where it stands."""
    rounds: Sequence[int]
    """By unit, as in `Hogwarts.rounds`."""
    nexts: Sequence[int]
    """By unit, as in `Hogwarts.nexts`."""
    books: frozenset[int]
    """Cells."""
    voldemort: int
    """His cell."""
    strength: Sequence[int]
    """By clan, strength points."""
    scores: tuple[int, ...]


def scene(cells: bytes) -> Scene:
    """Walls and floor."""
    ground = [Ground.WALL if cell == WALL else Ground.FLOOR for cell in cells]
    return Scene(
        rows=SIDE,
        cols=SIDE,
        ground=tuple(tuple(ground[at : at + SIDE]) for at in range(0, CELLS, SIDE)),
        owners={},
        signs=_SIGNS,
        stats=STATS,
        kinds=_KINDS,
    )


def frame(
    now: Position,
    before: Position | None,
    executed: Sequence[Order],
    settings: Mapping[str, int],
) -> Frame:
    """A position and what led to it.

    Args:
        now: The position.
        before: The one a round earlier; None: the match begins.
        executed: The orders that had an effect in the round between them, in their order.
        settings: NUM_ROUNDS and BOOK_MAGIC_STRENGTH are read.
    """
    captions, stats = [], []
    for clan, points in enumerate(now.strength):
        units = now.clans.count(clan)
        # A file may tell of a clan without its ghost.
        each = points // units if units else 0
        captions.append(f"{now.scores[clan]} ({units} units, strength {each})")
        stats.append((now.owners.count(OWNERS[clan]), units, points, each))
    captured: dict[Place, int] = {}
    events: tuple[Event, ...] = ()
    if before is not None:
        walk = _walk(before, now, executed)
        captured = _captured(before, now, executed, walk.dead)
        events = (
            *_spells(before, executed, len(captured)),
            *_attacks(before, now, walk.attacks),
            *_conversions(before, now, set(walk.dead)),
            *_deaths(before, now, walk.dead),
            *_books(before, now, walk.walked, settings["BOOK_MAGIC_STRENGTH"]),
        )
    return Frame(
        turn=now.turn,
        marks=tuple(_marks(now, settings["NUM_ROUNDS"] - now.turn)),
        captions=tuple(captions),
        owned={
            place: _SEATS[code]
            for place, code in zip(_PLACES, now.owners, strict=True)
            if code in _SEATS
        },
        stats=tuple(stats),
        captured=captured,
        events=events,
    )


# What stands where


def _marks(now: Position, left: int) -> Iterator[Mark]:
    """Books, units by number, and Voldemort on top, whose number is the one behind all units."""
    for cell in sorted(now.books):
        yield _BOOKS[cell]
    for unit, (clan, cell, rounds, turns_to) in enumerate(
        zip(now.clans, now.cells, now.rounds, now.nexts, strict=True)
    ):
        if unit < CLANS:
            text, shape, details = "G", Shape.SQUARE, _of_ghost(rounds, turns_to, left)
        elif rounds:
            text, shape, details = "x", Shape.CROSS, (_ending(turns_to, rounds),)
        else:
            text, shape, details = "w", Shape.DISC, ()
        name = "ghost" if unit < CLANS else f"wizard {unit}"
        yield Mark(*_PLACES[cell], clan, text, shape, unit, details=(name, *details))
    told = ("Voldemort", "kills who comes beside him")
    place = _PLACES[now.voldemort]
    yield Mark(*place, None, "V", Shape.BEAST, len(now.cells), details=told)


def _of_ghost(rounds: int, attacked: int, left: int) -> tuple[str, ...]:
    if rounds:
        spell = f"rests {_rounds(rounds)}"
    else:
        spell = "ready for a spell" if left > SPELL_FREE_ROUNDS else "no more spells"
    return (spell,) if attacked < 0 else (spell, f"attacked in round {attacked}")


def _ending(clan: int, rounds: int) -> str:
    return f"changes to seat {clan} in {_rounds(rounds)}"


def _rounds(count: int) -> str:
    return f"{count} round{'' if count == 1 else 's'}"


# What happened


@attrs.frozen
class _Walked:
    """The orders of a round carried out as far as places are concerned."""

    cells: list[int]
    """By unit, where it came to; of one that walked into Voldemort, where it left."""
    walked: set[int]
    """Cells that a unit entered."""
    dead: list[int]
    """Units that Voldemort killed, in the order of their deaths."""
    attacks: list[tuple[int, int]]
    """Wizard and the ghost that it attacked."""


def _walk(before: Position, now: Position, executed: Sequence[Order]) -> _Walked:
    """Follow rules/hogwarts.md 6 and 10: every executed order had an effect."""
    cells = list(before.cells)
    at = {cell: unit for unit, cell in enumerate(cells)}
    danger = (before.voldemort, *AROUND[before.voldemort])
    walked: set[int] = set()
    dead: list[int] = []
    attacks: list[tuple[int, int]] = []
    for unit, direction, groups in executed:
        target = NEAR[direction][cells[unit]] if groups is None else -1
        if target < 0:
            continue
        if target in danger:
            dead.append(unit)
            at.pop(cells[unit], None)
        elif target not in at:
            at.pop(cells[unit], None)
            at[target] = unit
            cells[unit] = target
            walked.add(target)
        elif at[target] < CLANS:
            attacks.append((unit, at[target]))
    dead += [at[cell] for cell in AROUND[now.voldemort] if cell in at]
    return _Walked(cells, walked, dead, attacks)


def _captured(
    before: Position, now: Position, executed: Sequence[Order], dead: Sequence[int]
) -> dict[Place, int]:
    """Cells that a spell of this round took and nobody took back (rules/hogwarts.md 9.3).

    A cell that changed hands by anything else has a unit on it now, or is one that a wizard left
    after it had changed its clan.
    """
    caster = next((order.unit for order in executed if order.groups is not None), None)
    if caster is None:
        return {}
    clan = before.clans[caster]
    ours = OWNERS[clan]
    others = set(now.cells)
    others.update(
        cell
        for unit, cell in enumerate(before.cells)
        if before.clans[unit] != clan and now.clans[unit] == clan and unit not in dead
    )
    return {
        _PLACES[cell]: clan
        for cell, (old, new) in enumerate(zip(before.owners, now.owners, strict=True))
        if new == ours and old != ours and cell not in others
    }


def _spells(before: Position, executed: Sequence[Order], captured: int) -> Iterator[Event]:
    for order in executed:
        if order.groups is not None:
            words = f"cast a spell: {_counted(captured, 'cell')}"
            yield Event(before.clans[order.unit], words)


def _attacks(
    before: Position, now: Position, attacks: Sequence[tuple[int, int]]
) -> Iterator[Event]:
    for wizard, ghost in attacks:
        # One that was converted before it attacked did so for its new clan.
        clan, attacked = before.clans[wizard], before.clans[ghost]
        clan = now.clans[wizard] if clan == attacked else clan
        yield Event(clan, f"attacked the ghost of seat {attacked}")


def _conversions(before: Position, now: Position, dead: set[int]) -> Iterator[Event]:
    """Who won whom, at once or in some rounds (rules/hogwarts.md 7.2 and 7.3)."""
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
            yield Event(clan, f"began to convert {_named(begun[clan])}")
        if clan in complete:
            yield Event(clan, f"converted {_named(complete[clan])}")


def _deaths(before: Position, now: Position, dead: Sequence[int]) -> Iterator[Event]:
    """Whom Voldemort killed, and whose they are now (rules/hogwarts.md 11)."""
    lost: dict[tuple[int, int], list[int]] = {}
    for unit in sorted(dead):
        if unit < CLANS:
            yield Event(before.clans[unit], "lost its ghost to Voldemort, reborn elsewhere")
        else:
            lost.setdefault((before.clans[unit], now.clans[unit]), []).append(unit)
    for (old, new), wizards in sorted(lost.items()):
        whom = "its own clan" if old == new else f"seat {new}"
        yield Event(old, f"lost {_named(wizards)} to Voldemort, reborn for {whom}")


def _books(
    before: Position, now: Position, walked: set[int], book_strength: int
) -> Iterator[Event]:
    """Those that were read, and those that Voldemort destroyed."""
    for clan in range(CLANS):
        read = (now.strength[clan] - before.strength[clan]) // book_strength
        if read > 0:
            yield Event(clan, f"read {_counted(read, 'book')}")
    destroyed = len(before.books.intersection(AROUND[now.voldemort]) - walked)
    if destroyed:
        yield Event(None, f"Voldemort destroyed {_counted(destroyed, 'book')}")


def _named(wizards: Sequence[int]) -> str:
    """As `wizard 4`, `wizards 4, 7 and 31`."""
    *first, last = map(str, wizards)
    return f"wizards {', '.join(first)} and {last}" if first else f"wizard {last}"


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"
