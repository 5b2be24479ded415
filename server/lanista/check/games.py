"""What a check needs to know about a game: how to make its matches short, and its special boards.

A game that comes with Lanista may have such boards in its module `check_boards`. Any other game is
checked by its ruleset alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from lanista.games import registry
from lanista.games.base import Game, Ruleset, Setting, complete_settings, submove_numbers
from lanista.games.outcome import Outcome, by_score


def length_setting(ruleset: Ruleset) -> Setting | None:
    """Return the setting that is the number of a match's turns, if the ruleset has one."""
    for setting in ruleset.settings:
        values = {setting.low, min(setting.low + 1, setting.high), setting.default}
        if len(values) > 1 and all(
            ruleset.max_turns(complete_settings(ruleset, {setting.name: value})) == value
            for value in values
        ):
            return setting
    return None


def shortened(ruleset: Ruleset, turns: int) -> tuple[Ruleset, dict[str, int], str]:
    """Return the ruleset and settings of a match of at most `turns` turns, and how it is cut.

    If the game has a setting for the number of turns, it is used. Else the game is ended from
    outside, as if its rules had ended it.
    """
    setting = length_setting(ruleset)
    if setting is None:
        how = f"ended after {turns}, which no setting of {ruleset.name} does"
        return cast("Ruleset", _Cut(ruleset, turns)), complete_settings(ruleset, {}), how
    value = max(setting.low, min(turns, setting.high))
    return ruleset, complete_settings(ruleset, {setting.name: value}), f"{setting.name}={value}"


class _Cut:
    """A ruleset whose games end after a number of turns."""

    def __init__(self, ruleset: Ruleset, turns: int) -> None:
        self._ruleset, self._turns = ruleset, turns

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ruleset, name)

    def new(self, settings: Mapping[str, int], board: Any, chance: Any) -> Game:
        """See `Ruleset`."""
        return cast("Game", _CutGame(self._ruleset.new(settings, board, chance), self._turns))


class _CutGame:
    """A game that is over after a number of turns, and is then ranked by score."""

    def __init__(self, game: Game, turns: int) -> None:
        self._game, self._turns = game, turns

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def outcome(self) -> Outcome | None:
        """See `Game`."""
        outcome = self._game.outcome()
        if outcome is None and self._game.turn >= self._turns:
            outcome = by_score(self._game.scores(), "cut-short")
        return outcome


def largest_board(ruleset: Ruleset) -> Any:
    """Return the largest board of a game; None: all of its boards have the same size."""
    boards = registry.part(ruleset.name, "check_boards")
    return None if boards is None else boards.largest()


def crowded_board(ruleset: Ruleset, seed: int, seat: int) -> tuple[Any, int | None]:
    """Return a board on which the seat is soon outnumbered, and for how many turns to play on it.

    None: that is up to its rivals, and the match is a whole one.
    """
    boards = registry.part(ruleset.name, "check_boards")
    return (None, None) if boards is None else (boards.crowded(seed, seat), boards.CROWDED_TURNS)


def submove_at(ruleset: Ruleset, tokens: Sequence[str], index: int) -> Sequence[str] | None:
    """Return the tokens of an answer's submove, by its index from 0; None if it can't be found."""
    size = submove_numbers(ruleset)
    if size is not None:
        return tokens[index * size : (index + 1) * size] or None
    starts = [start for start, token in enumerate(tokens) if len(token) == 1 and token.isalpha()]
    if index >= len(starts):
        return None
    end = starts[index + 1] if index + 1 < len(starts) else len(tokens)
    return tokens[starts[index] : end]
