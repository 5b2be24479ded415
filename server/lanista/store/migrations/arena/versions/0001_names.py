"""The tables of the first version."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make all tables."""
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
    revocations = op.create_table(
        "revocations",
        sa.Column("count", sa.Integer, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("count", name="pk_revocations"),
    )
    op.bulk_insert(revocations, [{"count": 0}])
    op.create_table(
        "decisions",
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("decision", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("decided", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("key", "decision", name="pk_decisions"),
        sqlite_with_rowid=False,
    )
