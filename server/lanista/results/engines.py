"""The two kinds of databases: which of them is meant, connections by SQLAlchemy, and their errors.

The message of an error is one line for people, which never has a password in it.
"""

import contextlib
import logging
import os
import re
import sqlite3
from collections.abc import Container
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event, exc
from sqlalchemy.engine import URL, make_url
from sqlalchemy.pool import QueuePool

from lanista.errors import StoreError
from lanista.system import undoing

PATIENCE = 30.0
"""How long to wait for another program's transaction, in seconds."""
_CONNECTION_OPTIONS = {
    "connect_timeout": 10,
    "keepalives": 1,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
"""Options of PostgreSQL connections, which the URL may override.

With them, we know after a minute that the server can't be reached any more. In seconds, the last
one in milliseconds;
https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS
"""
_SERVER_KEEPALIVES = {"idle": 30, "interval": 10, "count": 3}
"""How the server finds out that our machine is lost, whose locks it would keep for hours otherwise.

By the names of its settings: seconds until it asks and between two times, and how often it asks.
"""
LONGEST_SILENCE = 60.0
"""Seconds after which the server ends a writing transaction in which it is sent nothing."""
ERRORS = (exc.DBAPIError, exc.TimeoutError, sqlite3.Error, UnicodeDecodeError)
"""Exceptions of an unusable database.

The second occurs if all connections wait for a silent server, the last if damage is in SQLite's own
message.
"""
_HOST = re.compile(r"[\w.-]*|[0-9A-Fa-f:.]+")

# What they say of broken connections is in our errors too; a log of JSON lines has no place for it.
for _library in ("psycopg", "sqlalchemy"):
    logging.getLogger(_library).addHandler(logging.NullHandler())


class UnstorableError(StoreError):
    """A value can't be stored in the database, which can be used otherwise."""


class DamagedError(StoreError):
    """Something in the database isn't what was stored."""


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
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            detail = "locked by another program for too long"
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return damaged(path, str(error))
        case sqlite3.SQLITE_CONSTRAINT | sqlite3.SQLITE_MISMATCH | sqlite3.SQLITE_TOOBIG:
            return UnstorableError(f"{path}: {no_password(str(error))}")
        case sqlite3.SQLITE_ERROR:  # no such table, no such column
            return damaged(path, f"its tables aren't as Lanista made them: {error}")
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            detail = why_closed(path)
        case _:  # such as a full disk; what was stored before is in it
            detail = f"can't be read or written: {error}"
    return StoreError(f"{path}: {no_password(detail)}")


def damaged(path: Path, what: str) -> DamagedError:
    """Return the error that says what is wrong with a file, whose content can't be trusted."""
    log = log_of(path)
    files = path.name
    with contextlib.suppress(OSError):
        if log.stat().st_size:
            files = f"{path.name} and {log.name}"
    return DamagedError(
        f"{path}: damaged ({no_password(what)}); "
        f"`lanista arena verify --rebuild` or `lanista tournament verify --rebuild` rebuilds it; "
        f"or move {files} away and restore a copy"
    )


def why(error: StoreError) -> str:
    """Return what is wrong with a database, without what could be done about it."""
    return str(error).partition("; ")[0]


def log_of(path: Path) -> Path:
    """Return the path of a database's write-ahead log, a file that exists while it is in use."""
    return Path(f"{path}-wal")


def why_closed(path: Path) -> str:
    """Return why a file can't be opened or written, as far as its surroundings show."""
    real = Path(os.path.realpath(path))  # a database's folder is where a link leads
    folder = real.parent
    if not folder.is_dir():
        return f"there is no folder {folder}"
    if path.is_dir():
        return "is a folder; a database is a file"
    if path.exists() and not os.access(path, os.R_OK):
        return "this user may not read it"
    if not os.access(folder, os.W_OK | os.X_OK):
        # SQLite makes files beside the database, so its own permission isn't enough.
        return f"its folder {folder} can't be written"
    if not path.exists():
        return "there is no such file; `lanista tournament run` creates it"
    if not os.access(path, os.W_OK):
        return "this user may not write it"
    for beside in (log_of(real), Path(f"{real}-shm")):
        if beside.exists() and not os.access(beside, os.W_OK):
            # It was made for somebody who may read the database, but write only its folder.
            return f"this user may not write {beside}, which another user's program left or uses"
    return "it can't be opened for reading and writing"


def postgresql_error(where: str, password: str | None, error: Exception) -> StoreError:
    """Return the error for a failure of PostgreSQL, whose message doesn't have the password."""
    # https://www.postgresql.org/docs/current/errcodes-appendix.html
    cause = getattr(error, "orig", error)
    if isinstance(error, (exc.DataError, exc.IntegrityError)):
        return UnstorableError(f"{where}: {no_password(str(cause), password)}")
    match getattr(cause, "sqlstate", None):
        case "55P03":
            detail = "locked by another program for too long"
        case None if isinstance(error, exc.TimeoutError):
            detail = "the server doesn't answer, and all connections to it wait"
        case None:
            detail = f"no connection to the server: {cause}"
        case _:
            detail = str(cause)
    return StoreError(f"{where}: {no_password(detail, password)}")


def url_of(target: str) -> URL | None:
    """Return the URL of a database; None if it can't be read.

    After an @ in a password that isn't written as `%40`, the rest of the password would be taken
    for a host or a database, which messages name.
    """
    try:
        url = make_url(target)
    except (exc.ArgumentError, ValueError):
        return None
    before_options = target.partition("://")[2].partition("?")[0]
    is_ambiguous = before_options.count("@") > 1 or "@" in (url.host or "")
    return None if is_ambiguous else url


def where_of(target: str | Path, options: Container[str] = ()) -> str:
    """Return the name of a database for people: a file, or a URL without its password.

    Of the URL's options it has only those that are named.
    """
    if isinstance(target, Path) or "://" not in target:
        return str(target)
    url = url_of(target)
    if url is None or not _HOST.fullmatch(url.host or ""):
        return "a database whose URL can't be read"  # a password may be anywhere in it
    kind = url.drivername.partition("+")[0]
    kept = {key: value for key, value in url.query.items() if key in options}
    shown = URL.create(kind, url.username, None, url.host, url.port, url.database, kept)
    return shown.render_as_string()


def path_of(target: str | Path) -> Path | None:
    """Return the file of a target; None if it is a URL of another database."""
    if isinstance(target, Path):
        return target
    kind, separator, rest = target.partition("://")
    if not separator:
        return Path(target)
    if kind != "sqlite":
        return None
    if not rest.startswith("/") or rest == "/":
        raise StoreError("the SQLite URL has no file; write it as sqlite:///PATH")
    return Path(rest[1:])


def sqlite_engine(path: Path, mode: str) -> sa.Engine:
    """Return an engine for a file, which is opened in a mode of https://sqlite.org/uri.html."""
    uri = f"{path.absolute().as_uri()}?{mode}"

    def connect() -> sqlite3.Connection:
        # Transactions are begun explicitly below: Python's own ones don't begin with a query.
        connection = sqlite3.connect(
            uri, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False
        )
        with undoing(connection.close):
            connection.execute("PRAGMA foreign_keys = ON")
            # What was committed survives a power cut too.
            connection.execute("PRAGMA synchronous = FULL")
        return connection

    engine = sa.create_engine(
        "sqlite://", creator=connect, poolclass=QueuePool, hide_parameters=True
    )

    @event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        # A writer must wait for others before its first query, or it would have to start over.
        writing = connection.get_execution_options().get("writing", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


def postgresql_engine(url: URL, schema: str | None) -> sa.Engine:
    """Return an engine for a PostgreSQL database, whose tables are in a schema if one is given."""
    engine = sa.create_engine(
        url.set(drivername="postgresql+psycopg"),
        connect_args={
            key: value for key, value in _CONNECTION_OPTIONS.items() if key not in url.query
        },
        # A server may be restarted while a tournament runs.
        pool_pre_ping=True,
        hide_parameters=True,
    )

    # Before SQLAlchemy's own listener, which asks for the schema.
    @event.listens_for(engine, "connect", insert=True)
    def connected(connection: Any, _: object) -> None:
        connection.execute(f"SET lock_timeout = {int(PATIENCE * 1000)}")
        # A table is computed from one snapshot, so its reader may be silent for long.
        connection.execute("SET idle_in_transaction_session_timeout = 0")
        for key, value in _SERVER_KEEPALIVES.items():
            connection.execute(f"SET tcp_keepalives_{key} = {value}")
        if schema is not None:
            path = "SELECT set_config('search_path', quote_ident(%s), false)"
            connection.execute(path, (schema,))
        connection.commit()

    return engine
