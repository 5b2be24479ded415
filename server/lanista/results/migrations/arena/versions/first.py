"""The tables of the first version."""

import sqlalchemy as sa
from alembic import op

revision = "first"
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
    op.create_table(
        "benched",
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("ladder", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("since", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("key", "ladder", name="pk_benched"),
        sqlite_with_rowid=False,
    )
    changes = op.create_table(
        "changes",
        sa.Column("count", sa.Integer, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("count", name="pk_changes"),
    )
    op.bulk_insert(changes, [{"count": 0}])
