"""The standings of a tournament: what a table of it tells, all derived from the blocks played.

Here is what standings are; `rating` estimates, `endings` counts. Nothing is stored or shown here.
"""

from collections.abc import Mapping

import attrs

from lanista.match.ending import Ending

SCHEMA = 1
"""Of the standings' JSON and CSV; grows when an older reader couldn't understand a newer one."""


@attrs.frozen(kw_only=True)
class Estimate:
    """A figure with its 95 % interval."""

    value: float
    low: float | None
    """None: it has no lower end, as of a bot that never scored anything."""
    high: float | None
    """None: it has no upper end, as of a bot that won every match."""


@attrs.frozen(kw_only=True)
class Row:
    """One bot's place in the standings."""

    rank: int
    """1 is best; ties share the best rank (1, 1, 3)."""
    bot: str
    matches: int
    """That count."""
    points: float
    """Two players: 1, one half, 0; more: opponents placed below, one half for each tied one. With
    those that a bye gave."""
    blocks: int
    rating: Estimate | None
    """Elo; None before its first match. The mean of all bots whose intervals have both ends is 0;
    that of all bots where none has."""
    rank_low: int | None
    """The best rank of its 95 % interval; None before its first match."""
    rank_high: int | None
    """The worst."""
    superior: float | None
    """Likelihood that it is stronger than the bot in the row below; None in the last row."""
    places: tuple[int, ...]
    """How often it had place 1, 2, …; a tie counts for its best place, also one of all. Two
    players: without draws, which are in `draws`."""
    draws: int
    """Matches in which nobody was better than another."""
    endings: Mapping[Ending, int]
    """How often each: one a match; void ones beside `matches`."""
    late: int
    """Turns whose answer didn't come in time, in all its matches that count."""
    malformed: int
    illegal: int
    benched: bool = False
    """Whether it failed so often running that it plays no more."""
    live: float | None = None
    """The ladder's live rating (openskill's ordinal); None elsewhere."""


@attrs.frozen(kw_only=True)
class HeadToHead:
    """What two bots did in the matches in which both played."""

    bot: str
    opponent: str
    matches: int
    points: float
    """Of `bot` against this opponent alone: 1 a match in which it was placed better, ½ tied."""
    superior: float | None
    """Likelihood that `bot` is stronger, from the joint ratings."""


@attrs.frozen(kw_only=True)
class Standings:
    """All that a table of a tournament tells."""

    name: str
    game: str
    format: str
    seats: int
    rows: tuple[Row, ...]
    """Best first; equal ranks in the spec's order."""
    head_to_head: tuple[HeadToHead, ...]
    """Both ways, for every two bots that met."""
    seat_advantage: tuple[Estimate, ...]
    """By seat, in Elo, their sum 0; empty while nothing was played."""
    blocks: int
    """That were played and count."""
    planned: int | None
    """Blocks in all; None where that isn't known."""
    matches: int
    voids: int
    """Matches that the host's stalls made void, and which were played again."""
    uncounted: int
    """Blocks in the database that the spec, as it is now, doesn't ask for."""
    over: bool
    """Whether all was played."""
    words: str
    """Where it is, or what it found; one line, or empty."""
