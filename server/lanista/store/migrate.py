"""Bringing a database to the tables of `schema`, or refusing it.

Everything happens on a connection and in a transaction of the caller, so a database is changed as a
whole or not at all. alembic is only loaded if there is something to change.
"""

import sqlalchemy as sa

from lanista.store import checksums
from lanista.store.errors import StoreError
from lanista.store.schema import REVISION, VERSION_TABLE

MIGRATIONS = "lanista.store:migrations"
_VERSION = sa.table(VERSION_TABLE, sa.column("version_num"))


def is_current(connection: sa.Connection) -> bool:
    """Return whether the database has the tables of this version; else call `bring_up_to_date`."""
    tables = sa.inspect(connection).get_table_names()
    return VERSION_TABLE in tables and _version(connection) == REVISION


def bring_up_to_date(connection: sa.Connection, where: str, *, create: bool) -> None:
    """Create the tables in an empty database, or upgrade those of an older version.

    Args:
        connection: A connection in a transaction that may write, and that excludes other writers.
        where: The database's name, for messages.
        create: Whether tables may be created in an empty database.

    Raises:
        StoreError: It is empty and may not be filled, is another program's, or was written by a
            newer version.
    """
    tables = sa.inspect(connection).get_table_names()
    if VERSION_TABLE not in tables:
        if tables:
            raise StoreError(
                f"{where}: not a tournament's database: it holds other tables, such as "
                f"{min(tables)!r}; give a tournament a database of its own"
            )
        if not create:
            raise StoreError(f"{where}: empty; `lanista tournament run` fills it")
    elif _version(connection) == REVISION:
        # Another process upgraded it in the meantime.
        return

    from alembic import command  # noqa: PLC0415 - takes 0.2 s, and is hardly ever needed
    from alembic.config import Config  # noqa: PLC0415 - as above
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - as above

    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    config.attributes["connection"] = connection
    if VERSION_TABLE in tables:
        known = {step.revision for step in ScriptDirectory.from_config(config).walk_revisions()}
        version = _version(connection)
        if version is not None and version not in known:
            raise StoreError(
                f"{where}: written by a newer version of Lanista (its tables are {version}, "
                f"this one knows up to {REVISION}); use that version"
            )
    command.upgrade(config, "head")
    # Upgraded rows have other columns now, or never had a checksum.
    checksums.add_blocks(connection)
    checksums.add_notes(connection)


def _version(connection: sa.Connection) -> str | None:
    version: str | None = connection.scalar(sa.select(_VERSION.c.version_num))
    return version
