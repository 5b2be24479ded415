"""What a viewer draws of a match, in words that every game shares: a scene and its frames.

A ruleset says what stands where and what it looks like; terminal and page draw it, and know no
game. Coordinates are rows and columns of one grid, from 0 at the top and the left. Nothing here
knows of pixels or colours.
"""

import enum
from collections.abc import Mapping

import attrs

Place = tuple[int, int]
"""Row and column."""


class Ground(enum.Enum):
    """What a viewer draws beneath everything else."""

    FLOOR = "floor"
    WALL = "wall"
    BASE = "base"


class Shape(enum.Enum):
    """How a page draws a mark; a terminal writes its text instead."""

    TEXT = "text"
    """Its text, in its seat's colour."""
    COUNT = "count"
    """A filled cell with a number of units, readable at any size."""
    DISC = "disc"
    """A unit."""
    CROSS = "cross"
    """A unit of another kind or state: a small disc with a cross."""
    SQUARE = "square"
    """A large unit: a square with a black outline."""
    BOOK = "book"
    """Something to pick up: a circle with a black outline."""
    GEM = "gem"
    """Something to pick up: a jewel."""
    BEAST = "beast"
    """What kills around itself: a large disc in a ring of danger, the eight cells around."""
    SHIP = "ship"
    """Something descending on the cell, with its shadow; the text is the rounds left."""


@attrs.frozen(kw_only=True)
class Level:
    """A part of the grid that a page draws apart: some columns, all rows."""

    title: str
    """As `underground`."""
    col: int
    """Its first column in the grid."""
    cols: int
    wraps: bool = False
    """Whether its last column is next to its first."""


@attrs.frozen(kw_only=True)
class Scene:
    """What doesn't change in a match, for a viewer: the grid and its ground."""

    rows: int
    cols: int
    ground: tuple[tuple[Ground, ...], ...]
    """By row and column."""
    owners: Mapping[Place, int]
    """The seat that a cell belongs to for the whole match (a base), by (row, column)."""
    signs: tuple[tuple[str, str], ...] = ()
    """What the marks mean, for a legend: text and a word or two."""
    levels: tuple[Level, ...] = ()
    """Empty: the whole grid is one."""
    stats: tuple[str, ...] = ()
    """Titles of what `Frame.stats` tells of each seat, as `units`."""
    kinds: tuple[tuple[Shape, str, str], ...] = ()
    """For a page's legend: shape, text, meaning."""


@attrs.frozen
class Mark:
    """Something that stands on a cell."""

    row: int
    col: int
    seat: int | None
    """Whose it is; None: neutral."""
    text: str
    """What to write there, as short as it can be: a number of units, a letter."""
    shape: Shape = Shape.TEXT
    unit: int | None = None
    """The number by which it is the same one from frame to frame; None: it has none."""
    health: float | None = None
    """From 0 to 1; None: it has none, or it is no matter."""
    details: tuple[str, ...] = ()
    """Lines for who points at it, as `wizard 31`, `changes to seat 2 in 3 rounds`."""


@attrs.frozen
class Arrow:
    """A move that led to a frame."""

    start: Place
    end: Place
    seat: int
    text: str = ""
    """As short as it can be: how many went."""


@attrs.frozen
class Event:
    """Something that happened in the turn that led to a frame, in words for people."""

    seat: int | None
    """Whose doing it was; the words needn't name it."""
    words: str
    """As `cast a spell: 431 cells`."""


@attrs.frozen(kw_only=True)
class Frame:
    """What stands on the scene after some turn."""

    turn: int
    marks: tuple[Mark, ...]
    captions: tuple[str, ...]
    """A line by seat for a legend, as `12 units`."""
    owned: Mapping[Place, int] = attrs.field(factory=dict)
    """The seat that a cell's ground belongs to for now, by (row, column)."""
    lit: frozenset[int] = frozenset()
    """Columns of the scene that lie in the light, where a game has day and night."""
    stats: tuple[tuple[int | float | str, ...], ...] = ()
    """By seat, in the order of `Scene.stats`."""
    arrows: tuple[Arrow, ...] = ()
    """What was moved in the turn that led here, where units have no numbers."""
    captured: Mapping[Place, int] = attrs.field(factory=dict)
    """Cells that changed hands at one stroke in that turn, by (row, column): their seat now."""
    events: tuple[Event, ...] = ()
    """What else happened in that turn and can't be seen from two frames."""
