"""The drawings of bots in a turn (PROTOCOL.md 9), in the terminal: cells to colour, and texts."""

from collections.abc import Iterator, Mapping, Sequence

import attrs

from lanista.cli.view import of_seat
from lanista.games.picture import Level, Place, Scene, counted
from lanista.page.seat_colours import letter
from lanista_protocol.drawing import Drawing, LogLine, Remark, Value, read_log

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
    levels = scene.parts
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
