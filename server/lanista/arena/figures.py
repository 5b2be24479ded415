"""The figures that an arena counts for its operator; `page/metrics.py` shows it.

Everything here is plain numbers that are increased where things happen, a few times for each match.
Whoever shows them reads them.
"""

from collections import Counter

import attrs

from lanista.hosting.host import MatchReport
from lanista.match.figures import MatchFigures
from lanista_protocol import ErrorCode


@attrs.define(eq=False)
class ArenaFigures:
    """The figures of an arena since it was started."""

    matches: Counter[tuple[str, str, str]] = attrs.field(factory=Counter)
    """Number of matches that are over, by game, ladder (empty for friendly rooms) and end."""
    turns: Counter[str] = attrs.field(factory=Counter)
    """Number of turns of these matches, by game."""
    by_game: dict[str, MatchFigures] = attrs.field(factory=dict)
    """What was counted in the turns of these matches, by game."""
    refusals: Counter[ErrorCode] = attrs.field(factory=Counter)
    """Number of connections outside of matches that were closed with an error, by its code."""

    def add(self, report: MatchReport) -> None:
        """Count a match that is over."""
        game, ladder = report.spec.ruleset.name, report.spec.ladder
        self.matches[game, "" if ladder is None else ladder.name, report.result.end] += 1
        self.turns[game] += report.result.turns
        self.by_game.setdefault(game, MatchFigures()).include(report.figures)
