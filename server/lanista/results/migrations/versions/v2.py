"""Which version of a submitted program played in a seat."""

import sqlalchemy as sa
from alembic import op

revision = "v2"
down_revision = "v1"


def upgrade() -> None:
    """Add the column; no seat had such a program."""
    op.add_column("seats", sa.Column("version", sa.Integer, nullable=True))
