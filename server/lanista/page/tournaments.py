"""The tournaments on the page (docs/api.md): standings, and matches, played now or stored.

Tournaments are played by other processes. Helper processes (`tables`) read their results from the
database, only while they are asked for. Which matches run is seen in the folders of their records
(`lanista.results.block_records`), if this machine has them: a record that is being written belongs
to a running match. So nothing is asked of those who play, and nothing holds them up.
"""

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import attrs
import orjson
import structlog
import trio

from lanista.games import registry
from lanista.match.record import BadRecordError, Header, read_header
from lanista.page.answers import not_found
from lanista.page.renewal import FIRST, Renewal
from lanista.results.block_records import BlockMatch, running_parts
from lanista.results.recorded import match_json, summary

log = structlog.get_logger()

STILL = 10.0
"""Seconds without a new line after which it is checked whether anybody still writes a record."""
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
        """Return the table of some standings, whose figures must be finite."""
        rows = standings["standings"]
        first = {key: value for key, value in standings.items() if key not in _LONG}
        first["standings"] = rows[:FIRST]
        # Not by orjson, which has `null` for a figure that isn't finite.
        whole = json.dumps(standings, allow_nan=False, separators=(",", ":")).encode()
        return cls(whole, first, len(rows))


@attrs.define(eq=False)
class Tournament(Renewal[TournamentTable]):
    """A tournament and the last table that was computed of it."""

    rest = 5.0
    kind = "tournament"
    records: Path
    """The folder of its records."""
    matches: Callable[[Mapping[str, Any]], Awaitable[tuple[list[dict[str, Any]], int | None]]]
    """Returns stored matches that meet some filters, and where the next page begins; it raises
    `NoStandingsError`."""
    computed: str | None = attrs.field(default=None, init=False)
    """The time of the last change."""

    @property
    def table(self) -> TournamentTable | None:
        """The table of the last look; None if there was a problem."""
        return None if self.problem else self.result

    def summary(self) -> dict[str, Any]:
        """Return its part of the lobby's message."""
        return self._about() | {"standings": None if self.table is None else self.table.first}

    def whole(self) -> dict[str, Any]:
        """Return the answer about it."""
        whole = None if self.table is None else orjson.Fragment(self.table.whole)
        return self._about() | {"standings": whole}

    def _about(self) -> dict[str, Any]:
        table = self.table
        return {
            "name": self.name,
            "title": None if table is None else registry.get(table.first["game"]).title,
            "computed": None if table is None else self.computed,
            "bots": None if table is None else table.bots,
            "problem": self.problem,
        }


@attrs.frozen
class WatchedMatch:
    """A match of a tournament that another process plays."""

    match: str
    """Its id."""
    tournament: str
    header: Header
    part: Path
    """Its record, which is being written."""

    @property
    def players(self) -> list[str]:
        """The names of the players, by seat."""
        return [player.name for player in self.header.players]

    def lobby_json(self) -> dict[str, Any]:
        """Return the match as a running match of the lobby."""
        return {
            "match": self.match,
            "game": self.header.game,
            "title": registry.get(self.header.game).title,
            "room": None,
            "tournament": self.tournament,
            "players": [{"bot": None, "name": name} for name in self.players],
            "started": self.header.started,
            "paused": False,
        }


@attrs.define(eq=False)
class Tournaments:
    """The tournaments that a page shows.

    Questions raise `RefusedError` if there is no such tournament, and `NoStandingsError`.
    """

    shown: Sequence[Tournament] = ()
    running: dict[str, WatchedMatch] = attrs.field(factory=dict, init=False)
    """The running matches by id, in the order in which they began."""
    on_change: Callable[[], None] = attrs.field(default=lambda: None)
    """Called in the event loop when a summary, or `running`, has changed."""
    on_end: Callable[[str], None] = attrs.field(default=lambda _: None)
    """Called with the id of a match that no longer runs."""
    _one_table: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    _one_thread: trio.CapacityLimiter = attrs.field(
        factory=lambda: trio.CapacityLimiter(1), init=False
    )

    def __len__(self) -> int:
        return len(self.shown)

    def _named(self, name: str) -> Tournament:
        for tournament in self.shown:
            if tournament.name == name:
                return tournament
        raise not_found(f"there is no tournament {name!r} here")

    # -- tables --------------------------------------------------------------------------------

    def summaries(self) -> list[dict[str, Any]]:
        """Return the lobby's part of each tournament, as of the last look."""
        return [tournament.summary() for tournament in self.shown]

    async def refresh(self) -> None:
        """Look at the results of each tournament that is due."""
        for tournament in self.shown:
            await self._refresh(tournament)

    async def one_json(self, name: str) -> bytes:
        """Return a tournament with its standings as JSON."""
        tournament = self._named(name)
        await self._refresh(tournament)
        return orjson.dumps(tournament.whole())

    async def all_json(self) -> bytes:
        """Return all tournaments with their standings as JSON."""
        await self.refresh()
        return orjson.dumps({"tournaments": [one.whole() for one in self.shown]})

    async def _refresh(self, tournament: Tournament) -> None:
        if tournament.is_due:
            async with self._one_table:  # whoever has waited for the same table finds it not due
                if await tournament.renew():
                    tournament.computed = datetime.now(UTC).isoformat(timespec="milliseconds")
                    self.on_change()

    # -- matches -------------------------------------------------------------------------------

    async def matches(
        self, name: str, filters: Mapping[str, Any]
    ) -> tuple[list[dict[str, Any]], int | None]:
        """Return a page of a tournament's stored matches, and where the next one begins."""
        return await self._named(name).matches(filters)

    async def look(self) -> None:
        """Look which matches are running; it must not be called again meanwhile.

        Nothing changes if the system lets no thread be started now.
        """
        known = {match.part: match for match in self.running.values()}
        try:
            found = await trio.to_thread.run_sync(
                self._look, known, abandon_on_cancel=True, limiter=self._one_thread
            )
        except RuntimeError as error:
            log.error("running matches can't be looked at", why=str(error))
            return
        before, self.running = self.running, {match.match: match for match in found}
        for match, watched in before.items():
            if self.running.get(match) != watched:
                self.on_end(match)
        if before != self.running:
            self.on_change()

    def _look(self, known: Mapping[Path, WatchedMatch]) -> list[WatchedMatch]:
        """Return the matches that are running, in the order in which they began. Blocks."""
        found = []
        for tournament in self.shown:
            with contextlib.suppress(OSError):  # nothing is played there now
                for match, part in running_parts(tournament.records):
                    watched = known.get(part) or _opened(tournament.name, match, part)
                    if watched is not None and _is_written(part):
                        found.append(watched)
        return sorted(found, key=lambda watched: (watched.header.started, watched.match))

    async def find(self, match: str) -> tuple[str, Path] | None:
        """Return the tournament and the complete record of a match; None if there is none."""
        wanted = BlockMatch.of_id(match)
        if wanted is None:
            return None

        def found() -> tuple[str, Path] | None:
            for tournament in self.shown:
                with contextlib.suppress(OSError):
                    path = wanted.find(tournament.records)
                    if path is not None:
                        return tournament.name, path
            return None

        return await trio.to_thread.run_sync(found, limiter=self._one_thread)

    async def describe(self, match: str) -> dict[str, Any] | None:
        """Return a match as in docs/api.md, running or over; None if there is none."""
        watched = self.running.get(match)
        if watched is not None:
            return match_json(
                watched.header.game,
                match=match,
                tournament=watched.tournament,
                state="running",
                started=watched.header.started,
                players=watched.players,
            )
        found = await self.find(match)
        if found is None:
            return None
        tournament, path = found
        try:
            description = await trio.to_thread.run_sync(summary, path, limiter=self._one_thread)
        except (BadRecordError, OSError):
            return None
        return {**description, "match": match, "tournament": tournament}


def _opened(tournament: str, match: BlockMatch, part: Path) -> WatchedMatch | None:
    """Return the match of a record that is being written; None if its header isn't there yet."""
    try:
        header = read_header(part)
        registry.get(header.game)
    except (BadRecordError, OSError, registry.UnknownGameError):
        return None
    return WatchedMatch(match.id, tournament, header, part)


def _is_written(part: Path) -> bool:
    """Return whether somebody still writes a record, and not: a killed run left it behind."""
    try:
        if time.time() - part.stat().st_mtime < STILL:
            return True
        # Its writer has locked it from the moment at which it was made, so this can't get in the
        # way of one that begins.
        descriptor = os.open(part, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
