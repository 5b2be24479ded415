"""Looking at databases of ladders and names before an arena starts, without changing them.

`Store.open` creates tables and upgrades old ones. Whoever only wants to know whether that would
work asks here: a database that isn't there yet, or is empty, is as good as one of this version.
"""

import contextlib
import sqlite3
from collections.abc import Collection, Sequence
from pathlib import Path

from lanista.store import write_ahead
from lanista.store.engines import where_of
from lanista.store.errors import StoreError, damaged, log_of, postgresql_error, sqlite_error
from lanista.store.names import ARENA, SCHEMA
from lanista.store.schema import TOURNAMENT, Tables

CONNECT_PATIENCE = 10
"""How long to wait for a PostgreSQL server, in seconds."""


def probe_names(path: Path) -> None:
    """Check a SQLite file of names, all of it, as there are few.

    Raises:
        StoreError: From `probe_file`, or it is damaged.
    """
    probe_file(path, ARENA)
    if not path.exists():
        return
    if write_ahead.unreadable(log_of(path)) > 1:
        raise damaged(path, f"names in {log_of(path).name} can't be read any more")
    try:
        with contextlib.closing(_connected(path)) as connection:
            report: str = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        raise sqlite_error(path, error) from None
    if report != "ok":
        raise damaged(path, report)


def probe_file(path: Path, tables: Tables = TOURNAMENT) -> None:
    """Check a SQLite file.

    Args:
        path: The file.
        tables: The tables that it should have.

    Raises:
        StoreError: It can't be read, isn't one of ours, or was written by a newer version.
    """
    if not path.exists():
        return
    try:
        with contextlib.closing(_connected(path)) as connection:
            there = [
                name for (name,) in connection.execute("SELECT name FROM sqlite_schema").fetchall()
            ]
            version = None
            if tables.version_table in there:
                rows = connection.execute(f"SELECT version_num FROM {tables.version_table}")  # noqa: S608 - our own name
                version = next((text for (text,) in rows), None)
    except sqlite3.Error as error:
        raise sqlite_error(path, error) from None
    _check(str(path), tables, there, version)


def _connected(path: Path) -> sqlite3.Connection:
    """Connect to a file so that nothing is changed.

    Whoever may write would apply the write-ahead log of a killed arena and remove it, before
    `Store.open` could look for damage in it. Where there is no such log, nobody writes, and SQLite
    needs no files beside the database.
    """
    mode = "mode=ro" if log_of(path).exists() else "mode=ro&immutable=1"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True)


def probe_server(url: str, schemas: Sequence[str]) -> None:
    """Check a PostgreSQL database.

    Args:
        url: The URL of the database.
        schemas: The schemas that the ladders have in it; with them there is one for the names.

    Raises:
        StoreError: It can't be reached, a schema isn't one of ours, was written by a newer version,
            or is missing and can't be created.
    """
    where = where_of(url)
    try:
        import psycopg  # noqa: PLC0415 - an extra
        from psycopg import conninfo, sql  # noqa: PLC0415 - an extra
    except ImportError:
        raise StoreError(
            f"{where}: PostgreSQL needs psycopg: pip install 'lanista[postgresql]'"
        ) from None
    try:
        given = conninfo.conninfo_to_dict(url.replace("postgresql+psycopg:", "postgresql:", 1))
    except psycopg.Error:  # its message repeats the URL, which may have a password anywhere
        raise StoreError(
            "the database's URL can't be read; write it as "
            "postgresql://USER:PASSWORD@HOST:PORT/NAME"
        ) from None
    options = {"connect_timeout": CONNECT_PATIENCE, **given}
    kinds = dict.fromkeys(schemas, TOURNAMENT) | ({SCHEMA: ARENA} if schemas else {})
    try:
        with psycopg.connect(**options) as connection:  # type: ignore[arg-type]
            for schema, of_kind in kinds.items():
                found = connection.execute(
                    "SELECT tablename FROM pg_tables WHERE schemaname = %s", [schema]
                )
                tables = [name for (name,) in found]
                version: str | None = None
                if of_kind.version_table in tables:
                    table = sql.Identifier(schema, of_kind.version_table)
                    query = sql.SQL("SELECT version_num FROM {}").format(table)
                    version = next((text for (text,) in connection.execute(query)), None)
                _check(f"{where}, schema {schema}", of_kind, tables, version)
            (may_create,) = connection.execute(
                "SELECT has_database_privilege(current_database(), 'CREATE')"
            ).fetchone() or (False,)
            there = connection.execute(
                "SELECT nspname FROM pg_namespace WHERE nspname = ANY(%s)", [list(kinds)]
            )
            missing = sorted({*kinds} - {name for (name,) in there})
    except psycopg.Error as error:
        password = given.get("password")
        raise postgresql_error(where, None if password is None else str(password), error) from None
    if missing and not may_create:
        raise StoreError(
            f"{where}: there is no schema {missing[0]}, and its user may not create one; "
            "GRANT CREATE ON DATABASE lets it"
        )


def _check(where: str, kind: Tables, there: Collection[str], version: str | None) -> None:
    """Raise an error if a database of this kind can't be what is there."""
    if there and kind.version_table not in there:
        what = "a ladder's results" if kind is TOURNAMENT else "an arena's names"
        raise StoreError(f"{where}: not {what}: it holds other tables, such as {min(there)!r}")
    if version is not None and version > kind.revision:  # they are numbered, with leading zeros
        raise StoreError(
            f"{where}: written by a newer version of Lanista (its tables are {version!r}, "
            f"this one knows up to {kind.revision}); use that version"
        )
