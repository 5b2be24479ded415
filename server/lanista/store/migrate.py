"""Bringing a database to the tables of `schema`, or refusing it. alembic is loaded only to change.

All on a connection that the caller opened, in its transaction: it is changed whole or not at all.
"""

import sqlalchemy as sa

from lanista.store import checksums
from lanista.store.errors import StoreError
from lanista.store.schema import REVISION, VERSION_TABLE

MIGRATIONS = "lanista.store:migrations"
_VERSION = sa.table(VERSION_TABLE, sa.column("version_num"))


def is_current(connection: sa.Connection) -> bool:
    """Whether the database has the tables of this version; else `bring_up_to_date` must look."""
    tables = sa.inspect(connection).get_table_names()
    return VERSION_TABLE in tables and _version(connection) == REVISION


def bring_up_to_date(connection: sa.Connection, where: str, *, create: bool) -> None:
    """Make the tables in an empty database, or those that newer versions have in an older one.

    Args:
        connection: In a transaction that may write and that nobody else is in meanwhile.
        where: The database's name, for messages.
        create: Whether an empty database may become one of ours.

    Raises:
        StoreError: It is empty and may not be made, is another program's, or was written by a
            newer version.
    """
    tables = sa.inspect(connection).get_table_names()
    if VERSION_TABLE not in tables:
        if tables:
            raise StoreError(
                f"{where}: no tournament's database: it holds other tables, as {min(tables)!r}; "
                "give a tournament a database of its own"
            )
        if not create:
            raise StoreError(f"{where}: empty; `lanista tournament run` fills it")
    elif _version(connection) == REVISION:
        # Another process was faster.
        return

    from alembic import command  # noqa: PLC0415 - 0.2 s, and hardly ever needed
    from alembic.config import Config  # noqa: PLC0415 - as above
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - as above

    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    config.attributes["connection"] = connection
    if VERSION_TABLE in tables:
        known = {step.revision for step in ScriptDirectory.from_config(config).walk_revisions()}
        found = _version(connection)
        if found is not None and found not in known:
            raise StoreError(
                f"{where}: written by a newer version of Lanista (its tables are {found}, "
                f"this one knows up to {REVISION}); use that version"
            )
    command.upgrade(config, "head")
    # Rows have other columns now, or never had a checksum.
    checksums.add_blocks(connection)
    checksums.add_notes(connection)


def _version(connection: sa.Connection) -> str | None:
    found: str | None = connection.scalar(sa.select(_VERSION.c.version_num))
    return found
