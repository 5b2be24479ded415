"""Draws a position in the terminal: colour blocks, units, a legend. Knows no game's rules."""

from collections.abc import Sequence

from rich.console import Group
from rich.style import Style
from rich.text import Text

from lanista.rules.base import Frame, Ground, Scene

SEAT_COLOURS = ("dodger_blue2", "red3", "green4", "dark_orange3")
NEUTRAL = Style(color="grey82", bgcolor="grey35")
GROUNDS = {
    Ground.FLOOR: Style(bgcolor="grey11"),
    Ground.WALL: Style(bgcolor="grey58"),
}


class BoardView:
    """Draws frames of one scene."""

    def __init__(self, scene: Scene, names: Sequence[str], cell_width: int) -> None:
        self._scene = scene
        self._names = names
        self._cell = cell_width
        self._seats = [Style(color="white", bgcolor=colour, bold=True) for colour in SEAT_COLOURS]
        self._bases = [Style(color=colour, bgcolor="grey23") for colour in SEAT_COLOURS]

    @property
    def width(self) -> int:
        """Characters of a row."""
        return self._scene.cols * self._cell

    def board(self, frame: Frame) -> Group:
        """The board and its legend."""
        marks = {(mark.row, mark.col): mark for mark in frame.marks}
        rows = []
        for row in range(self._scene.rows):
            line = Text(no_wrap=True, end="\n")
            for col in range(self._scene.cols):
                mark = marks.get((row, col))
                if mark is not None:
                    style = NEUTRAL if mark.seat is None else self._seats[mark.seat]
                    line.append(self._fitted(mark.text), style)
                    continue
                owner = self._scene.owners.get((row, col))
                if owner is not None:
                    line.append("▒" * self._cell, self._bases[owner])
                else:
                    line.append(" " * self._cell, GROUNDS[self._scene.ground[row][col]])
            rows.append(line)
        return Group(*rows, self.legend(frame))

    def _fitted(self, text: str) -> str:
        """A number in the width of a cell; one that doesn't fit ends in `+`."""
        if len(text) > self._cell:
            text = text[: self._cell - 1] + "+"
        return text.rjust(self._cell)

    def legend(self, frame: Frame) -> Text:
        """Turn, seats with what they have, what the colours mean."""
        legend = Text(f"move {frame.turn}", no_wrap=False)
        for seat, name in enumerate(self._names):
            legend.append("   ")
            legend.append(" " * self._cell, self._seats[seat])
            legend.append(f" {name}: {frame.captions[seat]}")
            if seat in self._scene.owners.values():
                legend.append(", base ")
                legend.append("▒" * self._cell, self._bases[seat])
        legend.append("   ")
        legend.append("9".rjust(self._cell), NEUTRAL)
        legend.append(" neutral")
        return legend
