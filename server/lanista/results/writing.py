"""Inserting results, on a connection in the only writing transaction, which is the caller's."""

import json
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from lanista.results.match_result import (
    MATCH_COLUMNS,
    SEAT_COLUMNS,
    Benching,
    BlockResult,
    MatchResult,
    SingleMatch,
)
from lanista.results.schema import BENCHED, BLOCKS, LISTED, MATCHES, SEATS

Row = tuple[int, dict[str, Any], Sequence[dict[str, Any]]]
"""The number of a match's competition, its row in `MATCHES`, and by seat those in `SEATS`.

The match's number is left out, and so may be `committed`, if that is now.
"""


def add_blocks(
    connection: sa.Connection, competition: int, results: Sequence[BlockResult]
) -> list[str]:
    """Insert whole blocks of a competition; one that is stored already is left as it is.

    Returns:
        The ids of the blocks that weren't stored before, in the same order.
    """
    wanted: dict[str, BlockResult] = {}
    for result in results:
        wanted.setdefault(result.block, result)
    there = sa.select(BLOCKS.c.id).where(
        BLOCKS.c.competition == competition, BLOCKS.c.id.in_(list(wanted))
    )
    stored = set(connection.scalars(there))
    new = [result for block, result in wanted.items() if block not in stored]
    numbers = _insert_blocks(connection, competition, new)
    matches = [
        match_row(competition, result, match, numbers[result.block])
        for result in new
        for match in result.matches
    ]
    insert(connection, matches)
    return list(numbers)


def add_matches(
    connection: sa.Connection, competition: int, results: Sequence[SingleMatch]
) -> list[int]:
    """Insert matches of a competition; one that is stored already stays as it is.

    Returns:
        The numbers of the matches, in the order given.
    """
    wanted: dict[str | None, SingleMatch] = {}
    for result in results:
        wanted.setdefault(result.match.id, result)
    numbers = numbers_of(connection, competition, list(wanted))
    new = {id_: result for id_, result in wanted.items() if id_ not in numbers}
    matches = [match_row(competition, result, result.match) for result in new.values()]
    numbers |= zip(new, insert(connection, matches), strict=True)
    return [numbers[result.match.id] for result in results]


def numbers_of(
    connection: sa.Connection, competition: int, ids: Collection[str | None]
) -> dict[str | None, int]:
    """Return the numbers of those of some matches that are stored, by id."""
    there = sa.select(MATCHES.c.id, MATCHES.c.number).where(
        LISTED, MATCHES.c.id.in_(list(ids)), MATCHES.c.competition == competition
    )
    return dict(connection.execute(there).all())


def _insert_blocks(
    connection: sa.Connection, competition: int, results: Sequence[BlockResult]
) -> dict[str, int]:
    """Insert the rows of new blocks, without matches; return their numbers by id."""
    if not results:
        return {}
    last: int = connection.scalar(sa.select(sa.func.max(BLOCKS.c.number))) or 0
    numbers = {result.block: number for number, result in enumerate(results, last + 1)}
    connection.execute(
        BLOCKS.insert(),
        [
            {
                "number": numbers[result.block],
                "competition": competition,
                "id": result.block,
                "bots": json.dumps(result.bots),
            }
            for result in results
        ],
    )
    return numbers


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


def note_until_now(connection: sa.Connection, competition: int, table: sa.Table, bot: str) -> None:
    """Write a bot's row of `UNBENCHED` or `STRUCK`, which covers all matches until now."""
    remove_notes(connection, competition, table, bot)
    row = {"competition": competition, "bot": bot, "number": last_match(connection)}
    connection.execute(table.insert().values(row))


def remove_notes(connection: sa.Connection, competition: int, table: sa.Table, bot: str) -> None:
    """Remove a bot's row of `UNBENCHED`, `BENCHED` or `STRUCK`, if it has one."""
    connection.execute(table.delete().where(table.c.competition == competition, table.c.bot == bot))


def bench(connection: sa.Connection, competition: int, benched: Sequence[Benching]) -> None:
    """Insert benchings; a bot that is benched already stays as it is."""
    for benching in benched:
        bot, block = benching.bot, benching.block
        of_block = (BLOCKS.c.competition == competition) & (BLOCKS.c.id == block)
        number = connection.scalar(sa.select(BLOCKS.c.number).where(of_block))
        if number is None:
            raise ValueError(f"{bot} was benched after block {block}, which isn't stored")
        there = (BENCHED.c.competition == competition) & (BENCHED.c.bot == bot)
        if connection.scalar(sa.select(BENCHED.c.bot).where(there)) is None:
            row = {"competition": competition, "bot": bot, "number": number}
            connection.execute(BENCHED.insert().values(row | {"failures": benching.failures}))


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
