"""What the page tells of an arena: the lobby, matches, games, bots. JSON by docs/api.md.

Reads the arena's stage and the catalogue; the server and the viewers send what it makes.
"""

import contextlib
import functools
import math
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
import structlog
import trio

from lanista import __version__
from lanista.arena.catalogue import Catalogue
from lanista.arena.server import Arena
from lanista.bots.about import about
from lanista.hosting.control import RunningMatch, RunningMatches
from lanista.house import HOUSE
from lanista.match.record import BadRecordError
from lanista.playback.frame_cache import Film, FrameCache, NoFramesError
from lanista.playback.frames import API, encode
from lanista.playback.summary import summary
from lanista.rules import registry
from lanista.web.tournaments import Tournaments

LOOK_EVERY = 0.25
"""Seconds between two looks at whether a record may be seen."""
RECENT = 20
"""Results that the lobby shows."""
ROWS = 50
"""Of a table of standings, how many the lobby shows."""

log = structlog.get_logger()


@attrs.define(eq=False)
class View:
    """An arena as its page sees it."""

    running: RunningMatches
    arena: Arena | None = None
    """Where bots wait; None: one match is played, by `lanista play`."""
    data: Path | None = None
    """Where the arena's records are."""
    films: FrameCache = attrs.field(factory=FrameCache)
    match: str | None = None
    """The one match that is played."""
    tournaments: Tournaments = attrs.field(factory=Tournaments)
    """Whose standings are shown; they are played elsewhere."""
    open_logs: bool = False
    """Whether bots' logs are told while their match runs: an opponent could read them too."""
    _catalogue: Catalogue | None = attrs.field(default=None, init=False)
    _records: trio.MemorySendChannel[Path] | None = attrs.field(default=None, init=False)
    """Where the catalogue hears of new records."""
    _one_thread: trio.CapacityLimiter = attrs.field(
        factory=lambda: trio.CapacityLimiter(1), init=False
    )
    _recent: list[dict[str, Any]] = attrs.field(factory=list, init=False)
    _standings: list[dict[str, Any]] = attrs.field(factory=list, init=False)
    _lobby: tuple[int, bytes] = attrs.field(default=(-1, b""), init=False)

    def __attrs_post_init__(self) -> None:
        self.tournaments.on_change = self.running.changes.tell

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keep the catalogue up to date with the arena's records."""
        self.running.told = self._hear_end
        try:
            if self.data is None:
                task_status.started()
            else:
                await self._keep_catalogue(self.data, task_status)
            await trio.sleep_forever()  # films end by what the stage tells
        finally:
            self.running.told = None

    def _hear_end(self, match: str, record: Path | None) -> None:
        """A match is over; its record may be seen, if there is one."""
        self.films.finish(match)
        if record is not None and self._records is not None:
            self._records.send_nowait(record)

    async def _keep_catalogue(self, data: Path, task_status: trio.TaskStatus[None]) -> None:
        self._records, receive = trio.open_memory_channel[Path](math.inf)
        try:
            self._catalogue = await self._in_thread(Catalogue.open, data)
        except (OSError, sqlite3.Error) as error:
            self._records = None
            log.error("no catalogue of matches", why=str(error))  # noqa: TRY400 - that is all
            task_status.started()
            return
        try:
            await self._try("no list of matches", self._refresh)
            task_status.started()
            await self._try("not all records are in the catalogue", self._sync)
            async for path in receive:
                await self._try("a record isn't in the catalogue", self._add, path)
                if not receive.statistics().current_buffer_used:
                    await self._try("no list of matches", self._refresh)
        finally:
            self._records = None
            self._catalogue.close()

    async def _in_thread(self, call: Any, *args: Any) -> Any:
        return await trio.to_thread.run_sync(call, *args, limiter=self._one_thread)

    async def _try(self, trouble: str, do: Callable[..., Awaitable[None]], *args: Any) -> None:
        """Do something with the catalogue; what goes wrong is in the log, and no match's matter."""
        try:
            await do(*args)
        except (BadRecordError, OSError, sqlite3.Error) as error:
            log.error(trouble, why=str(error))  # noqa: TRY400 - that is all

    async def _sync(self) -> None:
        """Add what was recorded when nobody looked: of thousands of records this takes minutes."""
        assert self._catalogue is not None
        # In a thread beside the others', which ask meanwhile; the arena's end doesn't wait for it.
        await trio.to_thread.run_sync(self._catalogue.sync, abandon_on_cancel=True)
        await self._refresh()

    async def _add(self, path: Path) -> None:
        assert self._catalogue is not None
        await self._in_thread(self._catalogue.add, path)

    async def _refresh(self) -> None:
        """Look up what the lobby shows of matches that are over."""
        assert self._catalogue is not None
        self._recent, _ = await self._in_thread(lambda: self._matches_of_catalogue(limit=RECENT))
        self._standings = await self._in_thread(self._catalogue.standings)
        self.running.changes.tell()

    def _matches_of_catalogue(self, **filters: Any) -> tuple[list[dict[str, Any]], str | None]:
        assert self._catalogue is not None
        return self._catalogue.matches(**filters)

    # -- the lobby -----------------------------------------------------------------------------

    def lobby(self) -> bytes:
        """The lobby's message; made once for all who look."""
        count = self.running.changes.count
        if self._lobby[0] != count:
            self._lobby = (count, encode(self._lobby_json()))
        return self._lobby[1]

    def _lobby_json(self) -> dict[str, Any]:
        return {
            "type": "lobby",
            "manual": self.arena is not None and self.arena.manual,
            "rooms": self._rooms(),
            "running": [_running(running) for running in self.running.matches.values()],
            "recent": self._recent,
            # All of each table is another question's: who plays chooses its name, and there may be
            # thousands of them.
            "standings": [{**table, "rows": table["rows"][:ROWS]} for table in self._standings],
            "tournaments": self.tournaments.summaries(),
        }

    def _rooms(self) -> list[dict[str, Any]]:
        if self.arena is None:
            return []
        lobby = self.arena.lobby
        rooms = []
        for game, room in lobby.rooms():
            waiting = lobby.waiting((game, room))
            rooms.append(
                {
                    "game": game,
                    "title": waiting[0].ruleset.title,
                    "room": room,
                    "seats": waiting[0].ruleset.seats,
                    "ready": lobby.complete((game, room)),
                    "bots": [
                        {"bot": player.number, "name": player.name, "seat": player.seat}
                        for player in waiting
                    ],
                }
            )
        return rooms

    # -- matches -------------------------------------------------------------------------------

    async def matches(
        self, *, limit: int, before: str | None, **filters: str
    ) -> tuple[list[dict[str, Any]], str | None]:
        """Matches, the newest first, and where the next page begins."""
        running = []
        if before is None:
            running = [_match_running(match) for match in self.running.matches.values()]
            running = [match for match in reversed(running) if _fits(match, filters)]
        if self._catalogue is None:
            return running, None
        catalogue = self._catalogue
        over, after = await self._in_thread(
            lambda: catalogue.matches(limit=limit, before=before, **filters)
        )
        return running + over, after

    async def match_json(self, match: str) -> dict[str, Any] | None:
        """One match; None if there is none of this id."""
        running = self.running.matches.get(match)
        if running is not None:
            return _match_running(running)
        found: dict[str, Any] | None = None
        if self._catalogue is not None:
            found = await self._in_thread(self._catalogue.match, match)
        path = self.running.ended.get(match)
        if found is None and path is not None:  # not in the catalogue, or not yet
            with contextlib.suppress(BadRecordError, OSError):
                found = await self._in_thread(summary, path)
                found["title"] = registry.get(found["game"]).title
        return found

    async def record_of(self, match: str) -> Path | None:
        """The record of a match that is over."""
        path = self.running.ended.get(match)
        if path is None and self._catalogue is not None:
            path = await self._in_thread(self._catalogue.path, match)
        return path

    async def until_over(self, match: str) -> None:
        """Return when a match isn't running any more."""
        while match in self.running.matches:
            await self.running.changes.wait(self.running.changes.count)

    async def until_shown(self, match: str) -> None:
        """Return when a match's record may be seen: of a void one, when nobody plays it again."""
        while True:
            await self.until_over(match)
            seen = self.running.changes.count
            if await self.record_of(match) is not None:
                return
            await self.running.changes.wait(seen)
            await trio.sleep(LOOK_EVERY)  # there may be many changes a second

    async def standings(self, game: str | None) -> list[dict[str, Any]]:
        """Tables of all matches that count."""
        return [table for table in self._standings if game in (None, table["game"])]

    async def take_film(self, match: str) -> Film:
        """The film of a match; `films.leave` it.

        Raises:
            NoFramesError: There is no such match.
        """
        running = self.running.matches.get(match)
        if running is not None:
            return self.films.take(match, running.part, live=True, logs=self.open_logs)
        path = await self.record_of(match)
        if path is None:
            raise NoFramesError(f"there is no match {match!r} here")
        return self.films.take(match, path, live=False)


def _running(running: RunningMatch) -> dict[str, Any]:
    return {
        "match": running.match,
        "game": running.ruleset.name,
        "title": running.ruleset.title,
        "room": running.room,
        "players": [{"bot": bot, "name": name} for bot, name in running.bots],
        "started": running.started,
        "paused": running.control.paused,
    }


def _match_running(running: RunningMatch) -> dict[str, Any]:
    return {
        "match": running.match,
        "game": running.ruleset.name,
        "title": running.ruleset.title,
        "state": "running",
        "started": running.started,
        "ended": None,
        "players": [name for _, name in running.bots],
        "end": None,
        "reason": None,
        "ranks": None,
        "scores": None,
        "turns": None,
        "seed": None,
        "faults": None,
    }


def _fits(match: Mapping[str, Any], filters: Mapping[str, str]) -> bool:
    if "player" in filters and filters["player"] not in match["players"]:
        return False
    return all(match[key] == value for key, value in filters.items() if key != "player")


def health() -> dict[str, Any]:
    """That we are there."""
    return {"ok": True, "software": __version__, "api": API}


@functools.cache
def games() -> dict[str, Any]:
    """The installed rulesets."""
    return {"games": [_game(registry.get(name)) for name in registry.names()]}


def _game(ruleset: Any) -> dict[str, Any]:
    return {
        "name": ruleset.name,
        "title": ruleset.title,
        "version": ruleset.version,
        "seats": ruleset.seats,
        "settings": [attrs.asdict(setting) for setting in ruleset.settings],
    }


def bots(game: str | None) -> dict[str, Any]:
    """The house bots, of one game or of all."""
    return {"bots": [bot for bot in _all_bots() if game in (None, bot["game"])]}


@functools.cache
def _all_bots() -> tuple[dict[str, Any], ...]:
    return tuple(
        {"game": of, "name": name, "about": about(module)}
        for of, modules in HOUSE.items()
        for name, module in modules.items()
    )
