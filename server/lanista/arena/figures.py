"""The figures that an arena counts for its operator; `web/metrics.py` shows it.

Everything here is plain numbers that are increased where things happen, a few times for each match.
Whoever shows them reads them.
"""

from collections import Counter

import attrs

from lanista.arena.processes.match_player import PlayedMatch
from lanista.match.conditions import MatchSpec
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

    def add(self, spec: MatchSpec, played: PlayedMatch) -> None:
        """Count a match that is over."""
        game = spec.ruleset.name
        ladder = "" if spec.ladder is None else spec.ladder.name
        self.matches[game, ladder, played.result.end] += 1
        self.turns[game] += played.result.turns
        self.by_game.setdefault(game, MatchFigures()).include(played.figures)
