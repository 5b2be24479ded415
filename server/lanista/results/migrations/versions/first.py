"""The tables of the first version."""

import sqlalchemy as sa
from alembic import op

revision = "first"
down_revision = None

_VOID = sa.text("termination = 'void'")
_FAILED = sa.text("ending NOT IN ('normal', 'void')")


def upgrade() -> None:
    """Make all tables."""
    op.create_table(
        "meta",
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_meta"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "bots",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("identity", sa.Text, nullable=False),
        sa.Column("since", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_bots"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "blocks",
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("seed", sa.Text, nullable=False),
        sa.Column("map", sa.Text, nullable=False),
        sa.Column("bots", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_blocks"),
        sa.UniqueConstraint("id", name="uq_blocks_id"),
    )
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
    op.create_table(
        "unbenched",
        sa.Column("bot", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("bot", name="pk_unbenched"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "benched",
        sa.Column("bot", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("bot", name="pk_benched"),
        sa.ForeignKeyConstraint(["number"], ["blocks.number"], name="fk_benched_blocks"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "struck",
        sa.Column("bot", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("bot", name="pk_struck"),
        sqlite_with_rowid=False,
    )
