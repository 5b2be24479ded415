"""Positions of any game, drawn in the terminal with a legend, and what bots draw by their logs."""

import functools
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence

import attrs
from rich.console import Console, Group
from rich.style import Style
from rich.text import Text

from lanista.games.picture import Frame, Ground, Level, Mark, Place, Scene, Shape, counted
from lanista.page.seat_colours import DARK, letter, mixed
from lanista_protocol.drawing import Drawing, LogLine, Remark, Value, read_log

of_seat = DARK.of_seat
"""The colours of a seat: those of the page's dark theme, as are all here (page/colours.js)."""
GROUNDS = {Ground.FLOOR: "#23262c", Ground.WALL: "#6d7480", Ground.BASE: "#c8453c"}
SUN = "#6b5f2a"
"""The colour of floor that is in the light."""
THINGS = {
    Shape.BOOK: "#8f6f40",
    Shape.GEM: "#ffd028",
    **dict.fromkeys((Shape.BEAST, Shape.FIEND, Shape.HOUND), "#ffffff"),
    Shape.SHIP: "#b9bac2",
}
"""Colours of what belongs to no seat; everything else has that of `DARK.neutral`.

What kills isn't red as on the page, since without its shape it would look like an orange unit.
"""
_TINTS = {
    **dict.fromkeys((Shape.SQUARE, Shape.GHOST), ("#ffffff", 0.5)),
    **dict.fromkeys((Shape.CROSS, Shape.TURNCOAT, Shape.WARRIOR), ("#000000", 0.3)),
}
"""Shapes of units that differ from their seat's colour: the colour mixed in, and its share."""
MANY_COLOURS = ("256", "truecolor")
"""The colour systems, as rich names them, that can show the page's colours."""
HALF = "▀"
"""The character whose foreground is the upper of two cells, and whose background the lower."""

DRAWING_COLOURS = {
    "red": "red1",
    "orange": "orange1",
    "yellow": "yellow1",
    "green": "green3",
    "blue": "dodger_blue1",
    "pink": "orchid1",
    "gray": "grey62",
    "ink": "bright_white",
}
"""The terminal's names of the colours; `own` is that of the bot's seat."""
MAX_SHOWN = 12
"""Maximum number of texts and remarks of a bot that are listed."""

Drawn = Mapping[Place, str]
"""The colours of the cells that bots mark, as by `turn_drawings`."""


@attrs.frozen
class Window:
    """The room for a drawing, in characters."""

    width: int
    height: int | None = None
    """The number of lines; None where the text scrolls, so that any number will do."""


@attrs.frozen
class Cells:
    """How cells are drawn: as characters with texts, or two, one above the other, in one."""

    width: int = 1
    half: bool = False
    """Whether a character shows two cells, by their colours alone."""

    def lines(self, rows: int) -> int:
        """Return the number of lines that rows of cells take."""
        return (rows + 1) // 2 if self.half else rows


@attrs.frozen
class Part:
    """A rectangle of the grid."""

    row: int
    rows: int
    col: int
    cols: int
    title: str = ""
    """Its name, such as `underground` or `rows 0 to 39 of 60`; empty for the whole grid."""


@attrs.frozen
class Layout:
    """How a board is drawn in a window."""

    cells: Cells
    screens: tuple[tuple[Part, ...], ...]
    """The parts that are seen together, from above; several screens are seen in turn."""
    legend: int
    """The number of the legend, from the longest to the shortest."""
    legend_lines: int
    notice: str = ""
    """If the whole board doesn't fit: the size of a window that shows it."""


Heads = Callable[[int], Sequence[int]]
"""Gives, for a width, the number of lines of each legend, from the longest to the shortest."""


@functools.lru_cache(4096)  # bots choose colours too
def _style(colour: str | None, ground: str | None = None, *, bold: bool = False) -> Style:
    return Style(color=colour, bgcolor=ground, bold=bold or None)


@attrs.frozen
class _Position:
    """A frame, ready to be drawn cell by cell."""

    frame: Frame
    marks: Mapping[Place, Mark]
    drawn: Drawn


def _of_units(seat: int | None) -> Style:
    colours = of_seat(seat)
    return _style(colours.on, colours.unit, bold=seat is not None)


class BoardView:
    """Draws frames of one scene, in the largest cells that a window has room for.

    Where letters don't fit and the console has colours, a character shows two cells. If the whole
    board doesn't fit even so, its parts are shown in turn, and a line above says which one it is.
    On a console with no colours or few (a pipe, TERM=dumb or linux, NO_COLOR) there are characters
    in their place: `#` for walls, the seat's letter before units.
    """

    def __init__(
        self, scene: Scene, names: Sequence[str], cell_width: int, console: Console
    ) -> None:
        """Set up the drawing of a scene on a console, in cells of at most a width in characters."""
        self._scene = scene
        self._names = names
        self._console = console
        self._plain = console.color_system not in MANY_COLOURS or console.no_color
        # Without colours a cell also needs room for its seat's letter.
        self._choices = [Cells(width + self._plain) for width in range(cell_width, 0, -1)]
        if not self._plain and not console.options.ascii_only:
            self._choices.append(Cells(half=True))
        self._most_lines: dict[tuple[int, int], int] = {}

    def print(self, frame: Frame, drawn: Drawn) -> None:
        """Print legend and board once.

        Only the width of a terminal matters: it scrolls. Elsewhere long lines aren't cut.
        """
        width = self._console.width if self._console.is_terminal else sys.maxsize
        for line in self._all(frame, width, self._choices, drawn):
            self._console.print(line, soft_wrap=True)

    def screen(self, frame: Frame, number: int, drawn: Drawn) -> Group:
        """Return legend and board for the console's window; its size may change between frames.

        If only a part fits, the number says which one, counted from 0 and again after the last.
        """
        window = Window(*self._console.size)
        layout = self._fit(frame, window, self._choices)
        number %= len(layout.screens)
        lines = [Text(line) for line in textwrap.wrap(said(layout, number), window.width)]
        lines += self._head(frame, window.width, layout)
        lines += self._board(layout.screens[number], layout.cells, frame, drawn)
        return Group(*lines)

    def last_screen(self, frame: Frame, drawn: Drawn) -> Group:
        """Return what is left in the terminal after the match: all parts, one below another."""
        if not self._fit(frame, Window(*self._console.size), self._choices).notice:
            return self.screen(frame, 0, drawn)
        return Group(*self._all(frame, self._console.width, self._choices[-1:], drawn))

    def _all(self, frame: Frame, width: int, choices: Sequence[Cells], drawn: Drawn) -> list[Text]:
        """Return legend and board for a width, with the parts one below another."""
        layout = self._fit(frame, Window(width), choices)
        lines = self._head(frame, width, layout)
        parts = [part for screen in layout.screens for part in screen]
        return [*lines, *self._board(parts, layout.cells, frame, drawn)]

    def _fit(self, frame: Frame, window: Window, choices: Sequence[Cells]) -> Layout:
        legends = [self.legend(frame, choices[-1], signs=signs) for signs in (True, False)]

        @functools.cache
        def heads(width: int) -> Sequence[int]:
            lines = [len(legend.wrap(self._console, width)) for legend in legends]
            # A legend that was longer once may be so again: the layout would flicker.
            for at, count in enumerate(lines):
                most = max(count, self._most_lines.get((width, at), 0))
                self._most_lines[width, at] = lines[at] = most
            return lines

        return fit(self._scene, window, choices, heads)

    def _head(self, frame: Frame, width: int, layout: Layout) -> list[Text]:
        """Return the lines of the legend; one that is too long is cut, and ends in `…`."""
        legend = self.legend(frame, layout.cells, signs=not layout.legend)
        lines = list(legend.wrap(self._console, width))
        if len(lines) > layout.legend_lines:
            lines = lines[: layout.legend_lines]
            lines[-1].truncate(max(width - 1, 0))
            lines[-1].append("…")
        return lines

    # The board

    def _board(
        self, parts: Sequence[Part], cells: Cells, frame: Frame, drawn: Drawn
    ) -> Iterator[Text]:
        position = _Position(frame, {(mark.row, mark.col): mark for mark in frame.marks}, drawn)
        for part in parts:
            if len(parts) > 1:
                yield Text(part.title, no_wrap=True)
            for row in range(part.row, part.row + part.rows, 2 if cells.half else 1):
                if cells.half:
                    pairs = self._halves(row, part, position)
                else:
                    pairs = self._texts(row, part, cells.width, position)
                line = Text(no_wrap=True)
                for text, style in _joined(pairs):
                    line.append(text, style)
                yield line

    def _texts(
        self, row: int, part: Part, width: int, position: _Position
    ) -> Iterator[tuple[str, Style]]:
        for col in range(part.col, part.col + part.cols):
            mark = position.marks.get((row, col))
            text, style = self._cell(row, col, width, mark, position.frame)
            if (row, col) in position.drawn:
                text, style = self._marked(text, style, position.drawn[row, col], mark)
            yield text, style

    def _halves(self, row: int, part: Part, position: _Position) -> Iterator[tuple[str, Style]]:
        has_lower = row + 1 < part.row + part.rows
        for col in range(part.col, part.col + part.cols):
            upper = self._colour((row, col), position)
            lower = self._colour((row + 1, col), position) if has_lower else None
            yield HALF, _style(upper, lower)

    def _colour(self, place: Place, position: _Position) -> str:
        """Return the colour of a cell without a text; what stands on it hides a bot's mark."""
        if place in position.marks:
            mark = position.marks[place]
            return of_shape(mark.shape, mark.seat)
        if place in position.drawn:
            return position.drawn[place]
        owner = self._scene.owners.get(place, position.frame.owned.get(place))
        if owner is not None:
            return of_seat(owner).ground
        row, col = place
        ground = self._scene.ground[row][col]
        return SUN if ground is Ground.FLOOR and col in position.frame.lit else GROUNDS[ground]

    def _cell(
        self, row: int, col: int, width: int, mark: Mark | None, frame: Frame
    ) -> tuple[str, Style]:
        if mark is not None:
            of_its_seat = letter(mark.seat) if self._plain and mark.seat is not None else ""
            return _fitted(of_its_seat + mark.text, width), _of_units(mark.seat)
        owner = self._scene.owners.get((row, col))
        if owner is not None:
            return self._base(owner, width)
        holder = frame.owned.get((row, col))
        if holder is not None:
            sign = letter(holder).lower() if self._plain else " "
            return sign.rjust(width), _style(None, of_seat(holder).ground)
        return self._ground(self._scene.ground[row][col], width, lit=col in frame.lit)

    def _marked(self, text: str, style: Style, colour: str, mark: Mark | None) -> tuple[str, Style]:
        """Return the text and style of a cell that a bot marks; what stands on it stays."""
        if self._plain:
            return "*" + text[1:], style
        if mark is not None:
            return text, style + Style(color=colour, underline=True)
        return text, _style("black", colour)

    def _ground(self, ground: Ground, width: int, *, lit: bool) -> tuple[str, Style]:
        sign, colour = ground.value, GROUNDS[ground]
        if lit and ground is Ground.FLOOR:
            sign, colour = "'", SUN
        return (sign if self._plain else " ").rjust(width), _style(None, colour)

    def _base(self, seat: int, width: int) -> tuple[str, Style]:
        text = f"<{letter(seat)}".rjust(width) if self._plain else "▒" * width
        return text, _style(of_seat(seat).unit, of_seat(seat).ground)

    # The legend

    def legend(self, frame: Frame, cells: Cells, *, signs: bool = True) -> Text:
        """Return the turn, each seat's letter, colour and caption, and what the signs mean."""
        legend = Text(f"{self._scene.turn_word} {frame.turn}")
        for seat, name in enumerate(self._names):
            legend.append("   ")
            legend.append(letter(seat), _of_units(seat))
            legend.append(f" {name}: {frame.captions[seat]}")
            if signs and seat in self._scene.owners.values():
                text, style = self._base(seat, cells.width)
                legend.append(", base ")
                legend.append(text.strip(), style)
        if signs:
            for sign, style, meaning in self._signs(frame, cells):
                legend.append("   ")
                legend.append(sign, style)
                legend.append(f" {meaning}")
        return legend

    def _signs(self, frame: Frame, cells: Cells) -> Iterator[tuple[str, Style, str]]:
        if cells.half:
            for shape, _, meaning in self._scene.kinds:
                seats = {mark.seat for mark in frame.marks if mark.shape is shape}
                seat = None if None in seats or not seats else 0
                yield "■", _style(of_shape(shape, seat)), meaning
        else:
            for sign, meaning in self._scene.signs:
                yield sign, _of_units(None), meaning
        if frame.lit:
            sign, style = self._ground(Ground.FLOOR, cells.width, lit=True)
            yield sign, style, "sun"


def _fitted(text: str, width: int) -> str:
    """Return a text in the width of a cell; one that doesn't fit is cut and ends in `+`."""
    if len(text) > width:
        text = text[: width - 1] + "+"
    return text.rjust(width)


def _joined(pairs: Iterator[tuple[str, Style]]) -> Iterator[tuple[str, Style]]:
    """Yield texts and styles with neighbours of one style joined, which are drawn faster."""
    text, last = "", None
    for more, style in pairs:
        if last is not None and style is not last:
            yield text, last
            text = ""
        text, last = text + more, style
    if last is not None:
        yield text, last


def of_shape(shape: Shape, seat: int | None) -> str:
    """Return the colour of a shape of a seat, or of no seat, that is drawn without a text."""
    if seat is None:
        return THINGS.get(shape, DARK.neutral.unit)
    colour = of_seat(seat).unit
    return mixed(colour, *_TINTS[shape]) if shape in _TINTS else colour


# Choosing the layout


def fit(scene: Scene, window: Window, choices: Sequence[Cells], heads: Heads) -> Layout:
    """Return the layout that shows the most of a board; of equals, the one with larger cells.

    What doesn't fit whole is shown by levels in turn; if these don't fit either, by rectangles.
    """
    whole = (Part(0, scene.rows, 0, scene.cols),)
    levels = tuple(
        Part(0, scene.rows, level.col, level.cols, level.title) for level in scene.levels
    )
    wholes = [whole, levels] if levels else [whole]
    for cells in choices:
        for screen in wholes:
            layout = _layout_in(window, cells, (screen,), heads)
            if layout is not None:
                return layout
    sizes = " or ".join(_needed(choices[-1], screen, heads) for screen in wholes)
    notice = f"a window of {sizes} shows all of it"
    for cells in choices if levels else ():
        screens = tuple((level,) for level in levels)
        layout = _layout_in(window, cells, screens, heads, notice)
        if layout is not None:
            return layout
    return _in_rectangles(window, choices[-1], levels or whole, heads, notice)


def said(layout: Layout, screen: int) -> str:
    """Return what to say above a screen: which part is seen, and what would show the whole."""
    if not layout.notice or len(layout.screens) == 1:
        return layout.notice
    (part,) = layout.screens[screen]
    return f"shown: {part.title}, in turn; {layout.notice}"


def _layout_in(
    window: Window,
    cells: Cells,
    screens: tuple[tuple[Part, ...], ...],
    heads: Heads,
    notice: str = "",
) -> Layout | None:
    """Return the layout of screens with the longest legend that leaves room, if one does."""
    if any(part.cols * cells.width > window.width for screen in screens for part in screen):
        return None
    for legend, lines in enumerate(heads(window.width)):
        layout = Layout(cells, screens, legend, lines, notice)
        heights = (
            _height(cells, screen, lines) + len(textwrap.wrap(said(layout, number), window.width))
            for number, screen in enumerate(screens)
        )
        if window.height is None or max(heights) <= window.height:
            return layout
    return None


def _height(cells: Cells, screen: Sequence[Part], head: int) -> int:
    """Return the lines of a screen with its legend; each part below another has a title."""
    titles = len(screen) if len(screen) > 1 else 0
    return sum(cells.lines(part.rows) for part in screen) + titles + head


def _needed(cells: Cells, screen: Sequence[Part], heads: Heads) -> str:
    """Return the size of a window that shows a screen, with the shortest legend."""
    width = max(part.cols for part in screen) * cells.width
    return f"{width}x{_height(cells, screen, heads(width)[-1])}"


def _in_rectangles(
    window: Window, cells: Cells, regions: Sequence[Part], heads: Heads, notice: str
) -> Layout:
    """Return a layout of rectangles that cover the regions, each as large as the window allows."""
    lines = heads(window.width)
    legend = len(lines) - 1
    cols = max(1, window.width // cells.width)
    if window.height is None:
        head, rows = lines[-1], max(region.rows for region in regions)
    else:
        # A legend that leaves no room for the board is cut.
        head = min(lines[-1], max(1, window.height // 3))
        # No notice is longer than that of a part without the last row.
        smaller = tuple(
            (part,) for region in regions for part in _rectangles(region, region.rows - 1, cols)
        )
        layout = Layout(cells, smaller, legend, head, notice)
        longest = max(
            len(textwrap.wrap(said(layout, number), window.width)) for number in range(len(smaller))
        )
        rows = max(1, window.height - head - longest) * (2 if cells.half else 1)
    parts = [part for region in regions for part in _rectangles(region, rows, cols)]
    return Layout(cells, tuple((part,) for part in parts), legend, head, notice)


def _rectangles(region: Part, rows: int, cols: int) -> list[Part]:
    """Return rectangles of at most so many rows and columns that cover a region, in order."""
    found = []
    for row, height in _stretches(region.rows, rows):
        for col, width in _stretches(region.cols, cols):
            title = [region.title] if region.title else []
            if height < region.rows:
                title.append(f"rows {row} to {row + height - 1} of {region.rows}")
            if width < region.cols:
                title.append(f"columns {col} to {col + width - 1} of {region.cols}")
            found.append(Part(region.row + row, height, region.col + col, width, ", ".join(title)))
    return found


def _stretches(length: int, room: int) -> list[tuple[int, int]]:
    """Return starts and lengths of stretches as long as the room that cover a length evenly."""
    room = min(max(room, 1), length)
    count = -(-length // room)
    last = max(count - 1, 1)
    return [((length - room) * at // last, room) for at in range(count)]


# What bots draw


@attrs.frozen
class TurnDrawings:
    """The drawings and values of all bots in a turn (PROTOCOL.md 9)."""

    cells: Drawn
    """The colour of each cell of the grid that is marked, or that a line crosses."""
    lines: Sequence[str]
    """Values, texts, and what isn't drawn and why, as lines."""


def turn_drawings(scene: Scene, names: Sequence[str], logs: Mapping[str, str]) -> TurnDrawings:
    """Return what bots draw in a turn by what they logged in it, by seat."""
    levels = scene.parts
    sizes = [(scene.rows, level.cols) for level in levels]
    cells: dict[Place, str] = {}
    lines: list[str] = []
    for key, log in sorted(logs.items(), key=lambda item: int(item[0])):
        seat = int(key)
        read = read_log(log, sizes)
        for drawing in (line.content for line in read):
            if isinstance(drawing, Drawing) and drawing.kind != "text":
                own = of_seat(seat).unit
                colour = drawing.colour
                shade = colour if colour.startswith("#") else DRAWING_COLOURS.get(colour, own)
                level = levels[drawing.level]
                cells.update((place, shade) for place in _places(drawing, level))
        lines += _texts(f"{letter(seat)} {names[seat]}", read)
    return TurnDrawings(cells, lines)


def _places(drawing: Drawing, level: Level) -> Iterator[Place]:
    """Yield the cells of the grid that a drawing marks or crosses."""
    if drawing.kind == "cell":
        for row, col in drawing.points:
            yield row, level.col + col
        return
    for (row, col), (to_row, to_col) in zip(drawing.points, drawing.points[1:], strict=False):
        down, right = to_row - row, to_col - col
        if level.wraps and abs(right) > level.cols / 2:
            right -= level.cols if right > 0 else -level.cols
        steps = max(abs(down), abs(right), 1)
        for step in range(steps + 1):
            at = round(col + right * step / steps) % level.cols
            yield round(row + down * step / steps), level.col + at


def _texts(name: str, read: Sequence[LogLine]) -> Iterator[str]:
    """Yield what a bot draws that isn't a cell or a line."""
    contents = [line.content for line in read]
    values = {content.name: content.number for content in contents if isinstance(content, Value)}
    if values:
        yield f"{name}: " + ", ".join(f"{value} {number:g}" for value, number in values.items())
    shown = []
    for line in read:
        match line.content:
            case Drawing(kind="text", points=((row, col),), text=text):
                shown.append(f"{name}, row {row}, column {col}: {text}")
            case Remark(words=words):
                shown.append(f"{name}, not drawn: {line.text[:60]}: {words}")
    yield from shown[:MAX_SHOWN]
    if len(shown) > MAX_SHOWN:
        yield f"{name}: and {counted(len(shown) - MAX_SHOWN, 'line')} more"
