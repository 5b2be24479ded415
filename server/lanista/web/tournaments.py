"""Tournaments' standings for the page: looked up while somebody asks, told as JSON (docs/api.md).

Whoever starts the page says how standings are found; nothing here knows a database, a spec or the
mathematics, and nothing that takes time is done in the arena's loop.
"""

import json
import time
import traceback
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import attrs
import structlog
import trio

from lanista.rules import registry

REST = 5.0
"""Seconds from one look at a tournament's results to the next, at least…"""
SHARE = 4
"""…and so many times what the look took: a large tournament's standings take seconds, on a machine
that plays matches."""
FIRST = 8
"""Rows of a table that the lobby shows."""

Look = Callable[[], dict[str, Any] | None]
"""Finds a tournament's standings, as docs/tournaments.md has their JSON; None: nothing changed
since the look before, which found some. Blocks; is called in a thread, never twice at once; raises
`NoStandingsError`."""

log = structlog.get_logger()


class NoStandingsError(Exception):
    """There are no standings: one line for whoever looks at the page, without paths or hosts."""

    def __init__(self, words: str, why: str = "") -> None:
        """`why`: for the log alone."""
        super().__init__(words)
        self.why = why


@attrs.define(eq=False)
class _Tournament:
    name: str
    look: Look
    whole: bytes = b""
    """What is told of it, as JSON."""
    summary: dict[str, Any] = attrs.field(factory=dict)
    """What the lobby tells of it."""
    due: float = float("-inf")
    """When it may be looked at again."""
    took: float = 0.0
    """Seconds of the last look."""
    one_look: trio.Lock = attrs.field(factory=trio.Lock)
    _found: dict[str, Any] = attrs.field(factory=dict)
    _told: tuple[str, str] | None = None
    """What the log was told last."""

    def __attrs_post_init__(self) -> None:
        self._tell({"standings": None, "problem": None})

    def renew(self) -> bool:
        """Look at the results; whether anything changed. Blocks."""
        begun = time.monotonic()
        try:
            return self._renew()
        finally:
            self.took = time.monotonic() - begun

    def _renew(self) -> bool:
        try:
            standings = self.look()
            if standings is None:
                return False
            found = {"standings": standings, "problem": None}
            changed = found != self._found
            if changed:
                self._tell(found)
        except NoStandingsError as error:
            self._log(str(error), error.why)
            changed = self._tell_problem(str(error))
        except Exception:  # noqa: BLE001 - a fault there must end neither the page nor a match
            words = "no standings, by a fault of the arena's; its log says which"
            self._log(words, traceback.format_exc())
            changed = self._tell_problem(words)
        else:
            self._told = None
        return changed

    def _tell_problem(self, words: str) -> bool:
        found = {"standings": None, "problem": words}
        changed = found != self._found
        if changed:
            self._tell(found)
        return changed

    def _tell(self, found: dict[str, Any]) -> None:
        standings = found["standings"]
        about: dict[str, Any] = {"name": self.name, "title": None, "computed": None, "bots": None}
        first = None
        if standings is not None:
            rows = standings["standings"]
            about["title"] = registry.get(standings["game"]).title
            about["computed"] = datetime.now(UTC).isoformat(timespec="milliseconds")
            about["bots"] = len(rows)
            # Who met whom grows with the square of the bots; the lobby goes to everybody.
            long = {"standings", "head_to_head", "seat_advantage"}
            first = {key: value for key, value in standings.items() if key not in long}
            first["standings"] = rows[:FIRST]
        # JSON has no word for a number that is none.
        self.whole = json.dumps({**about, **found}, allow_nan=False).encode()
        self.summary = {**about, **found, "standings": first}
        self._found = found

    def _log(self, words: str, why: str) -> None:
        """Tell the log why, once for as long as it stays so."""
        if why and self._told != (words, why):
            log.error("no standings of a tournament", tournament=self.name, words=words, why=why)
        self._told = words, why


@attrs.define(eq=False)
class Tournaments:
    """The tournaments that a page shows, by name."""

    looks: Mapping[str, Look] = attrs.field(factory=dict)
    on_change: Callable[[], None] = attrs.field(default=lambda: None)
    """Is told, in the loop, that a summary changed."""
    _all: dict[str, _Tournament] = attrs.field(init=False)
    # One for all: they share the machine with matches.
    _one_thread: trio.CapacityLimiter = attrs.field(
        factory=lambda: trio.CapacityLimiter(1), init=False
    )

    def __attrs_post_init__(self) -> None:
        self._all = {name: _Tournament(name, look) for name, look in self.looks.items()}

    def __len__(self) -> int:
        return len(self._all)

    def summaries(self) -> list[dict[str, Any]]:
        """What the lobby tells of each, as it was at the last look."""
        return [tournament.summary for tournament in self._all.values()]

    async def refresh(self) -> None:
        """Look at the results of those at which nobody has looked for a while."""
        for tournament in self._all.values():
            await self._refresh(tournament)

    async def one(self, name: str) -> bytes | None:
        """All that is told of a tournament, as JSON; None: there is none of this name."""
        tournament = self._all.get(name)
        if tournament is None:
            return None
        await self._refresh(tournament)
        return tournament.whole

    async def all(self) -> bytes:
        """All that is told of all, as JSON."""
        await self.refresh()
        wholes = (tournament.whole for tournament in self._all.values())
        return b'{"tournaments": [%b]}' % b", ".join(wholes)

    async def _refresh(self, tournament: _Tournament) -> None:
        async with tournament.one_look:
            if trio.current_time() < tournament.due:
                return
            changed = await trio.to_thread.run_sync(
                # The arena's end doesn't wait for a database.
                tournament.renew,
                abandon_on_cancel=True,
                limiter=self._one_thread,
            )
            tournament.due = trio.current_time() + max(REST, SHARE * tournament.took)
        if changed:
            self.on_change()
