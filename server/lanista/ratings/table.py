"""The standings of a tournament or a ladder as data, which `compute` makes."""

from collections.abc import Mapping

import attrs

from lanista.games.outcome import Ending
from lanista.results.blocks import RoundMeeting
from lanista.results.match_result import Estimate

SCHEMA = 1
"""The version of the standings' JSON and CSV, raised when a reader of an older version couldn't
understand a newer one."""


CENTRE = 1500.0
"""The mean of the ratings that hold the scale, in Elo."""


@attrs.frozen(kw_only=True)
class RatedVersion:
    """A version of a bot whose programs were submitted to a ladder."""

    version: int | None
    """Its number; None for what played without having been submitted, over a connection."""
    rating: Estimate


@attrs.frozen(kw_only=True)
class Row:
    """The row of one bot in the standings."""

    rank: int | None
    """The rank; 1 is best, and ties share the best rank (1, 1, 3). None for a house bot."""
    bot: str
    matches: int
    """Number of matches that count."""
    points: float
    """Points of its matches (`results.blocks.points`), and those that byes gave."""
    blocks: int
    """Number of blocks that count."""
    rating: Estimate | None
    """The rating in Elo, on the scale of docs/statistics.md#ratings; None before a match."""
    rank_low: int | None
    """The best rank of its 95 % interval; None before its first match, and for a house bot."""
    rank_high: int | None
    """The worst rank of that interval."""
    superior: float | None
    """The likelihood that it is stronger than the bot in the row below; None in the last row."""
    places: tuple[int, ...]
    """How often it had place 1, 2, …; a tie counts for its best place, even a tie of all. With
    two players, without the draws, which are in `draws`."""
    draws: int
    """Number of matches in which all bots had the same rank."""
    endings: Mapping[Ending, int] | None
    """How often each ending occurred: one a match. Void matches are in it, but not in `matches`.
    This and the next three are None at the end of a run whose database is gone."""
    late_turns: int | None
    """Turns whose answer didn't come in time, in all its matches that count."""
    malformed_turns: int | None
    """Turns whose answer couldn't be read, in the same matches."""
    illegal_moves: int | None
    """Moves that the rules forbid, in the same matches."""
    benched: bool = False
    """Whether it plays no more because it failed too often in a row."""
    version: int | None = None
    """The version of its submitted program that played its latest match, and whose rating it has;
    None if that match was played without one."""
    versions: tuple[RatedVersion, ...] = ()
    """Its versions, in the order of their first matches; empty if none was submitted."""

    def ended(self, ending: Ending) -> int | None:
        """Return how often an ending occurred; None if that isn't known."""
        return None if self.endings is None else self.endings.get(ending, 0)


@attrs.frozen(kw_only=True)
class HeadToHead:
    """The results of one bot against another, in the matches in which both played."""

    bot: str
    opponent: str
    matches: int
    points: float
    """Points of `bot` against this opponent alone: 1 for each match with a better rank, ½ tied."""
    superior: float | None
    """The likelihood that `bot` is stronger, from the joint ratings."""


@attrs.frozen(kw_only=True)
class Standings:
    """The standings of a tournament: everything that its tables show, in the order of the JSON."""

    name: str
    game: str
    format: str
    seats: int
    blocks: int
    """Number of blocks that were played and count."""
    planned: int | None = None
    """Number of blocks in the whole tournament; None where that isn't known."""
    matches: int
    voids: int | None = 0
    """Number of matches that were void because the host stalled, and which were played again; None
    if the endings aren't known."""
    uncounted: int = 0
    """Number of blocks in the database that the spec, as it is now, doesn't ask for."""
    over: bool = False
    """Whether everything was played."""
    words: str = ""
    """The current stage or the outcome, in one line; or empty."""
    rows: tuple[Row, ...] = ()
    """The bots' rows, best first; equal ranks are in the spec's order."""
    head_to_head: tuple[HeadToHead, ...] = ()
    """The results of every two bots that met, both ways."""
    seat_advantage: tuple[Estimate, ...] = ()
    """The advantage of each seat, in Elo; their sum is 0. Empty while nothing was played."""
    rounds: tuple[tuple[RoundMeeting, ...], ...] = ()
    """The meetings of each round until now; empty in formats without rounds."""
