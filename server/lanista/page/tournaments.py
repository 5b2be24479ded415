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
from typing import Any, Generic, Self, TypeVar

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

FAILED = "the arena failed to compute the standings; its log says why"
"""The problem if something went wrong that shouldn't."""

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


Look = Callable[[str | None], Awaitable[tuple[str, TournamentTable | None]]]
"""Returns a state of a tournament and its table; without the table if that is the state of the last
look, which it is given. Raises `NoStandingsError`."""

T = TypeVar("T")

log = structlog.get_logger()


class NoStandingsError(Exception):
    """There are no standings; the message is for viewers, in one line without paths or hosts."""

    def __init__(self, message: str, why: str = "") -> None:
        """Make the error; `why` is written only to the log."""
        super().__init__(message)
        self.why = why


@attrs.define(eq=False)
class Renewal(Generic[T]):
    """Computes something again and again: once at a time, and not too often."""

    compute: Callable[[str | None], Awaitable[tuple[str, T | None]]]
    """Computes it, as a `Look` does."""
    rest: float
    """Minimum seconds between two computations."""
    trouble: str
    """The line of the log about a problem."""
    about: Mapping[str, str]
    """Further keys and values of that line."""
    result: T | None = None
    """The last one that was computed."""
    problem: str | None = None
    """Why there is no newer one; None if there is no reason."""
    due: float = float("-inf")
    """When it may be computed again, by trio's clock."""
    _state: str | None = None
    """The state of which `result` is; None if nobody knows."""
    _logged: tuple[str | None, str] = (None, "")
    """The problem that was logged last: message and reason."""
    _one_at_a_time: trio.Lock = attrs.field(factory=trio.Lock, init=False)

    @property
    def is_running(self) -> bool:
        """Whether it is being computed."""
        return self._one_at_a_time.locked()

    async def run(self, others: trio.Lock) -> bool:
        """Compute it if that is due; return whether the result or the problem has changed.

        Args:
            others: Held while it is computed, so that others aren't computed at the same time.
        """
        async with self._one_at_a_time:
            if trio.current_time() < self.due:
                return False
            before = self.result, self.problem
            async with others:
                begun = trio.current_time()
                await self._compute()
                took = trio.current_time() - begun
            self.due = trio.current_time() + max(self.rest, SHARE * took)
            return before != (self.result, self.problem)

    async def _compute(self) -> None:
        why = ""
        try:
            self._state, result = await self.compute(self._state)
            self.result, self.problem = result or self.result, None
        except NoStandingsError as error:
            self._state, self.problem, why = None, str(error), error.why
        except Exception:  # noqa: BLE001 - a fault there must end neither the page nor a match
            self._state, self.problem, why = None, FAILED, traceback.format_exc()
        if why and self._logged != (self.problem, why):
            log.error(self.trouble, **self.about, words=self.problem, why=why)
        self._logged = self.problem, why


@attrs.define(eq=False)
class _Tournament:
    name: str
    renewal: Renewal[TournamentTable]
    """Looks at its results."""
    computed: str | None = None
    """The time of the last change."""

    @property
    def table(self) -> TournamentTable | None:
        """The table of the last look; None if there was a problem."""
        return None if self.renewal.problem else self.renewal.result

    @property
    def summary(self) -> dict[str, Any]:
        """Its part of the lobby's message."""
        return self._about() | {"standings": None if self.table is None else self.table.first}

    @property
    def whole(self) -> bytes:
        """The answer about it, as JSON."""
        whole = b"null" if self.table is None else self.table.whole
        return b'%b, "standings": %b}' % (json.dumps(self._about()).encode()[:-1], whole)

    def _about(self) -> dict[str, Any]:
        table = self.table
        return {
            "name": self.name,
            "title": None if table is None else registry.get(table.first["game"]).title,
            "computed": None if table is None else self.computed,
            "bots": None if table is None else table.bots,
            "problem": self.renewal.problem,
        }


@attrs.define(eq=False)
class Tournaments:
    """The tournaments that a page shows."""

    looks: Mapping[str, Look] = attrs.field(factory=dict)
    on_change: Callable[[], None] = attrs.field(default=lambda: None)
    """Called in the event loop when a summary has changed."""
    _all: dict[str, _Tournament] = attrs.field(init=False)
    _one_look: trio.Lock = attrs.field(factory=trio.Lock, init=False)

    def __attrs_post_init__(self) -> None:
        trouble = "no standings of a tournament"
        self._all = {
            name: _Tournament(name, Renewal(look, REST, trouble, {"tournament": name}))
            for name, look in self.looks.items()
        }

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
        return b'{"tournaments": [%b]}' % b", ".join(one.whole for one in self._all.values())

    async def _refresh(self, tournament: _Tournament) -> None:
        if await tournament.renewal.run(self._one_look):
            tournament.computed = datetime.now(UTC).isoformat(timespec="milliseconds")
            self.on_change()
