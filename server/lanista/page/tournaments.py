"""The standings of tournaments for the page, as JSON (docs/api.md).

A tournament is played elsewhere and keeps its results in a database; the page's command passes a
`Look` for each tournament, so nothing here knows a database, a spec or the mathematics. Standings
are computed only while they are asked for: in a thread, as that takes time, and not too often, as
the machine also plays matches.
"""

import json
import traceback
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import attrs
import structlog
import trio

from lanista.games import registry
from lanista.page.renewal import Renewal

REST = 5.0
"""Minimum seconds between two looks at a tournament's results."""
FIRST = 8
"""Number of rows of a table that the lobby shows."""

Look = Callable[[], dict[str, Any] | None]
"""Returns a tournament's standings as in docs/tournaments.md, with `race` as in docs/api.md; None
if they are still those that the last look returned. Raises `NoStandingsError`. It may block: it is
called in a thread, by one thread at a time."""

log = structlog.get_logger()


class NoStandingsError(Exception):
    """There are no standings; the message is for viewers, in one line without paths or hosts."""

    def __init__(self, message: str, why: str = "") -> None:
        """Make the error; `why` is written only to the log."""
        super().__init__(message)
        self.why = why


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
    _current: dict[str, Any] = attrs.field(factory=dict)
    """The standings or the problem, as of the last look."""
    _logged: tuple[str, str] | None = None
    """The problem that was logged last: message and reason."""

    def __attrs_post_init__(self) -> None:
        self.renewal = Renewal(self._renew, REST)
        self._set({"standings": None, "problem": None})

    def _renew(self) -> bool:
        """Look at the results, and return whether anything changed. Blocks."""
        try:
            standings = self.look()
            if standings is None:
                return False
            changed = self._update({"standings": standings, "problem": None})
        except NoStandingsError as error:
            self._log(str(error), error.why)
            changed = self._update({"standings": None, "problem": str(error)})
        except Exception:  # noqa: BLE001 - a fault there must end neither the page nor a match
            problem = "the arena failed to compute the standings; its log says why"
            self._log(problem, traceback.format_exc())
            changed = self._update({"standings": None, "problem": problem})
        else:
            self._logged = None
        return changed

    def _update(self, new: dict[str, Any]) -> bool:
        """Take over new standings or a new problem; return whether they differ from the last."""
        changed = new != self._current
        if changed:
            self._set(new)
        return changed

    def _set(self, new: dict[str, Any]) -> None:
        standings = new["standings"]
        about: dict[str, Any] = {"name": self.name, "title": None, "computed": None, "bots": None}
        first = None
        if standings is not None:
            rows = standings["standings"]
            about["title"] = registry.get(standings["game"]).title
            about["computed"] = datetime.now(UTC).isoformat(timespec="milliseconds")
            about["bots"] = len(rows)
            # The lobby goes to all viewers, and these parts grow with the square of the bots.
            long = {"standings", "head_to_head", "seat_advantage", "rounds", "race"}
            first = {key: value for key, value in standings.items() if key not in long}
            first["standings"] = rows[:FIRST]
        self.whole = json.dumps({**about, **new}, allow_nan=False).encode()
        self.summary = {**about, **new, "standings": first}
        self._current = new

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
    _one_thread: trio.CapacityLimiter = attrs.field(
        factory=lambda: trio.CapacityLimiter(1), init=False
    )
    """One thread for all tournaments, as they share the machine with matches."""

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
        if await tournament.renewal.run(self._one_thread):
            self.on_change()
