"""What decides a match, apart from who plays it: the game, its board and seed, the conditions.

The one place where the defaults of the conditions stand. Options, specs and code make a
`MatchConditions`, and it is handed on whole.
"""

from collections.abc import Mapping
from typing import Any

import attrs

from lanista.match.clock import Limits
from lanista.rules.base import Ruleset


@attrs.frozen(kw_only=True)
class MatchConditions:
    """How long answers may take, and when the machine is to blame for a late one.

    What a bot's process may use isn't here: it belongs to the bot (`Contestant`).
    """

    clock: Limits = attrs.field(factory=Limits)
    """How long answers may take."""
    late_limit: int = 10
    """Late turns in a row that put a seat out, in games that skip late turns."""
    stall_margin: float = 0.05
    """Seconds for which this machine may stall before a late answer makes the match void."""
    void_tries: int = 3
    """How often a match is played at most while it ends void."""
    time_start: float = 30.0
    """Seconds that a bot has from its start to its hello."""


DEFAULT = MatchConditions()


@attrs.frozen(kw_only=True)
class MatchSpec:
    """What decides a match, apart from who plays it."""

    match: str
    """The match's id."""
    ruleset: Ruleset
    settings: Mapping[str, int]
    """Complete, as `complete_settings` makes them."""
    seed: int
    board: Any = None
    """None: the seed makes one."""
    conditions: MatchConditions = attrs.field(factory=MatchConditions)
    try_: int = 1
    """Which try this is, from 1: a void match is played again."""
