"""The database of a tournament or a ladder: opening, writing and querying it.

It is SQLite by path, or PostgreSQL by URL. A tournament may run for days, and be killed at any
moment. So results are written block by block, each in a transaction of its own or with others: a
block is in the database whole or not at all, and only once, and what was committed stays there
whatever happens next, even a power cut. A tournament is resumed from its spec and the database
alone. No totals are stored, so none can contradict the blocks.

The blocks of a ladder grow match by match (`Store.add_matches`) and may stay incomplete; otherwise
the same holds for each match.

What every database of ours needs is in `Database`; `Store` is that of a tournament or a ladder.

There is one writer at a time. The manager of a tournament holds a lock for as long as it runs
(`Store.lock`), so that no second one plays the same blocks; an arena holds it for the SQLite files
of its ladders. On PostgreSQL several arenas may share a ladder: none of them takes that lock, and
their transactions follow one another. Other programs may read at any time, and write notes
(`unbench`) in transactions of their own. Readers see one snapshot and never wait for the writer.
That needs SQLite's write-ahead log, a second file with the newest transactions; since SQLite
ignores a damaged part of that log without an error, it is checked before the database is opened
(`write_ahead`), and the values in the database have checksums (`checksums`).

Every method blocks (for the disk, and up to `PATIENCE` seconds for other writers) and may be called
from any thread. Which blocks count is not known here.
"""

import contextlib
import re
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import attrs
import sqlalchemy as sa
from sqlalchemy import event, exc
from sqlalchemy.engine import URL, make_url
from sqlalchemy.pool import QueuePool

from lanista.store import checksums, migrate, write_ahead, writing
from lanista.store.errors import (
    StoreError,
    damaged,
    log_of,
    no_password,
    postgresql_error,
    sqlite_error,
)
from lanista.store.ladder_reading import LadderReading
from lanista.store.lock import Session, file_lock
from lanista.store.reading import Digest, Endings, PlayedBlock, Reading, StoredMatch
from lanista.store.results import Benching, BlockResult
from lanista.store.schema import BENCHED, BOTS, META, STRUCK, TOURNAMENT, UNBENCHED, Tables

PATIENCE = 30.0
"""How long to wait for another program's transaction, in seconds."""
_WRITER, _MANAGER = 1_818_325_001, 1_818_325_002
"""Keys of PostgreSQL's advisory locks: that of a writing transaction, that of the manager."""

_CONNECTION_OPTIONS = {
    "connect_timeout": 10,
    "keepalives": 1,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
"""Options of PostgreSQL connections, which the URL may override.

With them, both sides know after a minute that the other can't be reached any more. In seconds, the
last one in milliseconds;
https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS
"""
ERRORS = (exc.DBAPIError, sqlite3.Error, UnicodeDecodeError)
"""Exceptions of an unusable database; the last occurs if damage is in SQLite's own message."""
_HOST = re.compile(r"[\w.-]*|[0-9A-Fa-f:.]+")


@attrs.frozen
class Database:
    """An open database of one kind, to be closed by `close` or used as a context manager.

    Kinds are subclasses: `Store` here, and `lanista.store.names.NameStore`.
    """

    _tables: ClassVar[Tables]
    """The tables of this kind of database."""

    where: str
    """The database's file, or its URL without password and options."""
    _engine: sa.Engine
    _as_store_error: Callable[[Exception], StoreError]
    _path: Path | None
    """The SQLite file; None for PostgreSQL."""
    _file: tuple[int, int] | None = None
    """Device and inode of the SQLite file when it was opened."""
    _schema: str | None = None
    """The PostgreSQL schema that was asked for."""
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
    ) -> Self:
        """Open a database, and upgrade its tables to those of this version.

        Args:
            target: A path, `sqlite:///PATH`, or `postgresql://USER:PASSWORD@HOST:PORT/NAME` (which
                needs psycopg 3, the extra `postgresql`).
            create: Whether to create the database, or its tables, if they are missing. Without it,
                a SQLite file in a place that can't be written can still be read.
            schema: The PostgreSQL schema that has the tables, so that one database has room for
                many ladders; it is created with them. Without it they are where the URL says.
            check: Whether to look for damage in all of a SQLite file, which takes half a minute for
                a million matches. A process needn't whose parent has done so, or which has it done
                meanwhile (`lanista.store.damage`).

        Raises:
            StoreError: It is missing, can't be reached, read or created, isn't one of ours, was
                written by a newer version, or is damaged.
            ValueError: A schema was given for SQLite.
        """
        path = path_of(target)
        if path and schema is not None:
            raise ValueError(f"{path}: SQLite has no schemas; give each ladder a file of its own")
        store = cls._sqlite(path, create=create) if path else cls._postgresql(str(target), schema)
        return store._prepared(create=create, check=check)  # noqa: SLF001 - of this very class

    @classmethod
    def _sqlite(cls, path: Path, *, create: bool) -> Self:
        def as_store_error(error: Exception) -> StoreError:
            return sqlite_error(path, getattr(error, "orig", error))

        if not create and not path.exists():
            raise StoreError(f"{path}: not there; {cls._tables.maker} makes it")
        _check_log(path, replays=create)
        # In a place that can't be written the usual mode fails, as readers share an index in a file
        # beside the database. The next one to try is `ro`, which uses an index that exists already,
        # and then `immutable`, which needs none and is right if nobody can write.
        # https://sqlite.org/wal.html#readonly
        modes = ["mode=rwc"] if create else ["mode=rw", "mode=ro", "mode=ro&immutable=1"]
        refusal: StoreError | None = None
        for mode in modes:
            log = log_of(path)
            if "immutable" in mode and log.exists() and log.stat().st_size:
                refusal = StoreError(
                    f"{path}: results in {log.name} beside it can't be read where nothing can be "
                    "written; copy both to a folder that can be"
                )
                break
            store = cls(str(path), sqlite_engine(path, mode), as_store_error, path.absolute())
            try:
                with store._engine.connect() as connection:
                    connection.exec_driver_sql("SELECT count(*) FROM sqlite_schema")
            except ERRORS as error:
                store.close()
                refusal = as_store_error(error)
                code = getattr(getattr(error, "orig", None), "sqlite_errorcode", 0) & 0xFF
                if code not in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}:
                    break
            else:
                return attrs.evolve(store, file=_file_of(path))
        assert refusal is not None
        raise refusal from None

    @classmethod
    def _postgresql(cls, target: str, schema: str | None) -> Self:
        try:
            url = make_url(target)
        except (exc.ArgumentError, ValueError):
            # The message doesn't repeat the URL, since a password may be anywhere in it.
            raise StoreError(
                "the database's URL can't be read; write it as "
                "postgresql://USER:PASSWORD@HOST:PORT/NAME"
            ) from None
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
        return cls(where, _postgresql_engine(url, schema), as_store_error, None, schema=schema)

    def close(self) -> None:
        """Close all connections. It raises nothing, and may be called twice."""
        self._engine.dispose()

    def backup(self, path: Path) -> None:
        """Write a copy of a SQLite database as it is now, while it is in use.

        A file at that path is replaced when the copy is complete and on the disk.

        Args:
            path: Where the copy is to be.

        Raises:
            StoreError: It can't be read or written, or is PostgreSQL's.
        """
        if self._path is None:
            raise StoreError(f"{self.where}: use pg_dump to back up a PostgreSQL database")
        self._check_file()
        part = path.with_name(path.name + ".part")
        try:
            if path.exists() and path.samefile(self._path):
                raise StoreError(f"{path}: the database itself; give the copy another path")
            part.unlink(missing_ok=True)
            with (
                contextlib.closing(sqlite3.connect(part)) as copy,
                self._engine.connect() as connection,
            ):
                raw = connection.connection.driver_connection
                assert isinstance(raw, sqlite3.Connection)
                # In one step: a copy made piecemeal begins anew whenever a result is stored.
                raw.backup(copy)
            part.replace(path)
        except (OSError, *ERRORS) as error:
            raise StoreError(
                f"{path}: the copy can't be written: {no_password(str(error))}"
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _prepared(self, *, create: bool, check: bool) -> Self:
        """Return this store after checking it and upgrading its tables; close it on errors."""
        try:
            self._find_schema(create=create)
            # Before anything is written, as that could make damage worse.
            if check:
                self._check(checksums.broken_pages)
            with self._reading() as connection:
                current = migrate.is_current(connection, self._tables)
            if not current:
                with self._writing() as connection:
                    upgraded = migrate.bring_up_to_date(
                        connection, self.where, self._tables, create=create
                    )
                    if upgraded:
                        self._upgraded(connection)
            if check:
                self._check(self._changed_values)
            if self._path and create:
                self._log_ahead(self._path)
        except BaseException:
            self.close()
            raise
        return self

    def _find_schema(self, *, create: bool) -> None:
        """Create the schema that was asked for if it is missing and may be created."""
        if self._schema is None:
            return
        there = sa.select(sa.func.to_regnamespace(sa.func.quote_ident(self._schema)).is_not(None))
        with self._store_errors(), self._engine.begin() as connection:
            if connection.scalar(there):
                return
            if not create:
                raise StoreError(f"{self.where}: not there")
            # Several arenas may be started at the same time.
            key = sa.func.hashtext(self._schema)
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_WRITER, key)))
            connection.execute(sa.schema.CreateSchema(self._schema, if_not_exists=True))

    def _upgraded(self, connection: sa.Connection) -> None:
        """Complete what migrations have just changed, in their transaction."""

    def _changed_values(self, connection: sa.Connection) -> str:  # noqa: ARG002 - for subclasses
        """Return which content differs from what was stored; "" if none does, or none is known."""
        return ""

    def _check(self, damage: Callable[[sa.Connection], str]) -> None:
        """Raise an error if a SQLite file is damaged.

        A PostgreSQL server has checksums of its own; checking here would transfer all rows.
        """
        if self._path is None:
            return
        with self._reading() as connection:
            detail = damage(connection)
        if detail:
            raise damaged(self._path, detail)

    def _log_ahead(self, path: Path) -> None:
        """Let readers go on while there is a writer; the file remembers this setting."""
        with self._store_errors(), self._engine.connect() as connection:
            # On the raw connection, as the mode can't be changed inside a transaction.
            raw = connection.connection.driver_connection
            assert isinstance(raw, sqlite3.Connection)
            try:
                raw.execute("PRAGMA journal_mode = WAL")
            except sqlite3.Error as error:
                raise sqlite_error(path, error) from None

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Be the only manager of this tournament or ladder, until the context or the process ends.

        For SQLite it is a lock on the file `NAME.lock` beside the database, for PostgreSQL a
        session that is held open. Reading and writing need no lock. But while it is held, each
        write checks that it still is, since a session ends with its server, or is ended by an
        administrator. Then the lock is taken anew, or the write is refused.

        Raises:
            StoreError: Another process has the lock, or it can't be made.
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
                "is stored; put it back, or play again from the start"
            )

    @contextlib.contextmanager
    def _store_errors(self) -> Iterator[None]:
        try:
            yield
        except ERRORS as error:
            # Without the cause, which may repeat the connection's password.
            raise self._as_store_error(error) from None

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        self._check_file()
        with self._store_errors(), self._engine.connect() as connection:
            if self._path is None:
                # One snapshot for all statements, as in SQLite.
                connection = connection.execution_options(  # noqa: PLW2901 - the same connection
                    isolation_level="REPEATABLE READ", postgresql_readonly=True
                )
            yield connection

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        """Yield a connection in the only writing transaction.

        With one writer at a time, the numbers of blocks follow the order of commits.
        """
        self._check_file()
        for session in self._held:
            with self._store_errors():
                session.keep()
        engine = self._engine.execution_options(writing=True)
        with self._store_errors(), engine.begin() as connection:
            if self._path is None:
                key = sa.func.hashtext(sa.func.current_schema())
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_WRITER, key)))
            yield connection
        self._check_file()


@attrs.frozen
class Store(Database):
    """A tournament's database."""

    _tables = TOURNAMENT

    def _upgraded(self, connection: sa.Connection) -> None:
        # Upgraded rows have other columns now, or never had a checksum.
        checksums.add_blocks(connection)
        checksums.add_notes(connection)

    def _changed_values(self, connection: sa.Connection) -> str:
        return checksums.changed_values(connection)

    def add(self, results: Sequence[BlockResult], benched: Sequence[Benching] = ()) -> list[str]:
        """Store blocks in one transaction; when this returns they are on the disk.

        A block that is stored already, since it was played twice, is left as it is.

        Args:
            results: The blocks, in the order in which they were played.
            benched: The bots that were benched after one of these blocks, or of those stored
                before; a bot that is benched already stays as it is.

        Returns:
            The ids of the blocks that weren't stored before, in the same order.

        Raises:
            StoreError: Nothing was stored.
            ValueError: A block doesn't have exactly one match that counts for each seating.
        """
        if not results and not benched:
            return []
        for result in results:
            counted = sorted(match.seating for match in result.matches if match.counted)
            if not counted or counted != list(range(len(counted))):
                raise ValueError(f"block {result.block}: the seatings that count are {counted}")
        with self._writing() as connection:
            new = writing.add_blocks(connection, results)
            if benched:
                writing.bench(connection, benched)
                checksums.add_notes(connection)
        return new

    def add_matches(self, results: Sequence[BlockResult]) -> list[int]:
        """Store matches of blocks that may stay incomplete, all in one transaction.

        When this returns they are on the disk. A match that is stored already (the same block,
        seating and attempt) is left as it is.

        Args:
            results: The matches, each with its block, in the order in which they ended; a block
                has the same bots, seed and map every time.

        Returns:
            The numbers of the matches, in the same order; see `LadderReading.counted_matches`.

        Raises:
            StoreError: Nothing was stored.
            ValueError: A block has other bots, another seed or another map than before, or a
                second match that counts for a seating; nothing was stored.
        """
        if not results:
            return []
        with self._writing() as connection:
            return writing.add_matches(connection, results)

    def unbench(self, bot: str) -> None:
        """End a bot's benching, and forget its failures until now, for `running_failures`.

        Raises:
            StoreError: It can't be written.
        """
        with self._writing() as connection:
            writing.note_until_now(connection, UNBENCHED, bot)
            connection.execute(BENCHED.delete().where(BENCHED.c.bot == bot))
            checksums.add_notes(connection)

    def strike(self, bot: str) -> None:
        """Take the matches of a bot until now out of the standings, for all that played in them.

        They stay stored, and what the bot plays from now on counts.

        Raises:
            StoreError: It can't be written.
        """
        with self._writing() as connection:
            writing.note_until_now(connection, STRUCK, bot)
            checksums.add_notes(connection)

    def unstrike(self, bot: str) -> None:
        """Put the matches of a bot that was struck back into the standings.

        Raises:
            StoreError: It can't be written.
        """
        with self._writing() as connection:
            connection.execute(STRUCK.delete().where(STRUCK.c.bot == bot))
            checksums.add_notes(connection)

    def set_meta(self, key: str, value: str) -> None:
        """Store a note under a key, in place of the one before.

        Raises:
            StoreError: It can't be written.
        """
        with self._writing() as connection:
            connection.execute(META.delete().where(META.c.key == key))
            connection.execute(META.insert().values(key=key, value=value))
            checksums.add_notes(connection)

    def set_identity(self, name: str, identity: str) -> None:
        """Store the identity of a bot, as JSON.

        If it has changed, the bot's failures are forgotten, and it is no longer benched.

        Raises:
            StoreError: It can't be written.
        """
        with self._writing() as connection:
            before = connection.scalar(sa.select(BOTS.c.identity).where(BOTS.c.name == name))
            if before == identity:
                return
            since = writing.last_match(connection) if before is not None else 0
            connection.execute(BOTS.delete().where(BOTS.c.name == name))
            connection.execute(BOTS.insert().values(name=name, identity=identity, since=since))
            if before is not None:
                connection.execute(BENCHED.delete().where(BENCHED.c.bot == name))
            checksums.add_notes(connection)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Reading]:
        """Yield a `Reading`, for several queries about the same moment.

        Raises:
            StoreError: It can't be read.
        """
        with self._reading() as connection:
            yield Reading(connection)

    @contextlib.contextmanager
    def ladder_reading(self, window: int | None = None) -> Iterator[LadderReading]:
        """Yield a `LadderReading`, for several queries about the same moment of a ladder.

        Args:
            window: The number of the latest blocks that count, as in `LadderSpec`; None for all.

        Raises:
            StoreError: It can't be read.
        """
        with self._reading() as connection:
            yield LadderReading.of_window(connection, window)

    def played(self) -> list[PlayedBlock]:
        """Return `Reading.played` of now."""
        with self.reading() as now:
            return now.played()

    def endings(self, without: Collection[str] = ()) -> Endings:
        """Return `Reading.endings` of now."""
        with self.reading() as now:
            return now.endings(without)

    def running_failures(self, most: int) -> dict[str, int]:
        """Return `Reading.running_failures` of now."""
        with self.reading() as now:
            return now.running_failures(most)

    def benched(self) -> list[Benching]:
        """Return `Reading.benched` of now."""
        with self.reading() as now:
            return now.benched()

    def matches(
        self,
        blocks: Collection[str] | None = None,
        *,
        bot: str | None = None,
        failures: bool = False,
        before: int | None = None,
        limit: int | None = None,
    ) -> Iterator[StoredMatch]:
        """Yield `Reading.matches` of the moment when the first one is taken."""
        with self.reading() as now:
            yield from now.matches(blocks, bot=bot, failures=failures, before=before, limit=limit)

    def digests(self) -> list[Digest]:
        """Return `Reading.digests` of now."""
        with self.reading() as now:
            return now.digests()

    def meta(self, key: str) -> str | None:
        """Return `Reading.meta` of now."""
        with self.reading() as now:
            return now.meta(key)

    def identities(self) -> dict[str, str]:
        """Return `Reading.identities` of now."""
        with self.reading() as now:
            return now.identities()


def where_of(target: str | Path) -> str:
    """Return the name of a database for people: its file, or its URL without its password.

    The URL's options are left out, too.
    """
    if isinstance(target, Path) or "://" not in target:
        return str(target)
    try:
        url = make_url(target)
    except (exc.ArgumentError, ValueError):
        return "a database whose URL can't be read"  # a password may be anywhere in it
    if not _HOST.fullmatch(url.host or ""):  # half of a password with an @ may be taken for one
        return "a database whose URL can't be read"
    shown = URL.create(
        url.drivername.partition("+")[0], url.username, None, url.host, url.port, url.database
    )
    return shown.render_as_string()


def path_of(target: str | Path) -> Path | None:
    """Return the file of a target; None if it is a URL of another database."""
    if isinstance(target, Path):
        return target
    kind, separator, rest = target.partition("://")
    if not separator:
        return Path(target)
    if kind != "sqlite":
        return None
    if not rest.startswith("/") or rest == "/":
        raise StoreError("the SQLite URL has no file; write it as sqlite:///PATH")
    return Path(rest[1:])


def _file_of(path: Path) -> tuple[int, int] | None:
    """Return device and inode of a file; None if it can't be found."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _check_log(path: Path, *, replays: bool) -> None:
    """Raise an error if a part of a write-ahead log can't be read, which SQLite would ignore.

    Args:
        path: The database's file.
        replays: Whether the last transaction may be lost, as its blocks are played again. It may
            have been incomplete at a power cut.
    """
    log = log_of(path)
    try:
        count = write_ahead.unreadable(log)
    except OSError as error:
        raise StoreError(f"{log}: can't be read: {error.strerror}") from None
    if count > 1:
        raise damaged(path, f"results in {log.name} can't be read any more")
    if count and not replays:
        raise StoreError(
            f"{path}: the last results in {log.name} can't be read because of a power cut or "
            "damage; `lanista tournament run` plays them again"
        )


def sqlite_engine(path: Path, mode: str) -> sa.Engine:
    """Return an engine for a file, opened in a mode of https://sqlite.org/uri.html."""
    uri = f"{path.absolute().as_uri()}?{mode}"

    def connect() -> sqlite3.Connection:
        # Transactions are begun explicitly below: Python's own ones don't begin with a query.
        connection = sqlite3.connect(
            uri, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            # With this, what was committed survives a power cut too, not only a kill.
            connection.execute("PRAGMA synchronous = FULL")
        except BaseException:
            connection.close()
            raise
        return connection

    engine = sa.create_engine(
        "sqlite://", creator=connect, poolclass=QueuePool, hide_parameters=True
    )

    @event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        # A writer must wait for others before its first query, or it would have to start over.
        writing = connection.get_execution_options().get("writing", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


def _postgresql_engine(url: URL, schema: str | None) -> sa.Engine:
    engine = sa.create_engine(
        url.set(drivername="postgresql+psycopg"),
        connect_args={
            key: value for key, value in _CONNECTION_OPTIONS.items() if key not in url.query
        },
        # A server may be restarted while a tournament runs.
        pool_pre_ping=True,
        hide_parameters=True,
    )

    # Before SQLAlchemy's own listener, which asks for the schema.
    @event.listens_for(engine, "connect", insert=True)
    def connected(connection: Any, _: object) -> None:
        connection.execute(f"SET lock_timeout = {int(PATIENCE * 1000)}")
        if schema is not None:
            path = "SELECT set_config('search_path', quote_ident(%s), false)"
            connection.execute(path, (schema,))
        connection.commit()

    return engine
