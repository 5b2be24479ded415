"""The conditions of a match: what holds for all its seats, whoever sits there.

The one place where their defaults stand. Options, specs and code make a `MatchConditions`, and it
is handed on whole.
"""

import attrs

from lanista.match.clock import Limits


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
