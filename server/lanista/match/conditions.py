"""The description of a match apart from its players: game, board, seed and conditions.

The defaults of the conditions are defined here and nowhere else. Command-line options, spec files
and code build a `MatchConditions`, which is then passed on as a whole.
"""

import inspect
from collections.abc import Mapping
from typing import Any

import attrs

from lanista.games.base import Ruleset
from lanista.match.clock import ClockInfo

SHORTEST = 0.0001
"""Smallest time limit in seconds that can be written on the wire (PROTOCOL.md 1)."""
MAX_MATCH_CPU = 10_000_000
"""Maximum budget of processor time that a bot may have for a match, in seconds: four months."""


@attrs.frozen(kw_only=True)
class MatchConditions:
    """Time limits of a match, and when the machine is to blame for a late answer.

    The resources that a bot's process may use aren't included, since they belong to the bot
    (`Contestant`).
    """

    clock: ClockInfo = attrs.field(default=ClockInfo(20.0, 0.2, late_limit=10))
    stall_margin: float = 0.05
    """Seconds for which this machine may stall in a turn before a late answer voids the match."""
    void_tries: int = 3
    """Maximum number of times that a match is played because it ended void."""
    time_start: float = 30.0
    """Seconds that a bot may take from its start to its hello."""


DEFAULT = MatchConditions()


def conditions_of(
    *,
    time_init: float = DEFAULT.clock.time_init,
    time_move: float = DEFAULT.clock.time_move,
    no_clock: bool = False,
    late_limit: int = DEFAULT.clock.late_limit,
    stall_margin: float = DEFAULT.stall_margin,
    time_start: float = DEFAULT.time_start,
) -> MatchConditions:
    """Return the conditions that options say, by the options' names, with times in seconds.

    `docs/cli.md` says what they mean. Without a clock, bots have unlimited time.
    """
    # As from a file: the ids of blocks tell 0 from 0.0.
    times = (0.0, 0.0) if no_clock else (float(time_init), float(time_move))
    return MatchConditions(
        clock=ClockInfo(*times, late_limit),
        stall_margin=float(stall_margin),
        time_start=float(time_start),
    )


OPTIONS = frozenset(inspect.signature(conditions_of).parameters)
"""The names of the options that make up the conditions."""


@attrs.frozen(kw_only=True)
class LadderInfo:
    """The ladder that a match is played on, and what only a ladder's matches have."""

    name: str
    """The ladder's name."""
    map: str = ""
    """The map's name; empty if the seed makes the map."""
    versions: tuple[int | None, ...] = ()
    """By seat: the version of the submitted program that plays there, from 1; None for a bot that
    connected and for a house bot. Empty if no seat has a submitted program."""


@attrs.frozen(kw_only=True)
class MatchSpec:
    """The description of a match apart from its players."""

    match: str = ""
    """The match's id; whoever has it played gives each try another one (`hosting.play_match`)."""
    ruleset: Ruleset
    settings: Mapping[str, int]
    """The value of every setting, as returned by `complete_settings`."""
    seed: int
    seat_seeds: tuple[int, ...] = ()
    """The seed that each seat is sent; empty: secret ones (`encoder.seat_seed`)."""
    board: Any = None
    """The board, in the ruleset's own representation; None if the seed generates one."""
    conditions: MatchConditions = attrs.field(factory=MatchConditions)
    attempt: int = 1
    """The number of this attempt, from 1; a void match is played again."""
    ladder: LadderInfo | None = None
    """The ladder that the match is played on, if it is played on one."""
