"""The standings of tournaments for the page, as JSON (docs/api.md).

A tournament is played elsewhere and keeps its results in a database; the page's command passes a
`Look` for each tournament (`tables`), so nothing here knows a database, a spec or the mathematics.
Standings are computed only while they are asked for, and not too often, as the machine also plays
matches.
"""

import json
import traceback
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Self

import attrs
import structlog
import trio

from lanista.games import registry

REST = 5.0
"""Minimum seconds between two looks at a tournament's results."""
SHARE = 4
"""Minimum time between two computations as a multiple of what the last one took."""
FIRST = 8
"""Number of rows of a table that the lobby shows."""

_LONG = {"standings", "head_to_head", "seat_advantage", "rounds", "race"}
"""Parts of standings that the lobby doesn't have: it goes to all viewers, and they grow with the
square of the bots."""


@attrs.frozen
class TournamentTable:
    """The standings of a tournament as the page shows them."""

    whole: bytes
    """The standings as in docs/statistics.md, with `race` as in docs/api.md, as JSON."""
    first: Mapping[str, Any]
    """What the lobby shows of them."""
    bots: int

    @classmethod
    def of(cls, standings: Mapping[str, Any]) -> Self:
        """Return the table of some standings.

        Raises:
            ValueError: JSON has no word for one of the figures.
        """
        rows = standings["standings"]
        first = {key: value for key, value in standings.items() if key not in _LONG}
        first["standings"] = rows[:FIRST]
        return cls(json.dumps(standings, allow_nan=False).encode(), first, len(rows))


Look = Callable[[], Awaitable[TournamentTable | None]]
"""Returns a tournament's table; None if it is still the one that the last look returned. Raises
`NoStandingsError`."""

log = structlog.get_logger()


class NoStandingsError(Exception):
    """There are no standings; the message is for viewers, in one line without paths or hosts."""

    def __init__(self, message: str, why: str = "") -> None:
        """Make the error; `why` is written only to the log."""
        super().__init__(message)
        self.why = why


@attrs.define(eq=False)
class Renewal:
    """Computes something again and again: once at a time, and not too often."""

    renew: Callable[[], Awaitable[bool]]
    """Computes it, and returns whether anything changed."""
    rest: float
    """Minimum seconds between two computations."""
    due: float = float("-inf")
    """When it may be computed again, by trio's clock."""
    _one_at_a_time: trio.Lock = attrs.field(factory=trio.Lock, init=False)

    @property
    def is_running(self) -> bool:
        """Whether it is being computed."""
        return self._one_at_a_time.locked()

    async def run(self, others: trio.Lock) -> bool:
        """Compute it if that is due; return whether anything changed.

        Args:
            others: Held while it is computed, so that others aren't computed at the same time.
        """
        async with self._one_at_a_time:
            if trio.current_time() < self.due:
                return False
            async with others:
                begun = trio.current_time()
                changed = await self.renew()
                took = trio.current_time() - begun
            self.due = trio.current_time() + max(self.rest, SHARE * took)
            return changed


@attrs.define(eq=False)
class _Tournament:
    name: str
    look: Look
    whole: bytes = b""
    """The answer about it, as JSON."""
    summary: dict[str, Any] = attrs.field(factory=dict)
    """Its part of the lobby's message."""
    renewal: Renewal = attrs.field(init=False)
    """Looks at its results."""
    _table: TournamentTable | None = None
    """The table of the last look; None if there was a problem."""
    _problem: str | None = None
    """The problem of the last look."""
    _logged: tuple[str, str] | None = None
    """The problem that was logged last: message and reason."""

    def __attrs_post_init__(self) -> None:
        self.renewal = Renewal(self._renew, REST)
        self._set(None, None)

    async def _renew(self) -> bool:
        """Look at the results, and return whether anything changed."""
        table, problem = None, None
        try:
            table = await self.look()
            if table is None:
                return False
            self._logged = None
        except NoStandingsError as error:
            problem = str(error)
            self._log(problem, error.why)
        except Exception:  # noqa: BLE001 - a fault there must end neither the page nor a match
            problem = "the arena failed to compute the standings; its log says why"
            self._log(problem, traceback.format_exc())
        changed = (table, problem) != (self._table, self._problem)
        if changed:
            self._set(table, problem)
        return changed

    def _set(self, table: TournamentTable | None, problem: str | None) -> None:
        """Take over a new table or a new problem."""
        about: dict[str, Any] = {"name": self.name, "title": None, "computed": None, "bots": None}
        first = None
        if table is not None:
            first = table.first
            about["title"] = registry.get(first["game"]).title
            about["computed"] = datetime.now(UTC).isoformat(timespec="milliseconds")
            about["bots"] = table.bots
        self.summary = {**about, "standings": first, "problem": problem}
        whole = b"null" if table is None else table.whole
        head = json.dumps({**about, "problem": problem}).encode()
        self.whole = b'%b, "standings": %b}' % (head[:-1], whole)
        self._table, self._problem = table, problem

    def _log(self, problem: str, why: str) -> None:
        """Log why there are no standings, unless that was the last problem, too."""
        if why and self._logged != (problem, why):
            log.error("no standings of a tournament", tournament=self.name, words=problem, why=why)
        self._logged = problem, why


@attrs.define(eq=False)
class Tournaments:
    """The tournaments that a page shows."""

    looks: Mapping[str, Look] = attrs.field(factory=dict)
    on_change: Callable[[], None] = attrs.field(default=lambda: None)
    """Called in the event loop when a summary has changed."""
    _all: dict[str, _Tournament] = attrs.field(init=False)
    _one_look: trio.Lock = attrs.field(factory=trio.Lock, init=False)

    def __attrs_post_init__(self) -> None:
        self._all = {name: _Tournament(name, look) for name, look in self.looks.items()}

    def __len__(self) -> int:
        return len(self._all)

    def summaries(self) -> list[dict[str, Any]]:
        """Return the lobby's part of each tournament, as of the last look."""
        return [tournament.summary for tournament in self._all.values()]

    async def refresh(self) -> None:
        """Look at the results of each tournament that is due."""
        for tournament in self._all.values():
            await self._refresh(tournament)

    async def one_json(self, name: str) -> bytes | None:
        """Return a tournament with its standings as JSON; None if there is none of this name."""
        tournament = self._all.get(name)
        if tournament is None:
            return None
        await self._refresh(tournament)
        return tournament.whole

    async def all_json(self) -> bytes:
        """Return all tournaments with their standings as JSON."""
        await self.refresh()
        wholes = (tournament.whole for tournament in self._all.values())
        return b'{"tournaments": [%b]}' % b", ".join(wholes)

    async def _refresh(self, tournament: _Tournament) -> None:
        if await tournament.renewal.run(self._one_look):
            self.on_change()
