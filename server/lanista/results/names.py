"""The names on an arena's ladders: who registered them, and which the operator has benched.

Several processes use them at once: an arena, the operator's commands, and other arenas if they are
in PostgreSQL. Whoever registers a name first has it. Nothing is kept in memory, so each process
sees at once what another one has changed; what an arena remembers elsewhere must be looked up again
when `NameStore.changes` has changed.

Tokens never get here, only their hashes (`lanista.arena.tokens`).
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import Any

import attrs
import sqlalchemy as sa

from lanista.results.base import Database
from lanista.results.schema import BARRED, CHANGES, NAMES

_REMOVED = ""
"""The hash of the token of a name that was removed, which no token has. The row stays, so that what
was handed in for it is known to be removed too, and not because names were lost by damage."""
_IS_REGISTERED = NAMES.c.token_hash != _REMOVED


class Registrar(Enum):
    """The one who registered a name."""

    ITSELF = "itself"
    """The bot's author: by its first hello with a token, or by handing in a program."""
    OPERATOR = "operator"


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

    @property
    def key(self) -> str:
        """The key of the name, from `key_of`."""
        return key_of(self.name)


@attrs.frozen(kw_only=True)
class BenchedName:
    """A row of `barred`."""

    name: str
    """The name, as the operator wrote it."""
    ladder: str | None
    """The ladder on which it isn't paired; None for all."""

    @property
    def key(self) -> str:
        """The key of the name, from `key_of`."""
        return key_of(self.name)


def key_of(name: str) -> str:
    """Return the key of a name, for which capitals and the number of spaces make no difference."""
    return " ".join(name.split()).casefold()


@attrs.frozen
class NameStore:
    """The names in an arena's database, which its owner closes; methods raise `StoreError`."""

    database: Database

    def register(self, name: str, token_hash: str, registrar: Registrar) -> RegisteredName:
        """Register a name in the form of a ladder's, unless it is registered already.

        Returns it as it is registered now: with this salted hash, or that of whoever was first.
        """
        values = {
            "key": key_of(name),
            "name": name,
            "token_hash": token_hash,
            "registrar": registrar.value,
            "registered": _now(),
        }
        with self.database.writing() as connection:
            there = _find(connection, values["key"])
            if there is not None:
                return there
            connection.execute(NAMES.delete().where(NAMES.c.key == values["key"]))  # if removed
            connection.execute(NAMES.insert().values(values))
            _changed(connection, 1)  # whoever uses it without a token has to stop
            return _registered_name({**values, "seen": None})

    def set_token(self, name: str, token_hash: str) -> bool:
        """Give a name another token, and return whether it is registered."""
        of = _IS_REGISTERED & (NAMES.c.key == key_of(name))
        with self.database.writing() as connection:
            changed = connection.execute(NAMES.update().where(of).values(token_hash=token_hash))
            return _changed(connection, changed.rowcount)

    def remove(self, name: str) -> bool:
        """Remove a name, which anybody may register again; return whether it was registered.

        If it is benched, it stays so.
        """
        return self.set_token(name, _REMOVED)

    def removed(self) -> dict[str, RegisteredName]:
        """Return the names that were removed and not registered again, as they were, by key."""
        with self.database.reading() as connection:
            rows = connection.execute(sa.select(NAMES).where(~_IS_REGISTERED)).mappings().all()
        return {row["key"]: _registered_name(row) for row in rows}

    def changes(self) -> int:
        """Return how often something was changed that a running arena must know.

        These are names registered, removed or benched, tokens replaced, and whatever `note_change`
        notes.
        """
        with self.database.reading() as connection:
            count: int = connection.execute(sa.select(CHANGES.c.count)).scalar_one()
        return count

    def note_change(self) -> None:
        """Count a change that is stored elsewhere, in the results of a ladder."""
        with self.database.writing() as connection:
            _changed(connection, 1)

    def find(self, name: str) -> RegisteredName | None:
        """Return a name as it is registered; None if it isn't."""
        with self.database.reading() as connection:
            return _find(connection, key_of(name))

    def names(self) -> list[RegisteredName]:
        """Return all registered names in the order of their keys."""
        with self.database.reading() as connection:
            rows = connection.execute(sa.select(NAMES).where(_IS_REGISTERED)).mappings().all()
        # Sorted here, since each database has its own order of letters.
        return [_registered_name(row) for row in sorted(rows, key=lambda row: row["key"])]

    def set_seen(self, seen: Mapping[str, datetime]) -> None:
        """Store when names were last seen, in UTC; unregistered ones are left out."""
        changes = [{"of": key_of(name), "at": _iso(at)} for name, at in seen.items()]
        if not changes:
            return
        of = NAMES.c.key == sa.bindparam("of")
        with self.database.writing() as connection:
            connection.execute(NAMES.update().where(of).values(seen=sa.bindparam("at")), changes)

    def bench(self, name: str, ladder: str | None = None) -> None:
        """Keep a name from being paired on a ladder; None for all, also later ones.

        It needn't be registered.
        """
        row = {"key": key_of(name), "ladder": ladder or "", "name": name, "since": _now()}
        with self.database.writing() as connection:
            connection.execute(BARRED.delete().where(_is_benched(name, ladder)))
            connection.execute(BARRED.insert().values(row))
            _changed(connection, 1)

    def unbench(self, name: str, ladder: str | None = None) -> bool:
        """Take back a benching on a ladder, or on all; return whether there was one."""
        with self.database.writing() as connection:
            found = connection.execute(BARRED.delete().where(_is_benched(name, ladder)))
            return _changed(connection, found.rowcount)

    def benched(self) -> list[BenchedName]:
        """Return the benched names, in the order of their keys and of the ladders."""
        with self.database.reading() as connection:
            rows = connection.execute(sa.select(BARRED)).mappings().all()
        return [
            BenchedName(name=row["name"], ladder=row["ladder"] or None)
            for row in sorted(rows, key=lambda row: (row["key"], row["ladder"]))
        ]


def _find(connection: sa.Connection, key: str) -> RegisteredName | None:
    of = _IS_REGISTERED & (NAMES.c.key == key)
    row = connection.execute(sa.select(NAMES).where(of)).mappings().one_or_none()
    return None if row is None else _registered_name(row)


def _changed(connection: sa.Connection, count: int) -> bool:
    if count:
        connection.execute(CHANGES.update().values(count=CHANGES.c.count + count))
    return count > 0


def _registered_name(row: Mapping[Any, Any]) -> RegisteredName:
    return RegisteredName(
        name=row["name"],
        token_hash=row["token_hash"],
        registrar=Registrar(row["registrar"]),
        registered=datetime.fromisoformat(row["registered"]),
        seen=None if row["seen"] is None else datetime.fromisoformat(row["seen"]),
    )


def _is_benched(name: str, ladder: str | None) -> sa.ColumnElement[bool]:
    """Return the condition for the rows that benching a name on all ladders, or one, replaces."""
    condition = BARRED.c.key == key_of(name)
    return condition if ladder is None else condition & (BARRED.c.ladder == ladder)


def _now() -> str:
    return _iso(datetime.now(UTC))


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")
