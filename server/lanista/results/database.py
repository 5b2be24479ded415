"""The results of one competition, a tournament or a ladder: storing and querying them.

A tournament may run for days, and be killed at any moment. So results are written block by block: a
block is in the database whole or not at all, and only once, and what was committed stays there
whatever happens next, even a power cut. A tournament is resumed from its spec and the database
alone. No totals are stored, so none can contradict the blocks. The same holds for the matches of a
ladder, which has no blocks.

The manager of a tournament holds the database's lock for as long as it runs, so that no second one
plays the same blocks; an arena with ladders holds it for its SQLite file. On PostgreSQL several
arenas may share a ladder: none of them takes that lock, and their transactions follow one another.
"""

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import attrs
import sqlalchemy as sa

from lanista.errors import StoreError
from lanista.results.base import Database, Kind
from lanista.results.ladder_reading import LadderReading
from lanista.results.match_result import (
    MATCH_COLUMNS,
    SEAT_COLUMNS,
    Benching,
    BlockResult,
    MatchResult,
)
from lanista.results.reading import Reading, StoredMatch
from lanista.results.schema import (
    BENCHED,
    BLOCKS,
    BOTS,
    LISTED,
    MATCHES,
    META,
    SEATS,
    STRUCK,
    UNBENCHED,
)
from lanista.system import undoing

Row = tuple[int, dict[str, Any], Sequence[dict[str, Any]]]
"""A match's competition, its row in `MATCHES` without its number, and by seat those in `SEATS`."""


def match_row(
    competition: int, match: MatchResult, *, block: int | None = None, committed: str | None = None
) -> Row:
    """Return what `insert` takes of a match, given the number of its block if it has one.

    `committed` is when it was stored, as ISO 8601 in UTC; None for now.
    """
    row = {name: getattr(match, name) for name in MATCH_COLUMNS} | {
        "block": block,
        "committed": committed or datetime.now(UTC).isoformat(timespec="milliseconds"),
        "seed": str(match.seed),
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
    of_matches, of_seats = [], []
    first = last_match(connection) + 1
    for number, (competition, row, seats) in enumerate(matches, first):
        of_matches.append({**row, "number": number, "competition": competition})
        for seat, its_row in enumerate(seats):
            of_seats.append({**its_row, "match": number, "seat": seat, "competition": competition})
    connection.execute(MATCHES.insert(), of_matches)
    connection.execute(SEATS.insert(), of_seats)
    return list(range(first, first + len(matches)))


def last_match(connection: sa.Connection) -> int:
    """Return the number of the last match; 0 if there is none."""
    return connection.scalar(sa.select(sa.func.max(MATCHES.c.number))) or 0


def readable(
    database: Database,
    numbers: Sequence[int],
    on_error: Callable[[int, StoreError], None],
    errors: type[StoreError] = StoreError,
) -> list[StoredMatch]:
    """Return those of some matches that can be read, of whichever competition, the newest first.

    The numbers are given in this order, too. `on_error` is told of each of the others, and why it
    can't be read. `errors` are those that a single match may have; any other is raised.
    """
    if not numbers:
        return []
    try:
        with database.reading() as connection:
            return list(Reading(connection, 0).numbered(numbers))
    except errors as error:
        if len(numbers) == 1:
            on_error(numbers[0], error)
            return []
    half = len(numbers) // 2
    first, second = numbers[:half], numbers[half:]
    return [
        found for part in (first, second) for found in readable(database, part, on_error, errors)
    ]


@attrs.frozen
class Store:
    """The results of one competition in a database.

    Every method raises `StoreError` if the database can't be read or written; then nothing of what
    it was to store is stored.
    """

    database: Database
    competition: int

    @classmethod
    def open(cls, target: str | Path, *, create: bool = True, check: bool = True) -> Self:
        """Open the database of a tournament as `Database.open` does; one of an arena is refused."""
        holds = Kind.TOURNAMENT if create else None
        database = Database.open(target, create=create, check=check, holds=holds)
        with undoing(database.close):
            competition = database.competition(Kind.TOURNAMENT)
            if competition is None:
                raise StoreError(f"{database.where}: the database of an arena, not of a tournament")
            return cls(database, competition)

    @classmethod
    def of_ladder(cls, database: Database, name: str, game: str) -> Self:
        """Return the results of a ladder in an arena's database, which its owner closes."""
        return cls(database, database.make_competition(Kind.LADDER, name, game))

    def of(self, table: sa.Table) -> sa.ColumnElement[bool]:
        """Return the condition for the rows of a table that are the competition's."""
        condition: sa.ColumnElement[bool] = table.c.competition == self.competition
        return condition

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def lock(self) -> contextlib.AbstractContextManager[None]:
        """Be the only manager of the tournament, as `Database.lock`."""
        return self.database.lock()

    def add(self, results: Sequence[BlockResult], benched: Sequence[Benching] = ()) -> list[str]:
        """Store blocks in one transaction; when this returns they are on the disk.

        A block that is stored already, since it was played twice, is left as it is, and so is a bot
        that is benched already; neither occurs twice in the arguments. The `benched` were so after
        one of these blocks, or of those before. Returns the ids of the blocks that weren't stored
        before, in the same order.

        Raises:
            ValueError: A block doesn't have exactly one match that counts for each seating.
        """
        if not results and not benched:
            return []
        for result in results:
            counted = sorted(match.seating for match in result.matches if match.counted)
            if not counted or counted != list(range(len(counted))):
                raise ValueError(f"block {result.block}: the seatings that count are {counted}")
        ids = {result.block for result in results} | {benching.block for benching in benched}
        known = sa.select(BLOCKS.c.id, BLOCKS.c.number).where(self.of(BLOCKS), BLOCKS.c.id.in_(ids))
        with self.database.writing() as connection:
            numbers: dict[str, int] = dict(connection.execute(known).all())
            new = [result for result in results if result.block not in numbers]
            last: int = connection.scalar(sa.select(sa.func.max(BLOCKS.c.number))) or 0
            numbers |= {result.block: number for number, result in enumerate(new, last + 1)}
            if new:
                blocks = [
                    {
                        "number": numbers[result.block],
                        "competition": self.competition,
                        "id": result.block,
                        "bots": json.dumps(result.bots),
                    }
                    for result in new
                ]
                connection.execute(BLOCKS.insert(), blocks)
                matches = [
                    match_row(self.competition, match, block=numbers[result.block])
                    for result in new
                    for match in result.matches
                ]
                insert(connection, matches)
            for bot, block, failures in map(attrs.astuple, benched):
                there = sa.select(BENCHED.c.bot).where(self.of(BENCHED), BENCHED.c.bot == bot)
                if connection.scalar(there) is None:
                    self._note(connection, BENCHED, bot, numbers[block], failures=failures)
        return [result.block for result in new]

    def add_matches(self, results: Sequence[MatchResult]) -> list[int]:
        """Store matches without a block in one transaction, and return their numbers.

        When this returns they are on the disk. A match whose id is stored already is left as it is.
        """
        if not results:
            return []
        wanted: dict[str | None, MatchResult] = {}
        for result in results:
            wanted.setdefault(result.id, result)
        there = sa.select(MATCHES.c.id, MATCHES.c.number).where(
            LISTED, MATCHES.c.id.in_(list(wanted)), self.of(MATCHES)
        )
        with self.database.writing() as connection:
            numbers = dict(connection.execute(there).all())
            new = {id_: result for id_, result in wanted.items() if id_ not in numbers}
            matches = [match_row(self.competition, one) for one in new.values()]
            numbers |= zip(new, insert(connection, matches), strict=True)
        return [numbers[result.id] for result in results]

    def unbench(self, bot: str) -> None:
        """End a bot's benching, and forget its failures until now, for `running_failures`."""
        with self.database.writing() as connection:
            self._note(connection, UNBENCHED, bot, last_match(connection))
            self._forget(connection, BENCHED, bot)

    def strike(self, bot: str) -> None:
        """Take the matches of a bot until now out of the standings, for all that played in them.

        They stay stored, and what the bot plays from now on counts.
        """
        with self.database.writing() as connection:
            self._note(connection, STRUCK, bot, last_match(connection))

    def unstrike(self, bot: str) -> None:
        """Put the matches of a bot that was struck back into the standings."""
        with self.database.writing() as connection:
            self._forget(connection, STRUCK, bot)

    def set_meta(self, key: str, value: str) -> None:
        """Store a note under a key, in place of the one before."""
        with self.database.writing() as connection:
            connection.execute(META.delete().where(self.of(META), META.c.key == key))
            row = {"competition": self.competition, "key": key, "value": value}
            connection.execute(META.insert().values(row))

    def set_identity(self, name: str, identity: str) -> None:
        """Store the identity of a bot, as JSON.

        If it has changed, the bot's failures are forgotten, and it is no longer benched.
        """
        with self.database.writing() as connection:
            there = self.of(BOTS) & (BOTS.c.name == name)
            before = connection.scalar(sa.select(BOTS.c.identity).where(there))
            if before == identity:
                return
            since = last_match(connection) if before is not None else 0
            connection.execute(BOTS.delete().where(there))
            row = {"competition": self.competition, "name": name, "identity": identity}
            connection.execute(BOTS.insert().values(row | {"since": since}))
            if before is not None:
                self._forget(connection, BENCHED, name)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Reading]:
        """Yield a `Reading`, for several queries about the same moment."""
        with self.database.reading() as connection:
            yield Reading(connection, self.competition)

    @contextlib.contextmanager
    def ladder_reading(self, window: int | None = None) -> Iterator[LadderReading]:
        """Yield a `LadderReading`, for several queries about the same moment of a ladder.

        Only so many of the latest matches count as `window` says; None for all.
        """
        with self.database.reading() as connection:
            yield LadderReading.of_window(connection, self.competition, window)

    def _note(
        self, connection: sa.Connection, table: sa.Table, bot: str, number: int, **more: object
    ) -> None:
        """Write a bot's row of `UNBENCHED`, `BENCHED` or `STRUCK`, in place of the one before."""
        self._forget(connection, table, bot)
        row = {"competition": self.competition, "bot": bot, "number": number}
        connection.execute(table.insert().values(row | more))

    def _forget(self, connection: sa.Connection, table: sa.Table, bot: str) -> None:
        """Remove a bot's row of such a table, if it has one."""
        connection.execute(table.delete().where(self.of(table), table.c.bot == bot))
