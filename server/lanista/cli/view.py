"""Positions drawn in the terminal as coloured cells with a legend, for any game."""

from collections.abc import Mapping, Sequence

from rich.console import Console, Group
from rich.style import Style
from rich.text import Text

from lanista.rules.picture import Frame, Ground, Mark, Place, Scene

SEAT_COLOURS = ("dodger_blue2", "red3", "green4", "dark_orange3")
HELD_COLOURS = ("dark_blue", "dark_red", "dark_green", "orange4")
"""Colours of ground that belongs to a seat: the seat's colour, dark."""
NEUTRAL = Style(color="grey82", bgcolor="grey35")
GROUNDS = {
    Ground.FLOOR: Style(bgcolor="grey11"),
    Ground.WALL: Style(bgcolor="grey58"),
    Ground.BASE: Style(bgcolor="grey23"),
}


SIGNS = {Ground.FLOOR: ".", Ground.WALL: "#", Ground.BASE: "="}
"""Characters for ground if there are no colours."""
LIT = Style(bgcolor="light_goldenrod3")
"""Style of floor that is in the light."""
LETTERS = "ABCD"
"""Letters that mark the seats if there are no colours."""


def lacks_colours(console: Console) -> bool:
    """Return whether a console shows no colours: a pipe, TERM=dumb, or NO_COLOR."""
    return console.color_system is None or console.no_color


class BoardView:
    """Draws frames of one scene."""

    def __init__(
        self, scene: Scene, names: Sequence[str], cell_width: int, *, plain: bool = False
    ) -> None:
        """Set up the drawing.

        Args:
            scene: What stays the same in all frames.
            names: The bots' names, by seat.
            cell_width: Width of a cell, in characters.
            plain: Whether to use characters in place of colours: `#` for walls, and the seat's
                letter before each unit.
        """
        self._scene = scene
        self._names = names
        self._plain = plain
        # Without colours a cell also needs room for its seat's letter.
        self._cell = cell_width + plain
        self._seats = [Style(color="white", bgcolor=colour, bold=True) for colour in SEAT_COLOURS]
        self._held = [Style(bgcolor=colour) for colour in HELD_COLOURS]
        self._bases = [Style(color=colour, bgcolor="grey23") for colour in SEAT_COLOURS]

    @property
    def width(self) -> int:
        """The width of a row, in characters."""
        return self._scene.cols * self._cell

    def print(
        self, frame: Frame, console: Console, drawn: Mapping[Place, str] | None = None
    ) -> None:
        """Print legend and board once; long lines aren't cut."""
        for line in self._lines(frame, drawn or {}):
            console.print(line, soft_wrap=True)

    def board(self, frame: Frame, drawn: Mapping[Place, str] | None = None) -> Group:
        """Return the legend and the board.

        Args:
            frame: What to draw.
            drawn: The colours of the cells that bots mark, as by `turn_drawings`.
        """
        return Group(*self._lines(frame, drawn or {}))

    def _lines(self, frame: Frame, drawn: Mapping[Place, str]) -> list[Text]:
        marks = {(mark.row, mark.col): mark for mark in frame.marks}
        # The legend comes first because a terminal with too few lines cuts the last ones.
        lines = [self.legend(frame)]
        for row in range(self._scene.rows):
            line = Text(no_wrap=True)
            for col in range(self._scene.cols):
                mark = marks.get((row, col))
                text, style = self._drawn(row, col, mark, frame)
                if (row, col) in drawn:
                    text, style = self._marked(text, style, drawn[row, col], mark)
                line.append(text, style)
            lines.append(line)
        return lines

    def _drawn(self, row: int, col: int, mark: Mark | None, frame: Frame) -> tuple[str, Style]:
        """Return a cell's text and style."""
        if mark is not None:
            style = NEUTRAL if mark.seat is None else self._seats[mark.seat]
            letter = LETTERS[mark.seat] if self._plain and mark.seat is not None else ""
            return self._fitted(letter + mark.text), style
        owner = self._scene.owners.get((row, col))
        if owner is not None:
            return self._base(owner)
        holder = frame.owned.get((row, col))
        if holder is not None:
            sign = LETTERS[holder].lower() if self._plain else " "
            return sign.rjust(self._cell), self._held[holder]
        return self._ground(self._scene.ground[row][col], lit=col in frame.lit)

    def _marked(self, text: str, style: Style, colour: str, mark: Mark | None) -> tuple[str, Style]:
        """Return the text and style of a cell that a bot marks; what stands on it stays."""
        if self._plain:
            return "*" + text[1:], style
        if mark is not None:
            return text, style + Style(color=colour, underline=True)
        return text, Style(color="black", bgcolor=colour)

    def _ground(self, ground: Ground, *, lit: bool) -> tuple[str, Style]:
        sign = SIGNS[ground]
        style = GROUNDS[ground]
        if lit and ground is Ground.FLOOR:
            sign, style = "'", LIT
        return (sign if self._plain else " ").rjust(self._cell), style

    def _base(self, seat: int) -> tuple[str, Style]:
        text = f"<{LETTERS[seat]}".rjust(self._cell) if self._plain else "▒" * self._cell
        return text, self._bases[seat]

    def _fitted(self, text: str) -> str:
        """Return a text in the width of a cell; one that doesn't fit is cut and ends in `+`."""
        if len(text) > self._cell:
            text = text[: self._cell - 1] + "+"
        return text.rjust(self._cell)

    def legend(self, frame: Frame) -> Text:
        """Return the legend: the turn, each seat's caption, and the meaning of the colours."""
        legend = Text(f"move {frame.turn}")
        for seat, name in enumerate(self._names):
            legend.append("   ")
            legend.append(LETTERS[seat] if self._plain else " " * self._cell, self._seats[seat])
            legend.append(f" {name}: {frame.captions[seat]}")
            if seat in self._scene.owners.values():
                text, style = self._base(seat)
                legend.append(", base ")
                legend.append(text.strip(), style)
        for sign, meaning in self._scene.signs:
            legend.append("   ")
            legend.append(sign, NEUTRAL)
            legend.append(f" {meaning}")
        if frame.lit:
            legend.append("   ")
            legend.append(*self._ground(Ground.FLOOR, lit=True))
            legend.append(" sun")
        return legend
