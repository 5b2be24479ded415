"""Checksums of blocks: `lanista.store.checksums` fills them in, here as for new blocks."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column."""
    op.add_column(
        "blocks", sa.Column("checksum", sa.BigInteger, server_default="0", nullable=False)
    )
