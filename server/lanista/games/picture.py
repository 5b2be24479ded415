"""What a viewer draws of a match, in terms that all games share: a scene and its frames.

A ruleset describes what stands where and what it looks like; the terminal view and the page draw
that description without knowing the game. Coordinates are rows and columns of one grid, counted
from 0 at the top left.
"""

import enum
import re
from collections.abc import ItemsView, Iterator, Mapping, Sequence
from typing import NamedTuple

import attrs

Place = tuple[int, int]
"""A cell of the grid, as (row, column)."""


class Ground(enum.Enum):
    """The background of a cell, drawn beneath everything else.

    The value is the character that stands for it in JSON, and in a terminal without colours.
    """

    FLOOR = "."
    WALL = "#"
    BASE = "="


class Shape(enum.Enum):
    """The shape in which a page draws a mark; a terminal writes the mark's text instead."""

    TEXT = "text"
    """The mark's text, in the colour of its seat."""
    COUNT = "count"
    """A count of units, readable at any size: a crowd with the number, or a filled cell."""
    DISC = "disc"
    """A unit, drawn as a disc."""
    CROSS = "cross"
    """A unit of another kind or state, drawn as a small disc with a cross."""
    SQUARE = "square"
    """A large unit, drawn as a square with a black outline."""
    BOOK = "book"
    """Something to pick up, drawn as an open book."""
    GEM = "gem"
    """Something to pick up, drawn as a jewel."""
    BEAST = "beast"
    """A unit that kills in the eight cells around it, drawn as a large disc in a ring."""
    SHIP = "ship"
    """Something that descends on the cell, drawn with its shadow; its text is the rounds left."""
    MAGE = "mage"
    """A unit, drawn as a person with a pointed hat and a wide robe."""
    TURNCOAT = "turncoat"
    """A unit that is changing sides, drawn as a mage of two colours."""
    GHOST = "ghost"
    """A large unit, drawn as a ghost."""
    MINER = "miner"
    """A unit, drawn as a person with a helmet and a lamp."""
    WARRIOR = "warrior"
    """A unit, drawn as a person with wide shoulders and a spear."""
    RAIDER = "raider"
    """A unit, usually nobody's, drawn as a person with horns and a cloak."""
    FIEND = "fiend"
    """A unit that kills in the eight cells around it, drawn as somebody in a hood in a ring."""
    HOUND = "hound"
    """A unit that kills in the eight cells around it, drawn as a dog's head in a ring."""


@attrs.frozen(kw_only=True)
class Level:
    """A range of the grid's columns, over all rows, that viewers may draw as a separate grid."""

    title: str
    """The title, such as `underground`."""
    col: int
    """The first of its columns in the grid."""
    cols: int
    """The number of its columns."""
    wraps: bool = False
    """Whether the last column is next to the first one."""


@attrs.frozen(kw_only=True)
class Scene:
    """What a viewer draws and what never changes in a match: the grid and its ground."""

    rows: int
    cols: int
    ground: tuple[tuple[Ground, ...], ...]
    """The ground of each cell, by row and column."""
    owners: Mapping[Place, int]
    """The cells that belong to a seat for the whole match, such as bases: seat by (row, column)."""
    signs: tuple[tuple[str, str], ...] = ()
    """The legend of a terminal: each mark's text and its meaning in a word or two."""
    levels: tuple[Level, ...] = ()
    """The parts of the grid to be drawn separately; empty when the grid is drawn as one."""
    stats: tuple[str, ...] = ()
    """The titles of the columns of `Frame.stats`, such as `units`."""
    kinds: tuple[tuple[Shape, str, str], ...] = ()
    """The legend of a page, and of half blocks: shape, text and meaning of each kind of mark."""
    turn_word: str = "turn"
    """The game's own word for a turn, such as `move` or `round`."""
    free_base: str = "free base"
    """The name of a cell that has the ground of a base and belongs to no seat, as `elevator`."""

    @property
    def parts(self) -> tuple[Level, ...]:
        """The parts of the grid to be drawn separately: its levels, or all of it as one."""
        return self.levels or (Level(title="", col=0, cols=self.cols),)


class Mark(NamedTuple):
    """Something that stands on a cell, such as a unit or a book."""

    row: int
    col: int
    seat: int | None
    """The seat that it belongs to; None when it is neutral."""
    text: str
    """The text to write on the cell, as short as possible: a letter or a number of units."""
    shape: Shape = Shape.TEXT
    unit: int | None = None
    """The number that identifies the unit in every frame; None when units have no numbers."""
    health: float | None = None
    """The health, from 0 to 1; None when it has none or it doesn't matter."""
    details: tuple[str, ...] = ()
    """Lines for a tooltip, such as `wizard 31`, `changes to seat 2 in 3 rounds`."""


@attrs.frozen
class Arrow:
    """A move that led to a frame."""

    start: Place
    end: Place
    seat: int
    text: str = ""
    """The text beside the arrow, as short as possible, such as how many units moved."""


@attrs.frozen
class Event:
    """Something that happened in the turn that led to a frame, in plain English."""

    seat: int | None
    """The seat that caused it, which the text needn't name; None when no seat did."""
    text: str
    """The description, such as `cast a spell: 431 cells`."""
    units: tuple[int, ...] = ()
    """The numbers of the units that it concerns, as in `Mark.unit`."""
    cells: tuple[Place, ...] = ()
    """The cells that it concerns, if the text names them."""


_CHANGED = re.compile(rb"[^\0]")


@attrs.define(eq=False)
class Owners(Mapping[Place, int]):
    """The owners of cells, one byte for each, made and compared without a step for each cell."""

    codes: bytes
    """The owner of each cell; any byte that isn't in `seats` stands for nobody."""
    places: Sequence[Place]
    """The place of each of these cells."""
    seats: Mapping[int, int]
    """The seat that each byte stands for."""
    _known: dict[Place, int] | None = attrs.field(default=None, init=False)

    def _mapping(self) -> dict[Place, int]:
        if self._known is None:
            seats = self.seats
            self._known = {
                place: seats[code]
                for place, code in zip(self.places, self.codes, strict=False)
                if code in seats
            }
        return self._known

    def __getitem__(self, place: Place) -> int:
        return self._mapping()[place]

    def __iter__(self) -> Iterator[Place]:
        return iter(self._mapping())

    def __len__(self) -> int:
        return len(self._mapping())

    def items(self) -> ItemsView[Place, int]:
        """Return each cell with its owner."""
        return self._mapping().items()

    def changes(self, before: "Owners") -> Iterator[tuple[Place, int | None]]:
        """Yield each cell whose owner isn't that of an earlier frame, with its owner, if any."""
        old, new, seat_of = before.codes, self.codes, self.seats.get
        both = int.from_bytes(old, "big") ^ int.from_bytes(new, "big")
        for found in _CHANGED.finditer(both.to_bytes(len(new), "big")):
            cell = found.start()
            seat = seat_of(new[cell])
            if seat != seat_of(old[cell]):
                yield self.places[cell], seat


@attrs.frozen(kw_only=True)
class Frame:
    """What a viewer draws on the scene after some turn."""

    turn: int
    """The number of turns carried out."""
    marks: tuple[Mark, ...]
    captions: tuple[str, ...]
    """By seat, a line for the legend, such as `12 units`."""
    owned: Mapping[Place, int] = attrs.field(factory=dict)
    """The cells that belong to a seat now: seat by (row, column). `Owners` is fast where there are
    many."""
    lit: frozenset[int] = frozenset()
    """The columns of the scene that are lit, in a game with day and night."""
    stats: tuple[tuple[int | float | str, ...], ...] = ()
    """By seat, one value for each title of `Scene.stats`."""
    arrows: tuple[Arrow, ...] = ()
    """The moves of the turn that led to this frame, in games whose units have no numbers."""
    captured: Mapping[Place, int] = attrs.field(factory=dict)
    """The cells captured all at once in that turn: their new seat by (row, column)."""
    events: tuple[Event, ...] = ()
    """What else happened in that turn and can't be inferred from two successive frames."""
    idle: Mapping[int, str] = attrs.field(factory=dict)
    """Why orders of that turn changed nothing, such as `a wall is there`, by the number of their
    unit. Refused submoves may be among them or not."""


def counted(count: int, thing: str) -> str:
    """Return a count with its noun, such as `1 unit`, `12 units` or `2 matches`."""
    plural = f"{thing}es" if thing.endswith(("ch", "ss")) else f"{thing}s"
    return f"{count} {thing if count == 1 else plural}"


def named(kind: str, units: Sequence[int]) -> str:
    """Return units with their numbers, such as `wizard 4` or `wizards 4, 7 and 31`."""
    *first, last = map(str, units)
    return f"{kind}s {', '.join(first)} and {last}" if first else f"{kind} {last}"
