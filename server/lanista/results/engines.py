"""The two kinds of databases: which of them is meant, and connections to it by SQLAlchemy."""

import re
import sqlite3
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event, exc
from sqlalchemy.engine import URL, make_url
from sqlalchemy.pool import QueuePool

from lanista.results.errors import StoreError

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

With them, both sides know after a minute that the other can't be reached any more. In seconds, the
last one in milliseconds;
https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS
"""
ERRORS = (exc.DBAPIError, sqlite3.Error, UnicodeDecodeError)
"""Exceptions of an unusable database; the last occurs if damage is in SQLite's own message."""
_HOST = re.compile(r"[\w.-]*|[0-9A-Fa-f:.]+")


def where_of(target: str | Path) -> str:
    """Return the name of a database for people: its file, or its URL without its password.

    The URL's options are left out, too.
    """
    if isinstance(target, Path) or "://" not in target:
        return str(target)
    try:
        url = make_url(target)
    except (exc.ArgumentError, ValueError):
        return "a database whose URL can't be read"  # a password may be anywhere in it
    if not _HOST.fullmatch(url.host or ""):  # half of a password with an @ may be taken for one
        return "a database whose URL can't be read"
    shown = URL.create(
        url.drivername.partition("+")[0], url.username, None, url.host, url.port, url.database
    )
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


def sqlite_engine(path: Path, mode: str, *, is_lasting: bool = True) -> sa.Engine:
    """Return an engine for a file.

    Args:
        path: The file.
        mode: How it is opened, as in https://sqlite.org/uri.html.
        is_lasting: Whether what was committed survives a power cut too, not only a kill. Without
            it the last transactions may be lost then, but the file isn't damaged.
    """
    uri = f"{path.absolute().as_uri()}?{mode}"

    def connect() -> sqlite3.Connection:
        # Transactions are begun explicitly below: Python's own ones don't begin with a query.
        connection = sqlite3.connect(
            uri, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute(f"PRAGMA synchronous = {'FULL' if is_lasting else 'NORMAL'}")
        except BaseException:
            connection.close()
            raise
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
        if schema is not None:
            path = "SELECT set_config('search_path', quote_ident(%s), false)"
            connection.execute(path, (schema,))
        connection.commit()

    return engine
