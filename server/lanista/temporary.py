"""Temporary folders that don't stay behind for good when their process is killed.

Whoever makes such a folder removes it at the end. For a process that is killed, the next one that
makes a folder of the same kind in the same place removes it.
"""

import fcntl
import os
import re
import shutil
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Self

from lanista.system import is_running

# Held from when a folder is made until it is locked: meanwhile another thread would take it for
# that of a killed process, as the process with the id in its name is the thread's own.
_making = threading.Lock()
# A child would have it held for ever if another thread made a folder at the time.
os.register_at_fork(
    before=_making.acquire, after_in_parent=_making.release, after_in_child=_making.release
)


class TemporaryFolder:
    """A folder of this process; it is removed by `close`, or at the end of a `with`."""

    def __init__(self, kind: str, parent: str | Path | None = None) -> None:
        """Make the folder, and remove those of the same kind whose processes are no longer there.

        Its name is the kind, as "lanista-frames", the id of this process, and a suffix that
        `tempfile` adds. Processes of several machines need different kinds in a place that these
        share. Without a parent, it is in the system's folder for temporary files. Raises
        OSError.
        """
        place = Path(parent or tempfile.gettempdir()).absolute()
        with _making:
            _remove_abandoned(kind, place)
            self.path, self._lock = _make(f"{kind}-{os.getpid()}-", place)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def _make(prefix: str, place: Path) -> tuple[Path, int]:
    """Make a folder, and return it with the descriptor that keeps it locked.

    systemd-tmpfiles and our own clean-up leave folders alone that are locked.
    """
    path = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
    lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    with suppress(OSError):  # where nothing can be locked, nobody removes it either
        fcntl.flock(lock, fcntl.LOCK_SH)
    return path, lock


def _remove_abandoned(kind: str, place: Path) -> None:
    """Remove this user's folders of a kind whose process is no longer there.

    Both the process id in the name and the lock must say so: the id may have been reused since,
    and a process in another container isn't seen from here.
    """
    pattern = re.compile(re.escape(kind) + "-([1-9][0-9]{0,8})-[a-z0-9_]{8}")
    for path in place.iterdir():
        match = pattern.fullmatch(path.name)
        # This process may have the id that a killed one had, as in a container that was restarted.
        # Its own folders are locked.
        if match is None or (int(match[1]) != os.getpid() and is_running(int(match[1]))):
            continue
        with suppress(OSError):
            folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if os.fstat(folder).st_uid == os.geteuid():
                    fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(folder)
