"""The list of an arena's matches that are over: storing and querying it.

Every match with an id is in it: those of ladders, which are stored as results (`database.Store`),
and all others, which are stored only for the list (`base.Kind.LISTED`). The list has the order in
which they were stored.
"""

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import attrs
import sqlalchemy as sa

from lanista.match.record import Header, ResultInfo
from lanista.results.base import Database, Kind, competition_in
from lanista.results.match_result import FAULTS, fault_counts
from lanista.results.reading import chunks, json_list, rows
from lanista.results.recorded import match_json
from lanista.results.schema import COMPETITIONS, LISTED, MATCHES, SEATS
from lanista.results.writing import Row, insert, last_match

COUNTED = ("finished", "forfeit")
"""The ends of matches that count in the standings (docs/api.md)."""
_SHOWN = (Kind.LADDER.value, Kind.LISTED.value)
"""The kinds of competitions whose matches are listed."""
_FAULTS = SEATS.c.late + SEATS.c.malformed + SEATS.c.illegal + SEATS.c.gone


class ListedMatch(NamedTuple):
    """A match that is over, as its record has it."""

    header: Header
    result: ResultInfo
    record: str
    """The path of its record, relative to the folder of records."""

    @property
    def id(self) -> str:
        """The id of the match."""
        return self.header.match

    @property
    def competition(self) -> tuple[str, str]:
        """The ladder on which it was played, empty if on none, and the game."""
        ladder = "" if self.header.ladder is None else self.header.ladder.name
        return ladder, self.header.game


class SeatTotal(NamedTuple):
    """What a bot has achieved in one seat, in matches of a game that gave the same ranks."""

    game: str
    bot: str
    seat: int
    ranks: tuple[int, ...]
    """By seat."""
    matches: int
    faults: int


@attrs.frozen
class MatchRows:
    """The matches that are listed in an arena's database, which its owner closes.

    Every method raises `StoreError` if the database can't be read or written.
    """

    database: Database

    def add(self, matches: Sequence[ListedMatch]) -> None:
        """Store matches in one transaction, the oldest first; one that is there stays as it is."""
        if not matches:
            return
        with self.database.writing() as connection:
            known = set[str | None]()
            for ids in chunks([match.id for match in matches]):
                there = sa.select(MATCHES.c.id).where(LISTED, MATCHES.c.id.in_(ids))
                known.update(connection.scalars(there))
            new = [match for match in matches if match.id not in known]
            if not new:
                return
            competitions = {
                of: competition_in(connection, Kind.LISTED, *of)
                for of in {match.competition for match in new}
            }
            insert(connection, [listed_row(competitions[one.competition], one) for one in new])

    def remove(self, ids: Sequence[str]) -> None:
        """Remove matches that are stored only for the list; results of ladders stay."""
        with self.database.writing() as connection:
            for some in chunks(ids):
                _remove(connection, LISTED & MATCHES.c.id.in_(some))

    def move(self, records: Mapping[str, str]) -> None:
        """Store where the records of matches are now: paths relative to the folder, by id."""
        of = (MATCHES.c.id == sa.bindparam("of")) & LISTED
        changes = [{"of": id_, "to": record} for id_, record in records.items()]
        with self.database.writing() as connection:
            if changes:
                connection.execute(
                    MATCHES.update().where(of).values(record=sa.bindparam("to")), changes
                )

    def leave_to_ladder(self, ladder: str, game: str) -> None:
        """Remove the matches of a ladder that were listed while the arena didn't have the ladder.

        Its results are stored from the records. Aborted matches stay, as they are no results.
        """
        number = self.database.competition(Kind.LISTED, ladder, game)
        if number is None:
            return
        results = (MATCHES.c.competition == number) & (MATCHES.c.termination != "aborted")
        with self.database.writing() as connection:
            _remove(connection, results)

    def known(self) -> dict[str, tuple[str | None, bool]]:
        """Return by id of each match its record, and whether it is stored only for the list."""
        with self.database.reading() as connection:
            kinds = {number: kind for number, kind, *_ in _competitions(connection)}
            all_ = sa.select(MATCHES.c.id, MATCHES.c.record, MATCHES.c.competition).where(LISTED)
            return {
                id_: (record, kinds[number] == Kind.LISTED.value)
                for id_, record, number in rows(connection, all_)
            }

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
        """Return matches as docs/api.md describes them; the newest first.

        Args:
            game: Only matches of this game.
            player: Only matches with a player of exactly this name.
            name: Only matches with a player whose name contains this text; capital and small
                letters of ASCII are the same.
            end: Only matches with this end, a value of `Termination`.
            seed: Only matches with this seed.
            before: Only matches that are older than the one of this number.
            limit: How many at most.

        Returns:
            The matches, and the number of the last one if there are more.
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
        numbers: list[int] = []
        with self.database.reading() as connection:
            competitions = _competitions(connection)
            for competition, _, _, its_game in competitions:
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
                numbers += connection.scalars(found.order_by(column.desc()).limit(limit + 1))
            numbers.sort(reverse=True)
            page = numbers[:limit]
            after = page[-1] if len(numbers) > limit else None
            return _described(connection, competitions, MATCHES.c.number.in_(page)), after

    def match(self, id_: str) -> tuple[dict[str, Any], str | None] | None:
        """Return a match as `matches` does, and its record; None if there is none of this id."""
        of_id = sa.and_(LISTED, MATCHES.c.id == id_)
        with self.database.reading() as connection:
            record = connection.execute(sa.select(MATCHES.c.record).where(of_id)).one_or_none()
            if record is None:
                return None
            (description,) = _described(connection, _competitions(connection), of_id)
            return description, record[0]

    def totals(self, after: int) -> tuple[list[SeatTotal], dict[str, int], int]:
        """Return the totals of the matches that count, by all that decides a bot's points.

        Args:
            after: The number of a match; only newer ones are summed up.

        Returns:
            The totals, the number of matches by game, and the number of the last match.
        """
        with self.database.reading() as connection:
            last = last_match(connection)
            games = {number: game for number, _, _, game in _competitions(connection)}
            counted = (
                MATCHES.c.competition.in_(games),
                MATCHES.c.termination.in_(COUNTED),
                MATCHES.c.number > after,
            )
            key = (MATCHES.c.competition, SEATS.c.bot, SEATS.c.seat, MATCHES.c.ranks)
            sums = (sa.func.count(), sa.func.sum(_FAULTS))
            totals = sa.select(*key, *sums).join(SEATS, SEATS.c.match == MATCHES.c.number)
            lists = functools.cache(json_list)
            found = [
                SeatTotal(games[number], bot, seat, lists(ranks), count, int(faults))
                for number, bot, seat, ranks, count, faults in connection.execute(
                    totals.where(*counted).group_by(*key)
                )
            ]
            matches: dict[str, int] = {}
            of_competition = sa.select(MATCHES.c.competition, sa.func.count()).where(*counted)
            for number, count in connection.execute(of_competition.group_by(MATCHES.c.competition)):
                matches[games[number]] = matches.get(games[number], 0) + count
        return found, matches, last


def _competitions(connection: sa.Connection) -> list[tuple[int, str, str, str]]:
    """Return number, kind, name and game of the competitions whose matches are listed."""
    at = COMPETITIONS.c
    of_list = sa.select(at.number, at.kind, at.name, at.game).where(at.kind.in_(_SHOWN))
    return [tuple(row) for row in connection.execute(of_list.order_by(at.number))]


def _described(
    connection: sa.Connection,
    competitions: Sequence[tuple[int, str, str, str]],
    condition: sa.ColumnElement[bool],
) -> list[dict[str, Any]]:
    """Return matches as docs/api.md describes them; the newest first."""
    names = {number: (name, game) for number, _, name, game in competitions}
    at = MATCHES.c
    found = rows(
        connection,
        sa.select(
            *(at.number, at.id, at.competition, at.started, at.ended, at.termination, at.reason),
            *(at.ranks, at.scores, at.turns, at.seed),
        )
        .where(condition)
        .order_by(at.number.desc()),
    )
    matches: dict[int, dict[str, Any]] = {}
    lists, texts = functools.cache(json_list), functools.cache(json.loads)
    for number, id_, competition, started, ended, end, reason, ranks, scores, turns, seed in found:
        ladder, game = names[competition]
        matches[number] = match_json(
            game,
            match=id_,
            ladder=ladder or None,
            started=started,
            ended=ended,
            players=[],
            end=end,
            reason=texts(reason),
            ranks=list(lists(ranks)),
            scores=list(lists(scores)),
            turns=turns,
            seed=seed,
            faults=[],
        )
    seats = sa.select(SEATS.c.match, SEATS.c.bot, _FAULTS)
    of_page = seats.where(SEATS.c.match.in_(list(matches)))
    for number, bot, faults in rows(connection, of_page.order_by(SEATS.c.match, SEATS.c.seat)):
        match = matches[number]
        match["players"].append(bot)
        if faults is None:
            match["faults"] = None
        else:
            match["faults"].append(faults)
    return list(matches.values())


def _remove(connection: sa.Connection, condition: sa.ColumnElement[bool]) -> None:
    """Remove those of some matches that are stored only for the list."""
    of_list = sa.select(COMPETITIONS.c.number).where(COMPETITIONS.c.kind == Kind.LISTED.value)
    which = sa.select(MATCHES.c.number).where(condition, MATCHES.c.competition.in_(of_list))
    for some in chunks(connection.scalars(which).all()):
        connection.execute(SEATS.delete().where(SEATS.c.match.in_(some)))
        connection.execute(MATCHES.delete().where(MATCHES.c.number.in_(some)))


def listed_row(competition: int, match: ListedMatch) -> Row:
    """Return what `insert` takes of a match that is stored only for the list."""
    header, result, record = match
    row = {
        "id": header.match,
        "block": None,
        "seating": 0,
        "attempt": 1,
        "seed": str(header.seed),
        "map": "",
        "started": header.started,
        "ended": result.ended or None,
        "termination": result.end,
        "reason": json.dumps(result.reason),
        "ranks": json.dumps(result.ranks),
        "scores": json.dumps(result.scores),
        "turns": result.turns,
        "digest": "",
        "seconds": 0.0,
        "stall": 0.0,
        "record": record,
    }
    seats = []
    for seat, player in enumerate(header.players):
        faults: dict[str, Any] = dict.fromkeys((*FAULTS, "gone"))
        if result.fault_counts:  # else nobody has counted them, as the arena was killed
            faults = fault_counts(result.fault_counts[seat])
        name = player.name
        seats.append({"bot": name, "ending": None, "words": '""', "version": None, **faults})
    return competition, row, seats
