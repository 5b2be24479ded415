"""The evidence of a finding as lines of text: where it was, the bytes, what the bot itself wrote.

The lines may hold anything that a bot sent or printed; whoever prints them escapes them.
"""

from collections.abc import Iterator

from lanista.check import games
from lanista.check.bout import Bout, Slip

WRONG_ANSWER = frozenset({"malformed", "illegal", "line-too-long", "not-utf8", "too-many-submoves"})
"""The codes of faults in the contents of an answer."""
LATE, LEFT = "late", "disconnected"
SHOWN = 3
"""The number of faults of one kind that are shown."""
LINE_SHOWN = 72
"""The number of characters of an answer that are shown."""
OUTPUT_LINES, OUTPUT_COLUMNS = 5, 200
"""The number of lines of the bot's own output that are shown, and of characters of each."""


def gone(bout: Bout, slip: Slip) -> tuple[str, ...]:
    """Return how the bot left a match, how its process ended, and what it wrote last."""
    how = f"; its process: {bout.exit}" if bout.exit is not None else ""
    return (f"{place(bout, slip)}: {slip.message}{how}", *output_of(bout))


def place(bout: Bout, slip: Slip) -> str:
    """Return where something went wrong, as `the plain match, turn 2, submove 0`."""
    where = bout.spec.name
    if bout.spec.matches > 1:
        where += f", match {slip.match}"
    where += f", turn {slip.turn}"
    return where if slip.index is None else f"{where}, submove {slip.index}"


def output_of(bout: Bout) -> list[str]:
    """Return the last lines that the bot wrote, under a heading; nothing if it wrote none."""
    lines = [line for line in bout.output.splitlines() if line.strip()]
    if not lines:
        return []
    return ["the last it wrote:", *(f"  {line[:OUTPUT_COLUMNS]}" for line in lines[-OUTPUT_LINES:])]


def wrong(bout: Bout, slip: Slip) -> Iterator[str]:
    """Yield a fault of an answer, and the bytes that it is about."""
    # The message about a malformed line ends with the line, which is shown below.
    yield f"{place(bout, slip)}: {slip.code}: {slip.message.partition('; the line was ')[0]}"
    if slip.raw is None:
        if slip.code in WRONG_ANSWER and bout.tap is not None and bout.tap.last:
            yield f"  its bytes: {shown(bout.tap.last)}"
        return
    line = f"  the line: {shown(slip.raw.encode())}"
    if slip.index is not None:
        submove = games.submove_at(bout.spec.ruleset, slip.raw.split(), slip.index)
        if submove is not None and len(slip.raw) > LINE_SHOWN:
            yield f"  the submove: {shown(' '.join(submove).encode())}"
    yield line


def shown(line: bytes) -> str:
    """Return a line of the bot's in quotes, cut; bytes that aren't text are escaped."""
    text = line[:LINE_SHOWN].decode("utf-8", "backslashreplace")
    cut = f" … ({counted(len(line), 'byte')})" if len(line) > LINE_SHOWN else ""
    return f'"{text}"{cut}'


def counted(count: int, thing: str, things: str = "") -> str:
    """Return a number of things, as `1 turn` or `2 turns`."""
    return f"{count} {thing if count == 1 else things or thing + 's'}"
