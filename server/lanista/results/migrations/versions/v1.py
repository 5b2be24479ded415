"""The tables of the first version."""

import sqlalchemy as sa
from alembic import op

revision = "v1"
down_revision = None

_FAILED = sa.text("ending NOT IN ('normal', 'void')")
_LISTED = sa.text("id IS NOT NULL")
_OF_BLOCK = sa.text("block IS NOT NULL")


def upgrade() -> None:
    """Make all tables."""
    op.create_table(
        "competitions",
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_competitions"),
        sa.UniqueConstraint("kind", "name", "game", name="uq_competitions_kind_name_game"),
    )
    op.create_table(
        "meta",
        sa.Column("competition", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("competition", "key", name="pk_meta"),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.number"], name="fk_meta_competitions"
        ),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "bots",
        sa.Column("competition", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("identity", sa.Text, nullable=False),
        sa.Column("since", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("competition", "name", name="pk_bots"),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.number"], name="fk_bots_competitions"
        ),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "blocks",
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("competition", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("bots", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_blocks"),
        sa.UniqueConstraint("competition", "id", name="uq_blocks_competition_id"),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.number"], name="fk_blocks_competitions"
        ),
    )
    op.create_table(
        "matches",
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("competition", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("id", sa.Text, nullable=True),
        sa.Column("block", sa.Integer, nullable=True),
        sa.Column("seating", sa.Integer, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("seed", sa.Text, nullable=False),
        sa.Column("map", sa.Text, nullable=False),
        sa.Column("started", sa.Text, nullable=True),
        sa.Column("ended", sa.Text, nullable=True),
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
        sa.PrimaryKeyConstraint("number", name="pk_matches"),
        sa.ForeignKeyConstraint(["block"], ["blocks.number"], name="fk_matches_blocks"),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.number"], name="fk_matches_competitions"
        ),
    )
    op.create_index(
        "ix_matches_block",
        "matches",
        ["competition", "block", "seating", "attempt"],
        unique=True,
        sqlite_where=_OF_BLOCK,
        postgresql_where=_OF_BLOCK,
    )
    op.create_index("ix_matches_competition_number", "matches", ["competition", "number"])
    op.create_index(
        "ix_matches_competition_termination_number",
        "matches",
        ["competition", "termination", "number"],
    )
    op.create_index(
        "ix_matches_id",
        "matches",
        ["id"],
        unique=True,
        sqlite_where=_LISTED,
        postgresql_where=_LISTED,
    )
    op.create_index(
        "ix_matches_seed", "matches", ["seed"], sqlite_where=_LISTED, postgresql_where=_LISTED
    )
    op.create_table(
        "seats",
        sa.Column("match", sa.Integer, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("competition", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("bot", sa.Text, nullable=False),
        sa.Column("ending", sa.Text, nullable=True),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("late", sa.Integer, nullable=True),
        sa.Column("malformed", sa.Integer, nullable=True),
        sa.Column("illegal", sa.Integer, nullable=True),
        sa.Column("gone", sa.Integer, nullable=True),
        sa.PrimaryKeyConstraint("match", "seat", name="pk_seats"),
        sa.ForeignKeyConstraint(["match"], ["matches.number"], name="fk_seats_matches"),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.number"], name="fk_seats_competitions"
        ),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_seats_competition_bot_match", "seats", ["competition", "bot", "match"])
    op.create_index(
        "ix_seats_failed",
        "seats",
        ["competition", "match", "bot"],
        sqlite_where=_FAILED,
        postgresql_where=_FAILED,
    )
    op.create_index(
        "ix_seats_sums", "seats", ["competition", "bot", "ending", "late", "malformed", "illegal"]
    )
    op.create_table(
        "unbenched",
        sa.Column("competition", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("bot", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("competition", "bot", name="pk_unbenched"),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.number"], name="fk_unbenched_competitions"
        ),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "benched",
        sa.Column("competition", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("bot", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("competition", "bot", name="pk_benched"),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.number"], name="fk_benched_competitions"
        ),
        sa.ForeignKeyConstraint(["number"], ["blocks.number"], name="fk_benched_blocks"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "struck",
        sa.Column("competition", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("bot", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("competition", "bot", name="pk_struck"),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.number"], name="fk_struck_competitions"
        ),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "names",
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("token_hash", sa.Text, nullable=False),
        sa.Column("registrar", sa.Text, nullable=False),
        sa.Column("registered", sa.Text, nullable=False),
        sa.Column("seen", sa.Text, nullable=True),
        sa.PrimaryKeyConstraint("key", name="pk_names"),
        sqlite_with_rowid=False,
    )
    changes = op.create_table(
        "changes",
        sa.Column("count", sa.Integer, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("count", name="pk_changes"),
    )
    op.bulk_insert(changes, [{"count": 0}])
    op.create_table(
        "barred",
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("ladder", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("since", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("key", "ladder", name="pk_barred"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "snapshots",
        sa.Column("competition", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("taken", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("competition", "taken", name="pk_snapshots"),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.number"], name="fk_snapshots_competitions"
        ),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "ratings",
        sa.Column("competition", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("taken", sa.Text, nullable=False),
        sa.Column("bot", sa.Text, nullable=False),
        sa.Column("rating", sa.Double, nullable=False),
        sa.Column("low", sa.Double, nullable=True),
        sa.Column("high", sa.Double, nullable=True),
        sa.PrimaryKeyConstraint("competition", "taken", "bot", name="pk_ratings"),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.number"], name="fk_ratings_competitions"
        ),
        sqlite_with_rowid=False,
    )
