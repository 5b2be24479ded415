"""The evidence of a finding in words: where it was, the bytes, what the bot itself wrote.

Lines here may hold anything that a bot sent or printed; whoever prints them escapes them.
"""

from collections.abc import Iterator

from lanista.check import games
from lanista.check.bout import Bout, Slip

WRONG_ANSWER = frozenset({"malformed", "illegal", "line-too-long", "not-utf8", "too-many-submoves"})
"""Codes of faults of what an answer says."""
LATE, LEFT = "late", "disconnected"
SHOWN = 3
"""Faults of a kind that are shown."""
LINE_SHOWN = 72
"""Characters of an answer that are shown around what is wrong in it."""
OUTPUT_LINES, OUTPUT_COLUMNS = 5, 200
"""Of what the bot itself wrote, how much is shown."""


def gone(bout: Bout, slip: Slip) -> tuple[str, ...]:
    """How the bot left a match, and what its process said to that."""
    how = f"; its process: {bout.exit}" if bout.exit is not None else ""
    return (f"{place(bout, slip)}: {slip.words}{how}", *output_of(bout))


def place(bout: Bout, slip: Slip) -> str:
    """Where something went wrong, as `the plain match, turn 2, submove 0`."""
    where = bout.spec.name
    if bout.spec.matches > 1:
        where += f", match {slip.match}"
    where += f", turn {slip.turn}"
    return where if slip.index is None else f"{where}, submove {slip.index}"


def output_of(bout: Bout) -> list[str]:
    """The last lines that the bot's process wrote."""
    lines = [line for line in bout.output.splitlines() if line.strip()]
    return ["the last it wrote:"] * bool(lines) + [
        f"  {line[:OUTPUT_COLUMNS]}" for line in lines[-OUTPUT_LINES:]
    ]


def wrong(game: str, bout: Bout, slip: Slip) -> Iterator[str]:
    """A fault of an answer, and the bytes that it is about."""
    # The runner's words of a malformed line end by the line, which is shown whole below.
    yield f"{place(bout, slip)}: {slip.code}: {slip.words.partition('; the line was ')[0]}"
    if slip.raw is None:
        if slip.code in WRONG_ANSWER and bout.tap is not None and bout.tap.last:
            yield f"  its bytes: {shown(bout.tap.last)}"
        return
    line = f"  the line: {shown(slip.raw.encode())}"
    words = slip.raw.split()
    if slip.index is not None:
        submove = games.submove_at(game, words, slip.index)
        if submove is not None and len(slip.raw) > LINE_SHOWN:
            yield f"  the submove: {shown(' '.join(submove).encode())}"
    yield line


def shown(line: bytes) -> str:
    """A line of the bot's, in quotes, cut; bytes that aren't text are escaped."""
    text = line[:LINE_SHOWN].decode("utf-8", "backslashreplace")
    cut = f" … ({counted(len(line), 'byte')})" if len(line) > LINE_SHOWN else ""
    return f'"{text}"{cut}'


def counted(count: int, thing: str, things: str = "") -> str:
    """A number of things: `1 turn`, `2 turns`."""
    return f"{count} {thing if count == 1 else things or thing + 's'}"
