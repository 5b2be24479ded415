"""The list of an arena's matches that are over, kept in step with its folder of records.

The web page lists matches by game, player and ending, and shows standings over all of them. They
are rows of the arena's SQLite database (`results.listed`), also if results are in PostgreSQL. A
match on a ladder whose results are in it is listed by its result; any other match that has a record
is stored only for the list. `sync` compares the names of the files with the rows, so records may
also be added, moved or removed by hand.

Standings are sums over all matches, kept in memory, to which those of newer matches are added.
"""

import contextlib
import os
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import attrs

from lanista.games.outcome import Termination
from lanista.match.record import ENDING, BadRecordError, Header, ResultInfo
from lanista.results.base import Database
from lanista.results.blocks import points
from lanista.results.data_folder import DataFolder
from lanista.results.listed import ListedMatch, MatchRows, SeatTotal
from lanista.results.recorded import read_whole, title_of

BATCH = 200
"""Number of records that are added in one transaction."""


@attrs.define
class _Total:
    """The sums of a bot in a game."""

    matches: int = 0
    halves: int = 0
    """Points times two."""
    wins: int = 0
    """The best rank, alone."""
    draws: int = 0
    """The best rank, together with others."""
    faults: int = 0

    def add(self, total: SeatTotal) -> None:
        rank, best = total.ranks[total.seat], total.ranks.count(1)
        self.matches += total.matches
        self.halves += int(2 * points(total.ranks)[total.seat]) * total.matches
        self.wins += (rank == best == 1) * total.matches
        self.draws += (rank == 1 < best) * total.matches
        self.faults += total.faults


@attrs.define
class _Totals:
    """The sums over all matches that count up to one of them."""

    until: int = 0
    """The number of the last match that is in them."""
    matches: dict[str, int] = attrs.field(factory=dict)
    """By game."""
    bots: dict[str, dict[str, _Total]] = attrs.field(factory=dict)
    """By game and bot."""


@attrs.define
class MatchList:
    """The list of one arena's matches. Close it, or use it as a context manager.

    Every method blocks, may be called from any thread, and raises `StoreError` if the database
    can't be used.
    """

    _records: Path
    _database: Database
    _ladders: Collection[str]
    _rows: MatchRows
    _refused: dict[tuple[str, str], str] = attrs.field(factory=dict, init=False)
    _totals: _Totals = attrs.field(factory=_Totals, init=False)
    _one_thread: threading.Lock = attrs.field(factory=threading.Lock, init=False)
    """Held while `_totals` is used."""

    @classmethod
    def open(cls, data: DataFolder, ladders: Collection[str] = ()) -> Self:
        """Open the list of an arena, and make its database if necessary.

        Of the matches of `ladders`, whose results are in the same database, only aborted ones are
        stored for the list.
        """
        # If there are ladders, the arena has looked for damage.
        # The list can be made again from the records, so it needn't wait for the disk.
        database = Database.of_arena(data, check=not ladders, is_lasting=False)
        return cls(data.records, database, ladders, MatchRows(database))

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, *paths: Path) -> None:
        """Add records, `DATA/records/DAY/MATCH.jsonl.gz`, except those of a ladder's results.

        All that can be read are added, whatever is raised of another.

        Raises:
            BadRecordError: A record is incomplete, or of another match than its name says.
            OSError: A record can't be read.
        """
        matches = []
        trouble: OSError | BadRecordError | None = None
        for path in paths:
            try:
                matches.append(self._read(path))
            except (OSError, BadRecordError) as error:
                trouble = error
        self._rows.add([match for match in matches if match is not None])
        if trouble is not None:
            raise trouble

    def sync(self, hides: Callable[[str], bool] = lambda _: False) -> int:
        """Add the records that aren't known yet, and remove matches whose records are gone.

        Only file names are compared. A record that can't be read is left out, and is then in
        `refused`. The result of a ladder's match stays in the list, with its record or without.

        Args:
            hides: Returns whether a match's record has to be left out until `add` adds it.

        Returns:
            How many matches were added, removed, or found elsewhere.

        Raises:
            OSError: The folder can't be read.
        """
        present = dict(record_days(self._records))
        known = self._rows.known()
        gone = [id_ for id_, (_, is_own) in known.items() if is_own and id_ not in present]
        moved = {
            id_: record_of(id_, present[id_])
            for id_, (record, _) in known.items()
            if id_ in present and record != record_of(id_, present[id_])
        }
        if gone:
            self._rows.remove(gone)
            with self._one_thread:
                self._totals = _Totals()
        if moved:
            self._rows.move(moved)
        self._refused = {
            (id_, day): why for (id_, day), why in self._refused.items() if present.get(id_) == day
        }
        # Ids sort by time, and so do days.
        fresh = sorted(
            (day, id_)
            for id_, day in present.items()
            if id_ not in known and (id_, day) not in self._refused and not hides(id_)
        )
        added = 0
        for start in range(0, len(fresh), BATCH):
            matches = list(self._read_all(fresh[start : start + BATCH]))
            self._rows.add(matches)
            added += len(matches)
        return len(gone) + len(moved) + added

    @property
    def refused(self) -> Mapping[Path, str]:
        """The records that `sync` couldn't read, and why; it doesn't try them again."""
        return {
            self._records / record_of(id_, day): why for (id_, day), why in self._refused.items()
        }

    def matches(
        self, *, limit: int, before: int | None = None, **filters: str | None
    ) -> tuple[list[dict[str, Any]], int | None]:
        """Return matches as docs/api.md describes them, the newest first.

        Args:
            limit: How many at most.
            before: Only matches that are older than this cursor.
            filters: `game`, `player`, `name`, `end` and `seed` of `MatchRows.matches`.

        Returns:
            The matches, and the cursor for the following ones; None if there are no more.
        """
        return self._rows.matches(limit=limit, before=before, **filters)

    def match(self, id_: str) -> dict[str, Any] | None:
        """Return a match as docs/api.md describes it; None if there is no match of this id."""
        found = self._rows.match(id_)
        return None if found is None else found[0]

    def path(self, id_: str) -> Path | None:
        """Return the path of a match's record, as of the last `sync`; None if it is unknown."""
        found = self._rows.match(id_)
        if found is None or found[1] is None:
            return None
        path = self._records / found[1]
        return path if path.is_file() else None

    def standings(self) -> list[dict[str, Any]]:
        """Return the standings of all games as docs/api.md describes them.

        A win is the best rank alone, a draw is the best rank together with others, and anything
        else is a loss. A bot that has played against itself counts once for each of its seats.
        """
        with self._one_thread:
            totals = self._totals
            found, matches, totals.until = self._rows.totals(totals.until)
            for name, count in matches.items():
                totals.matches[name] = totals.matches.get(name, 0) + count
            for one in found:
                totals.bots.setdefault(one.game, {}).setdefault(one.bot, _Total()).add(one)
            return [
                {
                    "game": name,
                    "title": title_of(name),
                    "matches": count,
                    "rows": list(_table(totals.bots[name])),
                }
                for name, count in sorted(totals.matches.items())
            ]

    def _read_all(self, batch: Sequence[tuple[str, str]]) -> Iterator[ListedMatch]:
        for day, id_ in batch:
            try:
                match = self._read(self._records / record_of(id_, day))
            except FileNotFoundError:
                continue  # it was removed since the folder was listed
            except OSError as error:
                self._refused[id_, day] = f"can't be read: {error.strerror}"
            except BadRecordError as error:
                self._refused[id_, day] = str(error)
            else:
                if match is not None:
                    yield match

    def _read(self, path: Path) -> ListedMatch | None:
        """Read a record; return None if its match is listed by the result of a ladder."""
        header, result = read_record(path)
        ladder = None if header.ladder is None else header.ladder.name
        if ladder in self._ladders and result.end != Termination.ABORTED.value:
            return None
        return ListedMatch(header, result, f"{path.parent.name}/{path.name}")


def read_record(path: Path) -> tuple[Header, ResultInfo]:
    """Return the header and the result of a record in an arena's folder.

    Raises:
        BadRecordError: The record is incomplete, or of another match than its name says.
        OSError: The record can't be read.
    """
    header, result = read_whole(path)
    if header.match + ENDING != path.name:
        raise BadRecordError(
            f"{path}: the record of match {header.match!a}; its name has another id"
        )
    return header, result


def _table(bots: Mapping[str, _Total]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table of standings."""
    rank, points_before = 0, -1
    in_order = sorted(bots.items(), key=lambda item: (-item[1].halves, item[0]))
    for place, (name, total) in enumerate(in_order, 1):
        if total.halves != points_before:
            rank, points_before = place, total.halves
        yield {
            "rank": rank,
            "name": name,
            "matches": total.matches,
            "points": total.halves / 2,
            "wins": total.wins,
            "draws": total.draws,
            "losses": total.matches - total.wins - total.draws,
            "faults": total.faults,
        }


def record_of(id_: str, day: str) -> str:
    """Return the path of a match's record, relative to the folder of records."""
    return f"{day}/{id_}{ENDING}"


def record_days(records: Path, first: str = "") -> Iterator[tuple[str, str]]:
    """Yield the match id and the day of every record in a folder, in order of days, from one on."""
    with contextlib.suppress(FileNotFoundError):
        days = (entry.name for entry in os.scandir(records) if entry.is_dir())
        for day in sorted(day for day in days if day >= first):
            with contextlib.suppress(FileNotFoundError), os.scandir(records / day) as entries:
                for entry in entries:
                    if entry.name.endswith(ENDING):
                        yield entry.name.removesuffix(ENDING), day
