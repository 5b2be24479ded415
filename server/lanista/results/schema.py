"""The tables of every database of Lanista, in the newest version.

Facts are stored: they are written once and never changed, except for what the operator notes
(`meta`, `bots`, `unbenched`, `benched`, `struck`, `names`, `barred`). Totals are computed by
queries (`reading`, `ladder_reading`, `match_list`). A change here needs a new file in
`migrations/versions` and its id in `REVISION`; a test compares what the files make of the first
version's tables with these.

The conditions of partial indexes are given for SQLite alone: naming `postgresql_where` here would
load SQLAlchemy's part for PostgreSQL in every process. `migrations` gives them to it too.
"""

import sqlalchemy as sa

VERSION_TABLE = "lanista_version"
"""The table in which alembic notes the last migration; it also identifies our databases."""
REVISION = "v2"
"""The newest migration. It is named here so that opening a current database needs no alembic."""
ARENA_SCHEMA = "lanista"
"""The schema of a PostgreSQL database that has the tables of arenas."""

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
METADATA = sa.MetaData(naming_convention=NAMING)

VERSION = sa.Table(VERSION_TABLE, sa.MetaData(), sa.Column("version_num", sa.String(32)))
"""The table with the id of the last migration, in its only row; alembic's, so not in `METADATA`."""

VOID = sa.text("termination = 'void'")
COUNTED = sa.text("termination <> 'void'")
"""The condition for matches that count."""
FAILED = sa.text("ending NOT IN ('normal', 'void')")
"""The condition for seats that failed, as literal SQL: with bound values no partial index is used.
The endings are those of `lanista.games.outcome.FAILURES`."""
OF_BLOCK = sa.text("block IS NOT NULL")
"""The condition for matches of a block, as literal SQL for the same reason."""
LISTED = sa.text("id IS NOT NULL")
"""The condition for matches that an arena lists, as literal SQL for the same reason."""

COMPETITIONS = sa.Table(
    "competitions",
    METADATA,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    # One of `base.Kind`.
    sa.Column("kind", sa.Text, nullable=False),
    # The ladder's name; empty for a tournament, and for friendly matches.
    sa.Column("name", sa.Text, nullable=False),
    # Empty for a tournament, whose spec says it.
    sa.Column("game", sa.Text, nullable=False),
    sa.UniqueConstraint("kind", "name", "game"),
)


def _competition(*, is_key: bool = False) -> "sa.Column[int]":
    """Return the column with the number of the competition that a row belongs to."""
    return sa.Column(
        "competition",
        sa.Integer,
        sa.ForeignKey("competitions.number"),
        primary_key=is_key,
        nullable=False,
        autoincrement=False,
    )


META = sa.Table(
    "meta",
    METADATA,
    _competition(is_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)
"""Further notes on a tournament by key, such as the base of the seeds if the spec names none."""

BOTS = sa.Table(
    "bots",
    METADATA,
    _competition(is_key=True),
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
    _competition(),
    sa.Column("id", sa.Text, nullable=False),
    # JSON: a list of the bots' names, by place.
    sa.Column("bots", sa.Text, nullable=False),
    sa.UniqueConstraint("competition", "id"),
)

MATCHES = sa.Table(
    "matches",
    METADATA,
    # From 1, in the order of their commits, without gaps; those of one commit in the order played.
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    _competition(),
    # By which an arena's record and page call it; none in a tournament.
    sa.Column("id", sa.Text, nullable=True),
    # The block, which has all matches with the same bots, seed and map; none of a single match.
    sa.Column("block", sa.Integer, sa.ForeignKey("blocks.number"), nullable=True),
    sa.Column("seating", sa.Integer, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    # In decimal: seeds have 64 bits, signed or not, too many for either database's integers.
    sa.Column("seed", sa.Text, nullable=False),
    sa.Column("map", sa.Text, nullable=False),
    # `started`, `ended` and `committed` are UTC, ISO 8601; tournaments don't note the first two.
    sa.Column("started", sa.Text, nullable=True),
    sa.Column("ended", sa.Text, nullable=True),
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
    sa.Index(
        "ix_matches_block",
        *("competition", "block", "seating", "attempt"),
        unique=True,
        sqlite_where=OF_BLOCK,
    ),
    sa.Index(None, "competition", "number"),
    sa.Index(None, "competition", "termination", "number"),
    sa.Index("ix_matches_id", "id", unique=True, sqlite_where=LISTED),
    sa.Index("ix_matches_seed", "seed", sqlite_where=LISTED),
)

SEATS = sa.Table(
    "seats",
    METADATA,
    # The number of the match.
    sa.Column("match", sa.Integer, sa.ForeignKey("matches.number"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    # That of the match, for the indexes.
    _competition(),
    sa.Column("bot", sa.Text, nullable=False),
    # Null if it was stored for the list alone by the first version.
    sa.Column("ending", sa.Text, nullable=True),
    # A JSON string, as `matches.reason`.
    sa.Column("words", sa.Text, nullable=False),
    # Nobody has counted these of an aborted match whose arena was killed.
    sa.Column("late", sa.Integer, nullable=True),
    sa.Column("malformed", sa.Integer, nullable=True),
    sa.Column("illegal", sa.Integer, nullable=True),
    sa.Column("gone", sa.Integer, nullable=True),
    # On a ladder, of a submitted program.
    sa.Column("version", sa.Integer, nullable=True),
    # For a bot's last matches, and for its results.
    sa.Index(None, "competition", "bot", "match"),
    # Covers everything that is summed up, already grouped: nothing is sorted, no row is read.
    sa.Index("ix_seats_sums", "competition", "bot", "ending", "late", "malformed", "illegal"),
    sa.Index(
        "ix_seats_failed",
        *("competition", "match", "bot"),
        sqlite_where=FAILED,
    ),
    sqlite_with_rowid=False,
)


def _of_bots(name: str, *columns: "sa.Column[int]") -> sa.Table:
    """Return a table with a row for each of some bots of a competition."""
    bot = sa.Column("bot", sa.Text, primary_key=True)
    return sa.Table(
        name, METADATA, _competition(is_key=True), bot, *columns, sqlite_with_rowid=False
    )


# With the number of the last match whose failure is forgiven.
UNBENCHED = _of_bots("unbenched", sa.Column("number", sa.Integer, nullable=False))
BENCHED = _of_bots(
    "benched",
    # The number of the block after which it was benched.
    sa.Column("number", sa.Integer, sa.ForeignKey("blocks.number"), nullable=False),
    # The number of matches in a row that it had failed by then.
    sa.Column("failures", sa.Integer, nullable=False),
)
"""Bots of a tournament that play no more."""
# With the number of the last match that doesn't count.
STRUCK = _of_bots("struck", sa.Column("number", sa.Integer, nullable=False))
"""Bots whose matches were taken out of the standings; what they play afterwards counts."""

NAMES = sa.Table(
    "names",
    METADATA,
    # From `key_of`.
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    # Empty if the name was removed.
    sa.Column("token_hash", sa.Text, nullable=False),
    sa.Column("registrar", sa.Text, nullable=False),
    # `registered` and `seen` are UTC, ISO 8601.
    sa.Column("registered", sa.Text, nullable=False),
    sa.Column("seen", sa.Text, nullable=True),
    sqlite_with_rowid=False,
)
"""The names on an arena's ladders, and the hashes of their tokens."""

CHANGES = sa.Table(
    "changes",
    METADATA,
    sa.Column("count", sa.Integer, primary_key=True, autoincrement=False),
)
"""One row, by which an arena notices cheaply that something was changed (`NameStore.changes`)."""

# Not a part of `names`: a name that nobody has registered may be benched too, and stays so when it
# is removed and registered again. It may be benched on a ladder on which nobody has played.
BARRED = sa.Table(
    "barred",
    METADATA,
    sa.Column("key", sa.Text, primary_key=True),
    # The name of the ladder on which it isn't paired; "" for all ladders.
    sa.Column("ladder", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    # UTC, ISO 8601.
    sa.Column("since", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)
"""Names that the operator has benched."""

SNAPSHOTS = sa.Table(
    "snapshots",
    METADATA,
    _competition(is_key=True),
    # UTC, ISO 8601, in full seconds.
    sa.Column("taken", sa.Text, primary_key=True),
    sqlite_with_rowid=False,
)
"""When the ratings of a ladder were noted."""

RATINGS = sa.Table(
    "ratings",
    METADATA,
    _competition(is_key=True),
    # Of a snapshot.
    sa.Column("taken", sa.Text, primary_key=True),
    sa.Column("bot", sa.Text, primary_key=True),
    sa.Column("rating", sa.Double, nullable=False),
    # The ends of its interval, where it has them.
    sa.Column("low", sa.Double, nullable=True),
    sa.Column("high", sa.Double, nullable=True),
    sqlite_with_rowid=False,
)
