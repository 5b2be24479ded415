"""Making the tables of `schema` in a new database, bringing an older one to them, or refusing it.

A new database gets the newest tables at once. An older one is changed step by step: a new step is a
file in `versions`, written by hand after the last one's form; a step that was released never
changes. alembic runs them, without an `alembic.ini`; it is only loaded if there is something to
change. Everything happens on a connection and in a transaction of the caller, so a database is
changed as a whole or not at all.
"""

import threading

import sqlalchemy as sa

from lanista.errors import StoreError
from lanista.results.schema import (
    CHANGES,
    METADATA,
    REVISION,
    VERSION,
    VERSION_TABLE,
)

MIGRATIONS = "lanista.results:migrations"
_upgrading = threading.Lock()
"""Held while alembic upgrades: what it upgrades is in global variables of its own, though every
thread may open a database of its own."""


class NewerDatabaseError(StoreError):
    """A database was written by a newer version of Lanista."""


def is_current(connection: sa.Connection) -> bool:
    """Return whether the database has the tables of this version; else call `bring_up_to_date`."""
    there = sa.inspect(connection).get_table_names()
    return VERSION_TABLE in there and _version(connection) == REVISION


def bring_up_to_date(connection: sa.Connection, where: str, *, create: bool) -> None:
    """Create the tables in an empty database, or upgrade those of an older version.

    The connection is in a transaction that may write, and that excludes other writers.

    Raises:
        NewerDatabaseError: It was written by a newer version.
        StoreError: It is empty and may not be filled, or is another program's.
    """
    there = sa.inspect(connection).get_table_names()
    if VERSION_TABLE not in there:
        if there:
            raise StoreError(
                f"{where}: not a database of Lanista: it holds other tables, such as "
                f"{min(there)!r}; give Lanista a database of its own"
            )
        if not create:
            raise StoreError(
                f"{where}: empty; `lanista tournament run` or `lanista arena run` fills it"
            )
        _make_tables(connection)
        return
    version = _version(connection)
    if version == REVISION:  # another process has done it meanwhile
        return

    from alembic import command  # noqa: PLC0415 - takes 0.2 s, and is hardly ever needed
    from alembic.config import Config  # noqa: PLC0415 - as above
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - as above

    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    config.attributes["connection"] = connection
    known = {step.revision for step in ScriptDirectory.from_config(config).walk_revisions()}
    if version not in known:
        raise NewerDatabaseError(
            f"{where}: written by a newer version of Lanista (its tables are {version}, "
            f"this one knows up to {REVISION}); use that version"
        )
    with _upgrading:
        command.upgrade(config, "head")


def _make_tables(connection: sa.Connection) -> None:
    for index in (index for table in METADATA.sorted_tables for index in table.indexes):
        condition = index.dialect_options["sqlite"]["where"]
        index.dialect_options[connection.dialect.name]["where"] = condition
    METADATA.create_all(connection)
    VERSION.create(connection)
    connection.execute(VERSION.insert().values(version_num=REVISION))
    connection.execute(CHANGES.insert().values(count=0))


def _version(connection: sa.Connection) -> str | None:
    return connection.scalar(sa.select(VERSION.c.version_num))
