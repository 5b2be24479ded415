"""Inserting results, on a connection in the only writing transaction, which is the caller's."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from lanista.results.match_result import Benching, BlockResult, MatchResult
from lanista.results.schema import BENCHED, BLOCKS, COUNTED, MATCHES, SEATS


def add_blocks(connection: sa.Connection, results: Sequence[BlockResult]) -> list[str]:
    """Insert whole blocks; one that is stored already is left as it is.

    Returns:
        The ids of the blocks that weren't stored before, in the same order.
    """
    wanted: dict[str, BlockResult] = {}
    for result in results:
        wanted.setdefault(result.block, result)
    stored = _stored_blocks(connection, wanted)
    new = [result for block, result in wanted.items() if block not in stored]
    numbers = _insert_blocks(connection, new)
    _insert_matches(
        connection, [(numbers[result.block], match) for result in new for match in result.matches]
    )
    return list(numbers)


def add_matches(connection: sa.Connection, results: Sequence[BlockResult]) -> list[int]:
    """Insert matches, and the blocks that are new; a match that is stored already stays as it is.

    Returns:
        The numbers of the matches, in the order given.

    Raises:
        ValueError: A block isn't the one that is stored, or a seating would count twice.
    """
    blocks: dict[str, BlockResult] = {}
    for result in results:
        first = blocks.setdefault(result.block, result)
        _check_same(result, _block_row(0, first))
    stored = _stored_blocks(connection, blocks)
    for id_, row in stored.items():
        _check_same(blocks[id_], row)
    numbers = {id_: row["number"] for id_, row in stored.items()}
    there = _stored_matches(connection, numbers.values())
    numbers |= _insert_blocks(
        connection, [each for id_, each in blocks.items() if id_ not in stored]
    )
    counted = {(block, seating) for (block, seating, _), (_, counts) in there.items() if counts}
    given: list[tuple[int, int, int]] = []
    new: dict[tuple[int, int, int], MatchResult] = {}
    for result in results:
        block = numbers[result.block]
        for match in result.matches:
            key = (block, match.seating, match.attempt)
            given.append(key)
            if key in there or key in new:
                continue
            new[key] = match
            if match.counted:
                if key[:2] in counted:
                    raise ValueError(
                        f"block {result.block}: seating {match.seating} has a match that counts"
                    )
                counted.add(key[:2])
    inserted = _insert_matches(connection, [(key[0], match) for key, match in new.items()])
    match_numbers = {key: number for key, (number, _) in there.items()}
    match_numbers |= dict(zip(new, inserted, strict=True))
    return [match_numbers[key] for key in given]


def _check_same(result: BlockResult, row: Mapping[str, Any]) -> None:
    given = _block_row(0, result)
    for column in ("bots", "seed", "map"):
        if given[column] != row[column]:
            raise ValueError(
                f"block {result.block}: {column} {given[column]}, but before {row[column]}"
            )


def _stored_blocks(connection: sa.Connection, ids: Collection[str]) -> dict[str, Mapping[str, Any]]:
    """Return the rows of those blocks that are stored, by id."""
    rows = connection.execute(sa.select(BLOCKS).where(BLOCKS.c.id.in_(list(ids)))).mappings()
    return {row["id"]: dict(row) for row in rows}


def _stored_matches(
    connection: sa.Connection, blocks: Collection[int]
) -> dict[tuple[int, int, int], tuple[int, bool]]:
    """Return the number of each match of some blocks, and whether it counts, by key."""
    rows = connection.execute(
        sa.select(
            MATCHES.c.number, COUNTED, MATCHES.c.block, MATCHES.c.seating, MATCHES.c.attempt
        ).where(MATCHES.c.block.in_(list(blocks)))
    )
    return {tuple(key): (number, bool(counts)) for number, counts, *key in rows}


def _insert_blocks(connection: sa.Connection, results: Sequence[BlockResult]) -> dict[str, int]:
    """Insert the rows of new blocks, without matches; return their numbers by id."""
    last: int = connection.scalar(sa.select(sa.func.max(BLOCKS.c.number))) or 0
    numbered = list(enumerate(results, last + 1))
    if numbered:
        connection.execute(BLOCKS.insert(), [_block_row(*pair) for pair in numbered])
    return {result.block: number for number, result in numbered}


def _insert_matches(
    connection: sa.Connection, matches: Sequence[tuple[int, MatchResult]]
) -> list[int]:
    """Insert matches, each with the number of its block; return their own numbers."""
    committed = datetime.now(UTC).isoformat(timespec="milliseconds")
    first = last_match(connection) + 1
    numbered = [(number, *match) for number, match in enumerate(matches, first)]
    if numbered:
        connection.execute(
            MATCHES.insert(),
            [_match_row(number, block, committed, match) for number, block, match in numbered],
        )
        connection.execute(
            SEATS.insert(),
            [row for number, _, match in numbered for row in _seat_rows(number, match)],
        )
    return [number for number, _, _ in numbered]


def last_match(connection: sa.Connection) -> int:
    """Return the number of the last match; 0 if there is none."""
    return connection.scalar(sa.select(sa.func.max(MATCHES.c.number))) or 0


def note_until_now(connection: sa.Connection, table: sa.Table, bot: str) -> None:
    """Write a bot's row of `UNBENCHED` or `STRUCK`, which covers all matches until now."""
    connection.execute(table.delete().where(table.c.bot == bot))
    connection.execute(table.insert().values(bot=bot, number=last_match(connection)))


def bench(connection: sa.Connection, benched: Sequence[Benching]) -> None:
    """Insert benchings; a bot that is benched already stays as it is."""
    for benching in benched:
        bot, block = benching.bot, benching.block
        number = connection.scalar(sa.select(BLOCKS.c.number).where(BLOCKS.c.id == block))
        if number is None:
            raise ValueError(f"{bot} was benched after block {block}, which isn't stored")
        if connection.scalar(sa.select(BENCHED.c.bot).where(BENCHED.c.bot == bot)) is None:
            values = {"bot": bot, "number": number, "failures": benching.failures}
            connection.execute(BENCHED.insert().values(values))


def _block_row(number: int, result: BlockResult) -> dict[str, Any]:
    return {
        "number": number,
        "id": result.block,
        "seed": str(result.seed),
        "map": result.map,
        "bots": json.dumps(result.bots),
    }


def _match_row(number: int, block: int, committed: str, match: MatchResult) -> dict[str, Any]:
    return {
        "block": block,
        "seating": match.seating,
        "attempt": match.attempt,
        "number": number,
        "committed": committed,
        "termination": match.end,
        "reason": json.dumps(match.reason),
        "ranks": json.dumps([seat.rank for seat in match.seats]),
        "scores": json.dumps([seat.score for seat in match.seats]),
        "turns": match.turns,
        "digest": match.digest,
        "seconds": match.seconds,
        "stall": match.stall,
        "record": match.record,
    }


def _seat_rows(number: int, match: MatchResult) -> Iterator[dict[str, Any]]:
    for number_of_seat, seat in enumerate(match.seats):
        yield {
            "match": number,
            "seat": number_of_seat,
            "bot": seat.bot,
            "ending": seat.ending.value,
            "words": json.dumps(seat.words),
            "late": seat.late,
            "malformed": seat.malformed,
            "illegal": seat.illegal,
        }
