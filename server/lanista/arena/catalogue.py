"""The matches that are over: an index of their records in `DATA/catalogue.db`, and standings.

A cache: what it tells is in the records, and it may be deleted whenever the arena doesn't run; it
is made again from them. Every method blocks and may be called from any thread. No record is
written here, no rule decided.
"""

import contextlib
import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import attrs

from lanista.match.record import ENDING, BadRecordError
from lanista.playback.summary import summary
from lanista.rules import registry
from lanista.rules.outcome import Termination

FILE = "catalogue.db"
SCHEMA = 1
"""Kept in the database's `user_version`; one of another number is made anew."""
COUNTED = frozenset({Termination.FINISHED.value, Termination.FORFEIT.value})
"""Ends of matches that count in the standings (docs/api.md)."""
MOST = 200
"""Matches that are told at once."""
USUAL = 50
BATCH = 200
"""Records that are added between two commits; others may ask in between."""

_TABLES = f"""
BEGIN;
DROP TABLE IF EXISTS matches;
DROP TABLE IF EXISTS players;
DROP TABLE IF EXISTS totals;
DROP TABLE IF EXISTS games;
CREATE TABLE matches (
    match TEXT PRIMARY KEY,
    day TEXT NOT NULL,   -- the folder of its record
    game TEXT NOT NULL,
    end TEXT NOT NULL,
    told TEXT NOT NULL   -- JSON of what the interface tells of it
);
CREATE INDEX matches_by_game ON matches (game, match);
CREATE INDEX matches_by_end ON matches (end, match);
CREATE TABLE players (   -- who played where, with what can be asked for besides
    name TEXT NOT NULL,
    match TEXT NOT NULL,
    game TEXT NOT NULL,
    end TEXT NOT NULL,
    PRIMARY KEY (name, match)
) WITHOUT ROWID;
CREATE INDEX players_by_match ON players (match);
CREATE TABLE totals (    -- over all matches that count
    game TEXT NOT NULL,
    name TEXT NOT NULL,
    matches INTEGER NOT NULL,
    halves INTEGER NOT NULL,   -- points times two
    wins INTEGER NOT NULL,     -- the best rank, alone
    draws INTEGER NOT NULL,    -- the best rank, with others
    faults INTEGER NOT NULL,
    PRIMARY KEY (game, name)
) WITHOUT ROWID;
CREATE TABLE games (game TEXT PRIMARY KEY, matches INTEGER NOT NULL) WITHOUT ROWID;
PRAGMA user_version = {SCHEMA};
COMMIT;
"""
_ADD_TO_TOTALS = """
INSERT INTO totals VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    matches = matches + excluded.matches, halves = halves + excluded.halves,
    wins = wins + excluded.wins, draws = draws + excluded.draws, faults = faults + excluded.faults
"""
_ADD_TO_GAMES = """
INSERT INTO games VALUES (?, ?) ON CONFLICT DO UPDATE SET matches = matches + excluded.matches
"""


def points(ranks: Sequence[int]) -> tuple[float, ...]:
    """By seat: 1 for every other seat placed below, a half for every one placed alike.

    In a match of two that is 1 for a win and a half for a draw (docs/api.md).
    """
    return tuple(
        sum(rank < other for other in ranks) + (sum(rank == other for other in ranks) - 1) / 2
        for rank in ranks
    )


@attrs.define
class Catalogue:
    """The index of one arena's records. Close it, or use it as a context."""

    _records: Path
    _database: sqlite3.Connection
    _lock: threading.Lock = attrs.field(factory=threading.Lock)
    _refused: dict[tuple[str, str], str] = attrs.field(factory=dict)

    @classmethod
    def open(cls, data: Path) -> Self:
        """Open the index of the arena whose files are in `data`; it is made when it isn't there.

        Raises:
            OSError: The folder can't be made.
            sqlite3.Error: The file can't be opened or written.
        """
        data.mkdir(parents=True, exist_ok=True)
        file = data / FILE
        try:
            database = _connected(file)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):  # locked, a full disk: not its content
                raise
            for ending in ("", "-wal", "-shm"):
                file.with_name(FILE + ending).unlink(missing_ok=True)
            database = _connected(file)
        return cls(data / "records", database)

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, path: Path) -> dict[str, Any]:
        """Add a record, `DATA/records/DAY/MATCH.jsonl.gz`; what the interface tells of the match.

        Raises:
            BadRecordError: It is no whole record, or of another match than its name says.
            OSError: It can't be read.
            sqlite3.Error: The database can't be written.
        """
        told = _summary(path)
        with self._lock, self._database:
            self._insert(path.parent.name, told)
        return _titled(told)

    def sync(self) -> int:
        """Add the records that aren't known yet, forget those that have gone; how many both are.

        Compares names alone. A record that can't be read is left out and is then in `refused`.

        Raises:
            OSError: The folder can't be read.
            sqlite3.Error: The database can't be written.
        """
        found = dict(_found(self._records))
        with self._lock:
            known = dict(self._database.execute("SELECT match, day FROM matches"))
        gone = [match for match, day in known.items() if found.get(match) != day]
        for batch in _batches(gone):
            with self._lock, self._database:
                for match in batch:
                    self._delete(match)
        self._refused = {at: why for at, why in self._refused.items() if found.get(at[0]) == at[1]}
        fresh = [
            at for at in found.items() if known.get(at[0]) != at[1] and at not in self._refused
        ]
        added = 0
        for batch in _batches(fresh):
            read = list(self._read(batch))
            with self._lock, self._database:
                for day, told in read:
                    self._insert(day, told)
            added += len(read)
        return len(gone) + added

    @property
    def refused(self) -> Mapping[Path, str]:
        """The records that `sync` found and couldn't read, and why; not tried again."""
        return {
            self._records / day / (match + ENDING): why
            for (match, day), why in self._refused.items()
        }

    def matches(
        self,
        *,
        game: str | None = None,
        player: str | None = None,
        end: str | None = None,
        limit: int = USUAL,
        before: str | None = None,
    ) -> tuple[list[dict[str, Any]], str | None]:
        """Matches as docs/api.md tells them, the newest first, and the cursor of those behind.

        Args:
            game: Only of this game.
            player: Only with a player of exactly this name.
            end: Only those that ended so, a word of `Termination`.
            limit: How many at most, 1 to `MOST`.
            before: Only those older than this cursor.

        Raises:
            ValueError: `limit` is out of its range.
            sqlite3.Error: The database can't be read.
        """
        if not 1 <= limit <= MOST:
            raise ValueError(f"limit {limit}; it is from 1 to {MOST}")
        # Either table is in the order of its matches, and has all that is asked for.
        source = "matches" if player is None else "players"
        conditions = {"name": player, "game": game, "end": end}
        where = [
            f"{source}.{column} = ?" for column, value in conditions.items() if value is not None
        ]
        given = [value for value in conditions.values() if value is not None]
        if before is not None:
            where.append(f"{source}.match < ?")
            given.append(before)
        query = (
            f"SELECT {source}.match, told FROM matches "  # noqa: S608 - words of ours alone
            f"{'' if player is None else 'JOIN players USING (match) '}"
            f"WHERE {' AND '.join(where) or 'TRUE'} ORDER BY {source}.match DESC LIMIT ?"
        )
        with self._lock:
            rows = self._database.execute(query, (*given, limit + 1)).fetchall()
        shown = [_titled(json.loads(told)) for _, told in rows[:limit]]
        return shown, rows[limit - 1][0] if len(rows) > limit else None

    def match(self, match: str) -> dict[str, Any] | None:
        """What docs/api.md tells of a match; None: there is none of this id.

        Raises:
            sqlite3.Error: The database can't be read.
        """
        with self._lock:
            row = self._database.execute(
                "SELECT told FROM matches WHERE match = ?", (match,)
            ).fetchone()
        return None if row is None else _titled(json.loads(row[0]))

    def path(self, match: str) -> Path | None:
        """Where the record of a match is, or was when it was last looked for; None: unknown.

        Raises:
            sqlite3.Error: The database can't be read.
        """
        with self._lock:
            row = self._database.execute(
                "SELECT match, day FROM matches WHERE match = ?", (match,)
            ).fetchone()
        return None if row is None else self._records / row[1] / (row[0] + ENDING)

    def standings(self, game: str | None = None) -> list[dict[str, Any]]:
        """The standings of every game that was played, or of one, as docs/api.md says.

        A win is the best rank alone, a draw the best rank with others, all else a loss. A bot that
        played against itself counts once for each of its seats.

        Raises:
            sqlite3.Error: The database can't be read.
        """
        with self._lock:
            # One transaction: both tables as they are at the same moment.
            self._database.execute("BEGIN")
            with self._database:
                counts = self._database.execute(
                    "SELECT game, matches FROM games "
                    "WHERE matches > 0 AND (game = ?1 OR ?1 IS NULL) ORDER BY game",
                    (game,),
                ).fetchall()
                rows = self._database.execute(
                    "SELECT game, name, matches, halves, wins, draws, faults FROM totals "
                    "WHERE matches > 0 AND (game = ?1 OR ?1 IS NULL) "
                    "ORDER BY game, halves DESC, name",
                    (game,),
                ).fetchall()
        by_game: dict[str, list[dict[str, Any]]] = {name: [] for name, _ in counts}
        for name_of_game, name, matches, halves, wins, draws, faults in rows:
            table = by_game[name_of_game]
            alike = bool(table) and table[-1]["points"] == halves / 2
            table.append(
                {
                    "rank": table[-1]["rank"] if alike else len(table) + 1,
                    "name": name,
                    "matches": matches,
                    "points": halves / 2,
                    "wins": wins,
                    "draws": draws,
                    "losses": matches - wins - draws,
                    "faults": faults,
                }
            )
        return [
            {"game": name, "title": _title(name), "matches": count, "rows": by_game[name]}
            for name, count in counts
        ]

    def _read(self, batch: Sequence[tuple[str, str]]) -> Iterator[tuple[str, dict[str, Any]]]:
        for match, day in batch:
            try:
                yield day, _summary(self._records / day / (match + ENDING))
            except FileNotFoundError:
                continue  # removed since it was found
            except OSError as error:
                self._refused[match, day] = f"can't be read: {error.strerror}"
            except BadRecordError as error:
                self._refused[match, day] = str(error)

    def _insert(self, day: str, told: Mapping[str, Any]) -> None:
        match, game, end = told["match"], told["game"], told["end"]
        self._delete(match)
        self._database.execute(
            "INSERT INTO matches VALUES (?, ?, ?, ?, ?)", (match, day, game, end, json.dumps(told))
        )
        self._database.executemany(
            "INSERT INTO players VALUES (?, ?, ?, ?)",
            [(name, match, game, end) for name in sorted(set(told["players"]))],
        )
        self._count(told, 1)

    def _delete(self, match: str) -> None:
        row = self._database.execute(
            "SELECT told FROM matches WHERE match = ?", (match,)
        ).fetchone()
        if row is not None:
            self._count(json.loads(row[0]), -1)
            self._database.execute("DELETE FROM matches WHERE match = ?", (match,))
            self._database.execute("DELETE FROM players WHERE match = ?", (match,))

    def _count(self, told: Mapping[str, Any], sign: int) -> None:
        """Add a match to the totals, or take it out."""
        if told["end"] not in COUNTED:
            return
        game, ranks = told["game"], told["ranks"]
        best = ranks.count(1)
        seats = zip(told["players"], ranks, points(ranks), told["faults"], strict=True)
        self._database.executemany(
            _ADD_TO_TOTALS,
            [
                (
                    *(game, name, sign, sign * int(2 * score)),
                    *(sign * (rank == best == 1), sign * (rank == 1 < best), sign * faults),
                )
                for name, rank, score, faults in seats
            ],
        )
        self._database.execute(_ADD_TO_GAMES, (game, sign))


def _connected(file: Path) -> sqlite3.Connection:
    """The database with its tables, those of another schema dropped."""
    # A lock of ours keeps threads apart.
    database = sqlite3.connect(file, check_same_thread=False)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version != SCHEMA:
            database.executescript(_TABLES)
    except BaseException:
        database.close()
        raise
    return database


def _found(records: Path) -> Iterator[tuple[str, str]]:
    """Match and day of every record there, by day."""
    with contextlib.suppress(FileNotFoundError):
        for day in sorted(entry.name for entry in os.scandir(records) if entry.is_dir()):
            with contextlib.suppress(FileNotFoundError), os.scandir(records / day) as entries:
                for entry in entries:
                    if entry.name.endswith(ENDING):
                        yield entry.name.removesuffix(ENDING), day


def _batches(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (items[at : at + BATCH] for at in range(0, len(items), BATCH))


def _summary(path: Path) -> dict[str, Any]:
    told = summary(path)
    if told["match"] + ENDING != path.name:
        raise BadRecordError(
            f"{path}: the record of match {told['match']!a}; its name says another"
        )
    return told


def _titled(told: dict[str, Any]) -> dict[str, Any]:
    """Not stored: a game may be installed later than it was played."""
    return {**told, "title": _title(told["game"])}


def _title(game: str) -> str:
    try:
        return registry.get(game).title
    except registry.UnknownGameError:
        return game
