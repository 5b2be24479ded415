"""Drawing on the board of whoever may see the bot's log: `arena.draw` (`PROTOCOL.md 9`).

A drawing is a log line of a fixed form. Nothing is checked here: whoever shows the board remarks
beside a line what is wrong with it, so that drawing never costs a match. What isn't even a place is
written as it is, for the same remark.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for typing's own; importing that costs 15 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    Place: TypeAlias = tuple[int, int] | tuple[int, int, int]

_LONGEST = 1 << 13
"""Code points of a line, at most 4 bytes each: within the 65,536 bytes of PROTOCOL.md 1. A line
that is cut is too long to be drawn, so half a number never draws anything."""


class Draw:
    """The drawings of a bot on the board in the present turn.

    Places are (row, column), in Crematoria (row, column, level), as in the state. A colour is `own`
    (the seat's), `red`, `orange`, `yellow`, `green`, `blue`, `pink`, `gray`, `ink` (dark on light,
    light on dark) or `#rrggbb`. Each call is sent at once, as log lines: the arena keeps 16 KiB a
    turn.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def cell(self, place: Place, colour: str = "own") -> None:
        """Mark a cell."""
        self._points("cell", (place,), colour)

    def cells(self, places: Iterable[Place], colour: str = "own") -> None:
        """Mark cells; one call for many needs less of the log than many calls."""
        self._points("cell", places, colour)

    def line(self, places: Iterable[Place], colour: str = "own") -> None:
        """Draw a line from place to place; where it changes the level, it begins anew."""
        self._points("line", places, colour)

    def arrow(self, places: Iterable[Place], colour: str = "own") -> None:
        """Draw a line as `line` does, with an arrowhead at its end."""
        self._points("arrow", places, colour)

    def text(self, place: Place, text: str, colour: str = "own") -> None:
        """Write a text of up to 80 characters that begins at a cell."""
        try:
            self._line("text", *place, colour, text)
        except TypeError:  # no place
            self._line("text", place, colour, text)

    def value(self, name: str, number: float) -> None:
        """Give the number of this turn for the curve of that name (of `A-Z a-z 0-9 . _ -`)."""
        self._line("value", name, number)

    def _points(self, kind: str, places: Iterable[Place], colour: str) -> None:
        """Draw by as many lines of the log as there are changes of the level."""
        try:
            self._runs(kind, places, colour)
        except (TypeError, ValueError):  # no places: as a line, it gets its remark
            words = places if isinstance(places, list | tuple) else (places,)
            self._line(kind, *words, colour)

    def _runs(self, kind: str, places: Iterable[Place], colour: str) -> None:
        least = 1 if kind == "cell" else 2
        numbers: list[int] = []
        before: list[int] = []
        count = 0
        for i, j, *level in places:
            if count and level != before:
                if count >= least:
                    self._line(kind, *numbers, *before, colour)
                numbers, count = [], 0
            numbers += (i, j)
            before = level
            count += 1
        if count >= least:
            self._line(kind, *numbers, *before, colour)

    def _line(self, *words: object) -> None:
        line = " ".join(map(str, words))
        # Whatever would end the line is a space; so are characters that can't be seen.
        line = "".join([char if char.isprintable() else " " for char in line[:_LONGEST]])
        self._write(f"#@ {line}\n")
