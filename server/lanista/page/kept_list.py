"""The list of an arena's matches that are over, kept up to date while the page is served."""

import contextlib
import math
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import attrs
import structlog
import trio

from lanista.arena.arena import Arena
from lanista.errors import LanistaError
from lanista.hosting.control import RunningMatches
from lanista.results.match_list import MatchList

SYNC_AGAIN = 10.0
"""Seconds after which records that couldn't be added to the list, as on a full disk, are tried
again."""
AT_ONCE = 200
"""Maximum number of records that are added to the list in one transaction."""
RECENT = 20
"""Number of results that the lobby shows."""

log = structlog.get_logger()


@attrs.define(eq=False)
class KeptList:
    """A `MatchList` for the event loop; `run` it beside the server."""

    running: RunningMatches
    arena: Arena | None
    """The arena whose matches they are; None: nothing is listed."""
    recent: list[dict[str, Any]] = attrs.field(factory=list, init=False)
    """The last results, for the lobby."""
    standings: list[dict[str, Any]] = attrs.field(factory=list, init=False)
    """The tables of all games, over all matches that count."""
    _list: MatchList | None = attrs.field(default=None, init=False)
    _news: trio.MemorySendChannel[Path | None] | None = attrs.field(default=None, init=False)
    """Takes the paths of new records; None if a ladder has stored results."""
    _one_thread: trio.CapacityLimiter = attrs.field(
        factory=lambda: trio.CapacityLimiter(1), init=False
    )

    def add(self, record: Path | None = None) -> None:
        """Have a record added; without one, take note that a ladder's results are stored."""
        if self._news is not None:
            self._news.send_nowait(record)

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keep the list up to date until cancelled; return if there is none."""
        if self.arena is None:
            task_status.started()
            return
        self._news, news = trio.open_memory_channel[Path | None](math.inf)
        rooms = self.arena.ladders
        # Those of which other arenas have results have them in another database.
        own = [name for name, room in rooms.items() if not room.is_shared]
        try:
            self._list = await self._in_thread(MatchList.open, self.arena.options.data, own)
        except LanistaError as error:
            self._news = None
            # The arena wouldn't have started if a ladder's results were in there too.
            log.error(
                "no list of matches, so the page shows none; it is made again from the records if "
                "the arena is stopped and the file moved away",
                why=str(error),
            )
            task_status.started()
            return
        for name in own:
            rooms[name].results.on_stored = self.add
        try:
            await self._try("no list of matches", self._refresh, self._list)
            task_status.started()
            await self._keep(self._list, news)
        finally:
            self._news = None
            self._list.close()

    async def _keep(self, matches: MatchList, news: trio.MemoryReceiveChannel[Path | None]) -> None:
        sync_at = -math.inf  # a moment of trio's clock
        while True:
            if sync_at <= trio.current_time():
                is_whole = await self._try("not all records are in the list", self._sync, matches)
                sync_at = math.inf if is_whole else trio.current_time() + SYNC_AGAIN
            with trio.move_on_at(sync_at):
                paths = [await news.receive()]
                with contextlib.suppress(trio.WouldBlock):
                    while len(paths) < AT_ONCE:
                        paths.append(news.receive_nowait())
                records = [path for path in paths if path is not None]
                trouble = "a record isn't in the list yet"
                if not await self._try(trouble, self._in_thread, matches.add, *records):
                    sync_at = min(sync_at, trio.current_time() + SYNC_AGAIN)
                if not news.statistics().current_buffer_used:
                    await self._try("no list of matches", self._refresh, matches)

    async def _in_thread(self, call: Any, *args: Any) -> Any:
        return await trio.to_thread.run_sync(call, *args, limiter=self._one_thread)

    async def _try(self, trouble: str, do: Callable[..., Awaitable[None]], *args: Any) -> bool:
        """Do something with the list, and return whether it was done; what goes wrong is logged."""
        try:
            await do(*args)
        except (LanistaError, OSError, RuntimeError) as error:  # the last if no thread can start
            log.error(trouble, why=str(error))
            return False
        return True

    async def _sync(self, matches: MatchList) -> None:
        """Add records that were made without the page: for thousands, this takes minutes."""
        # Not in `_one_thread`, which answers questions meanwhile; and the arena's end mustn't wait.
        await trio.to_thread.run_sync(matches.sync, self.running.hides, abandon_on_cancel=True)
        await self._refresh(matches)

    async def _refresh(self, matches: MatchList) -> None:
        self.recent, _ = await self._in_thread(lambda: matches.matches(limit=RECENT))
        self.standings = await self._in_thread(matches.standings)
        self.running.changes.tell()

    # -- questions -----------------------------------------------------------------------------

    async def matches(
        self, *, limit: int, before: int | None, **filters: str
    ) -> tuple[list[dict[str, Any]], int | None]:
        """Return matches, the newest first, and where the next page begins (`MatchList`)."""
        matches = self._list
        if matches is None:
            return [], None
        found: tuple[list[dict[str, Any]], int | None] = await self._in_thread(
            lambda: matches.matches(limit=limit, before=before, **filters)
        )
        return found

    async def match(self, id_: str) -> dict[str, Any] | None:
        """Return a match as docs/api.md describes it; None if it isn't listed."""
        return None if self._list is None else await self._in_thread(self._list.match, id_)

    async def path(self, id_: str) -> Path | None:
        """Return the path of a match's record; None if there is none."""
        return None if self._list is None else await self._in_thread(self._list.path, id_)
