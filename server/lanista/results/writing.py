"""The rows of matches: making them, and inserting them in the caller's writing transaction."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from lanista.results.match_result import (
    MATCH_COLUMNS,
    SEAT_COLUMNS,
    BlockResult,
    MatchResult,
    SingleMatch,
)
from lanista.results.schema import MATCHES, SEATS

Row = tuple[int, dict[str, Any], Sequence[dict[str, Any]]]
"""The number of a match's competition, its row in `MATCHES`, and by seat those in `SEATS`.

The match's number is left out, and so may be `committed`, if that is now.
"""


def match_row(
    competition: int,
    result: BlockResult | SingleMatch,
    match: MatchResult,
    block: int | None = None,
) -> Row:
    """Return what `insert` takes of a match, given the result that has its seed and map."""
    row = {name: getattr(match, name) for name in MATCH_COLUMNS} | {
        "block": block,
        "seed": str(result.seed),
        "map": result.map,
        "termination": match.end,
        "reason": json.dumps(match.reason),
        "ranks": json.dumps([seat.rank for seat in match.seats]),
        "scores": json.dumps([seat.score for seat in match.seats]),
    }
    seats = [
        {name: getattr(seat, name) for name in SEAT_COLUMNS}
        | {"ending": seat.ending.value, "words": json.dumps(seat.words)}
        for seat in match.seats
    ]
    return competition, row, seats


def insert(connection: sa.Connection, matches: Sequence[Row]) -> list[int]:
    """Insert matches, and return their numbers."""
    if not matches:
        return []
    committed = datetime.now(UTC).isoformat(timespec="milliseconds")
    of_matches, of_seats = [], []
    first = last_match(connection) + 1
    for number, (competition, row, seats) in enumerate(matches, first):
        of_matches.append(
            {"committed": committed, **row, "number": number, "competition": competition}
        )
        for seat, its_row in enumerate(seats):
            of_seats.append({**its_row, "match": number, "seat": seat, "competition": competition})
    connection.execute(MATCHES.insert(), of_matches)
    connection.execute(SEATS.insert(), of_seats)
    return list(range(first, first + len(matches)))


def last_match(connection: sa.Connection) -> int:
    """Return the number of the last match; 0 if there is none."""
    return connection.scalar(sa.select(sa.func.max(MATCHES.c.number))) or 0
