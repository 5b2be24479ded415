"""Matches that are stored one by one: their numbers and times, and bots that are struck."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_VOID = sa.text("termination = 'void'")
_FAILED = sa.text("ending NOT IN ('normal', 'void')")
_MATCH = (
    "block, seating, attempt, number, committed, termination, reason, ranks, scores, turns, "
    "digest, seconds, stall, record"
)
_SEAT = "match, seat, bot, ending, words, late, malformed, illegal"


def upgrade() -> None:
    """Number the matches, give seats the number of their match, move the times to the matches."""
    # Keys can't be changed in SQLite, so the rows are set aside while the tables are made anew.
    op.execute(
        "CREATE TEMPORARY TABLE old_matches AS SELECT matches.*, committed, "
        "row_number() OVER (ORDER BY block, ordinal) AS number "
        "FROM matches JOIN blocks ON blocks.number = matches.block"
    )
    op.execute(
        "CREATE TEMPORARY TABLE old_seats AS SELECT seats.*, old_matches.number AS match "
        "FROM seats JOIN old_matches ON seats.block = old_matches.block "
        "AND seats.seating = old_matches.seating AND seats.attempt = old_matches.attempt"
    )
    op.drop_table("seats")
    op.drop_table("matches")
    _make_matches()
    _make_seats()
    op.execute(f"INSERT INTO matches ({_MATCH}) SELECT {_MATCH} FROM old_matches")  # noqa: S608
    op.execute(f"INSERT INTO seats ({_SEAT}) SELECT {_SEAT} FROM old_seats")  # noqa: S608
    op.execute("DROP TABLE old_seats")
    op.execute("DROP TABLE old_matches")
    op.drop_column("blocks", "committed")
    # These notes were numbers of blocks.
    last = "(SELECT coalesce(max(matches.number), 0) FROM matches WHERE block <= {})"
    op.execute(f"UPDATE bots SET since = {last.format('since')}")  # noqa: S608 - as above
    op.execute(f"UPDATE unbenched SET number = {last.format('unbenched.number')}")  # noqa: S608
    op.create_table(
        "struck",
        sa.Column("bot", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("bot", name="pk_struck"),
        sqlite_with_rowid=False,
    )


def _make_matches() -> None:
    op.create_table(
        "matches",
        sa.Column("block", sa.Integer, nullable=False),
        sa.Column("seating", sa.Integer, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("committed", sa.Text, nullable=False),
        sa.Column("termination", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("ranks", sa.Text, nullable=False),
        sa.Column("scores", sa.Text, nullable=False),
        sa.Column("turns", sa.Integer, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("seconds", sa.Double, nullable=False),
        sa.Column("stall", sa.Double, nullable=False),
        sa.Column("record", sa.Text, nullable=True),
        sa.PrimaryKeyConstraint("block", "seating", "attempt", name="pk_matches"),
        sa.ForeignKeyConstraint(["block"], ["blocks.number"], name="fk_matches_blocks"),
        sa.UniqueConstraint("number", name="uq_matches_number"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_matches_void", "matches", ["block"], sqlite_where=_VOID, postgresql_where=_VOID
    )


def _make_seats() -> None:
    op.create_table(
        "seats",
        sa.Column("match", sa.Integer, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("bot", sa.Text, nullable=False),
        sa.Column("ending", sa.Text, nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("late", sa.Integer, nullable=False),
        sa.Column("malformed", sa.Integer, nullable=False),
        sa.Column("illegal", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("match", "seat", name="pk_seats"),
        sa.ForeignKeyConstraint(["match"], ["matches.number"], name="fk_seats_matches"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_seats_bot_match", "seats", ["bot", "match"])
    op.create_index("ix_seats_sums", "seats", ["bot", "ending", "late", "malformed", "illegal"])
    op.create_index(
        "ix_seats_failed", "seats", ["match", "bot"], sqlite_where=_FAILED, postgresql_where=_FAILED
    )
