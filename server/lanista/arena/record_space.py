"""Whether an arena's records can be written: while they can't, no match begins.

A match without a record can't count, so on a full disk each match would be aborted in its first
turn, and its bots would come back for the next one, a thousand times a minute. Instead they wait.
That there is no room is noticed by a match that has left no record. From then on a test file shows
every second whether there is room again; only the beginning and the end of that are logged.
"""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import attrs
import structlog
import trio

ROOM = 1 << 20
"""Number of bytes that must be free for matches to begin."""
AGAIN = 1.0
"""Seconds between two tests."""

log = structlog.get_logger()


@attrs.define(eq=False)
class RecordSpace:
    """Knows whether there is room for records; `run` it while matches are played."""

    folder: Path
    """The folder of records; it is made if it isn't there."""
    on_room: Callable[[bool], None]
    """Called when matches may begin again, and told whether there really was no room."""
    has_room: bool = attrs.field(default=True, init=False)
    """Whether matches may begin."""
    _suspected: trio.Event = attrs.field(factory=trio.Event, init=False)

    def look_for(self, record: Path) -> None:
        """Begin to test if a match that is over has left no record."""
        if not record.exists():
            self.has_room = False
            self._suspected.set()

    async def run(self) -> None:
        """Test whether there is room when that is in doubt, until cancelled."""
        while True:
            await self._suspected.wait()
            began = trio.current_time()
            was_full = False
            while (why := await trio.to_thread.run_sync(self._trouble)) is not None:
                if not was_full:
                    log.error(
                        "no match begins, as records can't be written",
                        folder=str(self.folder),
                        why=why,
                    )
                    was_full = True
                await trio.sleep(AGAIN)
            if was_full:
                seconds = round(trio.current_time() - began, 1)
                log.info("records can be written again", seconds=seconds)
            self._suspected = trio.Event()
            self.has_room = True
            self.on_room(was_full)

    def _trouble(self) -> str | None:
        """Return why nothing can be written; None if it can."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder) as file:
                file.write(bytes(ROOM))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            return error.strerror or str(error)
        return None
