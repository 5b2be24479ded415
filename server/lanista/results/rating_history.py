"""What the ratings on ladders were: snapshots of their tables, in an SQLite file of the arena.

A table says what is known now; how a bot came there is shown by snapshots of earlier tables, as
they were computed then. At most one an hour is kept of each ladder, for two days; then one a day,
for 400 days. So a ladder of a thousand bots has less than half a million rows, however much is
played.

The file is the arena's own, also where results are in PostgreSQL. Nothing else depends on it:
without it tables have no trends, and bots no curves, until there are new snapshots.
"""

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple, Self

import attrs

from lanista.results.errors import sqlite_error

HOURLY_FOR = timedelta(days=2)
"""How long every snapshot is kept, of which there is one an hour."""
DAILY_FOR = timedelta(days=400)
"""How long the first snapshot of a day is kept."""
PATIENCE = 5.0
"""Seconds to wait for another process."""

_TABLES = """
CREATE TABLE IF NOT EXISTS snapshots (
    ladder TEXT NOT NULL,
    taken TEXT NOT NULL,   -- UTC, ISO 8601, in full seconds
    PRIMARY KEY (ladder, taken)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ratings (
    ladder TEXT NOT NULL,
    taken TEXT NOT NULL,   -- of a snapshot
    bot TEXT NOT NULL,
    rating REAL NOT NULL,
    low REAL,              -- the ends of its interval, where it has them
    high REAL,
    PRIMARY KEY (ladder, taken, bot)
) WITHOUT ROWID;
"""


class Rated(NamedTuple):
    """A bot's rating with its interval."""

    rating: float
    low: float | None
    high: float | None


@attrs.frozen
class RatingHistory:
    """The snapshots of all ladders of an arena. Close it, or use it as a context manager."""

    _path: Path
    _database: sqlite3.Connection

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the file, and make it if necessary.

        Raises:
            StoreError: It can't be opened or written, or is damaged.
        """
        with _store_errors(path):
            database = sqlite3.connect(path, timeout=PATIENCE)
            try:
                database.execute("PRAGMA journal_mode = WAL")
                database.executescript(_TABLES)
            except BaseException:
                database.close()
                raise
        return cls(path, database)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, ladder: str, taken: datetime, ratings: Mapping[str, Rated]) -> bool:
        """Keep a snapshot unless there is one of the same hour, and remove what is too old.

        Args:
            ladder: The ladder's name.
            taken: When it was taken, in UTC.
            ratings: The ratings by bot.

        Returns:
            Whether it was kept.

        Raises:
            StoreError: It can't be written.
        """
        hour = _text(taken.replace(minute=0, second=0))
        with _store_errors(self._path), self._database as database:
            database.execute("BEGIN IMMEDIATE")
            newest = database.execute(
                "SELECT max(taken) FROM snapshots WHERE ladder = ?", (ladder,)
            ).fetchone()[0]
            if newest is not None and newest >= hour:
                return False
            database.execute("INSERT INTO snapshots VALUES (?, ?)", (ladder, _text(taken)))
            database.executemany(
                "INSERT INTO ratings VALUES (?, ?, ?, ?, ?, ?)",
                [(ladder, _text(taken), bot, *rated) for bot, rated in ratings.items()],
            )
            old = self._superfluous(ladder, taken)
            for table in ("snapshots", "ratings"):
                database.executemany(
                    f"DELETE FROM {table} WHERE ladder = ? AND taken = ?",  # noqa: S608 - our words
                    [(ladder, one) for one in old],
                )
        return True

    def _superfluous(self, ladder: str, now: datetime) -> list[str]:
        """Return the snapshots that needn't be kept any longer."""
        oldest, hourly = _text(now - DAILY_FOR), _text(now - HOURLY_FOR)
        days: set[str] = set()
        superfluous = []
        for taken in self._snapshots(ladder):
            day = taken[: len("2026-01-01")]
            if taken < oldest or (taken < hourly and day in days):
                superfluous.append(taken)
            days.add(day)
        return superfluous

    def at(self, ladder: str, moment: datetime) -> Mapping[str, float]:
        """Return the ratings by bot as they were at a moment; none if nothing is known of it.

        Raises:
            StoreError: It can't be read.
        """
        with _store_errors(self._path):
            rows = self._database.execute(
                "SELECT bot, rating FROM ratings WHERE ladder = ?1 AND taken = "
                "(SELECT max(taken) FROM snapshots WHERE ladder = ?1 AND taken <= ?2)",
                (ladder, _text(moment)),
            )
            return dict(rows.fetchall())

    def of_bot(self, ladder: str, bot: str) -> list[tuple[str, Rated]]:
        """Return a bot's rating in each snapshot, with its time: UTC, ISO 8601; the oldest first.

        Raises:
            StoreError: It can't be read.
        """
        with _store_errors(self._path):
            rows = self._database.execute(
                "SELECT taken, rating, low, high FROM snapshots JOIN ratings USING (ladder, taken) "
                "WHERE ladder = ? AND bot = ? ORDER BY taken",
                (ladder, bot),
            )
            return [(taken, Rated(*rated)) for taken, *rated in rows]

    def _snapshots(self, ladder: str) -> list[str]:
        rows = self._database.execute(
            "SELECT taken FROM snapshots WHERE ladder = ? ORDER BY taken", (ladder,)
        )
        return [taken for (taken,) in rows]


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")


@contextlib.contextmanager
def _store_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise sqlite_error(path, error) from None
