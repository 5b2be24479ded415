"""An arena's database of names: who registered them, and what the operator decided about them.

Several processes use it at once: an arena, the operator's commands, and other arenas if it is in
PostgreSQL. Whoever registers a name first has it; that is decided in the one writing transaction.
Nothing of it is kept in memory, so each process sees at once what another one has changed. Only
what is remembered of tokens elsewhere must be checked against `NameStore.revocations`.

Tokens never get here, only their hashes (`lanista.arena.tokens`). As people may choose tokens that
are easy to guess, a SQLite file can be read only by its owner.
"""

import contextlib
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any, Self

import attrs
import sqlalchemy as sa

from lanista.store.database import Database, path_of
from lanista.store.schema import NAMING, Tables

SCHEMA = "lanista"
"""The schema of a PostgreSQL database that has the names."""
VERSION_TABLE = "lanista_arena_version"
REVISION = "0001"
ARENA = Tables(
    owner="an arena",
    maker="`lanista arena run`",
    version_table=VERSION_TABLE,
    revision=REVISION,
    steps="arena/versions",
)

METADATA = sa.MetaData(naming_convention=NAMING)
NAMES = sa.Table(
    "names",
    METADATA,
    # From `key_of`.
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("token_hash", sa.Text, nullable=False),
    sa.Column("registrar", sa.Text, nullable=False),
    # `registered` and `seen` are UTC, ISO 8601.
    sa.Column("registered", sa.Text, nullable=False),
    sa.Column("seen", sa.Text, nullable=True),
    sqlite_with_rowid=False,
)
# One row, by which an arena notices cheaply that what it remembers of tokens is out of date.
REVOCATIONS = sa.Table(
    "revocations",
    METADATA,
    # How many tokens were replaced and names removed until now.
    sa.Column("count", sa.Integer, primary_key=True, autoincrement=False),
)
# Not a part of `names`: a decision also holds for a name that nobody has registered, and stays when
# a name is removed and registered again.
DECISIONS = sa.Table(
    "decisions",
    METADATA,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("decision", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    # UTC, ISO 8601.
    sa.Column("decided", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)


class Registrar(Enum):
    """Who registered a name."""

    ITSELF = "itself"
    """A bot, by its first hello with a token."""
    OPERATOR = "operator"


class Decision(Enum):
    """What the operator decided about a name."""

    BENCHED = "benched"
    """It isn't paired."""
    STRUCK = "struck"
    """Its matches don't count."""


@attrs.frozen(kw_only=True)
class RegisteredName:
    """A row of `names`."""

    name: str
    """The name, with its capitals as they were registered."""
    token_hash: str = attrs.field(repr=False)
    """The hash of its token, which no other name or token ever has, as it is salted."""
    registrar: Registrar
    registered: datetime
    seen: datetime | None
    """When a bot last used the name, to a minute or so; None if none has since it was added."""


@attrs.frozen(kw_only=True)
class Decided:
    """A row of `decisions`."""

    name: str
    """The name, as the operator wrote it."""
    decision: Decision
    decided: datetime


def key_of(name: str) -> str:
    """Return what two names have in common if they count as the same one.

    That is the name without regard to capitals and to the number of spaces between words.
    """
    return " ".join(name.split()).casefold()


@attrs.frozen
class NameStore(Database):
    """An arena's database of names."""

    _tables = ARENA

    @classmethod
    def open(
        cls,
        target: str | Path,
        *,
        create: bool = True,
        schema: str | None = SCHEMA,
        check: bool = True,
    ) -> Self:
        """Open a database of names as `Database.open` does; the schema is for PostgreSQL alone."""
        is_file = path_of(target) is not None
        schema = None if is_file else schema
        return super().open(target, create=create, schema=schema, check=check)

    @classmethod
    def _sqlite(cls, path: Path, *, create: bool) -> Self:
        if create:
            # SQLite gives the files beside it the same mode. If this fails, SQLite says why.
            with contextlib.suppress(OSError):
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        return super()._sqlite(path, create=create)

    def register(self, name: str, token_hash: str, registrar: Registrar) -> RegisteredName:
        """Register a name, unless it is registered already.

        Args:
            name: The name, in the form of `lanista.arena.names.ladder_name`.
            token_hash: The salted hash of its token.
            registrar: Who registers it.

        Returns:
            The name as it is registered now: with this hash, or with that of whoever was first.

        Raises:
            StoreError: It can't be written.
        """
        values = {
            "key": key_of(name),
            "name": name,
            "token_hash": token_hash,
            "registrar": registrar.value,
            "registered": _now(),
        }
        with self._writing() as connection:
            there = _find(connection, values["key"])
            if there is not None:
                return there
            connection.execute(NAMES.insert().values(values))
            return _registered_name({**values, "seen": None})

    def set_token(self, name: str, token_hash: str) -> bool:
        """Give a name another token.

        Returns:
            Whether the name is registered; if not, nothing is changed.

        Raises:
            StoreError: It can't be written.
        """
        of = NAMES.c.key == key_of(name)
        with self._writing() as connection:
            changed = connection.execute(NAMES.update().where(of).values(token_hash=token_hash))
            return _revoked(connection, changed.rowcount)

    def remove(self, name: str) -> bool:
        """Remove a name, which anybody may register again; what was decided about it stays.

        Returns:
            Whether the name was registered.

        Raises:
            StoreError: It can't be written.
        """
        with self._writing() as connection:
            removed = connection.execute(NAMES.delete().where(NAMES.c.key == key_of(name)))
            return _revoked(connection, removed.rowcount)

    def revocations(self) -> int:
        """Return how many tokens were replaced and names removed until now.

        Raises:
            StoreError: It can't be read.
        """
        with self._reading() as connection:
            count: int = connection.execute(sa.select(REVOCATIONS.c.count)).scalar_one()
        return count

    def find(self, name: str) -> RegisteredName | None:
        """Return a name as it is registered; None if it isn't.

        Raises:
            StoreError: It can't be read.
        """
        with self._reading() as connection:
            return _find(connection, key_of(name))

    def names(self) -> list[RegisteredName]:
        """Return all registered names in the order of their keys.

        Raises:
            StoreError: They can't be read.
        """
        with self._reading() as connection:
            rows = connection.execute(sa.select(NAMES)).mappings().all()
        # Sorted here, since each database has its own order of letters.
        return [_registered_name(row) for row in sorted(rows, key=lambda row: row["key"])]

    def set_seen(self, seen: Mapping[str, datetime]) -> None:
        """Store when names were last seen: maps each name to a time in UTC.

        A name that isn't registered any more is left out.

        Raises:
            StoreError: It can't be written.
        """
        changes = [{"of": key_of(name), "at": _iso(at)} for name, at in seen.items()]
        if not changes:
            return
        of = NAMES.c.key == sa.bindparam("of")
        with self._writing() as connection:
            connection.execute(NAMES.update().where(of).values(seen=sa.bindparam("at")), changes)

    def decide(self, name: str, decision: Decision) -> None:
        """Store a decision about a name, which needn't be registered; the same one again is one.

        Raises:
            StoreError: It can't be written.
        """
        values = {"key": key_of(name), "decision": decision.value}
        with self._writing() as connection:
            connection.execute(_of(decision, name))
            connection.execute(DECISIONS.insert().values(**values, name=name, decided=_now()))

    def revoke(self, name: str, decision: Decision) -> bool:
        """Take a decision back.

        Returns:
            Whether it had been made.

        Raises:
            StoreError: It can't be written.
        """
        with self._writing() as connection:
            return connection.execute(_of(decision, name)).rowcount > 0

    def decisions(self) -> list[Decided]:
        """Return the decisions that hold, in the order of the names' keys.

        Raises:
            StoreError: They can't be read.
        """
        with self._reading() as connection:
            rows = connection.execute(sa.select(DECISIONS)).mappings().all()
        return [
            Decided(
                name=row["name"],
                decision=Decision(row["decision"]),
                decided=datetime.fromisoformat(row["decided"]),
            )
            for row in sorted(rows, key=lambda row: (row["key"], row["decision"]))
        ]


def _find(connection: sa.Connection, key: str) -> RegisteredName | None:
    row = connection.execute(sa.select(NAMES).where(NAMES.c.key == key)).mappings().one_or_none()
    return None if row is None else _registered_name(row)


def _revoked(connection: sa.Connection, count: int) -> bool:
    if count:
        connection.execute(REVOCATIONS.update().values(count=REVOCATIONS.c.count + count))
    return count > 0


def _registered_name(row: Mapping[Any, Any]) -> RegisteredName:
    return RegisteredName(
        name=row["name"],
        token_hash=row["token_hash"],
        registrar=Registrar(row["registrar"]),
        registered=datetime.fromisoformat(row["registered"]),
        seen=None if row["seen"] is None else datetime.fromisoformat(row["seen"]),
    )


def _of(decision: Decision, name: str) -> sa.Delete:
    of = (DECISIONS.c.key == key_of(name)) & (DECISIONS.c.decision == decision.value)
    return DECISIONS.delete().where(of)


def _now() -> str:
    return _iso(datetime.now(UTC))


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")
