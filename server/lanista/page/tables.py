"""Tables and figures of results for the page (docs/api.md), computed in helper processes.

For 100,000 matches that takes seconds, so they have low priority and delay no match.
"""

import contextlib
import functools
import hashlib
import json
import os
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
import trio

from lanista.competition.setup import Setup, load
from lanista.competition.standings import moment_of, page_of, standings
from lanista.errors import SpecError, StoreError
from lanista.games import registry
from lanista.games.outcome import FAILURES
from lanista.helper_processes import HelperProcess
from lanista.match.figures import round_trip_summary, round_trips_in
from lanista.match.record import ENDING
from lanista.page.ladders import Ladder, Ladders, LadderTable
from lanista.page.renewal import FIRST, NoStandingsError
from lanista.page.tournaments import Tournament, Tournaments, TournamentTable
from lanista.ratings.compute import MAX_LEADERS, Races, compute
from lanista.ratings.counting import count_pages
from lanista.ratings.table import Row, Standings
from lanista.ratings.text import as_json
from lanista.results.base import Database
from lanista.results.blocks import FormatName
from lanista.results.data_folder import DataFolder
from lanista.results.database import Store
from lanista.results.ladder_reading import LadderReading, OpponentScore
from lanista.results.match_result import Estimate
from lanista.results.rating_history import RatingHistory
from lanista.results.reading import StoredMatch
from lanista.results.recorded import stored_json

if TYPE_CHECKING:  # which the helper processes don't need
    from lanista.arena.arena import Arena

T = TypeVar("T")

DAY, WEEK = timedelta(days=1), timedelta(days=7)
"""How long ago the ratings were with which those of now are compared."""
MATCHES = 30
"""Number of matches, and of failures, in the answers about a bot."""
MEASURED = 10
"""Number of a bot's last matches whose records are read for its round trips."""


@attrs.define(eq=False)
class TableHelpers:
    """The helper processes of a page; `run` them beside it.

    What they are asked for raises `NoStandingsError` if it fails.
    """

    tournaments: Tournaments = attrs.field(factory=Tournaments)
    _tables: HelperProcess = attrs.field(factory=HelperProcess, init=False)
    _questions: HelperProcess = attrs.field(factory=HelperProcess, init=False)

    async def run(self) -> None:
        """Compute until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._tables.run)
            nursery.start_soon(self._questions.run)
            with contextlib.suppress(NoStandingsError):
                await self.compute(os.getpid)  # starting takes longer than most tables

    async def compute(self, function: Callable[..., T], *arguments: Any) -> T:
        """Have a function called that computes a table; they are computed one after another."""
        return await _call(self._tables, function, arguments)

    async def ask(self, function: Callable[..., T], *arguments: Any) -> T:
        """Have a function called that doesn't take long; it waits for no table."""
        return await _call(self._questions, function, arguments)

    def tournament_of(self, file: Path, setup: Setup) -> Tournament:
        """Return the tournament that a spec describes, as it is now."""
        table = functools.partial(self.compute, tournament_table, file)
        matches = functools.partial(self.ask, tournament_matches, file)
        return Tournament(setup.spec.name, table, setup.records, matches)

    def ladders_of(self, arena: "Arena") -> Ladders:
        """Return the ladders of an arena."""
        shown: dict[str, Ladder] = {}
        for name, room in arena.ladders.items():
            source = LadderSource(
                name=name,
                game=room.ruleset.name,
                house=list(room.house),
                window=room.spec.window,
                data=arena.options.data,
                url=arena.options.spec.store,
            )
            table = functools.partial(self.compute, ladder_table, source)
            bot = functools.partial(self.ask, bot_of, source)
            pair = functools.partial(self.ask, pair_of, source)
            shown[name] = Ladder(name, table, room, bot, pair)
        return Ladders(shown)


async def _call(helper: HelperProcess, function: Callable[..., T], arguments: Any) -> T:
    try:
        return await helper.call(function, *arguments)
    except NoStandingsError:
        raise
    except StoreError as error:
        problem, why = "the results can't be read; the arena's log says why", str(error)
    except Exception:  # noqa: BLE001 - a fault must end neither the page nor a match
        problem = "the standings can't be computed now; the arena's log says why"
        why = traceback.format_exc()
    raise NoStandingsError(problem, why)


# -- tournaments -----------------------------------------------------------------------------------


_races = Races()
"""The races of tournaments, as far as this process has computed them."""


def tournament_table(file: Path, known: str | None) -> tuple[str, TournamentTable | None]:
    """Return the state of the tournament that a spec describes, and its table.

    If `known` is still the state, no table is computed. The spec is read again each time, because
    bots and seeds may be added while the arena serves.

    Raises:
        NoStandingsError: Nothing was played yet, or the spec can't be used.
        StoreError: The results can't be read.
    """
    try:
        spec = hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        spec = ""  # `_setup_of` says why
    setup = _setup_of(file)
    with Store.open(setup.database, create=False, check=False) as store, store.reading() as now:
        state = f"{spec} {now.last_change()}"
    if state == known:
        return state, None
    with Store.open(setup.database, create=False) as store:
        moment = moment_of(setup, store)
        table = standings(setup, store, moment)
    leaders = [row.bot for row in table.rows[:MAX_LEADERS]]
    race = _races.race_of(leaders, moment.counted, moment.seated, setup.bots, setup.fillers)
    return state, TournamentTable.of({**as_json(table), "race": race})


def tournament_matches(
    file: Path, filters: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], int | None]:
    """Return a page of a tournament's matches that meet some filters (`standings.page_of`)."""
    setup = _setup_of(file)
    # Damage is looked for when the standings are computed.
    with Store.open(setup.database, create=False, check=False) as store:
        return page_of(setup, store, **filters)


def _setup_of(file: Path) -> Setup:
    try:
        setup = load(file, plays=False)
    except SpecError as error:
        problem = f"{file.name} can't be used as it is now; the arena's log says why"
        raise NoStandingsError(problem, str(error)) from None
    if isinstance(setup.database, Path) and not setup.database.exists():
        raise NoStandingsError(f"no results yet: run lanista tournament run {file.name}")
    return setup


# -- ladders ---------------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class LadderSource:
    """Where the results of a ladder are, and what else its table depends on."""

    name: str
    game: str
    house: Sequence[str]
    """The names of the house bots."""
    window: int | None
    """Number of the latest matches that count for the table; None for all."""
    data: DataFolder
    url: str | None
    """The URL of its PostgreSQL database, which may have a password; None if it has none."""


_databases: dict[tuple[DataFolder, str | None], Database] = {}
"""The databases that this process has open, by data folder and URL."""


@contextlib.contextmanager
def _store(source: LadderSource) -> Iterator[Store]:
    """Yield the results of a ladder; their database stays open."""
    key = source.data, source.url
    try:
        if key not in _databases:
            # The arena has looked for damage when it opened the database.
            _databases[key] = Database.of_arena(*key, create=False, check=False)
        yield Store.of_ladder(_databases[key], source.name, source.game)
    except StoreError:
        # It may have been replaced: it is opened again for the next question.
        database = _databases.pop(key, None)
        if database is not None:
            database.close()
        raise


def ladder_table(source: LadderSource, known: str | None) -> tuple[str, LadderTable | None]:
    """Return the state of a ladder and its table, but for a state that is known already."""
    with _store(source) as store:
        with store.ladder_reading(source.window) as now:
            state = now.last_change()
            if state == known:
                return state, None
            standings = _standings(source, now)
        ratings = {row.bot: row.rating for row in standings.rows if row.rating is not None}
        computed = datetime.now(UTC)
        history = RatingHistory(store)
        if standings.matches:
            history.add(computed, ratings)
        earlier = [history.at(computed - ago) for ago in (DAY, WEEK)]
    about = {
        "seats": standings.seats,
        "matches": standings.matches,
        "voids": standings.voids,
        "bots": len(standings.rows),
        "computed": computed.isoformat(timespec="milliseconds"),
        "seat_advantage": [_estimate(estimate) for estimate in standings.seat_advantage],
    }
    rows = [_row(row, *earlier) for row in standings.rows]
    versions = {
        row.bot: [(each.version, _estimate(each.rating)) for each in row.versions]
        for row in standings.rows
        if row.versions
    }
    values = {bot: rating.value for bot, rating in ratings.items()}
    texts = {row["bot"]: json.dumps(row, allow_nan=False) for row in rows}
    return state, LadderTable(about, texts, values, versions, rows[:FIRST])


def bot_of(
    source: LadderSource, bot: str, versions: Sequence[tuple[int | None, Mapping[str, Any]]]
) -> dict[str, Any]:
    """Return the results of a bot, given its versions with their ratings, as in the table."""
    rated = dict(versions)
    with _store(source) as store, store.ladder_reading(source.window) as now:
        opponents = [
            attrs.asdict(score) | {"matches": score.matches} for score in now.opponents(bot)
        ]
        by_seat = [attrs.asdict(score) | {"matches": score.matches} for score in now.seats(bot)]
        endings = {ending.value: count for ending, count in now.bot_endings(bot).items()}
        last = list(now.matches(bot=bot, limit=MATCHES))
        failed = list(now.matches(bot=bot, failures=True, limit=MATCHES))
        spans = [span for span in now.versions(bot) if span.version in rated] if rated else []
        ends = {
            match.number: _place(match, source)
            for span in spans
            for match in now.numbered([span.first, span.last])
        }
        curve = RatingHistory(store).of_bot(bot)
    return {
        "bot": bot,
        "history": [[taken, *_estimate(rating).values()] for taken, rating in curve],
        "opponents": opponents,
        "by_seat": by_seat,
        "endings": endings,
        "versions": [
            {
                "version": span.version,
                "rating": rated[span.version],
                "matches": span.matches,
                "first": ends[span.first],
                "last": ends[span.last],
            }
            for span in spans
        ],
        "recent": [_match(match, source) for match in last],
        "failed": [_match(match, source) for match in failed],
        "round_trip": _round_trip(bot, last[:MEASURED], source),
    }


def pair_of(source: LadderSource, bot: str, opponent: str) -> dict[str, Any]:
    """Return the results of a bot against another one."""
    with _store(source) as store, store.ladder_reading(source.window) as now:
        score = OpponentScore(opponent=opponent, won=0, tied=0, lost=0)
        score = next((each for each in now.opponents(bot) if each.opponent == opponent), score)
        last = list(now.matches(bot=bot, opponent=opponent, limit=MATCHES))
    recent = [_match(match, source) for match in last]
    return {"bot": bot, **attrs.asdict(score), "recent": recent}


def _standings(source: LadderSource, now: LadderReading) -> Standings:
    ended = now.endings()
    bots = sorted(ended.bots)
    standings = compute(
        name=source.name,
        game=source.game,
        format=FormatName.LADDER.value,
        bots=bots,
        house=set(source.house),
        counted=count_pages(now.match_pages(), registry.get(source.game).seats, bots),
        ended=ended,
        head_to_head=False,
    )
    # Others were only in matches that don't count.
    there = tuple(row for row in standings.rows if row.matches)
    return attrs.evolve(standings, rows=there)


def _row(
    row: Row, a_day_ago: Mapping[str, float], a_week_ago: Mapping[str, float]
) -> dict[str, Any]:
    def since(earlier: Mapping[str, float]) -> float | None:
        if row.rating is None or row.bot not in earlier:
            return None
        return _tenths(row.rating.value - earlier[row.bot])

    return {
        "rank": row.rank,
        "bot": row.bot,
        "house": row.rank is None,
        "matches": row.matches,
        "points": row.points,
        "rating": None if row.rating is None else _estimate(row.rating),
        "rank_low": row.rank_low,
        "rank_high": row.rank_high,
        "day": since(a_day_ago),
        "week": since(a_week_ago),
        "version": row.version,
        "failures": sum(row.ended(ending) or 0 for ending in FAILURES),
    }


def _estimate(estimate: Estimate) -> dict[str, float | None]:
    return {key: _tenths(value) for key, value in attrs.asdict(estimate).items()}


def _tenths(figure: float | None) -> float | None:
    return None if figure is None else round(figure, 1)


def _record(stored: StoredMatch, source: LadderSource) -> Path | None:
    """Return the path of a match's record; None if it isn't here."""
    if stored.match.record is None:
        return None
    path = source.data.records / stored.match.record
    return path if path.is_file() else None


def _round_trip(
    bot: str, last: Sequence[StoredMatch], source: LadderSource
) -> dict[str, int] | None:
    """Return a bot's round trip in microseconds, from records; None if none has any."""
    found = round_trip_summary(
        measured
        for stored in last
        if (record := _record(stored, source)) is not None
        for seat, one in enumerate(stored.match.seats)
        if one.bot == bot
        for measured in round_trips_in(record, seat)
    )
    return None if found is None else attrs.asdict(found)


def _place(stored: StoredMatch, source: LadderSource) -> dict[str, Any]:
    """Return when a match was stored, and its id; that only if its record is here."""
    record = _record(stored, source)
    return {
        "match": None if record is None else record.name.removesuffix(ENDING),
        "stored": stored.committed,
    }


def _match(stored: StoredMatch, source: LadderSource) -> dict[str, Any]:
    return _place(stored, source) | stored_json(stored)
