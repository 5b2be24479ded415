"""The lock that keeps a second manager off a tournament whose database is a file.

Held by the process that took it alone: it goes with that process, however it ends.
"""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from lanista.store.errors import StoreError

_held: set[int] = set()
"""Descriptors of the locks that this process holds."""


def _let_go_in_child() -> None:
    # A lock belongs to the open file, which a forked child (a worker) shares: were this manager
    # killed, its orphans would keep the next one out.
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_let_go_in_child)


@contextlib.contextmanager
def file_lock(database: Path) -> Iterator[None]:
    """Hold the lock of a database's file: `NAME.lock` beside it, which stays, empty.

    Raises:
        StoreError: Another holds it, or the file can't be made.
    """
    path = database.with_name(database.name + ".lock")
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise StoreError(f"{path}: can't be opened for writing: {error.strerror}") from None
    _held.add(descriptor)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise in_use(str(database)) from None
        except OSError as error:
            raise StoreError(f"{path}: can't be locked: {error.strerror}") from None
        yield
    finally:
        # In a child that was forked inside, it is closed already, and its number may be another's.
        if descriptor in _held:
            _held.remove(descriptor)
            os.close(descriptor)


def in_use(where: str) -> StoreError:
    """What a second manager is told."""
    return StoreError(f"{where}: in use by another `lanista tournament run`")
