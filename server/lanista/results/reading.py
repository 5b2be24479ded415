"""Queries about the stored results of a competition, on one connection, in one snapshot."""

import functools
import itertools
import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import attrs
import sqlalchemy as sa

from lanista.games.outcome import ENDINGS, Ending
from lanista.results.block_records import BlockMatch
from lanista.results.match_result import (
    FAULTS,
    MATCH_COLUMNS,
    SEAT_COLUMNS,
    Benching,
    BotEndings,
    Endings,
    MatchResult,
    SeatResult,
)
from lanista.results.schema import (
    BENCHED,
    BLOCKS,
    BOTS,
    COUNTED,
    FAILED,
    LISTED,
    MATCHES,
    META,
    SEATS,
    STRUCK,
    UNBENCHED,
    VOID,
)

PAGE = 500
"""Number of matches that are read at once."""
MOST_BOUND = 5000
"""The most values in one statement; SQLite allows 32,766, PostgreSQL 65,535."""

_Key = TypeVar("_Key", int, str)
Statement = sa.Select[*tuple[Any, ...]]


class PlayedBlock(NamedTuple):
    """A block that was played, with what formats and ratings need of it."""

    id: str
    bots: tuple[str, ...]
    """The bots' names, by place."""
    seed: int
    map: str
    """The map's name; empty if the seed makes the map."""
    ranks: tuple[tuple[int, ...], ...]
    """The ranks of the matches that count, by seating, then by seat."""


class StoredMatch(NamedTuple):
    """A stored match, with its place in the database."""

    block: str
    """The id of its block; empty if it has none."""
    number: int
    """The match's number, in the order of commits."""
    committed: str
    """The time at which the match was stored: UTC, ISO 8601."""
    match: MatchResult

    @property
    def of_block(self) -> BlockMatch:
        """The match within its block, if it is a tournament's."""
        return BlockMatch(self.block, self.match.seating, self.match.attempt)


def json_list(text: str) -> tuple[Any, ...]:
    """Parse a JSON list; callers keep what it returns, as few different lists occur."""
    return tuple(json.loads(text))


def _ranks(text: str) -> tuple[tuple[int, ...], ...]:
    """Parse ranks by seating and seat from a text such as `1[2, 1];0[1, 2]`."""
    by_seating = {}
    for match in text.split(";"):
        seating, _, ranks = match.partition("[")
        by_seating[int(seating)] = tuple(json.loads("[" + ranks))
    return tuple(by_seating[seating] for seating in sorted(by_seating))


@attrs.frozen
class Reading:
    """The results of a competition at one moment; made by `Store.reading`."""

    connection: sa.Connection
    competition: int
    first: int = 1
    """The number of the oldest match that counts, of those of a ladder with a window."""

    def of(self, table: sa.FromClause) -> sa.ColumnElement[bool]:
        """Return the condition for the rows of a table that are the competition's."""
        condition: sa.ColumnElement[bool] = table.c.competition == self.competition
        return condition

    def played(self) -> list[PlayedBlock]:
        """Return all blocks of a tournament, in the order of their commits."""
        blocks = sa.select(BLOCKS.c.id, BLOCKS.c.bots).where(self.of(BLOCKS))
        # One row for each block here, too: its matches' ranks in one text, of which few are
        # different. It has the seatings, as neither database promises an order of joined strings.
        matches = sa.select(
            sa.func.min(MATCHES.c.seed),
            sa.func.min(MATCHES.c.map),
            sa.func.aggregate_strings(sa.cast(MATCHES.c.seating, sa.Text) + MATCHES.c.ranks, ";"),
        ).where(self.of(MATCHES), COUNTED)
        lists, of_blocks = functools.cache(json_list), functools.cache(_ranks)
        return [
            PlayedBlock(block, lists(bots), int(seed), map_name, of_blocks(text))
            for (block, bots), (seed, map_name, text) in zip(
                self.connection.execute(blocks.order_by(BLOCKS.c.number)).all(),
                self.connection.execute(
                    matches.group_by(MATCHES.c.block).order_by(MATCHES.c.block)
                ).all(),
                strict=True,
            )
        ]

    def endings(self, without: Collection[str] = ()) -> Endings:
        """Return how the matches of each bot ended, but for those that were struck.

        The totals of blocks with the ids in `without` are subtracted: the more there are, the
        longer it takes.
        """
        counts: Counter[tuple[str, Ending]] = Counter()
        faults: Counter[tuple[str, str]] = Counter()
        voids = 0
        all_ = None if self.first == 1 else MATCHES.c.number >= self.first
        subtracted: list[sa.ColumnElement[bool]] = []
        for ids in chunks(without):
            blocks = sa.select(BLOCKS.c.number).where(self.of(BLOCKS), BLOCKS.c.id.in_(ids))
            subtracted.append(MATCHES.c.block.in_(blocks) & self.not_struck())
        if self.notes(STRUCK):
            subtracted.append(~self.not_struck())
        if all_ is not None:
            subtracted = [condition & all_ for condition in subtracted]
        for place, condition in enumerate([all_, *subtracted]):
            sign = -1 if place else 1
            for is_void in (False, True):
                # Void matches are subtracted from all: they are few, and an index finds them.
                adding = -sign if is_void else sign
                for bot, ending, count, *sums in self._sums(condition, only_void=is_void):
                    counts[bot, ENDINGS[ending]] += adding * count
                    if is_void:
                        counts[bot, Ending.VOID] += sign * count
                    for fault, total in zip(FAULTS, sums, strict=True):
                        faults[bot, fault] += adding * int(total)
            void_matches = sa.select(sa.func.count()).select_from(MATCHES)
            void_matches = void_matches.where(self.of(MATCHES), VOID)
            if condition is not None:
                void_matches = void_matches.where(condition)
            voids += sign * (self.connection.scalar(void_matches) or 0)
        endings: dict[str, dict[Ending, int]] = {}
        for (bot, ending), count in sorted(counts.items()):
            if count:
                endings.setdefault(bot, {})[ending] = count
        bots = {
            bot: BotEndings(endings=of_it, **{fault: faults[bot, fault] for fault in FAULTS})
            for bot, of_it in endings.items()
        }
        return Endings(bots=bots, voids=voids)

    def _sums(
        self, condition: sa.ColumnElement[bool] | None, *, only_void: bool
    ) -> Sequence[sa.Row[*tuple[Any, ...]]]:
        """Return rows of bot, ending, number of seats, and the sums of each fault."""
        sums = [sa.func.sum(SEATS.c[fault]) for fault in FAULTS]
        statement: sa.Select[*tuple[Any, ...]] = (
            sa.select(SEATS.c.bot, SEATS.c.ending, sa.func.count(), *sums)
            .select_from(SEATS)
            .group_by(SEATS.c.bot, SEATS.c.ending)
        )
        if only_void or condition is not None:
            # By the matches alone, as SQLite would read every seat of the competition.
            statement = statement.join(MATCHES).where(self.of(MATCHES))
        else:
            statement = statement.where(self.of(SEATS))
        if only_void:
            statement = statement.where(VOID)
        if condition is not None:
            statement = statement.where(condition)
        return self.connection.execute(statement).all()

    def not_struck(self) -> sa.ColumnElement[bool]:
        """Return the condition for matches in which no bot played that was struck afterwards."""
        if not self.notes(STRUCK):
            return sa.true()
        struck = (
            sa.select(SEATS.c.match)
            .join(STRUCK, (STRUCK.c.bot == SEATS.c.bot) & (SEATS.c.match <= STRUCK.c.number))
            .where(self.of(STRUCK), self.of(SEATS))
        )
        return MATCHES.c.number.not_in(struck)

    def notes(self, table: sa.Table) -> dict[str, int]:
        """Return what is noted in a table of notes, by bot: the number of a match."""
        notes = sa.select(table.c.bot, table.c.number).where(self.of(table))
        return dict(self.connection.execute(notes).all())

    def last_number(self) -> int:
        """Return the number of the newest match; 0 if there is none."""
        newest = sa.select(sa.func.max(MATCHES.c.number)).where(self.of(MATCHES))
        return self.connection.scalar(newest) or 0

    def last_change(self) -> str:
        """Return a text that differs whenever matches, or what counts of them, have changed."""
        noted = [sorted(self.notes(table).items()) for table in (STRUCK, UNBENCHED, BENCHED)]
        return json.dumps([self.last_number(), *noted])

    def running_failures(self, most: int) -> dict[str, int]:
        """Return how many of each bot's latest matches in a row ended in a failure of its own.

        They are counted backwards from the newest match that counts, by the order of commits and,
        within a commit, the order played; not beyond the bot's last unbenching or change of
        identity. A match in which the bot has several seats is failed if one of them is. The
        numbers are from 1 to `most`; bots whose last match didn't fail are left out.
        """
        # With this order SQLite reads only the index of failures, not that of all seats.
        failed = sa.select(SEATS.c.bot).where(self.of(SEATS), FAILED).order_by(SEATS.c.match)
        names = sorted(set(self.connection.scalars(failed)))
        since = sa.select(BOTS.c.name, BOTS.c.since).where(self.of(BOTS))
        forgiven = dict(self.connection.execute(since).all())
        for bot, number in self.notes(UNBENCHED).items():
            forgiven[bot] = max(number, forgiven.get(bot, 0))
        counts = {bot: self._running(bot, forgiven.get(bot, 0), most) for bot in names}
        return {bot: count for bot, count in counts.items() if count}

    def _running(self, bot: str, after: int, most: int) -> int:
        """Return how many matches in a row, up to `most`, a bot failed after a match."""
        last = (
            sa.select(SEATS.c.match)
            .join(MATCHES)
            .where(self.of(SEATS), SEATS.c.bot == bot, SEATS.c.match > after, COUNTED)
            .distinct()
            .order_by(SEATS.c.match.desc())
            .limit(most)
        )
        numbers = self.connection.scalars(last).all()
        failed = sa.select(SEATS.c.match).where(
            self.of(SEATS), FAILED, SEATS.c.bot == bot, SEATS.c.match.in_(numbers)
        )
        in_failed = set(self.connection.scalars(failed))
        return sum(1 for _ in itertools.takewhile(in_failed.__contains__, numbers))

    def benched(self) -> list[Benching]:
        """Return the benched bots, in the order of their benching; those of one block by name."""
        rows = self.connection.execute(
            sa.select(BENCHED.c.number, BENCHED.c.bot, BLOCKS.c.id, BENCHED.c.failures)
            .join(BLOCKS)
            .where(self.of(BENCHED))
        )
        # Sorted here, since each database has its own order of letters.
        return [
            Benching(bot=bot, block=block, failures=failures)
            for _, bot, block, failures in sorted(rows.all())
        ]

    def matches(
        self,
        *,
        bot: str | None = None,
        opponent: str | None = None,
        ending: Ending | None = None,
        fault: str | None = None,
        failures: bool = False,
        before: int | None = None,
        limit: int | None = None,
    ) -> Iterator[StoredMatch]:
        """Yield the matches, void ones included, the newest first.

        `bot` and `opponent` both played in them. `ending` is how they ended, as in `BotEndings`,
        and `fault` one of `FAULTS` that was made in them, by `bot` or else by any bot; such matches
        aren't void, unless void ones were wanted. With `failures`, `bot`, or else any bot, failed
        in them. All are older than the match with the number `before`, and at most `limit`.
        """
        conditions: list[sa.ColumnElement[bool] | sa.TextClause] = []
        if bot is not None:
            conditions.append(SEATS.c.bot == bot)
        if failures:
            conditions.append(FAILED)
        if opponent is not None:
            other = SEATS.alias()
            met = sa.select(other.c.match).where(self.of(other), other.c.bot == opponent)
            conditions.append(SEATS.c.match.in_(met))
        void = sa.select(MATCHES.c.number).where(self.of(MATCHES), VOID)
        if ending is Ending.VOID:
            conditions.append(SEATS.c.match.in_(void))
        elif ending is not None or fault is not None:
            conditions.append(SEATS.c.match.not_in(void))
        if ending is not None and ending is not Ending.VOID:
            conditions.append(SEATS.c.ending == ending.value)
        if fault is not None:
            conditions.append(SEATS.c[fault] > 0)
        matches: Iterator[StoredMatch] = itertools.chain.from_iterable(
            map(self.numbered, self._pages(conditions, before, min(limit or PAGE, PAGE)))
        )
        return itertools.islice(matches, limit)

    def numbers(self, before: int | None = None) -> Sequence[int]:
        """Return the numbers of the newest matches, or of the newest before one: a page at most."""
        return next(self._pages((), before, PAGE), ())

    def record(self, number: int) -> str | None:
        """Return the record of a match, relative to the folder of records; None if it has none."""
        of_match = sa.select(MATCHES.c.record).where(MATCHES.c.number == number)
        record: str | None = self.connection.scalar(of_match)
        return record

    def _pages(
        self,
        conditions: Sequence[sa.ColumnElement[bool] | sa.TextClause],
        before: int | None,
        size: int,
    ) -> Iterator[Sequence[int]]:
        """Yield the numbers of the matches that are wanted, newest first, by pages of a size.

        The conditions are about the seats of a match, of which one must meet them all.
        """
        statement = sa.select(MATCHES.c.number).where(self.of(MATCHES))
        column = MATCHES.c.number
        if conditions:
            column = SEATS.c.match
            statement = sa.select(column).distinct().where(self.of(SEATS), *conditions)
        statement = statement.order_by(column.desc())
        if before is not None:
            statement = statement.where(column < before)
        page = self.connection.scalars(statement.limit(size)).all()
        while page:
            yield page
            page = self.connection.scalars(statement.where(column < page[-1]).limit(size)).all()

    def numbered(self, numbers: Sequence[int]) -> Iterator[StoredMatch]:
        """Yield the matches with these numbers, the newest first."""
        lists, texts = functools.cache(json_list), functools.cache(json.loads)
        seats: dict[int, list[tuple[str, str, list[Any]]]] = {}
        for number, ending, words, *as_stored in self.connection.execute(
            sa.select(
                *(SEATS.c.match, SEATS.c.ending, SEATS.c.words),
                *(SEATS.c[name] for name in SEAT_COLUMNS),
            )
            .where(SEATS.c.match.in_(numbers))
            .order_by(SEATS.c.match, SEATS.c.seat)
        ).all():
            seats.setdefault(number, []).append((ending, words, as_stored))
        at = MATCHES.c
        rows = self.connection.execute(
            sa.select(
                *(BLOCKS.c.id, at.number, at.committed),
                *(at.seed, at.termination, at.reason, at.ranks, at.scores),
                *(at[name] for name in MATCH_COLUMNS),
            )
            .outerjoin(BLOCKS)
            .where(at.number.in_(numbers))
            .order_by(at.number.desc())
        )
        for block, number, committed, *played in rows.all():
            seed, end, reason, ranks, scores, *as_stored = played
            of_seats = tuple(
                SeatResult(
                    rank=rank,
                    score=score,
                    ending=ENDINGS.get(ending, Ending.NORMAL),  # of a match that is only listed
                    words=texts(words),
                    **dict(zip(SEAT_COLUMNS, of_seat, strict=True)),
                )
                for rank, score, (ending, words, of_seat) in zip(
                    lists(ranks), lists(scores), seats[number], strict=True
                )
            )
            match = MatchResult(
                seed=int(seed),
                end=end,
                reason=texts(reason),
                seats=of_seats,
                **dict(zip(MATCH_COLUMNS, as_stored, strict=True)),
            )
            yield StoredMatch(block or "", number, committed, match)

    def meta(self, key: str) -> str | None:
        """Return the note under a key; None if there is none."""
        value: str | None = self.connection.scalar(
            sa.select(META.c.value).where(self.of(META), META.c.key == key)
        )
        return value

    def identities(self) -> dict[str, str]:
        """Return the identity of each bot by name: JSON, as given to `Store.set_identity`."""
        identities = sa.select(BOTS.c.name, BOTS.c.identity).where(self.of(BOTS))
        rows = self.connection.execute(identities)
        return dict(rows.all())


def rows(connection: sa.Connection, statement: Statement) -> Iterator[tuple[Any, ...]]:
    """Return the rows of a statement as the driver returns them.

    Making SQLAlchemy's rows would take half of the whole time where there are many.
    """
    result = connection.execute(statement)
    assert result.cursor is not None
    return iter(result.cursor.fetchone, None)


def stored_ids(connection: sa.Connection, ids: Collection[str]) -> set[str]:
    """Return those of some ids of matches that are stored, of whichever competition."""
    found = set[str]()
    for some in chunks(ids):
        there = sa.select(MATCHES.c.id).where(LISTED, MATCHES.c.id.in_(some))
        found.update(connection.scalars(there))
    return found


def chunks(values: Collection[_Key]) -> Iterator[list[_Key]]:
    """Yield the different values in lists that are short enough for one statement."""
    different = sorted(set(values))
    for start in range(0, len(different), MOST_BOUND):
        yield different[start : start + MOST_BOUND]
