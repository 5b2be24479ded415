"""The catalogue: an index of the records of finished matches, in `DATA/catalogue.db`.

The web page lists matches by game, player and ending, and shows standings over all of them. Reading
every record for that would take minutes, so an SQLite database has one row per match and one per
player of it, with a summary of the match as JSON.

The database is only a cache. Everything in it comes from the records, so it has no migrations and
no backup: if it is damaged, missing or of another schema, it is made anew and `sync` fills it. It
may be deleted whenever the arena doesn't run. `sync` compares the names of the files with the rows,
so records may also be added, moved or removed by hand.

Standings aren't computed from all rows either: the table `totals` has a row of sums for each bot,
which changes in the same transaction as the match's row. Removing a match subtracts what it had
added.

Every method blocks and may be called from any thread; a lock makes them take turns. A long `sync`
gives up the lock after each batch, so that others don't have to wait for all of it.
"""

import contextlib
import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import attrs

from lanista.games import registry
from lanista.games.outcome import Termination
from lanista.match.record import ENDING, BadRecordError
from lanista.results.blocks import points
from lanista.results.data_folder import DataFolder
from lanista.results.summary import summary

SCHEMA = 3
"""Version of the tables, stored as the database's `user_version`; others are made anew."""
COUNTED = frozenset({Termination.FINISHED.value, Termination.FORFEIT.value})
"""The ends of matches that count in the standings (docs/api.md)."""
MAX_MATCHES = 200
"""Maximum number of matches that `Catalogue.matches` returns."""
DEFAULT_MATCHES = 50
"""Default number of matches that `Catalogue.matches` returns."""
BATCH = 200
"""Number of records that are added in one transaction."""

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
    seed TEXT NOT NULL,
    told TEXT NOT NULL   -- the match as JSON, as in docs/api.md but without the title
);
CREATE INDEX matches_by_game ON matches (game, match);
CREATE INDEX matches_by_end ON matches (end, match);
CREATE INDEX matches_by_seed ON matches (seed, match);
CREATE TABLE players (   -- the matches of each player, with the columns to filter by
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


@attrs.define
class Catalogue:
    """The index of one arena's records. Close it, or use it as a context manager."""

    _records: Path
    _database: sqlite3.Connection
    _lock: threading.Lock = attrs.field(factory=threading.Lock)
    _refused: dict[tuple[str, str], str] = attrs.field(factory=dict)

    @classmethod
    def open(cls, data: Path) -> Self:
        """Open the index of an arena, and make it if necessary.

        Args:
            data: The folder with the arena's files; it is made if it doesn't exist.

        Raises:
            OSError: The folder can't be made.
            sqlite3.Error: The database can't be opened or written.
        """
        folder = DataFolder(data)
        data.mkdir(parents=True, exist_ok=True)
        file = folder.catalogue
        try:
            database = _connected(file)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):  # locked, or a full disk: not damaged
                raise
            for ending in ("", "-wal", "-shm"):
                file.with_name(file.name + ending).unlink(missing_ok=True)
            database = _connected(file)
        return cls(folder.records, database)

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, path: Path) -> dict[str, Any]:
        """Add a record, `DATA/records/DAY/MATCH.jsonl.gz`, and return the match as in docs/api.md.

        Raises:
            BadRecordError: The record is incomplete, or of another match than its name says.
            OSError: The record can't be read.
            sqlite3.Error: The database can't be written.
        """
        description = _summary(path)
        with self._lock, self._database:
            self._insert(path.parent.name, description)
        return _titled(description)

    def sync(self, hides: Callable[[str], bool] = lambda _: False) -> int:
        """Add the records that aren't known yet, and remove those that no longer exist.

        Only file names are compared. A record that can't be read is left out, and is then in
        `refused`.

        Args:
            hides: Returns whether a match's record has to be left out for now; `add` may add it
                later.

        Returns:
            How many records were added and removed.

        Raises:
            OSError: The folder can't be read.
            sqlite3.Error: The database can't be written.
        """
        present = dict(_files(self._records))
        with self._lock:
            known = dict(self._database.execute("SELECT match, day FROM matches"))
        gone = [match for match, day in known.items() if present.get(match) != day]
        for batch in _batches(gone):
            with self._lock, self._database:
                for match in batch:
                    self._delete(match)
        self._refused = {
            (match, day): why
            for (match, day), why in self._refused.items()
            if present.get(match) == day
        }
        fresh = [
            (match, day)
            for match, day in present.items()
            if known.get(match) != day and (match, day) not in self._refused and not hides(match)
        ]
        added = 0
        for batch in _batches(fresh):
            descriptions = list(self._read(batch))
            with self._lock, self._database:
                for day, description in descriptions:
                    self._insert(day, description)
            added += len(descriptions)
        return len(gone) + added

    @property
    def refused(self) -> Mapping[Path, str]:
        """The records that `sync` couldn't read, and why; it doesn't try them again."""
        return {
            self._records / day / (match + ENDING): why
            for (match, day), why in self._refused.items()
        }

    def matches(
        self,
        *,
        game: str | None = None,
        player: str | None = None,
        name: str | None = None,
        end: str | None = None,
        seed: str | None = None,
        limit: int = DEFAULT_MATCHES,
        before: str | None = None,
    ) -> tuple[list[dict[str, Any]], str | None]:
        """Return matches as docs/api.md describes them, the newest first.

        Args:
            game: Only matches of this game.
            player: Only matches with a player of exactly this name.
            name: Only matches with a player whose name contains this text; capital and small
                letters of ASCII are the same.
            end: Only matches with this end, a value of `Termination`.
            seed: Only matches with this seed.
            limit: How many at most, from 1 to `MAX_MATCHES`.
            before: Only matches that are older than this cursor.

        Returns:
            The matches, and the cursor for the following ones; None if there are no more.

        Raises:
            ValueError: `limit` is out of its range.
            sqlite3.Error: The database can't be read.
        """
        if not 1 <= limit <= MAX_MATCHES:
            raise ValueError(f"limit {limit}; it is from 1 to {MAX_MATCHES}")
        # Both tables have these columns, and an index in the order of matches.
        source = "matches" if player is None else "players"
        conditions = {"name": player, "game": game, "end": end}
        where = [
            f"{source}.{column} = ?" for column, value in conditions.items() if value is not None
        ]
        values = [value for value in conditions.values() if value is not None]
        if seed is not None:
            where.append("matches.seed = ?")
            values.append(seed)
        if name is not None:
            where.append(
                f"{source}.match IN "  # noqa: S608 - no text from outside
                "(SELECT match FROM players WHERE instr(lower(name), lower(?)))"
            )
            values.append(name)
        if before is not None:
            where.append(f"{source}.match < ?")
            values.append(before)
        query = (
            f"SELECT {source}.match, told FROM matches "  # noqa: S608 - no text from outside
            f"{'' if player is None else 'JOIN players USING (match) '}"
            f"WHERE {' AND '.join(where) or 'TRUE'} ORDER BY {source}.match DESC LIMIT ?"
        )
        with self._lock:
            rows = self._database.execute(query, (*values, limit + 1)).fetchall()
        matches = [_titled(json.loads(text)) for _, text in rows[:limit]]
        return matches, rows[limit - 1][0] if len(rows) > limit else None

    def match(self, match: str) -> dict[str, Any] | None:
        """Return a match as docs/api.md describes it; None if there is no match of this id.

        Raises:
            sqlite3.Error: The database can't be read.
        """
        with self._lock:
            row = self._database.execute(
                "SELECT told FROM matches WHERE match = ?", (match,)
            ).fetchone()
        return None if row is None else _titled(json.loads(row[0]))

    def path(self, match: str) -> Path | None:
        """Return the path of a match's record, as of the last `sync`; None if it is unknown.

        Raises:
            sqlite3.Error: The database can't be read.
        """
        with self._lock:
            row = self._database.execute(
                "SELECT match, day FROM matches WHERE match = ?", (match,)
            ).fetchone()
        return None if row is None else self._records / row[1] / (row[0] + ENDING)

    def standings(self, game: str | None = None) -> list[dict[str, Any]]:
        """Return the standings of all games, or of one, as docs/api.md describes them.

        A win is the best rank alone, a draw is the best rank together with others, and anything
        else is a loss. A bot that has played against itself counts once for each of its seats.

        Args:
            game: The name of a game; None for all games that were played.

        Raises:
            sqlite3.Error: The database can't be read.
        """
        with self._lock:
            # In one transaction, so that both tables are read as of the same moment.
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
                continue  # it was removed since the folder was listed
            except OSError as error:
                self._refused[match, day] = f"can't be read: {error.strerror}"
            except BadRecordError as error:
                self._refused[match, day] = str(error)

    def _insert(self, day: str, description: Mapping[str, Any]) -> None:
        match, game, end = description["match"], description["game"], description["end"]
        self._delete(match)
        self._database.execute(
            "INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?)",
            (match, day, game, end, description["seed"], json.dumps(description)),
        )
        self._database.executemany(
            "INSERT INTO players VALUES (?, ?, ?, ?)",
            [(name, match, game, end) for name in sorted(set(description["players"]))],
        )
        self._count(description, 1)

    def _delete(self, match: str) -> None:
        row = self._database.execute(
            "SELECT told FROM matches WHERE match = ?", (match,)
        ).fetchone()
        if row is not None:
            self._count(json.loads(row[0]), -1)
            self._database.execute("DELETE FROM matches WHERE match = ?", (match,))
            self._database.execute("DELETE FROM players WHERE match = ?", (match,))

    def _count(self, description: Mapping[str, Any], sign: int) -> None:
        """Add a match to the totals (sign 1), or subtract it from them (sign -1)."""
        if description["end"] not in COUNTED:
            return
        game, ranks = description["game"], description["ranks"]
        best = ranks.count(1)
        seats = zip(
            description["players"], ranks, points(ranks), description["faults"], strict=True
        )
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
    """Open the database; make its tables anew if they are of another schema."""
    # Several threads may share the connection, because `Catalogue` has a lock.
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


def _files(records: Path) -> Iterator[tuple[str, str]]:
    """Yield the match id and the day of every record in a folder, in order of days."""
    with contextlib.suppress(FileNotFoundError):
        for day in sorted(entry.name for entry in os.scandir(records) if entry.is_dir()):
            with contextlib.suppress(FileNotFoundError), os.scandir(records / day) as entries:
                for entry in entries:
                    if entry.name.endswith(ENDING):
                        yield entry.name.removesuffix(ENDING), day


def _batches(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (items[start : start + BATCH] for start in range(0, len(items), BATCH))


def _summary(path: Path) -> dict[str, Any]:
    description = summary(path)
    if description["match"] + ENDING != path.name:
        raise BadRecordError(
            f"{path}: the record of match {description['match']!a}; its name has another id"
        )
    return description


def _titled(description: dict[str, Any]) -> dict[str, Any]:
    """Add the title of the game, which isn't stored: the game may be installed later."""
    return {**description, "title": _title(description["game"])}


def _title(game: str) -> str:
    try:
        return registry.get(game).title
    except registry.UnknownGameError:
        return game
