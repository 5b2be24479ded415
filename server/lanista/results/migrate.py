"""Bringing a database to the tables of `schema`, or refusing it.

Everything happens on a connection and in a transaction of the caller, so a database is changed as a
whole or not at all. alembic is only loaded if there is something to change.
"""

import threading

import sqlalchemy as sa

from lanista.results.errors import StoreError
from lanista.results.schema import FORMER, Tables

_upgrading = threading.Lock()
"""Held while alembic upgrades: what it upgrades is in global variables of its own, though every
thread may open a database of its own."""


def is_current(connection: sa.Connection, tables: Tables) -> bool:
    """Return whether the database has the tables of this version; else call `bring_up_to_date`."""
    there = sa.inspect(connection).get_table_names()
    return tables.version_table in there and _version(connection, tables) == tables.revision


def bring_up_to_date(
    connection: sa.Connection, where: str, tables: Tables, *, create: bool
) -> bool:
    """Create the tables in an empty database, or upgrade those of an older version.

    Args:
        connection: A connection in a transaction that may write, and that excludes other writers.
        where: The database's name, for messages.
        tables: The tables that it should have.
        create: Whether tables may be created in an empty database.

    Raises:
        StoreError: It is empty and may not be filled, is another program's, or was written by a
            newer version.

    Returns:
        Whether anything was changed: another process may have done it in the meantime.
    """
    there = sa.inspect(connection).get_table_names()
    is_ours = tables.version_table in there
    if not is_ours:
        if there:
            raise StoreError(
                f"{where}: not {tables.owner}'s database: it holds other tables, such as "
                f"{min(there)!r}; give {tables.owner} a database of its own"
            )
        if not create:
            raise StoreError(f"{where}: empty; {tables.maker} fills it")
    elif _version(connection, tables) == tables.revision:
        return False

    from alembic import command  # noqa: PLC0415 - takes 0.2 s, and is hardly ever needed
    from alembic.config import Config  # noqa: PLC0415 - as above
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - as above

    config = Config()
    config.set_main_option("script_location", tables.migrations)
    config.set_main_option("version_locations", f"{tables.migrations}/{tables.steps}")
    config.set_main_option("path_separator", "newline")  # of version_locations, which is one
    config.attributes["connection"] = connection
    config.attributes["version_table"] = tables.version_table
    if is_ours:
        version = _version(connection, tables)
        if version in FORMER:
            raise StoreError(
                f"{where}: written by a version of Lanista before 0.1, and can't be read any more; "
                f"move it away: {tables.remedy}"
            )
        known = {step.revision for step in ScriptDirectory.from_config(config).walk_revisions()}
        if version is not None and version not in known:
            raise StoreError(
                f"{where}: written by a newer version of Lanista (its tables are {version}, "
                f"this one knows up to {tables.revision}); use that version"
            )
    with _upgrading:
        command.upgrade(config, "head")
    return True


def _version(connection: sa.Connection, tables: Tables) -> str | None:
    column = sa.column("version_num", sa.Text)
    version = sa.select(column).select_from(sa.table(tables.version_table))
    return connection.scalar(version)
