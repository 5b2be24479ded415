"""The family of Lanista's errors about what it was given, or about what it met.

A program that uses Lanista as a library catches `LanistaError` for all of them. Each message is one
line for a person and names what is wrong and where; the commands print the same messages.
"""

from pathlib import Path


class LanistaError(Exception):
    """The base of all errors that Lanista raises on purpose."""


class BadInputError(LanistaError):
    """Something that was given can't be used; the message says what, and what can be used."""


class CannotListenError(LanistaError):
    """It is impossible to listen on the given address."""


class StoreError(LanistaError):
    """A database can't be used, or not now; the message names it and the reason in one line."""


class FileError(LanistaError, OSError):
    """A file can't be read or written; the message names it."""

    @classmethod
    def of(cls, what: str, path: str | Path, error: OSError) -> "FileError":
        """Return an error about a path, with the number of the system's error.

        What can't be done is said first, as `can't read`.
        """
        made = cls(f"{what} {path}: {error.strerror or error}")
        made.errno, made.strerror, made.filename = error.errno, error.strerror, str(path)
        return made

    def __str__(self) -> str:
        return str(self.args[0])  # OSError would put its own words in place of ours


def one_line(error: object) -> str:
    """Return the message of an error as one line."""
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__
