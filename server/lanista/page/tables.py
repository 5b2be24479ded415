"""What the page shows of results, computed in helper processes beside the arena.

For 100,000 matches that takes seconds. The processes have low priority, so that they don't delay
matches.
"""

import contextlib
import functools
import hashlib
import os
import traceback
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs
import trio

from lanista.arena.arena import Arena
from lanista.competition.setup import Setup, load
from lanista.competition.standings import moment_of, page_of, standings
from lanista.errors import StoreError
from lanista.helper_processes import HelperDiedError, HelperProcess
from lanista.page import ladder_tables, ladders
from lanista.page.renewal import FAILED, NoStandingsError, Renewal
from lanista.page.tournaments import Tournament, TournamentTable
from lanista.ratings.race import MAX_LEADERS, Races
from lanista.ratings.text import as_json
from lanista.results.database import Store
from lanista.toml_spec import SpecError

T = TypeVar("T")


@attrs.define(eq=False)
class TableHelpers:
    """The helper processes of a page; `run` them beside it."""

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
        """Have a function called that computes a table; they are computed one after another.

        Raises:
            NoStandingsError: It failed.
        """
        return await _call(self._tables, function, arguments)

    async def ask(self, function: Callable[..., T], *arguments: Any) -> T:
        """Have a function called that doesn't take long; it waits for no table.

        Raises:
            NoStandingsError: It failed.
        """
        return await _call(self._questions, function, arguments)

    def tournament_of(self, file: Path, setup: Setup) -> Tournament:
        """Return the tournament that a spec describes, as it is now."""
        table = functools.partial(self.compute, table_of, file)
        matches = functools.partial(self.ask, matches_of, file)
        return Tournament(setup.spec.name, setup.records, table, matches)


async def _call(helper: HelperProcess, function: Callable[..., T], arguments: Any) -> T:
    try:
        return await helper.call(function, *arguments)
    except NoStandingsError:
        raise
    except StoreError as error:
        problem, why = "the results can't be read; the arena's log says why", str(error)
    except (HelperDiedError, OSError) as error:
        problem, why = "the standings can't be computed now", str(error)
    except Exception:  # noqa: BLE001 - an error in one call must not end the others
        problem, why = FAILED, traceback.format_exc()
    raise NoStandingsError(problem, why)


# -- tournaments -----------------------------------------------------------------------------------


_races = Races()
"""The races of tournaments, as far as this process has computed them."""


def table_of(file: Path, known: str | None) -> tuple[str, TournamentTable | None]:
    """Return the state of the tournament that a spec describes, and its table.

    The spec is read again each time, because bots and seeds may be added while the arena serves.

    Args:
        file: The spec.
        known: A state; if it is still the same, no table is computed.

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


def matches_of(file: Path, filters: Mapping[str, Any]) -> dict[str, Any]:
    """Return a page of a tournament's matches that meet some filters (`match_list.page_of`).

    Raises:
        NoStandingsError: Nothing was played yet, or the spec can't be used.
        StoreError: The results can't be read.
    """
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

Ask = Callable[..., Awaitable[Any]]
"""Has a function called in a helper process with some arguments; raises `NoStandingsError`."""


def ladders_of(arena: Arena, compute: Ask, ask: Ask) -> ladders.Ladders:
    """Return the ladders of an arena.

    Args:
        arena: The arena.
        compute: Has tables computed, as `TableHelpers.compute`.
        ask: Has answers about bots made, as `TableHelpers.ask`.
    """
    shown: dict[str, ladders.Ladder] = {}
    for name, room in arena.ladders.items():
        source = ladder_tables.LadderSource(
            name=name,
            game=room.ruleset.name,
            house=list(room.house),
            window=room.spec.window,
            data=str(arena.options.data.path),
            url=arena.options.spec.store,
        )
        table = functools.partial(compute, ladder_tables.table_of, source)
        about = {"ladder": name}
        renewal = Renewal(
            table, ladders.REST, "no table of a ladder", about, result=ladders.LadderTable()
        )
        bot, pair = (
            functools.partial(ask, function, source)
            for function in (ladder_tables.bot_of, ladder_tables.pair_of)
        )
        shown[name] = ladders.Ladder(room, renewal, bot, pair)
    return ladders.Ladders(shown)
