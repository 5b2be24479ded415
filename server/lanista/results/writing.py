"""Inserting results, on a connection in the only writing transaction, which is the caller's."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from lanista.results.match_result import Benching, BlockResult, MatchResult
from lanista.results.schema import BENCHED, BLOCKS, COUNTED, MATCHES, SEATS


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
    stored = _stored_blocks(connection, competition, wanted)
    new = [result for block, result in wanted.items() if block not in stored]
    numbers = _insert_blocks(connection, competition, new)
    _insert_matches(
        connection,
        competition,
        [(numbers[result.block], result, match) for result in new for match in result.matches],
    )
    return list(numbers)


def add_matches(
    connection: sa.Connection, competition: int, results: Sequence[BlockResult]
) -> list[int]:
    """Insert matches of a competition, and the blocks that are new.

    A match that is stored already stays as it is.

    Returns:
        The numbers of the matches, in the order given.

    Raises:
        ValueError: A block isn't the one that is stored, or a seating would count twice.
    """
    blocks: dict[str, BlockResult] = {}
    for result in results:
        first = blocks.setdefault(result.block, result)
        _check_same(result, _common(first))
    stored = _stored_blocks(connection, competition, blocks)
    for id_, row in stored.items():
        _check_same(blocks[id_], row)
    numbers = {id_: row["number"] for id_, row in stored.items()}
    there = _stored_matches(connection, competition, numbers.values())
    numbers |= _insert_blocks(
        connection, competition, [each for id_, each in blocks.items() if id_ not in stored]
    )
    counted = {(block, seating) for (block, seating, _), (_, counts) in there.items() if counts}
    given: list[tuple[int, int, int]] = []
    new: dict[tuple[int, int, int], tuple[BlockResult, MatchResult]] = {}
    for result in results:
        block = numbers[result.block]
        for match in result.matches:
            key = (block, match.seating, match.attempt)
            given.append(key)
            if key in there or key in new:
                continue
            new[key] = result, match
            if match.counted:
                if key[:2] in counted:
                    raise ValueError(
                        f"block {result.block}: seating {match.seating} has a match that counts"
                    )
                counted.add(key[:2])
    inserted = _insert_matches(
        connection, competition, [(key[0], *played) for key, played in new.items()]
    )
    match_numbers = {key: number for key, (number, _) in there.items()}
    match_numbers |= dict(zip(new, inserted, strict=True))
    return [match_numbers[key] for key in given]


def _common(result: BlockResult) -> dict[str, str]:
    """Return what all matches of a block have in common, as it is stored."""
    return {"bots": json.dumps(result.bots), "seed": str(result.seed), "map": result.map}


def _check_same(result: BlockResult, row: Mapping[str, Any]) -> None:
    for column, value in _common(result).items():
        if value != row[column]:
            raise ValueError(f"block {result.block}: {column} {value}, but before {row[column]}")


def _stored_blocks(
    connection: sa.Connection, competition: int, ids: Collection[str]
) -> dict[str, Mapping[str, Any]]:
    """Return the number and what is common of those blocks that are stored, by id."""
    of_ids = sa.select(BLOCKS.c.number, BLOCKS.c.id, BLOCKS.c.bots).where(
        BLOCKS.c.competition == competition, BLOCKS.c.id.in_(list(ids))
    )
    blocks = {row["number"]: dict(row) for row in connection.execute(of_ids).mappings()}
    if blocks:
        # In a query of its own: joined, all matches might be read.
        of_blocks = sa.select(MATCHES.c.block, MATCHES.c.seed, MATCHES.c.map).where(
            MATCHES.c.competition == competition, MATCHES.c.block.in_(list(blocks))
        )
        for block, seed, map_name in connection.execute(of_blocks):
            blocks[block] |= {"seed": seed, "map": map_name}
    return {row["id"]: row for row in blocks.values()}


def _stored_matches(
    connection: sa.Connection, competition: int, blocks: Collection[int]
) -> dict[tuple[int, int, int], tuple[int, bool]]:
    """Return the number of each match of some blocks, and whether it counts, by key."""
    rows = connection.execute(
        sa.select(
            MATCHES.c.number, COUNTED, MATCHES.c.block, MATCHES.c.seating, MATCHES.c.attempt
        ).where(MATCHES.c.competition == competition, MATCHES.c.block.in_(list(blocks)))
    )
    return {tuple(key): (number, bool(counts)) for number, counts, *key in rows}


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


def _insert_matches(
    connection: sa.Connection,
    competition: int,
    matches: Sequence[tuple[int, BlockResult, MatchResult]],
) -> list[int]:
    """Insert matches, each with the number of its block and the block; return their own numbers."""
    if not matches:
        return []
    committed = datetime.now(UTC).isoformat(timespec="milliseconds")
    first = last_match(connection) + 1
    numbers = list(range(first, first + len(matches)))
    common = {"competition": competition, "committed": committed}
    connection.execute(
        MATCHES.insert(),
        [
            {"number": number, "block": block, **common, **_match_row(result, match)}
            for number, (block, result, match) in zip(numbers, matches, strict=True)
        ],
    )
    connection.execute(
        SEATS.insert(),
        [
            {"match": number, "competition": competition, **row}
            for number, (_, _, match) in zip(numbers, matches, strict=True)
            for row in _seat_rows(match)
        ],
    )
    return numbers


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


def _match_row(result: BlockResult, match: MatchResult) -> dict[str, Any]:
    return {
        "id": match.id,
        "seating": match.seating,
        "attempt": match.attempt,
        "seed": str(result.seed),
        "map": result.map,
        "started": match.started,
        "ended": match.ended,
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


def _seat_rows(match: MatchResult) -> Iterator[dict[str, Any]]:
    for number_of_seat, seat in enumerate(match.seats):
        yield {
            "seat": number_of_seat,
            "bot": seat.bot,
            "ending": seat.ending.value,
            "words": json.dumps(seat.words),
            "late": seat.late,
            "malformed": seat.malformed,
            "illegal": seat.illegal,
            "gone": seat.gone,
        }
