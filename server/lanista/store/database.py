"""A tournament's database: opening it, writing it, asking it. SQLite by path, PostgreSQL by URL.

What is committed stays, whatever happens next; a block is there whole or not at all, and once.
Every method blocks (for the disk, and up to `PATIENCE` for other writers) and may be called from
any thread. Which blocks count is not known here.
"""

import contextlib
import json
import re
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import attrs
import sqlalchemy as sa
from sqlalchemy import event, exc
from sqlalchemy.engine import URL, make_url
from sqlalchemy.pool import QueuePool

from lanista.store import checksums, migrate, write_ahead
from lanista.store.errors import StoreError, damaged, log_of, postgresql_error, sqlite_error
from lanista.store.lock import Session, file_lock
from lanista.store.reading import Digest, Endings, PlayedBlock, Reading, StoredMatch
from lanista.store.results import Benching, BlockResult
from lanista.store.schema import BENCHED, BLOCKS, BOTS, MATCHES, META, SEATS, UNBENCHED

PATIENCE = 30.0
"""Seconds to wait for another program's transaction."""
_WRITER, _MANAGER = 1_818_325_001, 1_818_325_002
"""Keys of PostgreSQL's advisory locks: of who writes now, of who runs the tournament."""


_CONNECTED = {
    "connect_timeout": 10,
    "keepalives": 1,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
"""What the URL may say otherwise: a server that can't be reached any more is known to be after a
minute, and knows it of us. Seconds, the last one milliseconds.
https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS"""
_ERRORS = (exc.DBAPIError, sqlite3.Error, UnicodeDecodeError)
"""What a database that can't be used raises; the last where damage is in SQLite's own message."""
_HOST = re.compile(r"[\w.-]*|[0-9A-Fa-f:.]+")


@attrs.frozen
class Store:
    """An open database. Close it, or use it as a context."""

    where: str
    """The file, or the URL without its password and options."""
    _engine: sa.Engine
    _told: Callable[[Exception], StoreError]
    _path: Path | None
    """SQLite's file; None for PostgreSQL."""
    _file: tuple[int, int] | None = None
    """Device and number of SQLite's file when it was opened."""
    _held: list[Session] = attrs.field(factory=list, init=False)
    """The lock of PostgreSQL's, while it is held here."""

    @classmethod
    def open(cls, target: str | Path, *, create: bool = True) -> Self:
        """Open a database, and bring its tables to those of this version.

        Args:
            target: A path, `sqlite:///PATH`, or `postgresql://USER:PASSWORD@HOST:PORT/NAME`
                (psycopg 3, the extra `postgresql`).
            create: Make the database, or its tables, when they aren't there. Without it, a
                SQLite file in a place that can't be written can still be read.

        Raises:
            StoreError: It isn't there, can't be reached, read or made, is no database of ours, was
                written by a newer version, or is damaged.
        """
        path = _path_of(target)
        store = cls._sqlite(path, create=create) if path else cls._postgresql(str(target))
        return store._made_ready(create=create)  # noqa: SLF001 - of this very class

    @classmethod
    def _sqlite(cls, path: Path, *, create: bool) -> Self:
        def told(error: Exception) -> StoreError:
            return sqlite_error(path, getattr(error, "orig", error))

        if not create and not path.exists():
            raise StoreError(f"{path}: not there; `lanista tournament run` makes it")
        _see_log(path, plays=create)
        # In a place that can't be written the usual way fails, as readers share an index beside
        # the file. Then `ro`, which uses an index that is there; then `immutable`, which needs
        # none: right when nobody writes, and nobody can. https://sqlite.org/wal.html#readonly
        ways = ["mode=rwc"] if create else ["mode=rw", "mode=ro", "mode=ro&immutable=1"]
        refusal: StoreError | None = None
        for way in ways:
            log = log_of(path)
            if "immutable" in way and log.exists() and log.stat().st_size:
                refusal = StoreError(
                    f"{path}: results in {log.name} beside it can't be read where nothing can be "
                    "written; copy both to a folder that can be"
                )
                break
            store = cls(str(path), _sqlite_engine(path, way), told, path.absolute())
            try:
                with store._engine.connect() as connection:
                    connection.exec_driver_sql("SELECT count(*) FROM sqlite_schema")
            except _ERRORS as error:
                store.close()
                refusal = told(error)
                code = getattr(getattr(error, "orig", None), "sqlite_errorcode", 0) & 0xFF
                if code not in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}:
                    break
            else:
                return attrs.evolve(store, file=_file_of(path))
        assert refusal is not None
        raise refusal from None

    @classmethod
    def _postgresql(cls, target: str) -> Self:
        try:
            url = make_url(target)
        except (exc.ArgumentError, ValueError):
            # Told without what was given: a password may be anywhere in it.
            raise StoreError(
                "the database's URL can't be read; right is "
                "postgresql://USER:PASSWORD@HOST:PORT/NAME"
            ) from None
        if url.drivername not in {"postgresql", "postgresql+psycopg"}:
            raise StoreError(
                f"{url.drivername}: no such kind of database; right are a path, sqlite:///PATH "
                "and postgresql://USER:PASSWORD@HOST:PORT/NAME"
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

        def told(error: Exception) -> StoreError:
            return postgresql_error(where, password, error)

        return cls(where, _postgresql_engine(url), told, None)

    def close(self) -> None:
        """Close all connections. No error is raised, and doing it twice does nothing."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _made_ready(self, *, create: bool) -> Self:
        """This store, whole, its tables those of this version; else closed."""
        try:
            # Before anything is written, or what is damaged could get worse.
            self._check(checksums.broken_pages)
            with self._reading() as connection:
                current = migrate.is_current(connection)
            if not current:
                with self._writing() as connection:
                    migrate.bring_up_to_date(connection, self.where, create=create)
            self._check(checksums.changed_values)
            if self._path and create:
                self._log_ahead(self._path)
        except BaseException:
            self.close()
            raise
        return self

    def _check(self, damage: Callable[[sa.Connection], str]) -> None:
        """See that a SQLite file isn't damaged.

        A PostgreSQL server is left to its own checksums: all rows would be asked of it.
        """
        if self._path is None:
            return
        with self._reading() as connection:
            words = damage(connection)
        if words:
            raise damaged(self._path, words)

    def _log_ahead(self, path: Path) -> None:
        """Let readers go on while one writes. Kept in the file: all times but one it is so."""
        with self._errors_told(), self._engine.connect() as connection:
            # Not by the connection itself, as it can't be changed inside a transaction.
            raw = connection.connection.driver_connection
            assert isinstance(raw, sqlite3.Connection)
            try:
                raw.execute("PRAGMA journal_mode = WAL")
            except sqlite3.Error as error:
                raise sqlite_error(path, error) from None

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Be the one that runs this tournament, until the context or the process ends.

        A file `NAME.lock` beside SQLite's, a session held open for PostgreSQL. Reading and writing
        need no lock; but while one is held, each writing sees that it still is: a session ends with
        its server, or by an administrator. Then the lock is taken anew, or the writing refused.

        Raises:
            StoreError: Another has it, or the lock can't be made.
        """
        if self._path:
            with file_lock(self._path.resolve()):
                yield
            return
        session = Session(self._engine, _MANAGER, self.where)
        try:
            with self._errors_told():
                session.take()
            self._held.append(session)
            yield
        finally:
            if session in self._held:
                self._held.remove(session)
            session.close()

    def _see_file(self) -> None:
        """See that the file that is open is the one that its name leads to.

        SQLite writes on into a file that was removed, where nobody finds it.
        """
        if self._path is not None and self._file not in {None, _file_of(self._path)}:
            raise StoreError(
                f"{self._path}: removed, moved or replaced while it was in use, and nothing more "
                "is stored; put it back, or play again from the start"
            )

    @contextlib.contextmanager
    def _errors_told(self) -> Iterator[None]:
        try:
            yield
        except _ERRORS as error:
            # Without the cause: what it repeats of a connection may hold the password.
            raise self._told(error) from None

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        self._see_file()
        with self._errors_told(), self._engine.connect() as connection:
            if self._path is None:
                # One snapshot for all statements, as SQLite gives.
                connection = connection.execution_options(  # noqa: PLW2901 - the same connection
                    isolation_level="REPEATABLE READ", postgresql_readonly=True
                )
            yield connection

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        """A transaction, alone: with one writer at a time, numbers are in the order of commits."""
        self._see_file()
        for session in self._held:
            with self._errors_told():
                session.keep()
        engine = self._engine.execution_options(writing=True)
        with self._errors_told(), engine.begin() as connection:
            if self._path is None:
                key = sa.func.hashtext(sa.func.current_schema())
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_WRITER, key)))
            yield connection
        self._see_file()

    def add(self, results: Sequence[BlockResult], benched: Sequence[Benching] = ()) -> list[str]:
        """Store blocks, in one transaction: when this returns they are on the disk.

        A block that is there already, played twice, is left as it is.

        Args:
            results: In the order in which they were played.
            benched: Who plays no more, behind which of them, or of those stored before; a bot that
                is benched already stays as it is.

        Returns:
            The ids of those that weren't there, in the same order.

        Raises:
            StoreError: Nothing was stored.
            ValueError: A block has not exactly one match that counts for each seating.
        """
        wanted: dict[str, BlockResult] = {}
        for result in results:
            counted = sorted(match.seating for match in result.matches if match.counted)
            if not counted or counted != list(range(len(counted))):
                raise ValueError(f"block {result.block}: the seatings that count are {counted}")
            wanted.setdefault(result.block, result)
        if not wanted and not benched:
            return []
        committed = datetime.now(UTC).isoformat(timespec="milliseconds")
        with self._writing() as connection:
            there = set(
                connection.scalars(sa.select(BLOCKS.c.id).where(BLOCKS.c.id.in_(list(wanted))))
            )
            new = [result for block, result in wanted.items() if block not in there]
            if new:
                first = _last_number(connection) + 1
                numbered = list(enumerate(new, first))
                connection.execute(
                    BLOCKS.insert(),
                    [_block_row(number, committed, result) for number, result in numbered],
                )
                connection.execute(
                    MATCHES.insert(),
                    [row for number, result in numbered for row in _match_rows(number, result)],
                )
                connection.execute(
                    SEATS.insert(),
                    [row for number, result in numbered for row in _seat_rows(number, result)],
                )
                checksums.add_blocks(connection, first)
            if benched:
                _bench(connection, benched)
                checksums.add_notes(connection)
        return [result.block for result in new]

    def unbench(self, bot: str) -> None:
        """Forget a bot's failures until now, for `running_failures`, and that it is benched.

        Raises:
            StoreError: It can't be written.
        """
        with self._writing() as connection:
            number = _last_number(connection)
            connection.execute(UNBENCHED.delete().where(UNBENCHED.c.bot == bot))
            connection.execute(UNBENCHED.insert().values(bot=bot, number=number))
            connection.execute(BENCHED.delete().where(BENCHED.c.bot == bot))
            checksums.add_notes(connection)

    def set_meta(self, key: str, value: str) -> None:
        """Note a value under a key, in place of the one before.

        Raises:
            StoreError: It can't be written.
        """
        with self._writing() as connection:
            connection.execute(META.delete().where(META.c.key == key))
            connection.execute(META.insert().values(key=key, value=value))
            checksums.add_notes(connection)

    def set_identity(self, name: str, identity: str) -> None:
        """Note what makes a bot the bot it is, as JSON.

        When that changes its failures are past, and it isn't benched any more.

        Raises:
            StoreError: It can't be written.
        """
        with self._writing() as connection:
            before = connection.scalar(sa.select(BOTS.c.identity).where(BOTS.c.name == name))
            if before == identity:
                return
            since = _last_number(connection) if before is not None else 0
            connection.execute(BOTS.delete().where(BOTS.c.name == name))
            connection.execute(BOTS.insert().values(name=name, identity=identity, since=since))
            if before is not None:
                connection.execute(BENCHED.delete().where(BENCHED.c.bot == name))
            checksums.add_notes(connection)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Reading]:
        """Several questions about one moment, whatever is written meanwhile.

        Raises:
            StoreError: It can't be read.
        """
        with self._reading() as connection:
            yield Reading(connection)

    def played(self) -> list[PlayedBlock]:
        """As `Reading.played`, of now."""
        with self.reading() as now:
            return now.played()

    def endings(self, without: Collection[str] = ()) -> Endings:
        """As `Reading.endings`, of now."""
        with self.reading() as now:
            return now.endings(without)

    def running_failures(self, most: int) -> dict[str, int]:
        """As `Reading.running_failures`, of now."""
        with self.reading() as now:
            return now.running_failures(most)

    def benched(self) -> list[Benching]:
        """As `Reading.benched`, of now."""
        with self.reading() as now:
            return now.benched()

    def matches(
        self,
        blocks: Collection[str] | None = None,
        *,
        failures: bool = False,
        limit: int | None = None,
    ) -> Iterator[StoredMatch]:
        """As `Reading.matches`, of the moment when the first one is taken."""
        with self.reading() as now:
            yield from now.matches(blocks, failures=failures, limit=limit)

    def digests(self) -> list[Digest]:
        """As `Reading.digests`, of now."""
        with self.reading() as now:
            return now.digests()

    def meta(self, key: str) -> str | None:
        """As `Reading.meta`, of now."""
        with self.reading() as now:
            return now.meta(key)

    def identities(self) -> dict[str, str]:
        """As `Reading.identities`, of now."""
        with self.reading() as now:
            return now.identities()


def where_of(target: str | Path) -> str:
    """A database for people: its file, or its URL without password and options."""
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


def _path_of(target: str | Path) -> Path | None:
    """The file of a target; None when it is a URL of something else."""
    if isinstance(target, Path):
        return target
    kind, separator, rest = target.partition("://")
    if not separator:
        return Path(target)
    if kind != "sqlite":
        return None
    if not rest.startswith("/") or rest == "/":
        raise StoreError("a SQLite URL without a file; right is sqlite:///PATH")
    return Path(rest[1:])


def _file_of(path: Path) -> tuple[int, int] | None:
    """Device and number of a file; None when it can't be found."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _see_log(path: Path, *, plays: bool) -> None:
    """See that SQLite can read all of a database's write-ahead log, before it forgets the rest.

    Args:
        path: The database's file.
        plays: Whether what a last transaction held, which may not have been whole at a power cut,
            is played again.
    """
    log = log_of(path)
    try:
        count = write_ahead.unreadable(log)
    except OSError as error:
        raise StoreError(f"{log}: can't be read: {error.strerror}") from None
    if count > 1:
        raise damaged(path, f"results in {log.name} can't be read any more")
    if count and not plays:
        raise StoreError(
            f"{path}: the last results in {log.name} can't be read, by a power cut or damage; "
            "`lanista tournament run` plays them again"
        )


def _sqlite_engine(path: Path, way: str) -> sa.Engine:
    """Connections to a file, opened in a way of https://sqlite.org/uri.html."""
    uri = f"{path.absolute().as_uri()}?{way}"

    def connect() -> sqlite3.Connection:
        # Transactions are begun by us: Python's own ones don't begin at the first reading.
        connection = sqlite3.connect(
            uri, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            # What was committed survives a power cut, not only a kill.
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
        # A writer waits for others before it looks, or it would have to begin anew.
        writing = connection.get_execution_options().get("writing", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


def _postgresql_engine(url: URL) -> sa.Engine:
    engine = sa.create_engine(
        url.set(drivername="postgresql+psycopg"),
        connect_args={key: value for key, value in _CONNECTED.items() if key not in url.query},
        # A server may be started anew while a tournament runs.
        pool_pre_ping=True,
        hide_parameters=True,
    )

    @event.listens_for(engine, "connect")
    def connected(connection: Any, _: object) -> None:
        connection.execute(f"SET lock_timeout = {int(PATIENCE * 1000)}")
        connection.commit()

    return engine


def _last_number(connection: sa.Connection) -> int:
    return connection.scalar(sa.select(sa.func.max(BLOCKS.c.number))) or 0


def _bench(connection: sa.Connection, benched: Sequence[Benching]) -> None:
    """Note who plays no more; the blocks are there."""
    for one in benched:
        number = connection.scalar(sa.select(BLOCKS.c.number).where(BLOCKS.c.id == one.block))
        if number is None:
            raise ValueError(f"{one.bot} benched behind {one.block}: no such block")
        if connection.scalar(sa.select(BENCHED.c.bot).where(BENCHED.c.bot == one.bot)) is None:
            connection.execute(
                BENCHED.insert().values(bot=one.bot, number=number, failures=one.failures)
            )


def _block_row(number: int, committed: str, result: BlockResult) -> dict[str, Any]:
    return {
        "number": number,
        "id": result.block,
        "seed": str(result.seed),
        "map": result.map,
        "bots": json.dumps(result.bots),
        "committed": committed,
    }


def _match_rows(number: int, result: BlockResult) -> Iterator[dict[str, Any]]:
    for ordinal, match in enumerate(result.matches):
        yield {
            "block": number,
            "seating": match.seating,
            "attempt": match.attempt,
            "ordinal": ordinal,
            "termination": match.end,
            "reason": json.dumps(match.reason),
            "ranks": json.dumps([seat.rank for seat in match.seats]),
            "scores": json.dumps([seat.score for seat in match.seats]),
            "turns": match.turns,
            "digest": match.digest,
            "seconds": match.seconds,
            "stall": match.stall,
            "record": match.record,
        }


def _seat_rows(number: int, result: BlockResult) -> Iterator[dict[str, Any]]:
    for match in result.matches:
        for at, seat in enumerate(match.seats):
            yield {
                "block": number,
                "seating": match.seating,
                "attempt": match.attempt,
                "seat": at,
                "bot": seat.bot,
                "ending": seat.ending.value,
                "words": json.dumps(seat.words),
                "late": seat.late,
                "malformed": seat.malformed,
                "illegal": seat.illegal,
            }
