"""Words of a text file, taken one after another and checked strictly.

The original programs split their files on white space, so only the order of the words matters.
Errors name the place, the wrong word and what was expected there.
"""

import math
import re
from collections.abc import Callable
from typing import TypeVar

from lanista.games.base import FormatError
from lanista_protocol import shown

T = TypeVar("T")

_WORD = re.compile(r"\S+", re.ASCII)
_NO_BREAK = re.compile(r"[^\n]")
_INTEGER = re.compile(r"-?[0-9]{1,10}", re.ASCII)
_DECIMAL = re.compile(r"-?[0-9]{1,10}(?:\.[0-9]{1,17})?(?:e[-+]?[0-9]{1,3})?", re.ASCII)


class Tokens:
    """The words of a text; each method that takes one is told what is expected, for its error."""

    def __init__(self, text: str, error: type[FormatError] = FormatError) -> None:
        self._text = text
        self._error = error
        self._words: list[tuple[str, int, int]] = []  # with their lines and where they begin
        line = end = 0
        for match in _WORD.finditer(text):
            line += text.count("\n", end, match.start())
            end = match.end()
            self._words.append((match.group(), line + 1, match.start()))
        self._taken = 0

    @property
    def line(self) -> int:
        """The line of the next word, from 1; at the end, that of the last word.

        Without any words it is the last line of the text (see `remaining`).
        """
        if not self._words:
            return self._text.count("\n") + 1
        return self._words[min(self._taken, len(self._words) - 1)][1]

    @property
    def at_end(self) -> bool:
        """Whether every word has been taken."""
        return self._taken == len(self._words)

    def error(self, message: str, offset: int = 0) -> FormatError:
        """Return an error at the word that was taken last, or at a character of that word."""
        if not self._taken:
            return self._error(message, 1, 1)
        _, line, start = self._words[self._taken - 1]
        return self._error(message, line, start - self._text.rfind("\n", 0, start) + offset)

    def peek(self) -> str | None:
        """Return the next word without taking it; None at the end."""
        return None if self.at_end else self._words[self._taken][0]

    def word(self, expected: str) -> str:
        """Take any word."""
        if self.at_end:
            raise self._error(f"the file ends where {expected} belongs", self.line, None)
        self._taken += 1
        return self._words[self._taken - 1][0]

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
        """Take a whole number from `low` to `high`, or from `low` on, or any."""
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

    def remaining(self, read: Callable[[str], T]) -> T:
        """Take everything that follows, and return what another reader makes of it.

        Spaces take the place of what was read before, so that the other reader's errors name lines
        and columns of the whole file.
        """
        start = len(self._text) if self.at_end else self._words[self._taken][2]
        self._taken = len(self._words)
        return read(_NO_BREAK.sub(" ", self._text[:start]) + self._text[start:])

    def end(self) -> None:
        """Check that every word has been taken."""
        if not self.at_end:
            got = self.word("")
            raise self.error(f"expected the end of the file, got {shown(got)}")


def _range(low: int | None, high: int | None) -> str:
    if high is None:
        return f"at least {low}"
    return f"{low}" if low == high else f"from {low} to {high}"
