"""A strict reader of words separated by white space, which knows the line of each.

What the files of the original games have in common: their own readers split on white space, so
only the order of the words matters; ours says in which line which word is wrong and what would
be right. No game's name here.
"""

import math
import re
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_WORD = re.compile(r"\S+", re.ASCII)
_INTEGER = re.compile(r"-?[0-9]{1,10}", re.ASCII)
_DECIMAL = re.compile(r"-?[0-9]{1,10}(?:\.[0-9]{1,17})?(?:e[-+]?[0-9]{1,3})?", re.ASCII)
_SHOWN = 40


class FormatError(Exception):
    """A file that isn't what its format says; names the line and what would be right."""

    def __init__(self, words: str, line: int | None = None) -> None:
        super().__init__(words if line is None else f"line {line}: {words}")
        self.words = words
        """What is wrong, without the line."""
        self.line = line
        """From 1; None when no single line is wrong."""


class Tokens:
    """The words of a text, taken one after another.

    Every method that takes a word is told what is expected there, in words for a person, and
    raises FormatError when it finds something else.
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
        self._at = 0

    @property
    def line(self) -> int:
        """The line of the next word; at the end, the last line that has one."""
        return self._lines[self._at] if self._at < len(self._lines) else self._last_line

    @property
    def at_end(self) -> bool:
        """Whether every word was taken."""
        return self._at == len(self._words)

    def error(self, words: str, line: int | None = None) -> FormatError:
        """An error about a line; None: that of the word taken last."""
        if line is None:
            line = self._lines[self._at - 1] if self._at else 1
        return FormatError(words, line)

    def peek(self) -> str | None:
        """The next word, which stays; None at the end."""
        return None if self.at_end else self._words[self._at]

    def word(self, expected: str) -> str:
        """Take any word."""
        if self._at == len(self._words):
            raise FormatError(f"the file ends where {expected} belongs", self._last_line)
        self._at += 1
        return self._words[self._at - 1]

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
        """Take so many whole numbers."""
        return tuple(self.integer(expected, low, high) for _ in range(count))

    def decimal(self, expected: str) -> float:
        """Take a number, with or without digits after the point."""
        got = self.word(expected)
        if not _DECIMAL.fullmatch(got) or math.isinf(float(got)):
            raise self.error(f"expected {expected}, a number, got {shown(got)}")
        return float(got)

    def matching(self, pattern: "re.Pattern[str]", expected: str) -> str:
        """Take a word that matches a pattern as a whole."""
        got = self.word(expected)
        if not pattern.fullmatch(got):
            raise self.error(f"expected {expected}, got {shown(got)}")
        return got

    def remaining(self, read: Callable[[str], T]) -> T:
        """Take all that follows and let another reader read it.

        It gets the text with as many empty lines before it as the file has, so that the lines
        it names are the file's.
        """
        start = len(self._text) if self.at_end else self._starts[self._at]
        before = "\n" * self._text.count("\n", 0, start)
        self._at = len(self._words)
        return read(before + self._text[start:])

    def end(self) -> None:
        """Say that nothing may follow."""
        if not self.at_end:
            got = self._words[self._at]
            raise FormatError(f"expected the end of the file, got {shown(got)}", self.line)


def shown(word: str) -> str:
    """What a file says, safe and short enough for a message."""
    return ascii(word) if len(word) <= _SHOWN else ascii(word[:_SHOWN]) + "…"


def _range(low: int | None, high: int | None) -> str:
    if low is None:
        return f"at most {high}"
    if high is None:
        return f"at least {low}"
    return f"{low}" if low == high else f"from {low} to {high}"
