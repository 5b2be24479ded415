"""The list of an arena's matches that are over, kept in step with its folder of records.

The web page lists matches by game, player and ending, and shows standings over all of them. Every
match with an id is in the list, in the order in which they were stored, as a row of the arena's
SQLite database, also if results are in PostgreSQL. A match on a ladder whose results are in it is
listed by its result (`database.Store`); any other match that has a record is stored only for the
list (`base.Kind.LISTED`). Records may also be added, moved or removed by hand (`sync`).
"""

import functools
import itertools
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import attrs
import sqlalchemy as sa

from lanista.match.record import BadRecordError
from lanista.results.base import Database, Kind, competition_in
from lanista.results.blocks import points
from lanista.results.data_folder import DataFolder
from lanista.results.database import insert, last_match, match_row
from lanista.results.reading import Reading, chunks, json_list, rows, stored_ids
from lanista.results.recorded import (
    RecordedMatch,
    listed_json,
    read_records,
    record_paths,
    title_of,
)
from lanista.results.schema import COMPETITIONS, LISTED, MATCHES, SEATS

BATCH = 200
"""Number of records that are added in one transaction."""
COUNTED = ("finished", "forfeit")
"""The ends of matches that count in the standings (docs/api.md)."""
_SHOWN = (Kind.LADDER.value, Kind.LISTED.value)
"""The kinds of competitions whose matches are listed."""
_FAULTS = SEATS.c.late + SEATS.c.malformed + SEATS.c.illegal + SEATS.c.gone


@attrs.define
class _Total:
    """The sums of a bot in a game."""

    matches: int = 0
    halves: int = 0
    """Points times two."""
    wins: int = 0
    """The best rank, alone."""
    draws: int = 0
    """The best rank, together with others."""
    faults: int = 0

    def add(self, seat: int, ranks: Sequence[int], matches: int, faults: int) -> None:
        """Add so many matches in a seat that gave the same ranks, by seat."""
        rank, best = ranks[seat], ranks.count(1)
        self.matches += matches
        self.halves += int(2 * points(ranks)[seat]) * matches
        self.wins += (rank == best == 1) * matches
        self.draws += (rank == 1 < best) * matches
        self.faults += faults


@attrs.define
class _Totals:
    """The sums over all matches that count up to one of them."""

    until: int = 0
    """The number of the last match that is in them."""
    matches: dict[str, int] = attrs.field(factory=dict)
    """By game."""
    bots: dict[str, dict[str, _Total]] = attrs.field(factory=dict)
    """By game and bot."""


@attrs.define
class MatchList:
    """The list of one arena's matches. Close it, or use it as a context manager.

    Every method blocks, may be called from any thread, and raises `StoreError` if the database
    can't be used.
    """

    _records: Path
    _database: Database
    _ladders: Collection[str]
    _refused: set[str] = attrs.field(factory=set, init=False)
    """The paths of the records that `sync` couldn't read; it doesn't try them again."""
    _totals: _Totals = attrs.field(factory=_Totals, init=False)
    _one_thread: threading.Lock = attrs.field(factory=threading.Lock, init=False)
    """Held while `_totals` is used."""

    @classmethod
    def open(cls, data: DataFolder, ladders: Collection[str] = ()) -> Self:
        """Open the list of an arena, and make its database if necessary.

        Of the matches of `ladders`, whose results are in the same database, only aborted ones are
        stored for the list.
        """
        # If there are ladders, the arena has looked for damage.
        return cls(data.records, Database.of_arena(data, check=not ladders), ladders)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, *paths: Path) -> None:
        """Add records, `DATA/records/DAY/MATCH.jsonl.gz`, except those of a ladder's results.

        All that can be read are added; for the others, a BadRecordError is raised.
        """
        damaged: list[BadRecordError] = []
        records = [f"{path.parent.name}/{path.name}" for path in paths]
        self._store(list(self._read(records, lambda _, why: damaged.append(why))))
        if damaged:
            raise damaged[-1]

    def sync(self, hides: Callable[[str], bool] = lambda _: False) -> int:
        """Add the records that aren't known yet, and remove matches whose records are gone.

        Only file names are compared. A record that can't be read is left out, and so is that of a
        match for which `hides` returns True, until `add` adds it. The result of a ladder's match
        stays in the list, with its record or without. Returns how many matches were added, removed,
        or found elsewhere.
        """
        present = dict(record_paths(self._records))
        known = self._known()
        gone = [id_ for id_, (_, is_own) in known.items() if is_own and id_ not in present]
        moved = {
            id_: present[id_]
            for id_, (record, _) in known.items()
            if id_ in present and record != present[id_]
        }
        if gone:
            with self._database.writing() as connection:
                for some in chunks(gone):
                    _remove(connection, LISTED & MATCHES.c.id.in_(some))
            with self._one_thread:
                self._totals = _Totals()
        if moved:
            of = (MATCHES.c.id == sa.bindparam("of")) & LISTED
            move = MATCHES.update().where(of).values(record=sa.bindparam("to"))
            with self._database.writing() as connection:
                connection.execute(move, [{"of": id_, "to": to} for id_, to in moved.items()])
        self._refused &= {*present.values()}
        # Ids sort by time, and so do days.
        fresh = sorted(
            path
            for id_, path in present.items()
            if id_ not in known and path not in self._refused and not hides(id_)
        )
        added = 0
        matches = self._read(fresh, lambda path, _: self._refused.add(path))
        while batch := list(itertools.islice(matches, BATCH)):
            self._store(batch)
            added += len(batch)
        return len(gone) + len(moved) + added

    def matches(
        self,
        *,
        game: str | None = None,
        player: str | None = None,
        name: str | None = None,
        end: str | None = None,
        seed: str | None = None,
        before: int | None = None,
        limit: int,
    ) -> tuple[list[dict[str, Any]], int | None]:
        """Return matches as docs/api.md has them, the newest first, and the next page's `before`.

        That is None if there are no more. The conditions hold together. A `player` has exactly this
        name, while the one of a `name` contains this text, whatever the case of its ASCII letters;
        the `end` is a value of `Termination`; all are older than the match numbered `before`.
        """
        conditions: list[sa.ColumnElement[bool]] = []
        of_seat = SEATS.c.match == MATCHES.c.number
        if name is not None:
            has_name = sa.func.instr(sa.func.lower(SEATS.c.bot), sa.func.lower(name)) > 0
            conditions.append(sa.exists().where(of_seat, has_name))
        if end is not None:
            conditions.append(MATCHES.c.termination == end)
        if seed is not None:
            conditions.append(sa.and_(LISTED, MATCHES.c.seed == seed))
        if before is not None:
            conditions.append(MATCHES.c.number < before)
        places: dict[int, tuple[str, str]] = {}
        with self._database.reading() as connection:
            for competition, _, ladder, its_game in _competitions(connection):
                if game not in {None, its_game}:
                    continue
                found = sa.select(MATCHES.c.number).where(
                    MATCHES.c.competition == competition, *conditions
                )
                column: sa.ColumnElement[int] = MATCHES.c.number
                if player is not None:
                    # From the seats, whose index has a bot's matches in their order.
                    column = SEATS.c.match
                    found = sa.select(column).distinct().join(MATCHES)
                    found = found.where(
                        *(SEATS.c.competition == competition, SEATS.c.bot == player, *conditions)
                    )
                    if before is not None:
                        found = found.where(column < before)
                some = connection.scalars(found.order_by(column.desc()).limit(limit + 1))
                places |= dict.fromkeys(some, (ladder, its_game))
            numbers = sorted(places, reverse=True)
            page = numbers[:limit]
            after = page[-1] if len(numbers) > limit else None
            stored = Reading(connection, 0).numbered(page)
            return [listed_json(places[one.number], one.match) for one in stored], after

    def match(self, id_: str) -> dict[str, Any] | None:
        """Return a match as `matches` does; None if there is none of this id."""
        at = COMPETITIONS.c
        of_id = sa.select(MATCHES.c.number, at.name, at.game).join(COMPETITIONS)
        with self._database.reading() as connection:
            found = connection.execute(of_id.where(LISTED, MATCHES.c.id == id_)).one_or_none()
            if found is None:
                return None
            (stored,) = Reading(connection, 0).numbered([found.number])
        return listed_json((found.name, found.game), stored.match)

    def path(self, id_: str) -> Path | None:
        """Return the path of a match's record, as of the last `sync`; None if it is unknown."""
        with self._database.reading() as connection:
            record = connection.scalar(
                sa.select(MATCHES.c.record).where(LISTED, MATCHES.c.id == id_)
            )
        path = None if record is None else self._records / record
        return path if path is not None and path.is_file() else None

    def standings(self) -> list[dict[str, Any]]:
        """Return the standings of all games as docs/api.md describes them."""
        with self._one_thread:
            totals = self._totals
            self._add_newer(totals)
            return [
                {
                    "game": name,
                    "title": title_of(name),
                    "matches": count,
                    "rows": list(_table(totals.bots[name])),
                }
                for name, count in sorted(totals.matches.items())
            ]

    def _add_newer(self, totals: _Totals) -> None:
        """Add the sums of the matches that count and aren't in the totals yet."""
        with self._database.reading() as connection:
            last = last_match(connection)
            games = {number: game for number, _, _, game in _competitions(connection)}
            counted = (
                MATCHES.c.competition.in_(games),
                MATCHES.c.termination.in_(COUNTED),
                MATCHES.c.number > totals.until,
            )
            # By all that decides a bot's points.
            key = (MATCHES.c.competition, SEATS.c.bot, SEATS.c.seat, MATCHES.c.ranks)
            sums = sa.select(*key, sa.func.count(), sa.func.sum(_FAULTS))
            sums = sums.join(SEATS, SEATS.c.match == MATCHES.c.number)
            of_seats = connection.execute(sums.where(*counted).group_by(*key)).all()
            many = sa.select(MATCHES.c.competition, sa.func.count()).where(*counted)
            of_games = connection.execute(many.group_by(MATCHES.c.competition)).all()
        lists = functools.cache(json_list)
        for number, bot, seat, ranks, count, faults in of_seats:
            total = totals.bots.setdefault(games[number], {}).setdefault(bot, _Total())
            total.add(seat, lists(ranks), count, int(faults))
        for number, count in of_games:
            totals.matches[games[number]] = totals.matches.get(games[number], 0) + count
        totals.until = last

    def _store(self, matches: Sequence[RecordedMatch]) -> None:
        """Store matches in one transaction, the oldest first; one that is there stays as it is."""
        if not matches:
            return
        with self._database.writing() as connection:
            known = stored_ids(connection, [str(match.result.id) for match in matches])
            new = [match for match in matches if match.result.id not in known]
            numbers = {
                of: competition_in(connection, Kind.LISTED, *of)
                for of in {match.competition for match in new}
            }
            insert(connection, [match_row(numbers[one.competition], one.result) for one in new])

    def _known(self) -> dict[str, tuple[str | None, bool]]:
        """Return by id of each match its record, and whether it is stored only for the list."""
        with self._database.reading() as connection:
            kinds = {number: kind for number, kind, *_ in _competitions(connection)}
            all_ = sa.select(MATCHES.c.id, MATCHES.c.record, MATCHES.c.competition).where(LISTED)
            return {
                id_: (record, kinds[number] == Kind.LISTED.value)
                for id_, record, number in rows(connection, all_)
            }

    def _read(
        self, paths: Iterable[str], on_damaged: Callable[[str, BadRecordError], object]
    ) -> Iterator[RecordedMatch]:
        """Yield the matches of records, as `read_records`, but not the results of its ladders."""
        for match in read_records(self._records, paths, on_damaged):
            if not (match.is_ladder_result and match.competition[0] in self._ladders):
                yield match


def leave_to_ladder(database: Database, ladder: str, game: str) -> None:
    """Remove the matches of a ladder that were listed while the arena didn't have the ladder.

    Its results are stored from the records. Aborted matches stay, as they are no results.
    """
    number = database.competition(Kind.LISTED, ladder, game)
    if number is None:
        return
    results = (MATCHES.c.competition == number) & (MATCHES.c.termination != "aborted")
    with database.writing() as connection:
        _remove(connection, results)


def _competitions(connection: sa.Connection) -> list[tuple[int, str, str, str]]:
    """Return number, kind, name and game of the competitions whose matches are listed."""
    at = COMPETITIONS.c
    of_list = sa.select(at.number, at.kind, at.name, at.game).where(at.kind.in_(_SHOWN))
    return [tuple(row) for row in connection.execute(of_list.order_by(at.number))]


def _remove(connection: sa.Connection, condition: sa.ColumnElement[bool]) -> None:
    """Remove those of some matches that are stored only for the list."""
    of_list = sa.select(COMPETITIONS.c.number).where(COMPETITIONS.c.kind == Kind.LISTED.value)
    which = sa.select(MATCHES.c.number).where(condition, MATCHES.c.competition.in_(of_list))
    for some in chunks(connection.scalars(which).all()):
        connection.execute(SEATS.delete().where(SEATS.c.match.in_(some)))
        connection.execute(MATCHES.delete().where(MATCHES.c.number.in_(some)))


def _table(bots: Mapping[str, _Total]) -> Iterator[dict[str, Any]]:
    rank, points_before = 0, -1
    in_order = sorted(bots.items(), key=lambda item: (-item[1].halves, item[0]))
    for place, (name, total) in enumerate(in_order, 1):
        if total.halves != points_before:
            rank, points_before = place, total.halves
        yield {
            "rank": rank,
            "name": name,
            "matches": total.matches,
            "points": total.halves / 2,
            "wins": total.wins,
            "draws": total.draws,
            "losses": total.matches - total.wins - total.draws,
            "faults": total.faults,
        }
