"""Results as data, which correspond to the rows of the database: matches, blocks, ratings."""

from collections.abc import Mapping

import attrs

from lanista.games.outcome import FAILURES, Ending

FAULTS = ("late", "malformed", "illegal")
"""The kinds of faults that are counted each for itself."""
SEAT_COLUMNS = ("bot", "late", "malformed", "illegal", "gone", "version")
"""The fields of `SeatResult` that are stored as they are, in columns of these names."""
MATCH_COLUMNS = (
    *("id", "seating", "attempt", "map", "started", "ended", "turns", "digest", "seconds"),
    *("stall", "record"),
)
"""The fields of `MatchResult` that are stored as they are, in columns of these names."""


@attrs.frozen(kw_only=True)
class SeatResult:
    """The result of one bot in a match."""

    bot: str
    """The bot's name in the spec."""
    rank: int
    """The bot's rank; 1 is best, equal ranks are ties."""
    score: int
    ending: Ending
    words: str = ""
    """Why it ended so, in one line that may contain what the bot sent."""
    # None if nobody has counted the faults, as the arena was killed.
    late: int | None = 0
    """Turns whose answer didn't come in time, even if that cost nothing but the turn."""
    malformed: int | None = 0
    """Turns whose answer couldn't be read."""
    illegal: int | None = 0
    """Submoves or answers that the rules forbid."""
    gone: int | None = 0
    """Faults of any other kind, by which it was out of the match."""
    version: int | None = None
    """The version of its submitted program that played; None if the bot wasn't submitted."""

    @property
    def failure(self) -> str:
        """Why the bot failed, in one line; empty if it didn't."""
        if self.ending not in FAILURES:
            return ""
        return f"{self.ending}: {self.words}" if self.words else self.ending.value

    @property
    def faults(self) -> int | None:
        """The number of all faults; None if they aren't known."""
        counts = (self.late, self.malformed, self.illegal, self.gone)
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None


@attrs.frozen(kw_only=True)
class MatchResult:
    """The result of one match."""

    seating: int
    """The number of its seating in the block, from 0; 0 of a match without one."""
    attempt: int
    """The number of the attempt, from 1; above 1 after a void one."""
    seed: int
    map: str
    """The map's name; empty if the seed makes the map."""
    end: str
    """How it ended: a value of `lanista.games.outcome.Termination`; no ladder or tournament has
    aborted ones."""
    reason: str
    turns: int
    digest: str
    """The digest of the last position; empty if no match was played, as a bot didn't start."""
    seconds: float
    """Duration from the first turn to the end, in seconds."""
    stall: float
    """Duration of the host's longest stall during the match, in seconds."""
    seats: tuple[SeatResult, ...]
    """The bots' results, by seat."""
    record: str | None = None
    """The file of its record, relative to the folder of records; None if there is none."""
    id: str | None = None
    """By which an arena's record and page call it; None in a tournament."""
    started: str | None = None
    """When an arena's match began, as ISO 8601 in UTC."""
    ended: str | None = None
    """When an arena's match ended, likewise."""

    @property
    def counted(self) -> bool:
        """Whether the match counts, that is, isn't void."""
        return self.end != "void"

    @property
    def has_failure(self) -> bool:
        """Whether a bot failed in it."""
        return any(seat.failure for seat in self.seats)


@attrs.frozen(kw_only=True)
class BlockResult:
    """The results of a block: one counted match for each seating, and any void ones."""

    block: str
    """The block's id."""
    bots: tuple[str, ...]
    """The bots' names, by place; a seating assigns places to seats."""
    matches: tuple[MatchResult, ...]
    """The matches on the block's opening, in the order in which they were played."""


@attrs.frozen(kw_only=True)
class Benching:
    """A bot that plays no more because it failed too often in a row."""

    bot: str
    block: str
    """The id of the block after which it was benched."""
    failures: int
    """Number of matches in a row that it had failed by then."""


@attrs.frozen(kw_only=True)
class Estimate:
    """A figure with its 95 % interval."""

    value: float
    low: float | None
    """The lower end; None if there is none, as for a bot that never scored."""
    high: float | None
    """The upper end; None if there is none, as for a bot that won every match."""


@attrs.frozen(kw_only=True)
class BotEndings:
    """The endings of one bot's matches, and its faults in those that count."""

    endings: Mapping[Ending, int]
    """Number of matches by ending, of those that occurred; a match with two seats counts twice."""
    late: int
    malformed: int
    illegal: int


@attrs.frozen(kw_only=True)
class Endings:
    """The endings of the matches of all bots."""

    bots: Mapping[str, BotEndings]
    """By name of the bot; bots that played nothing are left out."""
    voids: int
    """Number of void matches; `Ending.VOID` of a bot counts those that it was in."""
