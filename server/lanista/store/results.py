"""What is known of a block when it has been played: the rows of the database, as data.

Made where matches are played, carried to the manager, stored, read back. Nothing is computed here.
"""

import attrs

from lanista.match.ending import Ending


@attrs.frozen(kw_only=True)
class SeatResult:
    """One bot's part in a match."""

    bot: str
    """Its name in the spec."""
    rank: int
    """Place, 1 is best; equal places are ties."""
    score: int
    ending: Ending
    words: str = ""
    """Why it ended so, one line; may hold what the bot sent."""
    late: int = 0
    """Turns whose answer did not come in time; also those that cost nothing but the turn."""
    malformed: int = 0
    """Turns whose answer couldn't be read."""
    illegal: int = 0
    """Submoves, or answers, that the rules forbid."""


@attrs.frozen(kw_only=True)
class MatchResult:
    """One match of a block."""

    seating: int
    """Which of the block's seatings, from 0."""
    attempt: int
    """From 1; more after a void one."""
    end: str
    """`finished`, `forfeit` or `void`, as `lanista.rules.outcome.Termination`."""
    reason: str
    turns: int
    digest: str
    """Of the last position; empty when no match was played, as a bot didn't start."""
    seconds: float
    """From the first turn to the end."""
    stall: float
    """Seconds of the longest stall of the host in it."""
    seats: tuple[SeatResult, ...]
    """By seat."""
    record: str | None = None
    """Its record's file below the folder of records; None when there is none."""

    @property
    def counted(self) -> bool:
        """Whether it counts: a void one doesn't."""
        return self.end != "void"


@attrs.frozen(kw_only=True)
class BlockResult:
    """A block that was played whole: one counted match a seating, and the void ones before."""

    block: str
    """Its id."""
    bots: tuple[str, ...]
    """Who had which place; seatings give places to seats."""
    seed: int
    map: str
    """The map's name; empty where the seed makes it."""
    matches: tuple[MatchResult, ...]
    """In the order played."""


@attrs.frozen(kw_only=True)
class Benching:
    """A bot that plays no more, as it failed too often running."""

    bot: str
    block: str
    """The id of the block behind which it was so."""
    failures: int
    """Matches it had failed running then."""
