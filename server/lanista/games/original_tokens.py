"""A strict reader of words separated by white space, which knows the line of each.

The original programs split their files on white space, so only the order of the words matters.
This reader does the same, but checks every word, and its errors name the line, the wrong word and
what was expected there. It knows nothing of any one game.
"""

import math
import re
from collections.abc import Callable
from typing import TypeVar

from lanista_protocol import shown

T = TypeVar("T")

_WORD = re.compile(r"\S+", re.ASCII)
_INTEGER = re.compile(r"-?[0-9]{1,10}", re.ASCII)
_DECIMAL = re.compile(r"-?[0-9]{1,10}(?:\.[0-9]{1,17})?(?:e[-+]?[0-9]{1,3})?", re.ASCII)


class FormatError(Exception):
    """A file that breaks the rules of its format; names the line and what was expected."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.message = message
        """What is wrong, without the line."""
        self.line = line
        """The number of the wrong line, from 1; None if no single line is wrong."""


class Tokens:
    """The words of a text, taken one after another.

    Every method that takes a word gets a description of what is expected there, for the message
    of the FormatError that it raises if the word is something else.
    """

    def __init__(self, text: str) -> None:
        self._words: list[str] = []
        self._lines: list[int] = []
        self._starts: list[int] = []
        self._text = text
        start = 0
        for number, line in enumerate(text.split("\n"), 1):
            for match in _WORD.finditer(line):
                self._words.append(match.group())
                self._lines.append(number)
                self._starts.append(start + match.start())
            start += len(line) + 1
        self._last_line = text.count("\n", 0, len(text.rstrip())) + 1
        self._position = 0

    @property
    def line(self) -> int:
        """The line of the next word, from 1; at the end, the last line that has a word."""
        return self._last_line if self.at_end else self._lines[self._position]

    @property
    def at_end(self) -> bool:
        """Whether every word has been taken."""
        return self._position == len(self._words)

    def error(self, message: str, line: int | None = None) -> FormatError:
        """Make an error about a line; None: the line of the word that was taken last."""
        if line is None:
            line = self._lines[self._position - 1] if self._position else 1
        return FormatError(message, line)

    def peek(self) -> str | None:
        """Return the next word without taking it; None at the end."""
        return None if self.at_end else self._words[self._position]

    def word(self, expected: str) -> str:
        """Take any word."""
        if self.at_end:
            raise FormatError(f"the file ends where {expected} belongs", self._last_line)
        self._position += 1
        return self._words[self._position - 1]

    def literal(self, *wanted: str) -> None:
        """Take exactly these words, one after another."""
        for want in wanted:
            got = self.word(f"`{want}`")
            if got != want:
                raise self.error(f"expected `{want}`, got {shown(got)}")

    def choice(self, expected: str, *wanted: str) -> str:
        """Take one of these words."""
        got = self.word(expected)
        if got not in wanted:
            raise self.error(f"expected {expected}, got {shown(got)}")
        return got

    def integer(self, expected: str, low: int | None = None, high: int | None = None) -> int:
        """Take a whole number, from `low` to `high` where they are given."""
        got = self.word(expected)
        if not _INTEGER.fullmatch(got):
            raise self.error(f"expected {expected}, a whole number, got {shown(got)}")
        value = int(got)
        if (low is not None and value < low) or (high is not None and value > high):
            raise self.error(f"expected {expected}, {_range(low, high)}, got {value}")
        return value

    def integers(
        self, count: int, expected: str, low: int | None = None, high: int | None = None
    ) -> tuple[int, ...]:
        """Take `count` whole numbers."""
        return tuple(self.integer(expected, low, high) for _ in range(count))

    def decimal(self, expected: str) -> float:
        """Take a finite number, with or without digits after the point."""
        got = self.word(expected)
        if not _DECIMAL.fullmatch(got) or math.isinf(float(got)):
            raise self.error(f"expected {expected}, a number, got {shown(got)}")
        return float(got)

    def matching(self, pattern: "re.Pattern[str]", expected: str) -> str:
        """Take a word, all of which matches a pattern."""
        got = self.word(expected)
        if not pattern.fullmatch(got):
            raise self.error(f"expected {expected}, got {shown(got)}")
        return got

    def remaining(self, read: Callable[[str], T]) -> T:
        """Take everything that follows, and return what another reader makes of it.

        Lines before the next word are replaced by empty ones, so that the other reader's errors
        name the lines of the whole file.
        """
        start = len(self._text) if self.at_end else self._starts[self._position]
        before = "\n" * self._text.count("\n", 0, start)
        self._position = len(self._words)
        return read(before + self._text[start:])

    def end(self) -> None:
        """Check that every word has been taken."""
        if not self.at_end:
            got = self._words[self._position]
            raise FormatError(f"expected the end of the file, got {shown(got)}", self.line)


def _range(low: int | None, high: int | None) -> str:
    if low is None:
        return f"at most {high}"
    if high is None:
        return f"at least {low}"
    return f"{low}" if low == high else f"from {low} to {high}"
