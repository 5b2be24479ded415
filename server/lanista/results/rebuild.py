"""Rebuilding a SQLite database from records and from what can be read of the old one.

The new file takes the former one's place when it is complete, and not before; the former one is
kept beside it.
"""

import contextlib
import itertools
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import sqlalchemy as sa

from lanista.errors import StoreError
from lanista.results.base import Database, Kind
from lanista.results.database import readable
from lanista.results.engines import log_of, why, why_closed
from lanista.results.lock import file_lock
from lanista.results.migrations import NewerDatabaseError
from lanista.results.reading import StoredMatch, rows
from lanista.results.schema import (
    BARRED,
    BOTS,
    COMPETITIONS,
    MATCHES,
    META,
    NAMES,
    RATINGS,
    SNAPSHOTS,
    STRUCK,
    UNBENCHED,
)
from lanista.system import make_file

_KEPT: Mapping[sa.Table, str] = {
    NAMES: "names with their tokens",
    BARRED: "benched names",
    STRUCK: "strikes",
    UNBENCHED: "ended rests",
    META: "notes",
    BOTS: "identities of bots",
    SNAPSHOTS: "snapshots of ratings",
    RATINGS: "ratings in them",
}
"""The tables that only a database has, and what is in them."""
_KINDS = frozenset(kind.value for kind in Kind)
_AT_ONCE = 5000
"""Number of rows that are inserted at once."""


@attrs.define
class Rebuild:
    """A database that is being rebuilt."""

    new: Database
    former: Database | None
    """The old database; None if there is none, or if it can't be opened."""
    kept_at: Path | None = None
    """Where the former file is in the end; None if there was none."""
    matches: int = 0
    """Number of matches that were stored."""
    kept: dict[str, int] = attrs.field(factory=dict)
    """Number of rows that were kept of the former database, by what they are."""
    troubles: list[str] = attrs.field(factory=list)
    """What couldn't be read, in one line each."""
    _places: list[int] = attrs.field(factory=list)
    """By stored match, ascending: the former number of it, or of the last one before it."""

    def stored(self, places: Sequence[int]) -> None:
        """Note that matches were stored, in this order, given what `_places` has of each."""
        self._places += places
        self.matches += len(places)

    def competitions(self) -> dict[int, tuple[Kind, str, str]]:
        """Return kind, name and game of the former competitions by number."""
        found = {}
        for row in self._readable("competitions", sa.select(COMPETITIONS)):
            number, kind = row["number"], row["kind"]
            if kind in _KINDS:
                found[number] = Kind(kind), row["name"], row["game"]
            else:
                self.troubles.append(f"competition {number} of the former one: no kind {kind!a}")
        return found

    def numbers(self) -> list[tuple[int, int, str]]:
        """Return number, competition and id (or "") of the former matches, the oldest first."""
        at = MATCHES.c
        of_match = sa.select(at.number, at.competition, at.id).order_by(at.number)
        found = self._readable("numbers of matches", of_match)
        return [(row["number"], row["competition"], row["id"] or "") for row in found]

    def former_matches(self, numbers: Sequence[int]) -> list[StoredMatch]:
        """Return those of some former matches that can be read, the oldest first."""
        if self.former is None:
            return []

        def on_error(number: int, error: StoreError) -> None:
            self.troubles.append(f"match {number} of the former one: {why(error)}")

        return readable(self.former, numbers[::-1], on_error)[::-1]

    def keep(self, competitions: Mapping[int, int]) -> None:
        """Keep what only the former database has, when all matches are stored.

        Its competitions are given by their former numbers: those that they have now.
        """
        for table, what in _KEPT.items():
            kept = []
            for row in self._readable(what, sa.select(table)):
                if "competition" in row:
                    if row["competition"] not in competitions:
                        continue
                    row["competition"] = competitions[row["competition"]]
                    # The number of the last match for which a note holds.
                    for column in {"since", "number"} & row.keys():
                        row[column] = bisect_right(self._places, row[column])
                kept.append(row)
            with self.new.writing() as connection:
                for start in range(0, len(kept), _AT_ONCE):
                    connection.execute(table.insert(), kept[start : start + _AT_ONCE])
            if kept:
                self.kept[what] = len(kept)

    def _readable(self, what: str, statement: sa.Select[Any]) -> list[dict[str, Any]]:
        """Return the rows of the former database until one can't be read."""
        found: list[dict[str, Any]] = []
        if self.former is None:
            return found
        try:
            with self.former.reading() as connection:
                names = statement.selected_columns.keys()
                found.extend(
                    dict(zip(names, row, strict=True)) for row in rows(connection, statement)
                )
        except StoreError as error:
            self.troubles.append(f"{what}: only {len(found)} could be kept: {why(error)}")
        return found


@contextlib.contextmanager
def rebuilding(path: Path, holds: Kind | None = None) -> Iterator[Rebuild]:
    """Yield what rebuilds a database, which takes the old one's place in the end.

    If it is interrupted, the former database, which needn't exist, is as before. `holds` is that of
    `Database.open`.

    Raises:
        StoreError: It is in use or was written by a newer version, the new one can't be written, or
            the block raises an OSError.
    """
    path = path.resolve()
    if path.is_dir():
        raise StoreError(f"{path}: {why_closed(path)}")
    part = path.with_name(path.name + ".new")
    with file_lock(path):
        try:
            _remove(part)
            mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
            make_file(part, mode)
            with contextlib.ExitStack() as opened:
                new = opened.enter_context(Database.open(part, holds=holds))
                work = Rebuild(new, None)
                if path.exists():
                    try:
                        work.former = Database.open(path, create=False, check=False)
                        opened.enter_context(work.former)
                    except NewerDatabaseError:
                        raise  # nothing is wrong with it, and all that only it has would be lost
                    except StoreError as error:
                        work.troubles.append(f"nothing could be kept: {why(error)}")
                yield work
            # As it was closed, what its log had of it couldn't be written to the file itself.
            if log_of(part).exists():
                raise StoreError(f"{path}: can't be rebuilt: {part} isn't complete; is there room?")
            if path.exists():
                work.kept_at = _kept_beside(path, is_readable=work.former is not None)
            else:  # SQLite would take the log of a file that was removed for a part of the new one
                _remove(path)
            part.replace(path)
        except OSError as error:
            raise StoreError(
                f"{path}: can't be rebuilt: {error.filename}: {error.strerror}"
            ) from None
        finally:
            _remove(part)


def _kept_beside(path: Path, *, is_readable: bool) -> Path:
    """Give a database that nobody uses another name beside its own, and return it."""
    log = log_of(path)
    is_logged = log.exists() and log.stat().st_size > 0
    if is_logged and is_readable:
        raise StoreError(f"{path}: in use by another program, such as `standings`; try again")
    names = (path.with_name(f"{path.name}.{number}") for number in itertools.count(1))
    kept = next(name for name in names if not name.exists())
    kept.hardlink_to(path)
    if is_logged:
        log.rename(log_of(kept))
    log.unlink(missing_ok=True)
    return kept


def _remove(path: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def in_order(ids: Collection[str], numbers: Mapping[str, int]) -> list[tuple[int, str]]:
    """Return matches in the order in which they are stored again, each after its place.

    That is the order of their former numbers; a match that the former database didn't have comes
    after the last one that began before it, as ids sort by time, and has its number as place.
    """
    known = sorted(numbers)
    places = []
    for id_ in ids:
        before = bisect_right(known, id_)
        number = numbers[known[before - 1]] if before else 0
        places.append((number, id_ not in numbers, id_))
    return [(number, id_) for number, _, id_ in sorted(places)]
