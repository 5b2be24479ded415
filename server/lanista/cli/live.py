"""The board in the terminal while a match is played or shown, and what its bots draw on it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Self

import attrs
import trio
from rich.console import Console
from rich.live import Live
from rich.text import Text

from lanista.cli.view import BoardView, lacks_colours, of_seat
from lanista.games.base import Game
from lanista.games.picture import Frame, Level, Place, Scene, counted
from lanista.match.runner import Watcher
from lanista.page.seat_colours import letter
from lanista_protocol.drawing import Drawing, LogLine, Remark, Value, read_log

PART_SECONDS = 3.0
"""Seconds for which a part of a board that doesn't fit is shown before the next one."""


DELAY = 0.05
"""Seconds for which each position is shown at first, unless another delay is given."""
LONGEST = 20.0
"""Seconds that drawing adds to a match at most, unless a delay is given."""


class LiveBoard:
    """Draws positions in the terminal; the last one stays on the screen."""

    def __init__(
        self,
        names: Sequence[str],
        cell_width: int,
        delay: float | None,
        console: Console | None = None,
    ) -> None:
        """Make a board for bots with these names, by seat; a cell has at most `cell_width`
        characters.

        Each position is shown for a delay in seconds. If it is None, that is `DELAY` at first, and
        less and less the longer the match goes on, so that it never takes `LONGEST` more.
        """
        self._names = names
        self._cell_width = cell_width
        self._delay = delay
        # Without a refreshing thread a position is drawn between turns, when no clock runs.
        self._console = console or Console(highlight=False)
        self._plain = lacks_colours(self._console)
        self._live = Live(
            console=self._console,
            auto_refresh=False,
            vertical_overflow="crop",
        )
        self._view: BoardView | None = None
        self._last: tuple[Frame, Mapping[Place, str] | None] | None = None
        self._began: float | None = None
        self._drawn_at = 0.0

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._view is not None and self._last is not None:
            frame, drawn = self._last
            self._live.update(self._view.last_screen(frame, self._console, drawn))
        self._live.stop()

    def watcher_of(self, names: Sequence[str]) -> Watcher:
        """Return the watcher of a match whose bots have these names."""
        self._names = names
        return self.watch

    def say(self, line: str) -> None:
        """Print a line above the board."""
        self._console.print(Text(line))

    async def watch(self, game: Game, drawn: Mapping[Place, str] | None = None) -> None:
        """Draw the position, and the cells that bots mark; wait for the delay. It is a match's
        `Watcher`.

        Positions that would be shown for less than a screen needs are passed over.
        """
        if self._view is None or not game.turn:
            self._view = BoardView(game.scene(), self._names, self._cell_width, plain=self._plain)
        now = trio.current_time()
        if self._began is None:
            self._began = now
        number = int((now - self._began) / PART_SECONDS)
        self._last = frame, _ = game.frame(), drawn
        delay = self._delay
        if delay is None:
            delay = DELAY * max(0.0, 1 - (now - self._began) / LONGEST)
            if delay < DELAY / 2 and now - self._drawn_at < DELAY / 2:
                return
        self._drawn_at = now
        self._live.update(self._view.screen(frame, self._console, number, drawn), refresh=True)
        await trio.sleep(delay)


# -- what bots draw in a turn (PROTOCOL.md 9) ------------------------------------------------------

COLOURS = {
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


@attrs.frozen
class TurnDrawings:
    """The drawings and values of all bots in a turn."""

    cells: Mapping[Place, str]
    """The colour of each cell of the grid that is marked, or that a line crosses."""
    lines: Sequence[str]
    """Values, texts, and what isn't drawn and why, as lines."""


def turn_drawings(scene: Scene, names: Sequence[str], logs: Mapping[str, str]) -> TurnDrawings:
    """Return what bots draw in a turn by what they logged in it, by seat."""
    levels = scene.levels or (Level(title="", col=0, cols=scene.cols),)
    sizes = [(scene.rows, level.cols) for level in levels]
    cells: dict[Place, str] = {}
    lines: list[str] = []
    for key, log in sorted(logs.items(), key=lambda item: int(item[0])):
        seat = int(key)
        if seat >= len(names):
            continue  # a record that somebody wrote otherwise
        read = read_log(log, sizes)
        for line in read:
            match line.content:
                case Drawing(kind=kind, colour=colour) as drawing if kind != "text":
                    shade = (
                        COLOURS.get(colour, of_seat(seat).unit)
                        if not colour.startswith("#")
                        else colour
                    )
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
