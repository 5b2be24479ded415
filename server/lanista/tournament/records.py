"""The folder of records: where workers write, where a record of a stored match lies.

A record has its place before its match is committed, so a stored match always has it; what lies in
`.playing` belongs to no stored match. Nothing of a record's inside is known here.
"""

import contextlib
import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import attrs

from lanista.match.ending import FAILURES
from lanista.store.lock import folder_lock
from lanista.store.results import BlockResult, MatchResult
from lanista.tournament.spec import Keep
from lanista.tournament.worker import Finished

PLAYING = ".playing"
"""Below the folder of records: those of matches that aren't stored yet."""

SYNCED_AT_ONCE = 16
"""Folders whose names are written to the disk at the same time."""


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Be the only tournament that writes into a folder of records, which is made.

    Raises:
        StoreError: Another tournament does.
        OSError: It can't be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with folder_lock(folder):
        yield


@attrs.define(eq=False)
class Records:
    """The records of a tournament, on this machine or in a folder that is shared with workers."""

    folder: Path
    keep: Keep
    _changed: set[Path] = attrs.field(factory=set, init=False)  # folders not yet on disk

    @property
    def playing(self) -> Path:
        """Where workers write, if they see this folder."""
        return self.folder / PLAYING

    def prepare(self) -> None:
        """Make the folders, and empty the workers': nobody plays now.

        Raises:
            OSError: They can't be made or emptied.
        """
        self.playing.mkdir(parents=True, exist_ok=True)
        for left in self.playing.iterdir():
            # A worker whose manager was just killed may be removing its own.
            with contextlib.suppress(FileNotFoundError):
                if left.is_dir() and not left.is_symlink():
                    shutil.rmtree(left)
                else:
                    left.unlink()

    def place(self, finished: Finished) -> BlockResult:
        """Put a block's records where they belong, those that are to be kept; call `sync` behind.

        Returns:
            The result as it is to be stored: matches whose record isn't kept name none.

        Raises:
            OSError: A record isn't where the worker left it, or can't be written.
        """
        matches = []
        for match in finished.result.matches:
            record = None
            if match.record is not None and match.record in finished.records:
                written = finished.records[match.record]
                if self._wants(match):
                    self._put(self.folder / match.record, written)
                    record = match.record
                elif isinstance(written, str):
                    (self.playing / written).unlink(missing_ok=True)
            matches.append(attrs.evolve(match, record=record))
        return attrs.evolve(finished.result, matches=tuple(matches))

    def sync(self) -> None:
        """Have the names of all records that were placed on the disk.

        Raises:
            OSError: They can't be.
        """
        folders = sorted(self._changed)
        # Side by side: a disk takes hardly longer for many than for one.
        with ThreadPoolExecutor(min(SYNCED_AT_ONCE, max(1, len(folders)))) as threads:
            list(threads.map(_sync, folders))
        self._changed.clear()

    def _wants(self, match: MatchResult) -> bool:
        if self.keep is Keep.FAILURES:
            failed = any(seat.ending in FAILURES for seat in match.seats)
            return failed or not match.counted
        return self.keep is Keep.ALL

    def _put(self, place: Path, written: str | bytes) -> None:
        if not place.parent.is_dir():
            place.parent.mkdir(parents=True, exist_ok=True)
            self._changed.add(place.parent.parent)
        if isinstance(written, str):
            # Whole and on the disk: a worker gives a record its name only then.
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
