"""The records of a tournament's matches as files: their names, and where to find one.

A worker writes records into the subfolder `PLAYING` of the tournament's folder of records. When the
block is stored, they are moved to their places. The names say which match it is, so that whoever
sees the folder can show it, also while it is played.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import attrs

from lanista.match.record import ENDING, PART

PLAYING = ".playing"
"""The subfolder for records of matches that aren't stored yet."""
MAX_RUNNING = 1000
"""Number of files in that subfolder above which the others aren't looked at."""
_ID = re.compile(r"([0-9a-f]{32})-([0-9]{1,2})-([0-9]{1,2})")
_STORED = re.compile(r"([0-9a-f]{32})-([0-9]{1,2})(?:-void[0-9]{1,2})?" + re.escape(ENDING))


@attrs.frozen
class BlockMatch:
    """A match of a tournament, or one attempt to play it."""

    block: str
    """The id of its block."""
    seating: int
    """The number of its seating in the block, from 0."""
    attempt: int
    """The number of the attempt, from 1; above 1 after a void match."""

    @classmethod
    def of_id(cls, text: str) -> Self | None:
        """Return the match with an id; None if it can't be the id of such a match."""
        found = _ID.fullmatch(text)
        return None if found is None else cls(found[1], int(found[2]), int(found[3]))

    @property
    def id(self) -> str:
        """The id of the match, which is the same while it is played and afterwards."""
        return f"{self.block}-{self.seating}-{self.attempt}"

    def place(self, *, is_void: bool) -> str:
        """Return where its record is kept, relative to the folder of records."""
        void = f"-void{self.attempt}" if is_void else ""
        return f"{self.block[:2]}/{self.block}-{self.seating}{void}{ENDING}"

    def name_playing(self, token: str) -> str:
        """Return the name of its record in `PLAYING`; the token makes it unique."""
        return f"{self.id}.{token}{ENDING}"

    def find(self, folder: Path) -> Path | None:
        """Return its complete record in a folder of records; None if there is none."""
        # A void attempt is looked for first, as the place without `void` is that of the last one.
        for is_void in (True, False):
            path = folder / self.place(is_void=is_void)
            if path.is_file():
                return path
        # It is over, and its block isn't stored yet.
        return next((folder / PLAYING).glob(f"{self.id}.*{ENDING}"), None)


def stored_records(folder: Path) -> Iterator[tuple[str, str, int]]:
    """Yield the path of each record at its place, its block and its seating.

    The paths are relative to the folder of records. Files with other names aren't the tournament's.
    """
    for path in sorted(folder.glob(f"[0-9a-f][0-9a-f]/*{ENDING}")):
        found = _STORED.fullmatch(path.name)
        if found is not None:
            yield f"{path.parent.name}/{path.name}", found[1], int(found[2])


def running_parts(folder: Path) -> Iterator[tuple[BlockMatch, Path]]:
    """Yield the matches whose records are being written in a folder of records, with the files."""
    for number, path in enumerate((folder / PLAYING).iterdir()):
        if number == MAX_RUNNING:
            return
        match = BlockMatch.of_id(path.name.partition(".")[0])
        if match is not None and path.name.endswith(ENDING + PART):
            yield match, path
