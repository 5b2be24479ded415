"""A database of Lanista: opening, upgrading, copying, locking, and transactions.

A tournament has one of its own; an arena has one for all of its competitions and names.

There is one writer at a time. Whoever must be the only one for long holds a lock (`Database.lock`);
other programs may read at any time, and write in transactions of their own. Readers see one
snapshot and never wait for the writer. That needs SQLite's write-ahead log, a second file with the
newest transactions. SQLite leaves out a damaged part of that log without an error, so what was in
it counts as not stored: it is stored again from the records, or played again.

Every method blocks (for the disk, and up to `engines.PATIENCE` seconds for other writers) and may
be called from any thread.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Self

import attrs
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.pool import ConnectionPoolEntry

from lanista.errors import StoreError
from lanista.results import engines, migrations
from lanista.results.data_folder import DataFolder
from lanista.results.engines import (
    ERRORS,
    DamagedError,
    damaged,
    log_of,
    no_password,
    path_of,
    postgresql_engine,
    postgresql_error,
    sqlite_engine,
    sqlite_error,
    url_of,
    where_of,
    why_closed,
)
from lanista.results.lock import Session, file_lock, is_locked
from lanista.results.schema import ARENA_SCHEMA, COMPETITIONS, METADATA
from lanista.system import make_file, undoing

_WRITER, _MANAGER = 1_818_325_001, 1_818_325_002
"""Keys of PostgreSQL's advisory locks: that of a writing transaction, that of the manager."""
_BUSY_PAUSE = 0.01
"""Seconds until SQLite is asked again for what another program keeps it from doing."""


class Kind(Enum):
    """The kinds of competitions that are stored."""

    TOURNAMENT = "tournament"
    LADDER = "ladder"
    LISTED = "listed"
    """Matches that an arena lists, and that count for no ladder: the friendly ones, and those that
    were played on a ladder (which is their name) and are none of its results here."""


@attrs.frozen
class Database:
    """An open database, to be closed by `close` or used as a context manager.

    Every method but `close` raises `StoreError` if the database can't be read or written.
    """

    where: str
    """The database's file, or its URL without password and options."""
    _engine: sa.Engine
    _as_store_error: Callable[[Exception], StoreError]
    _path: Path | None
    """The SQLite file; None for PostgreSQL."""
    _file: tuple[int, int] | None = None
    """Device and inode of the SQLite file when it was opened."""
    _schema: str | None = None
    _held: list[Session] = attrs.field(factory=list, init=False)
    """The session that holds PostgreSQL's lock, while this store holds it."""

    @classmethod
    def open(
        cls,
        target: str | Path,
        *,
        create: bool = True,
        schema: str | None = None,
        check: bool = True,
        holds: Kind | None = None,
    ) -> Self:
        """Open a database, and upgrade its tables to those of this version.

        Args:
            target: A path, `sqlite:///PATH`, or `postgresql://USER:PASSWORD@HOST:PORT/NAME` (which
                needs psycopg 3, the extra `postgresql`).
            create: Whether to create the database, or its tables, if they are missing. Without it,
                a SQLite file in a place that can't be written can still be read.
            schema: The PostgreSQL schema that has the tables; it is created with them. Without it
                they are where the URL says.
            check: Whether to have SQLite look for damage in all of its file, which takes 1.5 s for
                a million matches; with `create` also whether to try that it can be written. Not
                needed for one question, or if a parent process did it.
            holds: What its only competition is, which is then made together with the tables: nobody
                finds these without it. None if it may have many.

        Raises:
            StoreError: It is missing, can't be reached, read or created, isn't one of ours, was
                written by a newer version, or is damaged.
        """
        path = path_of(target)
        store = cls._sqlite(path, create=create) if path else cls._postgresql(str(target), schema)
        with undoing(store.close):
            store._prepare(create=create, check=check, holds=holds)  # noqa: SLF001 - of this class
            if path and create:
                store._log_ahead(path)  # noqa: SLF001 - as above
        return store

    @classmethod
    def of_arena(
        cls,
        data: DataFolder,
        url: str | None = None,
        *,
        create: bool = True,
        check: bool = True,
    ) -> Self:
        """Open the database of an arena, as `open` does.

        It is the one at a PostgreSQL URL, or a file in the data folder, which is made if need be. A
        file can be read only by its owner: people may choose tokens that are easy to guess, and
        their hashes are in it. A `StoreError` may also be about the folder.
        """
        if url is None:
            _check_folder(data)
            if create:
                _make_private(data)
        return cls.open(url or data.database, create=create, schema=ARENA_SCHEMA, check=check)

    @classmethod
    def rehearse_arena(cls, data: DataFolder, url: str | None = None) -> None:
        """Do what `of_arena` does with a database that is there, and undo it; change nothing.

        A SQLite file that isn't there is right: `of_arena` makes it.
        """
        if url is None:
            _check_folder(data)
            if not data.database.exists():
                return
        cls.rehearse(url or data.database, schema=ARENA_SCHEMA)

    @classmethod
    def rehearse(cls, target: str | Path, *, schema: str | None = None) -> None:
        """Do what `open` does with a database, and undo it; change nothing.

        A SQLite file that isn't there is right if it can be made.
        """
        path = path_of(target)
        if path and not path.exists():
            if not os.access(path.parent, os.W_OK | os.X_OK):
                raise StoreError(f"{path}: {why_closed(path)}")
            return
        store = cls._sqlite(path, create=False) if path else cls._postgresql(str(target), schema)
        with store:
            store._prepare(create=True, check=True, keep=False)  # noqa: SLF001 - as above

    @classmethod
    def _sqlite(cls, path: Path, *, create: bool) -> Self:
        if not create and not path.exists():
            raise StoreError(
                f"{path}: there is no such file; `lanista tournament run` or `lanista arena run` "
                "creates it"
            )
        # SQLite would open a file for reading that may not be written.
        wanted = os.R_OK | (os.W_OK if create else 0)
        if path.exists() and (path.is_dir() or not os.access(path, wanted)):
            raise StoreError(f"{path}: {why_closed(path)}")
        if create:
            _check_moved(path)
            return cls._sqlite_in(path, "mode=rwc")
        real = path.resolve()  # the files beside it are where a link leads
        if all(os.access(place, os.W_OK) for place in (real.parent, real)):
            return cls._sqlite_in(path, "mode=rw")
        # In a place that can't be written the usual mode fails, as readers share an index in a file
        # beside the database. There `ro` uses an index that exists already, as beside a log, and
        # `immutable` needs none, and is right if nobody can write. That there is no log is asked
        # last, as a program that closes the database removes first the index, then the log.
        # https://sqlite.org/wal.html#readonly
        try:
            return cls._sqlite_in(path, "mode=ro")
        except StoreError:
            if log_of(real).exists():
                raise
            return cls._sqlite_in(path, "mode=ro&immutable=1")

    @classmethod
    def _sqlite_in(cls, path: Path, mode: str) -> Self:
        def as_store_error(error: Exception) -> StoreError:
            return sqlite_error(path, getattr(error, "orig", error))

        store = cls(str(path), sqlite_engine(path, mode), as_store_error, path.absolute())
        with undoing(store.close), store._store_errors(), store._engine.connect() as connection:
            connection.exec_driver_sql("SELECT count(*) FROM sqlite_schema")
        return attrs.evolve(store, file=_file_of(path))

    @classmethod
    def _postgresql(cls, target: str, schema: str | None) -> Self:
        url = url_of(target)
        if url is None:
            # The message doesn't repeat the URL, since a password may be anywhere in it.
            raise StoreError(
                "the database's URL can't be read; write it as "
                "postgresql://USER:PASSWORD@HOST:PORT/NAME, and an @ in the password as %40"
            )
        if url.drivername not in {"postgresql", "postgresql+psycopg"}:
            raise StoreError(
                f"{url.drivername}: unknown kind of database; give a path, sqlite:///PATH "
                "or postgresql://USER:PASSWORD@HOST:PORT/NAME"
            )
        where = where_of(target)
        try:
            import psycopg  # noqa: F401, PLC0415 - an extra; looked for, not used
        except ImportError:
            raise StoreError(
                f"{where}: PostgreSQL needs psycopg: pip install 'lanista[postgresql]'"
            ) from None
        given = url.query.get("password", url.password)
        password = given if isinstance(given, str) else None

        def as_store_error(error: Exception) -> StoreError:
            return postgresql_error(where, password, error)

        if schema is not None:
            where = f"{where}, schema {schema}"
        return cls(where, postgresql_engine(url, schema), as_store_error, None, schema=schema)

    def close(self) -> None:
        """Close all connections. It raises nothing, and may be called twice.

        A connection that another thread still uses is closed when the thread gives it back.
        """
        event.listen(self._engine, "checkin", _close_returned)
        self._engine.dispose()

    def backup(self, path: Path) -> None:
        """Write a copy of a SQLite database as it is now, while it is in use, to a new file."""
        self._check_file()
        try:
            with (
                contextlib.closing(sqlite3.connect(path)) as copy,
                self._engine.connect() as connection,
            ):
                raw = connection.connection.driver_connection
                assert isinstance(raw, sqlite3.Connection)
                # In one step: a copy made piecemeal starts over whenever a result is stored.
                raw.backup(copy)
        except ERRORS as error:
            raise StoreError(
                f"{path}: the copy can't be written: {no_password(str(error))}"
            ) from None

    @property
    def is_shared(self) -> bool:
        """Whether other arenas may use it too, as it is PostgreSQL's."""
        return self._path is None

    def competition(self, kind: Kind, name: str = "", game: str = "") -> int | None:
        """Return the number of a competition; None if nothing is stored of it.

        The name is that of a ladder; a tournament has neither name nor game here.
        """
        with self.reading() as connection:
            return _competition(connection, kind, name, game)

    def make_competition(self, kind: Kind, name: str = "", game: str = "") -> int:
        """Return the number of a competition, which is made if it isn't there."""
        there = self.competition(kind, name, game)
        if there is not None:
            return there
        with self.writing() as connection:
            return competition_in(connection, kind, name, game)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _prepare(
        self, *, create: bool, check: bool, holds: Kind | None = None, keep: bool = True
    ) -> None:
        """Check this database and bring its tables to this version, or undo that if not `keep`."""
        # Before anything is written, as that could make damage worse.
        if check and self._path is not None:
            self._check(self._path)
        missing = None if self._schema is None or self._has_schema() else self._schema
        if missing is None:
            with self.reading() as connection:
                is_current = migrations.is_current(connection)
            if is_current:
                if not keep or (create and check):
                    self._rehearse_writing()
                return
        elif not create:
            raise StoreError(f"{self.where}: not there")
        with self.writing() as connection:
            if missing is not None:  # else its user may not be allowed to make schemas
                connection.execute(sa.schema.CreateSchema(missing, if_not_exists=True))
            migrations.bring_up_to_date(connection, self.where, create=create)
            if holds is not None:
                competition_in(connection, holds)
            if not keep:
                connection.rollback()

    def _rehearse_writing(self) -> None:
        """Raise an error if nothing can be written, as by a role that may only read."""
        with self.writing() as connection:
            for table in METADATA.sorted_tables:
                connection.execute(table.delete().where(sa.false()))
            connection.rollback()

    def _has_schema(self) -> bool:
        there = sa.select(sa.func.to_regnamespace(sa.func.quote_ident(self._schema)).is_not(None))
        with self.reading() as connection:
            return bool(connection.scalar(there))

    def check_whole(self) -> None:
        """Have SQLite look for damage in all of its file and indexes: 12 s for a million matches.

        A PostgreSQL server looks for damage itself, as it reads.
        """
        if self._path is not None:
            self._check(self._path, "integrity_check")

    def _check(self, path: Path, how: str = "quick_check") -> None:
        """Raise an error if SQLite finds its file damaged, by one of its checks."""
        with self.reading() as connection:
            report: str = connection.exec_driver_sql(f"PRAGMA {how}(1)").scalar_one()
        if report != "ok":
            # The first line may only name the database.
            raise damaged(path, report.removeprefix("*** in database main ***"))

    def _log_ahead(self, path: Path) -> None:
        """Let readers go on while there is a writer; the file remembers this setting."""
        with self._store_errors(), self._engine.connect() as connection:
            # On the raw connection, as the mode can't be changed inside a transaction.
            raw = connection.connection.driver_connection
            assert isinstance(raw, sqlite3.Connection)
            deadline = time.monotonic() + engines.PATIENCE
            while True:
                try:
                    raw.execute("PRAGMA journal_mode = WAL")
                except sqlite3.Error as error:
                    # SQLite fails at once, whatever the timeout, if another writes: here it reads
                    # the file before it wants to write, and two that do so would wait for ever.
                    is_busy = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
                    if not is_busy or time.monotonic() > deadline:
                        raise sqlite_error(path, error) from None
                    time.sleep(_BUSY_PAUSE)
                else:
                    return

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Be the only manager of this tournament or arena, until the context or the process ends.

        For SQLite it is a lock on the file `NAME.lock` beside the database, for PostgreSQL a
        session that is held open. Reading and writing need no lock. But while it is held, each
        write checks that it still is, since a session ends with its server, or is ended by an
        administrator. Then the lock is taken again, or the write is refused.
        """
        if self._path:
            with file_lock(self._path.resolve()):
                yield
            return
        session = Session(self._engine, _MANAGER, self.where)
        try:
            with self._store_errors():
                session.take()
            self._held.append(session)
            yield
        finally:
            if session in self._held:
                self._held.remove(session)
            session.close()

    def _check_file(self) -> None:
        """Raise an error if the path no longer leads to the file that is open.

        SQLite goes on writing into a file that was removed, where nobody finds it.
        """
        if self._path is not None and self._file not in {None, _file_of(self._path)}:
            raise StoreError(
                f"{self._path}: removed, moved or replaced while it was in use, and nothing more "
                "is stored; put it back, or rebuild it from the records by `lanista arena verify "
                "--rebuild` or `lanista tournament verify --rebuild`; otherwise all begins anew"
            )

    @contextlib.contextmanager
    def _store_errors(self) -> Iterator[None]:
        try:
            yield
        except ERRORS as error:
            # Without the cause, which may repeat the connection's password.
            raise self._as_store_error(error) from None

    @contextlib.contextmanager
    def _value_errors(self) -> Iterator[None]:
        """Turn errors of reading a value that nobody can have stored into those of damage."""
        try:
            yield
        except (ValueError, KeyError, TypeError) as error:
            what = f"a value isn't what was stored: {type(error).__name__}: {error}"
            if self._path is not None:
                raise damaged(self._path, what) from error
            raise DamagedError(f"{self.where}: damaged ({no_password(what)})") from error

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Yield a connection that shows the content of one moment."""
        self._check_file()
        with self._store_errors(), self._value_errors(), self._engine.connect() as connection:
            if self._path is None:
                # One snapshot for all statements, as in SQLite.
                connection = connection.execution_options(  # noqa: PLW2901 - the same connection
                    isolation_level="REPEATABLE READ", postgresql_readonly=True
                )
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Yield a connection in the only writing transaction.

        With one writer at a time, the numbers of matches follow the order of commits. If this
        raises an error, nothing was written.
        """
        self._check_file()
        for session in self._held:
            with self._store_errors():
                session.keep()
        engine = self._engine.execution_options(writing=True)
        with self._store_errors(), engine.begin() as connection:
            if self._path is None:
                # Several arenas may make the same schema at the same time.
                schema = sa.func.current_schema() if self._schema is None else self._schema
                key = sa.func.hashtext(schema)
                # If we froze now, nobody else could write for as long as the server waits for us.
                limit = str(int(engines.LONGEST_SILENCE * 1000))
                connection.execute(
                    sa.select(
                        sa.func.set_config("idle_in_transaction_session_timeout", limit, True),
                        sa.func.pg_advisory_xact_lock(_WRITER, key),
                    )
                )
            yield connection
        self._check_file()


def competition_in(connection: sa.Connection, kind: Kind, name: str = "", game: str = "") -> int:
    """Return the number of a competition, which is made in a writing transaction if need be."""
    there = _competition(connection, kind, name, game)
    if there is not None:
        return there
    last: int = connection.scalar(sa.select(sa.func.max(COMPETITIONS.c.number))) or 0
    row = {"number": last + 1, "kind": kind.value, "name": name, "game": game}
    connection.execute(COMPETITIONS.insert().values(row))
    return last + 1


def _competition(connection: sa.Connection, kind: Kind, name: str, game: str) -> int | None:
    at = COMPETITIONS.c
    number: int | None = connection.scalar(
        sa.select(at.number).where(at.kind == kind.value, at.name == name, at.game == game)
    )
    return number


def _check_folder(data: DataFolder) -> None:
    """Raise an error if it can't be seen what is in a data folder, such as another user's."""
    try:
        data.database.stat()
    except (FileNotFoundError, NotADirectoryError):
        _check_moved(data.database)
    except OSError as error:
        raise StoreError(f"{data.path}: can't be read: {error.strerror}") from None


def _check_moved(path: Path) -> None:
    """Raise an error if a file was removed or moved while a program holds its lock.

    SQLite would make a new one and remove the log, with what that program has stored last.
    """
    real = Path(os.path.realpath(path))
    if not real.exists() and log_of(real).exists() and is_locked(real):
        raise StoreError(
            f"{path}: removed or moved while an arena or a run uses it; put it back, or end that"
        )


def _make_private(data: DataFolder) -> None:
    """Make a data folder and the file of its database, unless they are there."""
    try:
        data.make()
    except OSError as error:
        raise StoreError(f"{data.path}: can't be created: {error.strerror}") from None
    # SQLite gives the files beside it the same mode. If this fails, SQLite says why. A file that is
    # there isn't opened: closing it again would give up the locks that SQLite holds on it in this
    # process, and then others remove the log into which it writes.
    with contextlib.suppress(OSError):
        make_file(data.database, 0o600)


def _close_returned(_: object, connection: ConnectionPoolEntry) -> None:
    connection.invalidate()


def _file_of(path: Path) -> tuple[int, int] | None:
    """Return device and inode of a file; None if it can't be found."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
