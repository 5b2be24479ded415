"""The family of Lanista's errors about what it was given, or about what it met.

A program that uses Lanista as a library catches `LanistaError` for all of them. Each message is one
line for a person and names what is wrong and where; the commands print the same messages. About an
unknown name, it ends with `did_you_mean`.
"""

import contextlib
from collections.abc import Iterable, Iterator
from heapq import nlargest
from pathlib import Path
from typing import Any

COMPARED = 64
"""Number of characters of a name that are compared; comparing a long text would take long."""
CANDIDATES = 20
"""Number of known names that a name is compared with; comparing it with 500 would take 20 ms."""
MAX_QUOTING = 900
"""Maximum length of a message that quotes what a stranger may have written, in characters."""


class LanistaError(Exception):
    """The base of all errors that Lanista raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickled without `__init__`, whose arguments may be others than `args`: an error that
        # can't be unpickled blocks the pool of processes that it comes from.
        return type(self).__new__, (type(self), *self.args), self.__dict__


class BadInputError(LanistaError):
    """Something that was given can't be used; the message says what, and what can be used."""


class SpecError(BadInputError):
    """A spec can't be used: the message is one line with the key, the mistake, and its remedy."""


class RefusedError(BadInputError):
    """A request of a visitor or of the operator isn't carried out."""

    def __init__(self, status: int, message: str) -> None:
        """Remember the status of HTTP that stands for the kind of reason."""
        super().__init__(message)
        self.status = status


class CannotListenError(LanistaError):
    """It is impossible to listen on the given address."""


class StoreError(LanistaError):
    """A database can't be used, or not now; the message names it and the reason in one line."""


class FileError(LanistaError, OSError):
    """A file can't be read or written; the message names it."""

    def __str__(self) -> str:
        return str(self.args[0])  # OSError would put its own words in place of ours


@contextlib.contextmanager
def placed(place: str) -> Iterator[None]:
    """Turn a `BadInputError` within into a `SpecError` that begins with the place in a file."""
    try:
        yield
    except BadInputError as error:
        raise SpecError(f"{place}{error}") from None


@contextlib.contextmanager
def file_errors(what: str, path: str | Path) -> Iterator[None]:
    """Turn an `OSError` within into a `FileError`: `what`, such as `can't read`, and the path."""
    try:
        yield
    except OSError as error:
        made = FileError(f"{what} {path}: {error.strerror or error}")
        made.errno, made.strerror, made.filename = error.errno, error.strerror, str(path)
        raise made from None


def one_line(error: object) -> str:
    """Return the message of an error as one line."""
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__


def printable(text: str, kept: str = "") -> str:
    """Escape control characters in foreign text, but for those kept, so that terminals are safe."""
    return "".join(
        char if char.isprintable() or char in kept else char.encode("unicode_escape").decode()
        for char in text
    )


def printable_line(message: str) -> str:
    """Return a message that quotes a stranger's text as one printable line, cut if too long."""
    message = printable(message[: MAX_QUOTING + 1])  # what is quoted may be megabytes long
    return message if len(message) <= MAX_QUOTING else message[:MAX_QUOTING] + "…"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is closest to a name, in whatever case; None if none is close."""
    import difflib  # noqa: PLC0415 - only a mistake needs it

    key = name[:COMPARED].casefold()
    by_key = {candidate.casefold(): candidate for candidate in known}
    letters = set(key)
    # Those that have the most letters in common with it, for the letters that they have.
    likely = nlargest(
        CANDIDATES, by_key, lambda other: len(letters & set(other)) / len(letters | set(other))
    )
    close = difflib.get_close_matches(key, likely, n=1)
    return by_key[close[0]] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: a suggestion, or nothing."""
    close = nearest(name, known)
    return "" if close is None else f"; did you mean {close!a}?"
