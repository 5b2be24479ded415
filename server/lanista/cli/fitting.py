"""Choosing how a board is drawn in a window: the size of its cells, and its parts if need be."""

import textwrap
from collections.abc import Callable, Sequence

import attrs

from lanista.games.picture import Scene


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
    """The maximum number of lines of the legend."""
    notice: str = ""
    """If the whole board doesn't fit: the size of a window that shows it."""


Heads = Callable[[int], Sequence[int]]
"""Gives, for a width, the number of lines of each legend, from the longest to the shortest."""


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
            layout = _fitted(window, cells, (screen,), heads)
            if layout is not None:
                return layout
    sizes = " or ".join(_needed(choices[-1], screen, heads) for screen in wholes)
    notice = f"a window of {sizes} shows all of it"
    for cells in choices if levels else ():
        screens = tuple((level,) for level in levels)
        layout = _fitted(window, cells, screens, heads, notice)
        if layout is not None:
            return layout
    return _in_rectangles(window, choices[-1], levels or whole, heads, notice)


def said(layout: Layout, screen: int) -> str:
    """Return what to say above a screen: which part is seen, and what would show the whole."""
    if not layout.notice or len(layout.screens) == 1:
        return layout.notice
    (part,) = layout.screens[screen]
    return f"shown: {part.title}, in turn; {layout.notice}"


def lines_of(text: str, width: int) -> list[str]:
    """Return a text in lines of a width."""
    return textwrap.wrap(text, max(width, 1))


def _fitted(
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
            _height(cells, screen, lines) + len(lines_of(said(layout, number), window.width))
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
            len(lines_of(said(layout, number), window.width)) for number in range(len(smaller))
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
