"""Checksums of a database's content, which reveal damage that the database itself can't see.

A database checks its own structure, but not its values: a bit that flips in a number or a name, on
the disk or in a copy, leaves a valid database with a wrong result in it, and nobody would notice.
So each block has a checksum over its rows in all tables, and a database in which one doesn't match
is refused. A match that is added to a block renews its checksum. The few notes (on bots, seeds,
benchings and strikes), which unlike matches may change, have one checksum together, which is itself
stored in `meta`.

All checksums are computed from what the database returns, also when they are stored. So it doesn't
matter how a database represents a value, as long as it always returns the same one. They protect
against accidents, not against forgery.
"""

import itertools
import json
import zlib
from collections.abc import Collection, Iterator
from operator import itemgetter
from typing import Any

import sqlalchemy as sa

from lanista.store.reading import Statement, rows
from lanista.store.schema import (
    BENCHED,
    BLOCKS,
    BOTS,
    MATCHES,
    META,
    SEATS,
    STRUCK,
    UNBENCHED,
)

NOTES = "checksum"
"""The key in `meta` of the notes' checksum."""
_encode = json.JSONEncoder(separators=(",", ":")).encode
"""A JSON encoder that is made once; `json.dumps` with options would make one for each block."""


def add_blocks(connection: sa.Connection, numbers: Collection[int] | None = None) -> None:
    """Store the checksums of blocks in which matches have just been written.

    Args:
        connection: The connection that wrote them, in the same transaction.
        numbers: The blocks' numbers; None for all blocks.
    """
    changes = [
        {"of": number, "checksum": checksum} for number, _, checksum in _blocks(connection, numbers)
    ]
    if changes:
        of = BLOCKS.c.number == sa.bindparam("of")
        connection.execute(
            BLOCKS.update().where(of).values(checksum=sa.bindparam("checksum")), changes
        )


def add_notes(connection: sa.Connection) -> None:
    """Store the checksum of the notes; one of them has just been written."""
    connection.execute(META.delete().where(META.c.key == NOTES))
    connection.execute(META.insert().values(key=NOTES, value=_of_notes(connection)))


def broken_pages(connection: sa.Connection) -> str:
    """Return what is wrong with the structure of a SQLite database; "" if nothing is.

    Indexes are also compared with their tables, since sums are read from indexes alone.
    """
    report: str = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar_one()
    # The first line may only name the database.
    return "" if report == "ok" else report.removeprefix("*** in database main ***")


def changed_values(connection: sa.Connection) -> str:
    """Return which content differs from what was stored; "" if none does."""
    number = 0
    try:
        for number, stored, checksum in _blocks(connection, None):
            if stored != checksum:
                return f"block {number} differs from what was stored"
        of_notes = connection.scalar(sa.select(META.c.value).where(META.c.key == NOTES))
        if of_notes != _of_notes(connection):
            return "its notes on bots and seeds differ from what was stored"
    except (TypeError, ValueError):  # rows are missing, or a value has another type
        return f"what comes after block {number} differs from what was stored"
    return ""


def _blocks(
    connection: sa.Connection, numbers: Collection[int] | None
) -> Iterator[tuple[int, int, int]]:
    """Yield the number of each block, the checksum that is stored, and that of its rows."""
    key = (MATCHES.c.block, MATCHES.c.seating, MATCHES.c.attempt)
    of_seats = sa.select(MATCHES.c.block, SEATS).select_from(SEATS).join(MATCHES)
    blocks, matches, seats = (
        rows(connection, statement if numbers is None else _of(statement, numbers))
        for statement in (
            sa.select(BLOCKS).order_by(BLOCKS.c.number),
            sa.select(MATCHES).order_by(*key),
            of_seats.order_by(*key, SEATS.c.seat),
        )
    )
    by_block = (itertools.groupby(rows, itemgetter(0)) for rows in (matches, seats))
    for block, (_, its_matches), (_, its_seats) in zip(blocks, *by_block, strict=True):
        number, *values, stored = block
        yield number, stored, _checksum([number, *values], *its_matches, *its_seats)


def _of(statement: Statement, numbers: Collection[int]) -> Statement:
    """Return a statement whose first column is the number of a block, for some blocks alone."""
    return statement.where(statement.selected_columns[0].in_(list(numbers)))


def _of_notes(connection: sa.Connection) -> str:
    statements = [sa.select(META).where(META.c.key != NOTES)]
    statements += [sa.select(table) for table in (BOTS, UNBENCHED, BENCHED, STRUCK)]
    # Sorted here, since each database has its own order of letters.
    return str(_checksum(*(sorted(map(tuple, connection.execute(each))) for each in statements)))


def _checksum(*rows: Any) -> int:
    return zlib.crc32(_encode(rows).encode("ascii"))
