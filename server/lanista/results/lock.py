"""Locks that keep a second manager out of a database, or out of a folder of records.

A file's lock is held only by the process that took it, and ends with that process, however it ends.
A PostgreSQL server's lock is held by a session, which must be watched, since sessions end.
"""

import contextlib
import errno
import fcntl
import os
import threading
from collections.abc import Collection, Iterator
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import exc

from lanista.errors import StoreError, file_errors
from lanista.results.engines import path_of, where_of
from lanista.system import exists, make_file, make_folder

RELEASE_PATIENCE = 5.0
"""How long to wait for a PostgreSQL lock, in seconds.

A server frees a session's locks a moment after its client is gone, and on a busy machine that
moment is a second or two.
"""
_LOCK_NOT_AVAILABLE = "55P03"
"""The SQLSTATE of a wait that `lock_timeout` ended (`engines.postgresql_error` has the source)."""
_PLACES = ("host", "hostaddr", "port", "dbname", "service", "options")
"""Options of PostgreSQL's URLs that say which database, and by `search_path` which schema, it is.

The others may change from one run to the next, as the timeouts do.
"""
_IN_USE = "in use by another `lanista tournament run` or arena"
_held: set[int] = set()
"""File descriptors of the locks that this process holds."""
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP})
"""Error numbers by which flock fails on a file system without locks."""


def _let_go_in_child() -> None:
    # A lock belongs to the open file, which a forked child (a worker) shares. If this manager were
    # killed, its orphaned workers would keep the next manager out.
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_let_go_in_child)


def file_lock(database: Path) -> contextlib.AbstractContextManager[None]:
    """Hold the lock of a database's file: `NAME.lock` beside it, which is never removed.

    It is a StoreError if another process holds it.
    """
    return _locked(Path(f"{database}.lock"), f"{database}: {_IN_USE}")


def is_locked(database: Path) -> bool:
    """Return whether the lock of a database's file is held; no file is made."""
    try:
        with Path(f"{database}.lock").open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # there is none, above all
        return False
    return False


@contextlib.contextmanager
def folder_lock(folder: Path, database: str | Path) -> Iterator[None]:
    """Make a folder of records and hold its lock: `.lock` in it, which is never removed.

    The file names the database whose records they are: a path relative to the folder, or a URL
    without its password.

    Raises:
        StoreError: Another run holds it, or another tournament, whose database still exists, has
            its records there; or the file can't be made, read or written.
        FileError: The folder can't be made.
    """
    with file_errors("can't make the folder of records", folder):
        make_folder(folder)
    path = folder / ".lock"
    in_use = f"{folder}: in use by another run; give each tournament its own folder of records"
    # A shared folder may have no locks; its users must then keep tournaments apart.
    with _locked(path, in_use, passes=_NO_LOCKS):
        try:
            _claim(folder, path, database)
        except OSError as error:
            raise StoreError(
                f"{folder}: can't tell or note whose records these are: "
                f"{error.filename or path}: {error.strerror}"
            ) from None
        yield


def _claim(folder: Path, path: Path, database: str | Path) -> None:
    """Note in a folder's lock file, which is held, to which database its records belong."""
    file, real = path_of(database), folder.resolve()
    name = where_of(database, _PLACES) if file is None else os.path.relpath(file, real)
    owner = os.fsdecode(path.read_bytes())
    if owner == name:
        return
    other = owner if "://" in owner else os.path.normpath(real / owner)
    # Equal blocks of two tournaments would have the same places for their records.
    if owner and (other == owner or exists(Path(other))):
        raise StoreError(
            f"{folder}: has the records of another tournament, whose results are in {other}; give "
            f"each its own folder of records, or remove {path} if this one was copied or moved"
        )
    path.write_bytes(os.fsencode(name))


@contextlib.contextmanager
def _locked(path: Path, in_use: str, passes: Collection[int] = ()) -> Iterator[None]:
    """Hold the lock of a file in this process alone; if another has it, the error says `in_use`.

    If it fails with one of the error numbers in `passes`, it goes on without a lock.
    """
    with contextlib.suppress(OSError):  # it is there already, or to open it says why it can't be
        make_file(path, 0o666)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise StoreError(f"{path}: can't be opened for writing: {error.strerror}") from None
    _held.add(descriptor)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(in_use) from None
        except OSError as error:
            if error.errno not in passes:
                raise StoreError(f"{path}: can't be locked: {error.strerror}") from None
        yield
    finally:
        # In a child forked meanwhile it is closed already, and its number may be another file's.
        if descriptor in _held:
            _held.remove(descriptor)
            os.close(descriptor)


class Session:
    """An advisory lock of PostgreSQL, held by a session of its own for as long as that lasts."""

    def __init__(self, engine: sa.Engine, number: int, where: str) -> None:
        """Begin without holding the lock, which has this number among those of the schema."""
        self._engine = engine
        key = sa.func.hashtext(sa.func.current_schema())
        self._lock = sa.select(sa.func.pg_advisory_lock(number, key))
        self._where = where
        self._connection: sa.Connection | None = None
        self._one_thread = threading.Lock()  # a connection may be used by one thread at a time

    def take(self) -> None:
        """Take the lock; wait up to `RELEASE_PATIENCE` seconds while another session holds it.

        Raises:
            StoreError: Another session held it all that time.
        """
        # Without a transaction, as the lock may be held for days.
        connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            connection.exec_driver_sql(f"SET lock_timeout = {int(RELEASE_PATIENCE * 1000)}")
            connection.execute(self._lock)
        except BaseException as error:
            _drop(connection)
            state = getattr(getattr(error, "orig", None), "sqlstate", None)
            if state == _LOCK_NOT_AVAILABLE:
                raise StoreError(
                    f"{self._where}: {_IN_USE}, still so after {RELEASE_PATIENCE:g} s"
                ) from None
            raise
        self._connection = connection

    def keep(self) -> None:
        """Check that the session is still there, else take the lock again; it raises as `take`."""
        with self._one_thread:
            if self._connection is not None:
                with contextlib.suppress(exc.DBAPIError):
                    self._connection.scalar(sa.select(1))
                    return
                self.close()
            self.take()

    def close(self) -> None:
        """Release the lock."""
        connection, self._connection = self._connection, None
        if connection is not None:
            _drop(connection)


def _drop(connection: sa.Connection) -> None:
    # Closing the session releases the lock, even if the server can't be reached.
    connection.invalidate()
    connection.close()
