"""Errors of databases, as one line for people. It never has a password in it."""

import contextlib
import os
import sqlite3
from pathlib import Path

from sqlalchemy import exc

from lanista.errors import LanistaError


class StoreError(LanistaError):
    """The database can't be used, or not now; the message names it and the reason in one line."""


class UnstorableError(StoreError):
    """A value can't be stored in the database, which can be used otherwise."""


def no_password(text: str, password: str | None = None) -> str:
    """Return the first line of a text, with the password replaced wherever it occurs.

    Servers and libraries repeat it in their messages. Characters that a terminal would obey are
    replaced too: a damaged name may be part of the text.
    """
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    line = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in line)
    return line.replace(password, "***") if password else line


def sqlite_error(path: Path, error: BaseException | None) -> StoreError:
    """Return the error for what SQLite raised about a file."""
    # The low byte is the primary code: https://sqlite.org/rescode.html
    code = getattr(error, "sqlite_errorcode", None)
    if code is None and isinstance(error, (UnicodeDecodeError, sqlite3.OperationalError)):
        code = sqlite3.SQLITE_CORRUPT  # a text, or a table's name, that isn't UTF-8
    match (code or 0) & 0xFF:
        case sqlite3.SQLITE_FULL:
            detail = (
                "the disk is full; what was being stored is lost, everything before it is stored"
            )
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            detail = "locked by another program for too long"
        case sqlite3.SQLITE_CORRUPT:
            return damaged(path, str(error))
        case sqlite3.SQLITE_CONSTRAINT | sqlite3.SQLITE_MISMATCH | sqlite3.SQLITE_TOOBIG:
            return UnstorableError(f"{path}: {no_password(str(error))}")
        case sqlite3.SQLITE_ERROR:  # no such table, no such column
            return damaged(path, f"its tables aren't as Lanista made them: {error}")
        case sqlite3.SQLITE_NOTADB:
            detail = "not an SQLite database, or damaged at its start; give another file, or a copy"
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            detail = _why_closed(path)
        case sqlite3.SQLITE_IOERR:
            detail = f"can't be read or written ({error}); what was stored before is in it"
        case _:
            detail = f"can't be used: {error}"
    return StoreError(f"{path}: {no_password(detail)}")


def damaged(path: Path, what: str) -> StoreError:
    """Return the error that says what is wrong with a file, whose content can't be trusted."""
    log = log_of(path)
    files = path.name
    with contextlib.suppress(OSError):
        if log.stat().st_size:
            files = f"{path.name} and {log.name}"
    return StoreError(
        f"{path}: damaged ({no_password(what)}); "
        f"`lanista arena verify --rebuild` or `lanista tournament verify --rebuild` rebuilds it; "
        f"or move {files} away and restore a copy"
    )


def log_of(path: Path) -> Path:
    """Return the path of a database's write-ahead log, a file that exists while it is in use."""
    return path.with_name(path.name + "-wal")


def _why_closed(path: Path) -> str:
    """Return why a file can't be opened or written, as far as its surroundings show."""
    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder}"
    if path.is_dir():
        return "is a folder; a database is a file"
    if not os.access(folder, os.W_OK | os.X_OK):
        # SQLite makes files beside the database, so its own permission isn't enough.
        return f"its folder {folder} can't be written"
    if not path.exists():
        return "there is no such file; `lanista tournament run` creates it"
    return "it can't be opened for reading and writing"


def postgresql_error(where: str, password: str | None, error: Exception) -> StoreError:
    """Return the error for a failure of PostgreSQL.

    Args:
        where: The database's URL without its password.
        password: The password, which must not occur in the message.
        error: What SQLAlchemy or the driver raised.
    """
    # https://www.postgresql.org/docs/current/errcodes-appendix.html
    cause = getattr(error, "orig", error)
    if isinstance(error, (exc.DataError, exc.IntegrityError)):
        return UnstorableError(f"{where}: {no_password(str(cause), password)}")
    match getattr(cause, "sqlstate", None):
        case "53100":
            detail = (
                "its disk is full; what was being stored is lost, everything before it is stored"
            )
        case "55P03" | "57014":
            detail = "locked by another program for too long"
        case "25006":
            detail = "it can only be read: the server, or its role, allows no writing"
        case "XX001" | "XX002":
            detail = f"damaged ({cause})"
        case None:
            detail = f"the server can't be reached: {cause}"
        case _:
            detail = str(cause)
    return StoreError(f"{where}: {no_password(detail, password)}")
