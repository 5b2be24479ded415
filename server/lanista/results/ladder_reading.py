"""Queries about a ladder's results.

A match counts unless it is void, one of its bots was struck afterwards, or it is older than the
latest ones, if only those count (the ladder's `window`). Everything stays quick when there are a
million matches: what concerns one bot reads only its matches, and what concerns all of them is
read piece by piece.
"""

import functools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self

import attrs
import sqlalchemy as sa

from lanista.games.outcome import ENDINGS, Ending
from lanista.results.reading import Reading, chunks, json_list, rows
from lanista.results.schema import (
    COUNTED,
    FAILED,
    MATCHES,
    SEATS,
    STRUCK,
    UNBENCHED,
)

PAGE = 5000
"""Number of matches that are read at once."""
_COUNTED_ROW = sa.select(MATCHES.c.number, MATCHES.c.committed).order_by(MATCHES.c.number)
"""What `LadderReading` reads of a match for a `CountedMatch`, the oldest first."""


class CountedMatch(NamedTuple):
    """A match that counts, with what pairing needs of it."""

    number: int
    """The match's number, in the order of commits."""
    bots: tuple[str, ...]
    """The names of its bots, by seat."""
    failed: frozenset[str]
    """The names of the bots that failed in it."""
    committed: str
    """The time at which the match was stored: UTC, ISO 8601."""


class MatchPage(NamedTuple):
    """Some matches that count, by columns."""

    ranks: Sequence[str]
    """By match: the ranks by seat, as a JSON list, of which few different ones occur."""
    bots: Sequence[str | tuple[str, int]]
    """Who played in all seats, match by match: the bot's name, or for a submitted program the name
    and its version."""


class VersionSpan(NamedTuple):
    """The matches that count of one version of a bot: how many, and the numbers of two."""

    version: int | None
    """The version of the submitted program; None for matches without one."""
    matches: int
    first: int
    last: int


@attrs.frozen(kw_only=True)
class OpponentScore:
    """The results of one bot against another, in matches that count.

    Where one of the two has several seats of a match, each pair of their seats counts.
    """

    opponent: str
    won: int
    """How often the bot was placed above the opponent."""
    tied: int
    lost: int

    @property
    def matches(self) -> int:
        """Number of matches in which the two met."""
        return self.won + self.tied + self.lost


@attrs.frozen(kw_only=True)
class SeatScore:
    """The results of one bot in one seat, in matches that count."""

    seat: int
    places: tuple[int, ...]
    """How often it had place 1, 2, …; a tie counts for the best of the places it spans."""
    failures: int
    """Number of matches that it failed."""

    @property
    def matches(self) -> int:
        """Number of matches in this seat."""
        return sum(self.places)


@attrs.frozen
class LadderReading(Reading):
    """The results of a ladder at one moment; made by `Store.ladder_reading`."""

    @classmethod
    def of_window(cls, connection: sa.Connection, competition: int, window: int | None) -> Self:
        """Return a reading in which only so many of the latest matches count; None for all."""
        everything = cls(connection, competition)
        if window is None:
            return everything
        latest = sa.select(MATCHES.c.number).where(everything._counting())
        latest = latest.order_by(MATCHES.c.number.desc()).offset(window - 1).limit(1)
        return cls(connection, competition, connection.scalar(latest) or 1)

    def _counting(self) -> sa.ColumnElement[bool]:
        counted = sa.and_(self.of(MATCHES), COUNTED, self.not_struck())
        return counted if self.first == 1 else counted & (MATCHES.c.number >= self.first)

    def stored(self) -> int:
        """Return the number of matches that are stored, whether they count or not."""
        many = sa.select(sa.func.count()).select_from(MATCHES).where(self.of(MATCHES))
        return self.connection.scalar(many) or 0

    def bots(self) -> list[str]:
        """Return the names of all bots that have played, sorted."""
        return sorted(self.connection.scalars(self._bots()))

    def _bots(self) -> sa.Select[tuple[str]]:
        return sa.select(SEATS.c.bot).where(self.of(SEATS)).distinct()

    def struck_until(self) -> dict[str, int]:
        """Return the number of the last match that doesn't count, by name of a struck bot."""
        return self.notes(STRUCK)

    def unbenched_until(self) -> dict[str, int]:
        """Return the number of the last match whose failures are forgotten, by name of a bot."""
        return self.notes(UNBENCHED)

    def counted_matches(self, *, after: int = 0) -> Iterator[CountedMatch]:
        """Yield the matches that count after one of this number, in the order of their commits."""
        counting = _COUNTED_ROW.where(self._counting()).limit(PAGE)
        after = max(after, self.first - 1)
        while page := self.connection.execute(counting.where(MATCHES.c.number > after)).all():
            last = page[-1].number
            yield from self._with_names(page, SEATS.c.match.between(after + 1, last))
            after = last

    def newest_records(self) -> Sequence[tuple[str, str]]:
        """Return when each of the latest matches with a record began, and that, newest first."""
        at = MATCHES.c
        found = sa.select(at.started, at.record).where(self.of(MATCHES), at.record.is_not(None))
        return list(rows(self.connection, found.order_by(at.number.desc()).limit(PAGE)))

    def last_matches(self, of_each: int) -> Iterator[CountedMatch]:
        """Yield the matches that are among the last of some bot, in the order of their commits.

        So many `of_each` bot are wanted. The time depends on the number of bots, not of matches.
        """
        counting = self._counting()
        numbers = set[int]()
        for bot in self.connection.scalars(self._bots()).all():
            last = (
                sa.select(SEATS.c.match)
                .join(MATCHES, MATCHES.c.number == SEATS.c.match)
                .where(self.of(SEATS), SEATS.c.bot == bot, counting)
                .distinct()
                .order_by(SEATS.c.match.desc())
            )
            numbers.update(self.connection.scalars(last.limit(of_each)))
        for some in chunks(numbers):
            page = self.connection.execute(_COUNTED_ROW.where(MATCHES.c.number.in_(some))).all()
            yield from self._with_names(page, SEATS.c.match.in_(some))

    def matches_by_version(self) -> Mapping[tuple[str, int], int]:
        """Return how many matches each version of a submitted program has played, by its name."""
        version = SEATS.c.version
        query = (
            sa.select(SEATS.c.bot, version, sa.func.count())
            .where(self.of(SEATS), version.is_not(None))
            .group_by(SEATS.c.bot, version)
        )
        return {(bot, number): count for bot, number, count in rows(self.connection, query)}

    def _with_names(
        self, matches: Sequence[sa.Row[*tuple[Any, ...]]], seats: sa.ColumnElement[bool]
    ) -> Iterator[CountedMatch]:
        """Yield the matches of rows like `_COUNTED_ROW`, given the condition for their seats."""
        names: dict[int, list[str]] = {}
        failed: dict[int, set[str]] = {}
        # By the key alone: with the competition SQLite would take an index with all of its seats.
        of_matches = sa.select(SEATS.c.match, SEATS.c.bot, FAILED).where(seats)
        for match, bot, has_failed in rows(
            self.connection, of_matches.order_by(SEATS.c.match, SEATS.c.seat)
        ):
            names.setdefault(match, []).append(bot)
            if has_failed:
                failed.setdefault(match, set()).add(bot)
        for number, committed in matches:
            its_failed = frozenset(failed.get(number, ()))
            yield CountedMatch(number, tuple(names[number]), its_failed, committed)

    def match_pages(self) -> Iterator[MatchPage]:
        """Yield all matches that count, in the order of their commits, page by page."""
        of_match = sa.select(MATCHES.c.number, MATCHES.c.ranks).order_by(MATCHES.c.number)
        of_seat = sa.select(SEATS.c.match, SEATS.c.bot, SEATS.c.version)
        of_seat = of_seat.order_by(SEATS.c.match, SEATS.c.seat)
        counting, page = self._counting(), of_match.limit(PAGE)
        after = self.first - 1
        while found := list(rows(self.connection, page.where(counting, MATCHES.c.number > after))):
            numbers, ranks = zip(*found, strict=True)
            between = SEATS.c.match.between(after + 1, numbers[-1])
            those = set(numbers)
            bots = [
                bot if version is None else (bot, version)
                for match, bot, version in rows(self.connection, of_seat.where(between))
                if match in those
            ]
            yield MatchPage(ranks, bots)
            after = numbers[-1]

    def opponents(self, bot: str) -> list[OpponentScore]:
        """Return the results of a bot against each of its opponents, by name."""
        own, other = SEATS.alias("own"), SEATS.alias("other")
        # Grouped by the database, as there are few different ranks.
        found = self.connection.execute(
            sa.select(other.c.bot, own.c.seat, other.c.seat, MATCHES.c.ranks, sa.func.count())
            .select_from(own)
            .join(MATCHES, MATCHES.c.number == own.c.match)
            .join(other, other.c.match == own.c.match)
            .where(self.of(own), own.c.bot == bot, other.c.bot != bot, self._counting())
            .group_by(other.c.bot, own.c.seat, other.c.seat, MATCHES.c.ranks)
        )
        lists = functools.cache(json_list)
        scores: dict[str, list[int]] = {}
        for opponent, seat, its_seat, text, count in found:
            rank, its_rank = lists(text)[seat], lists(text)[its_seat]
            scores.setdefault(opponent, [0, 0, 0])[1 + (rank > its_rank) - (rank < its_rank)] += (
                count
            )
        return [
            OpponentScore(opponent=opponent, won=won, tied=tied, lost=lost)
            for opponent, (won, tied, lost) in sorted(scores.items())
        ]

    def seats(self, bot: str) -> list[SeatScore]:
        """Return the results of a bot in each seat that it had, by seat."""
        failed = sa.func.sum(sa.case((FAILED, 1), else_=0))
        found = self._counts(bot, (SEATS.c.seat, MATCHES.c.ranks), failed)
        lists = functools.cache(json_list)
        places: dict[int, list[int]] = {}
        failures: Counter[int] = Counter()
        for seat, text, count, failed_here in found:
            ranks = lists(text)
            places.setdefault(seat, [0] * len(ranks))[ranks[seat] - 1] += count
            failures[seat] += int(failed_here)
        return [
            SeatScore(seat=seat, places=tuple(places[seat]), failures=failures[seat])
            for seat in sorted(places)
        ]

    def versions(self, bot: str) -> list[VersionSpan]:
        """Return the versions of a bot, in the order of their first matches that count."""
        ends = sa.func.min(SEATS.c.match), sa.func.max(SEATS.c.match)
        found = self._counts(bot, (SEATS.c.version,), *ends)
        return sorted((VersionSpan(*row) for row in found), key=lambda span: span.first)

    def bot_endings(self, bot: str) -> Mapping[Ending, int]:
        """Return how the matches of a bot ended that count, with their number by ending."""
        found = self._counts(bot, (SEATS.c.ending,))
        return {ENDINGS[ending]: count for ending, count in sorted(found)}

    def _counts(
        self, bot: str, by: Sequence[sa.ColumnElement[Any]], *sums: sa.ColumnElement[Any]
    ) -> Sequence[sa.Row[*tuple[Any, ...]]]:
        """Return rows of some columns, of how many seats of a bot have these values, and of sums.

        Seats in matches that don't count are left out.
        """
        counts = sa.select(*by, sa.func.count(), *sums).select_from(SEATS).join(MATCHES)
        of_bot = counts.where(self.of(SEATS), SEATS.c.bot == bot, self._counting())
        return self.connection.execute(of_bot.group_by(*by)).all()
