"""The first version. Its tables were made whole, as those of a new database are (`schema`)."""

revision = "v1"
down_revision = None


def upgrade() -> None:
    """Change nothing: there is no older version."""
