"""Checksums of what a database holds: they show damage that changed a value and no structure.

A block has one, over its rows in all tables. The few notes, which may change, have one together, in
`meta`. All are computed from what the database gives back, so they hold for whatever it makes of a
value.
"""

import itertools
import json
import zlib
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

import sqlalchemy as sa

from lanista.store.schema import BENCHED, BLOCKS, BOTS, MATCHES, META, SEATS, UNBENCHED

NOTES = "checksum"
"""The key of `meta` that has the checksum of the notes."""
_encode = json.JSONEncoder(separators=(",", ":")).encode
"""Made once: `json.dumps` would make an encoder a block."""


def add_blocks(connection: sa.Connection, first: int = 0) -> None:
    """Store the checksums of all blocks from a number on, which have just been written."""
    found = [
        {"of": number, "checksum": checksum} for number, _, checksum in _blocks(connection, first)
    ]
    if found:
        of = BLOCKS.c.number == sa.bindparam("of")
        connection.execute(
            BLOCKS.update().where(of).values(checksum=sa.bindparam("checksum")), found
        )


def add_notes(connection: sa.Connection) -> None:
    """Store the checksum of the notes, of which one has just been written."""
    connection.execute(META.delete().where(META.c.key == NOTES))
    connection.execute(META.insert().values(key=NOTES, value=_of_notes(connection)))


def broken_pages(connection: sa.Connection) -> str:
    """Say what is wrong with the structure of a SQLite database; empty where nothing is.

    Indexes are compared with their tables, as sums are read from indexes alone.
    """
    words: str = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar_one()
    # A first line may tell no more than which of several databases it is.
    return "" if words == "ok" else words.removeprefix("*** in database main ***")


def changed_values(connection: sa.Connection) -> str:
    """Say what isn't as it was stored; empty where all is."""
    number = 0
    try:
        for number, stored, checksum in _blocks(connection, 0):
            if stored != checksum:
                return f"block {number} isn't as it was stored"
        of_notes = connection.scalar(sa.select(META.c.value).where(META.c.key == NOTES))
        if of_notes != _of_notes(connection):
            return "its notes on bots and seeds aren't as they were stored"
    except (TypeError, ValueError):  # rows that are missing, values that are no text or number
        return f"what comes after block {number} isn't as it was stored"
    return ""


def _blocks(connection: sa.Connection, first: int) -> Iterator[tuple[int, int, int]]:
    """Yield the number of each block, the checksum that is stored, and that of its rows."""
    blocks = _rows(connection, BLOCKS, first)
    matches, seats = (
        itertools.groupby(_rows(connection, table, first), itemgetter(0))
        for table in (MATCHES, SEATS)
    )
    for block, (_, its_matches), (_, its_seats) in zip(blocks, matches, seats, strict=True):
        number, *values, stored = block
        yield number, stored, _checksum([number, *values], *its_matches, *its_seats)


def _rows(connection: sa.Connection, table: sa.Table, first: int) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a table from a block on, in the order of its key, which begins with it."""
    key = list(table.primary_key)
    found = connection.execute(sa.select(table).where(key[0] >= first).order_by(*key))
    assert found.cursor is not None
    # As the driver gives them: SQLAlchemy's own rows take half of the time of all that is done.
    return iter(found.cursor.fetchone, None)


def _of_notes(connection: sa.Connection) -> str:
    statements = [sa.select(META).where(META.c.key != NOTES)]
    statements += [sa.select(table) for table in (BOTS, UNBENCHED, BENCHED)]
    # Not sorted by the database: its order of letters is its own.
    return str(_checksum(*(sorted(map(tuple, connection.execute(one))) for one in statements)))


def _checksum(*rows: Any) -> int:
    return zlib.crc32(_encode(rows).encode("ascii"))
