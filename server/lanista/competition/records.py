"""The folder of records of a tournament: where workers write them, and where they are kept.

A record is moved to its place before its match is committed, so a stored match always has its
record. What lies in `.playing` belongs to no stored match, and is removed when a run begins. The
content of records is not looked at here.
"""

import contextlib
import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import attrs

from lanista.competition.spec import Keep
from lanista.competition.worker import Finished
from lanista.match.ending import FAILURES
from lanista.results.block_records import PLAYING
from lanista.results.lock import folder_lock
from lanista.results.match_result import BlockResult, MatchResult

SYNC_THREADS = 16
"""Number of folders that are flushed to the disk at the same time."""


@contextlib.contextmanager
def lock_records(folder: Path) -> Iterator[None]:
    """Make a folder of records and lock it, so that no other tournament writes into it.

    Raises:
        StoreError: Another tournament has locked it.
        OSError: The folder can't be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with folder_lock(folder):
        yield


@attrs.define(eq=False)
class Records:
    """The records of a tournament, in a folder of this machine or one shared with workers."""

    folder: Path
    keep: Keep
    """Which records are kept when their matches are stored."""
    _changed: set[Path] = attrs.field(factory=set, init=False)  # folders to be flushed

    @property
    def playing(self) -> Path:
        """The folder into which workers write, if they see it."""
        return self.folder / PLAYING

    def prepare(self) -> None:
        """Make the folders, and remove what an earlier run left in the folder of the workers.

        To be called before any worker plays.

        Raises:
            OSError: The folders can't be made or emptied.
        """
        self.playing.mkdir(parents=True, exist_ok=True)
        for path in self.playing.iterdir():
            # A worker of a manager that was just killed may be removing its files right now.
            with contextlib.suppress(FileNotFoundError):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink()

    def place(self, finished: Finished) -> BlockResult:
        """Move the records of a block to their places, or remove those that aren't to be kept.

        They are on the disk for certain only after `sync`.

        Returns:
            The result to be stored; matches whose record isn't kept have none.

        Raises:
            OSError: A record isn't where the worker should have left it, or can't be written.
        """
        matches = []
        for match in finished.result.matches:
            record = None
            if match.record is not None and match.record in finished.records:
                written = finished.records[match.record]
                if self._keeps(match):
                    self._put(self.folder / match.record, written)
                    record = match.record
                elif isinstance(written, str):
                    (self.playing / written).unlink(missing_ok=True)
            matches.append(attrs.evolve(match, record=record))
        return attrs.evolve(finished.result, matches=tuple(matches))

    def sync(self) -> None:
        """Flush the folders of all records that were placed to the disk.

        Raises:
            OSError: A folder can't be flushed.
        """
        folders = sorted(self._changed)
        # At the same time, because a disk takes hardly longer for many folders than for one.
        with ThreadPoolExecutor(min(SYNC_THREADS, max(1, len(folders)))) as threads:
            list(threads.map(_sync, folders))
        self._changed.clear()

    def _keeps(self, match: MatchResult) -> bool:
        if self.keep is Keep.FAILURES:
            failed = any(seat.ending in FAILURES for seat in match.seats)
            return failed or not match.counted
        return self.keep is Keep.ALL

    def _put(self, place: Path, written: str | bytes) -> None:
        if not place.parent.is_dir():
            place.parent.mkdir(parents=True, exist_ok=True)
            self._changed.add(place.parent.parent)
        if isinstance(written, str):
            # Its content is on the disk: a worker returns a record only when it is complete.
            source = self.playing / written
        else:
            source = self.playing / place.name
            with source.open("wb") as file:
                file.write(written)
                file.flush()
                os.fsync(file.fileno())
        source.replace(place)
        self._changed.add(place.parent)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
