"""The tables of a tournament's database, as they are now.

Only facts are there, written once and never changed, but for the notes in `meta`, `bots`,
`unbenched` and `benched`; totals are queries (`reading`). What a value means is told in `results`.
A change here needs a new file in `migrations/versions` and its id in `REVISION`; a test compares
the two. No connection is made here.
"""

import sqlalchemy as sa

VERSION_TABLE = "lanista_version"
"""Where alembic keeps which migration was the last; also what tells our databases from others."""
REVISION = "0002"
"""The newest migration. Known here, so that opening a current database needs no alembic."""

METADATA = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

VOID = sa.text("termination = 'void'")
"""Of a match. Words in place of a bound value, as else no partial index would be used."""
COUNTED = sa.text("termination <> 'void'")
FAILED = sa.text("ending NOT IN ('normal', 'void')")
"""Of a seat: `results.FAILURES`."""

META = sa.Table(
    "meta",
    METADATA,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)
"""What is to be known of the tournament besides, as the seed that nobody gave."""

BOTS = sa.Table(
    "bots",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    # JSON; what makes it this bot and no other.
    sa.Column("identity", sa.Text, nullable=False),
    # The last block before it became this one; 0 before all.
    sa.Column("since", sa.Integer, nullable=False),
    sqlite_with_rowid=False,
)

BLOCKS = sa.Table(
    "blocks",
    METADATA,
    # From 1, in the order of their commits, without gaps.
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    # In decimal: seeds are 64 bits, signed or not, which no integer of both databases holds.
    sa.Column("seed", sa.Text, nullable=False),
    sa.Column("map", sa.Text, nullable=False),
    # JSON: a list of names, by place.
    sa.Column("bots", sa.Text, nullable=False),
    # UTC, ISO 8601.
    sa.Column("committed", sa.Text, nullable=False),
    # Of all the block's rows, by `checksums`; written last. Its 32 bits have no sign.
    sa.Column("checksum", sa.BigInteger, nullable=False, server_default="0"),
)

MATCHES = sa.Table(
    "matches",
    METADATA,
    sa.Column("block", sa.Integer, sa.ForeignKey("blocks.number"), primary_key=True),
    sa.Column("seating", sa.Integer, primary_key=True),
    sa.Column("attempt", sa.Integer, primary_key=True),
    # The block's matches in the order played, from 0.
    sa.Column("ordinal", sa.Integer, nullable=False),
    # MatchResult.end, which is a reserved word in SQL.
    sa.Column("termination", sa.Text, nullable=False),
    # JSON text: it may hold what no database's text can.
    sa.Column("reason", sa.Text, nullable=False),
    # JSON: a list of whole numbers, by seat.
    sa.Column("ranks", sa.Text, nullable=False),
    sa.Column("scores", sa.Text, nullable=False),
    sa.Column("turns", sa.Integer, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("seconds", sa.Double, nullable=False),
    sa.Column("stall", sa.Double, nullable=False),
    sa.Column("record", sa.Text, nullable=True),
    sa.Index("ix_matches_void", "block", sqlite_where=VOID, postgresql_where=VOID),
    # In the order of the key, which is the one that everything is read in.
    sqlite_with_rowid=False,
)

SEATS = sa.Table(
    "seats",
    METADATA,
    sa.Column("block", sa.Integer, primary_key=True),
    sa.Column("seating", sa.Integer, primary_key=True),
    sa.Column("attempt", sa.Integer, primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("bot", sa.Text, nullable=False),
    sa.Column("ending", sa.Text, nullable=False),
    # JSON text, as `reason`.
    sa.Column("words", sa.Text, nullable=False),
    sa.Column("late", sa.Integer, nullable=False),
    sa.Column("malformed", sa.Integer, nullable=False),
    sa.Column("illegal", sa.Integer, nullable=False),
    sa.ForeignKeyConstraint(
        ["block", "seating", "attempt"], ["matches.block", "matches.seating", "matches.attempt"]
    ),
    # A bot's last blocks.
    sa.Index(None, "bot", "block"),
    # All that is summed, in groups already: nothing is sorted, no row looked at.
    sa.Index("ix_seats_sums", "bot", "ending", "late", "malformed", "illegal"),
    sa.Index("ix_seats_failed", "block", "bot", sqlite_where=FAILED, postgresql_where=FAILED),
    sqlite_with_rowid=False,
)

UNBENCHED = sa.Table(
    "unbenched",
    METADATA,
    sa.Column("bot", sa.Text, primary_key=True),
    # The last block whose failures are forgiven.
    sa.Column("number", sa.Integer, nullable=False),
    sqlite_with_rowid=False,
)

BENCHED = sa.Table(
    "benched",
    METADATA,
    sa.Column("bot", sa.Text, primary_key=True),
    # The block behind which it plays no more.
    sa.Column("number", sa.Integer, sa.ForeignKey("blocks.number"), nullable=False),
    # Matches it had failed running then.
    sa.Column("failures", sa.Integer, nullable=False),
    sqlite_with_rowid=False,
)
