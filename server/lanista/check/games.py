"""What a check needs to know about a game beyond its ruleset's interface.

That is how to make its matches short, which board is the largest, and how many numbers a submove
has, for the games that come with the arena. Any other game is checked by its ruleset alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import attrs

from lanista.rules.base import Game, Ruleset, Setting, complete_settings
from lanista.rules.outcome import Outcome, Termination, ranks_by_score

SIDE = 200
"""The number of rows, and of columns, of the largest map of Angry Mob (rules/angrymob.md 1)."""
_BASE = (10, 10)
NUMBERS = {"angrymob": 4, "crematoria": 2}
"""How many numbers a submove has; in other games a submove begins with a letter."""
CROWDED_TURNS = {"angrymob": 300}
"""The number of turns of the match against strong house bots; in other games, a whole match."""
RICH, RICH_STEPS = 50, 3
"""Neutral units in a cell, and steps from the rival's base to such cells, on a crowded board."""


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
            scores = self._game.scores()
            outcome = Outcome(
                termination=Termination.FINISHED,
                ranks=ranks_by_score(scores),
                scores=scores,
                reason="cut-short",
            )
        return outcome


def largest_board(ruleset: Ruleset) -> Any:
    """Return the largest board of a game; None: all of its boards have the same size."""
    return ruleset.read_board(largest_angrymob()) if ruleset.name == "angrymob" else None


def crowded_board(ruleset: Ruleset, seed: int, seat: int) -> Any:
    """Return a board on which the seat is soon out-numbered; None: that is up to its rivals.

    In Angry Mob it is a generated map with nothing to recruit in the seat's half, and hundreds of
    units around the other base. No real match has such a map: they are symmetrical.
    """
    if ruleset.name != "angrymob":
        return None
    board = ruleset.generate(complete_settings(ruleset, {}), ruleset.chance(seed))
    own_steps = board.distances(board.bases[seat])
    rival_steps = board.distances(board.bases[1 - seat])
    cells = list(board.cells)
    for cell, (own, rival) in enumerate(zip(own_steps, rival_steps, strict=True)):
        if 0 < rival <= RICH_STEPS:
            cells[cell] = RICH
        elif 0 <= own <= rival:  # -1: impassable
            cells[cell] = 0
    return attrs.evolve(board, cells=tuple(cells))


def largest_angrymob() -> str:
    """Return a map of 200 rows and 200 columns: walls, and neutral units in a tenth of the rest."""
    rows = [" ".join(_cell(row, col) for col in range(SIDE)) for row in range(SIDE)]
    return "\n".join((f"{SIDE} {SIDE}", *rows, ""))


def _cell(row: int, col: int) -> str:
    mirrored = (SIDE - 1 - row, SIDE - 1 - col)
    if _BASE in ((row, col), mirrored):
        return "A" if (row, col) == _BASE else "B"
    # Of two cells that mirror each other the first decides for both (rules/angrymob.md 1).
    row, col = min((row, col), mirrored)
    if row % 4 == 2 and col % 4 == 1:
        return "#"
    return str(1 + (row + col) % 9) if (7 * row + 3 * col) % 11 == 0 else "."


def submove_at(game: str, tokens: Sequence[str], index: int) -> Sequence[str] | None:
    """Return the tokens of an answer's submove, by its index from 0; None if it can't be found."""
    size = NUMBERS.get(game)
    if size is not None:
        return tokens[index * size : (index + 1) * size] or None
    starts = [start for start, token in enumerate(tokens) if len(token) == 1 and token.isalpha()]
    if index >= len(starts):
        return None
    end = starts[index + 1] if index + 1 < len(starts) else len(tokens)
    return tokens[starts[index] : end]
