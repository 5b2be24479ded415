"""The tables of a tournament's or a ladder's database, in the newest version.

Only facts are stored. They are written once and never changed, except for the notes in `meta`,
`bots`, `unbenched`, `benched` and `struck`; totals are computed by queries (`reading`,
`ladder_reading`). The meaning of the values is described in `results`. A change here needs a new
file in `migrations/versions` and its id in `REVISION`; a test compares the two. No connection is
made here.
"""

import attrs
import sqlalchemy as sa


@attrs.frozen(kw_only=True)
class Tables:
    """The tables of one kind of database: what messages call it, and how it comes to them."""

    owner: str
    """Whose database it is, with the article."""
    maker: str
    """The command that makes it."""
    version_table: str
    """The table in which alembic notes the last migration; it also identifies our databases."""
    revision: str
    """The newest migration. It is named here so that opening a current database needs no alembic.
    """
    steps: str
    """The folder of its migrations, in `migrations`."""
    remedy: str
    """What happens when a database that can't be read any more was moved away."""
    migrations: str = "lanista.results:migrations"
    """The folder from which alembic runs them."""


FORMER = frozenset({"0001", "0002", "0003"})
"""Migrations of versions before the first release; what they made can't be read any more."""
VERSION_TABLE = "lanista_version"
REVISION = "first"
TOURNAMENT = Tables(
    owner="a tournament",
    maker="`lanista tournament run`",
    version_table=VERSION_TABLE,
    revision=REVISION,
    steps="versions",
    remedy="a ladder's results are then made anew from its records when the arena starts, and a "
    "tournament is played again",
)

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
"""What constraints and indexes are called."""
METADATA = sa.MetaData(naming_convention=NAMING)

VOID = sa.text("termination = 'void'")
"""The condition for void matches, as literal SQL: with a bound value no partial index is used."""
COUNTED = sa.text("termination <> 'void'")
"""The condition for matches that count."""
FAILED = sa.text("ending NOT IN ('normal', 'void')")
"""The condition for seats that failed; the endings are those of `lanista.match.ending.FAILURES`."""

META = sa.Table(
    "meta",
    METADATA,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)
"""Further notes on the tournament by key, such as the base of the seeds if the spec names none."""

BOTS = sa.Table(
    "bots",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    # JSON that identifies the bot: its command, its files.
    sa.Column("identity", sa.Text, nullable=False),
    # The number of the last match that was stored before it got this identity; 0 for none.
    sa.Column("since", sa.Integer, nullable=False),
    sqlite_with_rowid=False,
)

BLOCKS = sa.Table(
    "blocks",
    METADATA,
    # From 1, in the order of the commits of their first matches, without gaps.
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    # In decimal: seeds have 64 bits, signed or not, too many for either database's integers.
    sa.Column("seed", sa.Text, nullable=False),
    sa.Column("map", sa.Text, nullable=False),
    # JSON: a list of the bots' names, by place.
    sa.Column("bots", sa.Text, nullable=False),
)

MATCHES = sa.Table(
    "matches",
    METADATA,
    sa.Column("block", sa.Integer, sa.ForeignKey("blocks.number"), primary_key=True),
    sa.Column("seating", sa.Integer, primary_key=True),
    sa.Column("attempt", sa.Integer, primary_key=True),
    # From 1, in the order of their commits, without gaps; those of one commit in the order played.
    sa.Column("number", sa.Integer, nullable=False, unique=True),
    # UTC, ISO 8601.
    sa.Column("committed", sa.Text, nullable=False),
    # `MatchResult.end`; "end" is a reserved word in SQL.
    sa.Column("termination", sa.Text, nullable=False),
    # A JSON string: it may contain characters that a database's text can't.
    sa.Column("reason", sa.Text, nullable=False),
    # `ranks` and `scores` are JSON: lists of integers, by seat.
    sa.Column("ranks", sa.Text, nullable=False),
    sa.Column("scores", sa.Text, nullable=False),
    sa.Column("turns", sa.Integer, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("seconds", sa.Double, nullable=False),
    sa.Column("stall", sa.Double, nullable=False),
    sa.Column("record", sa.Text, nullable=True),
    sa.Index("ix_matches_void", "block", sqlite_where=VOID, postgresql_where=VOID),
    # Stored in the order of the key, in which everything is read.
    sqlite_with_rowid=False,
)

SEATS = sa.Table(
    "seats",
    METADATA,
    # The number of the match.
    sa.Column("match", sa.Integer, sa.ForeignKey("matches.number"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("bot", sa.Text, nullable=False),
    sa.Column("ending", sa.Text, nullable=False),
    # A JSON string, as `matches.reason`.
    sa.Column("words", sa.Text, nullable=False),
    sa.Column("late", sa.Integer, nullable=False),
    sa.Column("malformed", sa.Integer, nullable=False),
    sa.Column("illegal", sa.Integer, nullable=False),
    # For a bot's last matches, and for its results.
    sa.Index(None, "bot", "match"),
    # Covers everything that is summed up, already grouped: nothing is sorted, no row is read.
    sa.Index("ix_seats_sums", "bot", "ending", "late", "malformed", "illegal"),
    sa.Index("ix_seats_failed", "match", "bot", sqlite_where=FAILED, postgresql_where=FAILED),
    sqlite_with_rowid=False,
)

UNBENCHED = sa.Table(
    "unbenched",
    METADATA,
    sa.Column("bot", sa.Text, primary_key=True),
    # The number of the last match whose failure is forgiven.
    sa.Column("number", sa.Integer, nullable=False),
    sqlite_with_rowid=False,
)

BENCHED = sa.Table(
    "benched",
    METADATA,
    sa.Column("bot", sa.Text, primary_key=True),
    # The number of the block after which it was benched.
    sa.Column("number", sa.Integer, sa.ForeignKey("blocks.number"), nullable=False),
    # The number of matches in a row that it had failed by then.
    sa.Column("failures", sa.Integer, nullable=False),
    sqlite_with_rowid=False,
)

STRUCK = sa.Table(
    "struck",
    METADATA,
    sa.Column("bot", sa.Text, primary_key=True),
    # The number of the last match that doesn't count.
    sa.Column("number", sa.Integer, nullable=False),
    sqlite_with_rowid=False,
)
"""Bots whose matches were taken out of the standings; what they play afterwards counts."""
