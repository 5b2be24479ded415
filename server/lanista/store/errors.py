"""What goes wrong with a database, as one line for people. No password is ever in it."""

import os
import sqlite3
from pathlib import Path

from sqlalchemy import exc


class StoreError(Exception):
    """The database can't be used, or not now: one line names it and says what is wrong."""


def no_password(text: str, password: str | None = None) -> str:
    """The text as one line, the password struck out wherever a server or library repeats it."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line.replace(password, "***") if password else line


def sqlite_error(path: Path, error: BaseException | None) -> StoreError:
    """A failure of SQLite, told.

    Args:
        path: The database's file.
        error: What SQLite said.
    """
    # The low byte is the primary code: https://sqlite.org/rescode.html
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    match code:
        case sqlite3.SQLITE_FULL:
            words = "the disk is full; what was being stored is not in it, all before is"
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            words = "locked by another program for too long"
        case sqlite3.SQLITE_CORRUPT:
            words = f"damaged ({error}); put back a copy, or move it away and play again"
        case sqlite3.SQLITE_NOTADB:
            words = "no SQLite database; give another file"
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            words = _why_closed(path)
        case sqlite3.SQLITE_IOERR:
            words = f"can't be read or written ({error}); what was stored before is in it"
        case _:
            words = f"can't be used: {error}"
    return StoreError(f"{path}: {no_password(words)}")


def _why_closed(path: Path) -> str:
    """Why a file can't be opened or written, as far as looking at it tells."""
    folder = path.parent
    if not folder.is_dir():
        return f"its folder {folder} isn't there"
    if path.is_dir():
        return "a folder; a database is a file"
    if not os.access(folder, os.W_OK | os.X_OK):
        # SQLite makes files beside the database, so its own permission isn't enough.
        return f"its folder {folder} can't be written"
    if not path.exists():
        return "not there; `lanista tournament run` makes it"
    return "it can't be opened for reading and writing"


def postgresql_error(where: str, password: str | None, error: exc.DBAPIError) -> StoreError:
    """A failure of PostgreSQL, told.

    Args:
        where: The database's URL without its password.
        password: What must not be told.
        error: What SQLAlchemy raised.
    """
    # https://www.postgresql.org/docs/current/errcodes-appendix.html
    match getattr(error.orig, "sqlstate", None):
        case "53100":
            words = "its disk is full; what was being stored is not in it, all before is"
        case "55P03" | "57014":
            words = "locked by another program for too long"
        case "25006":
            words = "it can only be read: the server, or its role, allows no writing"
        case "XX001" | "XX002":
            words = f"damaged ({error.orig})"
        case None:
            words = f"the server can't be reached: {error.orig}"
        case _:
            words = str(error.orig)
    return StoreError(f"{where}: {no_password(words, password)}")
