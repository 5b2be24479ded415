"""The matches of tournaments on the page: those that are played now, and those that were stored.

Tournaments are played by other processes. Which matches run is seen in the folders of their
records (`lanista.results.block_records`), if this machine has them: a record that is being written
belongs to a running match, and whoever follows it sees the match. So nothing needs to be asked of
those who play, and nothing holds them up.
"""

import contextlib
import fcntl
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
import trio

from lanista.games import registry
from lanista.match.record import BadRecordError, Header, LineReader
from lanista.results.block_records import BlockMatch, running_parts
from lanista.results.recorded import match_json, summary

LOOK_EVERY = 0.5
"""Seconds between two looks at the folders while there are viewers."""
STILL = 10.0
"""Seconds without a new line after which it is checked whether anybody still writes a record."""
MAX_HEADER = 1024 * 1024
"""Maximum length of a record's first line in bytes, for a match to be shown."""


@attrs.frozen
class MatchSource:
    """Where the matches of a tournament are found."""

    records: Path
    """The folder of its records."""
    ask: Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]
    """Returns a page of stored matches that meet some filters, as `{"matches", "next"}`; it raises
    `NoStandingsError`."""


@attrs.frozen
class WatchedMatch:
    """A match of a tournament that another process plays."""

    match: str
    """Its id."""
    tournament: str
    """The tournament's name."""
    game: str
    title: str
    """The title of the game."""
    players: tuple[str, ...]
    """The names of the players, by seat."""
    started: str
    """When it began, in ISO 8601, UTC."""
    part: Path
    """Its record, which is being written."""

    def lobby_json(self) -> dict[str, Any]:
        """Return the match as a running match of the lobby."""
        return {
            "match": self.match,
            "game": self.game,
            "title": self.title,
            "room": None,
            "tournament": self.tournament,
            "players": [{"bot": None, "name": name} for name in self.players],
            "started": self.started,
            "paused": False,
        }


@attrs.define(eq=False)
class TournamentMatches:
    """The matches of all tournaments that a page shows; `refresh` while somebody watches."""

    sources: Mapping[str, MatchSource] = attrs.field(factory=dict)
    running: dict[str, WatchedMatch] = attrs.field(factory=dict, init=False)
    """The running matches by id, in the order in which they began."""
    on_change: Callable[[], None] = attrs.field(default=lambda: None)
    """Called when `running` has changed."""
    on_end: Callable[[str], None] = attrs.field(default=lambda _: None)
    """Called with the id of a match that no longer runs."""
    _one_look: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    _one_thread: trio.CapacityLimiter = attrs.field(
        factory=lambda: trio.CapacityLimiter(1), init=False
    )

    async def refresh(self) -> None:
        """Look which matches are running."""
        async with self._one_look:
            known = {match.part: match for match in self.running.values()}
            found = await trio.to_thread.run_sync(
                self._look, known, abandon_on_cancel=True, limiter=self._one_thread
            )
        before, self.running = self.running, {match.match: match for match in found}
        for match, watched in before.items():
            if self.running.get(match) != watched:
                self.on_end(match)
        if before != self.running:
            self.on_change()

    def _look(self, known: Mapping[Path, WatchedMatch]) -> list[WatchedMatch]:
        """Return the matches that are running, in the order in which they began. Blocks."""
        found = []
        for name, source in self.sources.items():
            with contextlib.suppress(OSError):  # nothing is played there now
                for match, part in running_parts(source.records):
                    watched = known.get(part) or _opened(name, match, part)
                    if watched is not None and _is_written(part):
                        found.append(watched)
        return sorted(found, key=lambda watched: (watched.started, watched.match))

    async def find(self, match: str) -> tuple[str, Path] | None:
        """Return the tournament and the complete record of a match; None if there is none."""
        wanted = BlockMatch.of_id(match)
        if wanted is None:
            return None

        def found() -> tuple[str, Path] | None:
            for name, source in self.sources.items():
                with contextlib.suppress(OSError):
                    path = wanted.find(source.records)
                    if path is not None:
                        return name, path
            return None

        return await trio.to_thread.run_sync(found, limiter=self._one_thread)

    async def describe(self, match: str) -> dict[str, Any] | None:
        """Return a match as in docs/api.md, running or over; None if there is none."""
        watched = self.running.get(match)
        if watched is not None:
            return match_json(
                watched.game,
                match=match,
                tournament=watched.tournament,
                state="running",
                started=watched.started,
                players=list(watched.players),
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

    async def page(self, tournament: str, filters: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return a page of a tournament's stored matches; None if there is no such tournament.

        Raises:
            NoStandingsError: They can't be read.
        """
        source = self.sources.get(tournament)
        if source is None:
            return None
        return await source.ask(filters)


def _opened(tournament: str, match: BlockMatch, part: Path) -> WatchedMatch | None:
    """Return the match of a record that is being written; None if its header isn't there yet."""
    try:
        with part.open("rb") as file:
            line = file.readline(MAX_HEADER)
        if not line.endswith(b"\n"):
            return None
        header = LineReader(part).read(line)
        assert isinstance(header, Header)  # LineReader accepts nothing else in the first line
        title = registry.get(header.game).title
    except (BadRecordError, OSError, registry.UnknownGameError):
        return None
    players = tuple(player.name for player in header.players)
    return WatchedMatch(match.id, tournament, header.game, title, players, header.started, part)


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
