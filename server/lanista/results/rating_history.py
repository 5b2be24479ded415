"""The ratings on a ladder at earlier times: snapshots of its table, as they were computed then.

At most one in two minutes is kept of each ladder, for three hours, so that the curve of a class's
evening shows it; then one an hour, for two days; then one for each of the last 400 days that have
any. So a ladder of a thousand bots has little more than half a million rows, however much is
played.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import attrs
import sqlalchemy as sa

from lanista.results.database import Store
from lanista.results.match_result import Estimate
from lanista.results.schema import RATINGS, SNAPSHOTS

EVERY = timedelta(minutes=2)
"""Minimum time between two snapshots."""
ALL_FOR = timedelta(hours=3)
"""How long every snapshot is kept."""
HOURLY_FOR = timedelta(days=2)
"""How long the first snapshot of an hour is kept."""
DAYS = 400
"""Number of days whose first snapshot is kept.

They aren't counted from now: a clock that is a year ahead must not remove what was before.
"""


@attrs.frozen
class RatingHistory:
    """The snapshots of a ladder in an arena's database; methods raise `StoreError`."""

    ladder: Store

    def add(self, taken: datetime, ratings: Mapping[str, Estimate]) -> None:
        """Keep a snapshot of this time (UTC) unless the last one is too new; remove old ones."""
        with self.ladder.database.reading() as connection:
            if self._has_one(connection, taken):
                return
        with self.ladder.database.writing() as connection:
            if self._has_one(connection, taken):  # another process has taken one
                return
            key = {"competition": self.ladder.competition, "taken": _text(taken)}
            connection.execute(SNAPSHOTS.insert().values(key))
            rows = [
                {**key, "bot": bot, "rating": rated.value, "low": rated.low, "high": rated.high}
                for bot, rated in ratings.items()
            ]
            if rows:
                connection.execute(RATINGS.insert(), rows)
            old = self._superfluous(connection, taken)
            for table in (RATINGS, SNAPSHOTS):
                condition = self.ladder.of(table) & table.c.taken.in_(old)
                connection.execute(table.delete().where(condition))

    def _has_one(self, connection: sa.Connection, now: datetime) -> bool:
        # A little later than now are those of another arena, whose clock is ahead. What is much
        # later doesn't count: this clock was ahead when it was taken.
        taken = SNAPSHOTS.c.taken
        recent = taken > _text(now - EVERY), taken < _text(now + EVERY), self.ladder.of(SNAPSHOTS)
        return bool(connection.scalar(sa.select(sa.exists().where(*recent))))

    def _superfluous(self, connection: sa.Connection, now: datetime) -> list[str]:
        """Return the snapshots that needn't be kept any longer."""
        hourly, all_since = (_text(now - age) for age in (HOURLY_FOR, ALL_FOR))
        query = sa.select(SNAPSHOTS.c.taken).where(self.ladder.of(SNAPSHOTS))
        all_ = list(connection.scalars(query.order_by(SNAPSHOTS.c.taken)))
        oldest = sorted({taken[: len("2026-01-01")] for taken in all_})[-DAYS:][0]
        had: set[str] = set()
        superfluous = []
        for taken in all_:
            day, hour = taken[: len("2026-01-01")], taken[: len("2026-01-01T00")]
            is_late = taken < hourly and day in had
            if day < oldest or is_late or (taken < all_since and hour in had):
                superfluous.append(taken)
            had |= {day, hour}
        return superfluous

    def at(self, moment: datetime) -> Mapping[str, float]:
        """Return the ratings by bot as they were at a moment; none if nothing is known of it."""
        last = sa.select(sa.func.max(SNAPSHOTS.c.taken)).where(
            self.ladder.of(SNAPSHOTS), SNAPSHOTS.c.taken <= _text(moment)
        )
        of_last = (self.ladder.of(RATINGS), RATINGS.c.taken == last.scalar_subquery())
        with self.ladder.database.reading() as connection:
            ratings = sa.select(RATINGS.c.bot, RATINGS.c.rating).where(*of_last)
            return dict(connection.execute(ratings).all())

    def of_bot(self, bot: str) -> list[tuple[str, Estimate]]:
        """Return each snapshot's time (UTC, ISO 8601) and the bot's rating, the oldest first."""
        snapshots = sa.select(SNAPSHOTS.c.taken).where(self.ladder.of(SNAPSHOTS))
        ratings = (
            sa.select(RATINGS.c.taken, RATINGS.c.rating, RATINGS.c.low, RATINGS.c.high)
            # By the key, one snapshot after another: there is no index of bots.
            .where(self.ladder.of(RATINGS), RATINGS.c.taken.in_(snapshots), RATINGS.c.bot == bot)
            .order_by(RATINGS.c.taken)
        )
        with self.ladder.database.reading() as connection:
            return [
                (taken, Estimate(value=value, low=low, high=high))
                for taken, value, low, high in connection.execute(ratings)
            ]


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")
