"""Temporary folders that don't stay behind for good when their process is killed.

Whoever makes such a folder removes it at the end. For a process that is killed, the next one that
makes a folder of the same kind in the same place removes it.
"""

import fcntl
import os
import re
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Self


class TemporaryFolder:
    """A folder of this process; it is removed by `close`, or at the end of a `with`."""

    def __init__(self, kind: str, parent: str | Path | None = None) -> None:
        """Make the folder, and remove those of the same kind whose processes are no longer there.

        Its name is the kind, as "lanista-frames", the id of this process, and a suffix that
        `tempfile` adds. Processes of several machines need different kinds in a place that these
        share. Without a parent, it is in the system's folder for temporary files. Raises OSError.
        """
        place = Path(parent or tempfile.gettempdir()).absolute()
        _remove_abandoned(kind, place)
        self.path, self._lock = _make(kind, place)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def _make(kind: str, place: Path) -> tuple[Path, int]:
    """Make a folder, and return it with the descriptor that keeps it locked.

    systemd-tmpfiles and our own clean-up leave folders alone that are locked. So it gets its name
    once it is.
    """
    made = Path(tempfile.mkdtemp(dir=place))
    lock = os.open(made, os.O_RDONLY | os.O_DIRECTORY)
    with suppress(OSError):  # where nothing can be locked, nobody removes it either
        fcntl.flock(lock, fcntl.LOCK_SH)
    return made.rename(place / f"{kind}-{os.getpid()}-{made.name}"), lock


def _remove_abandoned(kind: str, place: Path) -> None:
    """Remove this user's folders of a kind that no process has locked any longer."""
    pattern = re.compile(re.escape(kind) + "-[1-9][0-9]*-[a-z0-9_]+")
    for path in place.iterdir():
        if not pattern.fullmatch(path.name):
            continue
        with suppress(OSError):
            folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if os.fstat(folder).st_uid == os.geteuid():
                    fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(folder)
