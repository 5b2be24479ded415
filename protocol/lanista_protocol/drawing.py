"""Log lines that draw on the board: what a bot's lines that begin `#@` mean (PROTOCOL.md 9).

Lines are read when they are shown, never when they arrive. Whatever a log contains, reading it
raises nothing, and what comes out is bounded; nothing here draws, and nothing knows a game.
"""

import enum
import re
from collections.abc import Sequence

import attrs

from lanista_protocol.errors import shown
from lanista_protocol.session import LOG_CUT

MARK = "#@"
"""The beginning of a log line that draws."""
COLOURS = ("own", "red", "orange", "yellow", "green", "blue", "pink", "gray", "ink")
"""The colours that have a name; `own` is that of the bot's seat."""
MAX_LINE = 8000
"""Maximum length of a line, in code points."""
MAX_DRAWINGS = 500
"""Maximum number of drawings of a bot in a turn."""
MAX_POINTS = 4000
"""Maximum number of points of all drawings of a bot in a turn."""
MAX_VALUES = 20
"""Maximum number of values of a bot in a turn."""
MAX_TEXT = 80
"""Maximum length of a text on the board, in code points."""
MAX_NUMBER = 1e15
"""Maximum absolute value of a number that becomes a curve."""

_INTEGER = re.compile(r"-?[0-9]{1,10}")
_COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,32}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MAX_DIGITS = 32
_CUT = LOG_CUT.removesuffix("\n")
_COUNTS = {"cell": (2, MAX_LINE), "line": (4, MAX_LINE), "arrow": (4, MAX_LINE), "text": (2, 3)}
"""By kind of drawing: the minimum and maximum number of integers before its colour."""
_FORMS = {
    "cell": "`#@ cell ROW COLUMN [ROW COLUMN …] [LEVEL] COLOUR`",
    "line": "`#@ line ROW COLUMN ROW COLUMN [ROW COLUMN …] [LEVEL] COLOUR`",
    "arrow": "`#@ arrow ROW COLUMN ROW COLUMN [ROW COLUMN …] [LEVEL] COLOUR`",
    "text": "`#@ text ROW COLUMN [LEVEL] COLOUR TEXT`",
    "value": "`#@ value NAME NUMBER`",
}


class Fault(enum.Enum):
    """Why a line that begins `#@` draws nothing."""

    CUT = "cut"
    LONG = "long"
    KIND = "kind"
    FORM = "form"
    WORD = "word"
    CELL = "cell"
    TEXT = "text"
    NAME = "name"
    NUMBER = "number"
    MANY = "many"


@attrs.frozen(kw_only=True)
class Drawing:
    """Something that a bot draws on the board in one turn."""

    kind: str
    """`cell`, `line`, `arrow` or `text`."""
    points: tuple[tuple[int, int], ...]
    """Cells of the level, as (row, column): those to mark, or the corners of the line."""
    level: int
    colour: str
    """One of `COLOURS`, or `#rrggbb`."""
    text: str = ""
    """The text of a `text`, which may contain any characters except spaces at its ends."""


@attrs.frozen
class Value:
    """A number that a bot names in one turn."""

    name: str
    number: float


@attrs.frozen
class Remark:
    """Why a line that begins `#@` is shown as text."""

    fault: Fault
    words: str
    """A sentence for people that says what is wrong and what would be right."""


@attrs.frozen
class LogLine:
    """A line of a log with its meaning."""

    text: str
    """The line without its newline, as the bot sent it."""
    content: Drawing | Value | Remark | None
    """None if the line isn't meant to draw."""


def read_log(log: str, levels: Sequence[tuple[int, int]]) -> list[LogLine]:
    """Return the lines of a bot's log of one turn, each with its meaning.

    Args:
        log: The log, with newlines.
        levels: The number of rows and of columns of each level of the board.
    """
    texts = log.split("\n")
    if texts[-1] == "":
        texts.pop()
    lines: list[LogLine] = []
    drawings = points = values = 0
    for index, text in enumerate(texts):
        content: Drawing | Value | Remark | None = None
        if text.startswith(MARK):
            if texts[index + 1 : index + 2] == [_CUT]:
                content = Remark(Fault.CUT, "the log was cut here, so this line may be incomplete")
            else:
                content = read_line(text, levels)
        if isinstance(content, Drawing):
            if drawings == MAX_DRAWINGS:
                words = f"only {MAX_DRAWINGS} drawings in a turn are shown"
                content = Remark(Fault.MANY, words)
            elif points + len(content.points) > MAX_POINTS:
                words = f"only {MAX_POINTS} points in a turn are shown"
                content = Remark(Fault.MANY, words)
            else:
                drawings += 1
                points += len(content.points)
        elif isinstance(content, Value):
            if values == MAX_VALUES:
                content = Remark(Fault.MANY, f"only {MAX_VALUES} values in a turn are shown")
            else:
                values += 1
        lines.append(LogLine(text, content))
    return lines


def read_line(line: str, levels: Sequence[tuple[int, int]]) -> Drawing | Value | Remark:
    """Return the meaning of a line that begins `#@`, without the limits of a turn.

    Args:
        line: The line, with or without a carriage return at its end.
        levels: The number of rows and of columns of each level of the board.
    """
    line = line.removesuffix("\r")
    if len(line) > MAX_LINE:
        return Remark(Fault.LONG, f"the line has {len(line)} characters; at most {MAX_LINE}")
    words = [word for word in line.removeprefix(MARK).split(" ") if word]
    kind = words[0] if words else ""
    if kind not in _FORMS:
        known = ", ".join(_FORMS)
        return Remark(Fault.KIND, f"{shown(kind)} can't be drawn; known are {known}")
    if kind == "value":
        return _read_value(words)
    count = 1
    while count < len(words) and _INTEGER.fullmatch(words[count]):
        count += 1
    numbers = [int(word) for word in words[1:count]]
    rest = words[count:]
    if rest and rest[0] not in COLOURS and not _COLOUR.fullmatch(rest[0]):
        known = ", ".join(COLOURS)
        return Remark(
            Fault.WORD,
            f"{shown(rest[0])} is neither an integer nor a colour; colours are {known} and #rrggbb",
        )
    least, most = _COUNTS[kind]
    if not rest or not least <= len(numbers) <= most or (len(rest) > 1) != (kind == "text"):
        return _bad_form(kind)
    level = numbers.pop() if len(numbers) % 2 else 0
    points = tuple(zip(numbers[::2], numbers[1::2], strict=True))
    outside = _outside(points, level, levels)
    if outside is not None:
        return outside
    text = " ".join(rest[1:])
    if len(text) > MAX_TEXT:
        return Remark(Fault.TEXT, f"the text has {len(text)} characters; at most {MAX_TEXT}")
    return Drawing(kind=kind, points=points, level=level, colour=rest[0], text=text)


def _read_value(words: Sequence[str]) -> Value | Remark:
    if len(words) != 3:
        return _bad_form("value")
    _, name, digits = words
    if not _NAME.fullmatch(name):
        return Remark(
            Fault.NAME, f"{shown(name)} isn't a name; names are 1 to 32 of A-Z a-z 0-9 . _ -"
        )
    if len(digits) <= _MAX_DIGITS and _NUMBER.fullmatch(digits):
        number = float(digits)
        if abs(number) <= MAX_NUMBER:
            # Zero without a sign, as it would be shown.
            return Value(name, number or 0.0)
    return Remark(
        Fault.NUMBER,
        f"{shown(digits)} isn't a number from -1e15 to 1e15 of at most {_MAX_DIGITS} characters",
    )


def _outside(
    points: Sequence[tuple[int, int]], level: int, levels: Sequence[tuple[int, int]]
) -> Remark | None:
    """Return a remark if a point isn't on the board."""
    if not 0 <= level < len(levels):
        return Remark(Fault.CELL, f"there is no level {level}; levels are 0 to {len(levels) - 1}")
    rows, cols = levels[level]
    for row, col in points:
        if not (0 <= row < rows and 0 <= col < cols):
            return Remark(
                Fault.CELL,
                f"row {row}, column {col} isn't on the board; rows are 0 to {rows - 1}, "
                f"columns 0 to {cols - 1}",
            )
    return None


def _bad_form(kind: str) -> Remark:
    return Remark(Fault.FORM, f"the form is {_FORMS[kind]}")
