"""Benched names by ladder, instead of decisions; one count of all that the operator changed."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the new tables; no version had a command that made a decision."""
    op.drop_table("decisions")
    op.create_table(
        "benched",
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("ladder", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("since", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("key", "ladder", name="pk_benched"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "changes",
        sa.Column("count", sa.Integer, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("count", name="pk_changes"),
    )
    op.execute("INSERT INTO changes (count) SELECT count FROM revocations")
    op.drop_table("revocations")
