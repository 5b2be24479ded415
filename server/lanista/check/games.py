"""What a check needs to know of a game beyond its ruleset's interface.

How to make its matches short, which board is the largest, how many numbers a submove has: for
the games that come with the arena. Any other game is checked by what its ruleset says alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import attrs

from lanista.rules.angrymob.board import IMPASSABLE
from lanista.rules.base import Game, Ruleset, Setting, complete_settings
from lanista.rules.outcome import Outcome, Termination, ranks_by_score

SIDE = 200
"""Rows and columns of the largest map of Angry Mob (rules/angrymob.md 1)."""
_BASE = (10, 10)
NUMBERS = {"angrymob": 4, "crematoria": 2}
"""Numbers of a submove; the submoves of other games begin with a letter."""
CROWDED_TURNS = {"angrymob": 300}
"""Turns of the match against strong house bots; else all that the game's defaults have."""
RICH, RICH_STEPS = 50, 3
"""Neutral units in each cell so near the rival's base where a bot is to be out-numbered."""


def length_setting(ruleset: Ruleset) -> Setting | None:
    """The setting that is the number of a match's turns, if the ruleset has one."""
    for setting in ruleset.settings:
        values = {setting.low, min(setting.low + 1, setting.high), setting.default}
        if len(values) > 1 and all(
            ruleset.max_turns(complete_settings(ruleset, {setting.name: value})) == value
            for value in values
        ):
            return setting
    return None


def shortened(ruleset: Ruleset, turns: int) -> tuple[Ruleset, dict[str, int], str]:
    """A match of at most so many turns: its ruleset, its settings, and how it was made short.

    By the game's own setting where there is one; else the game is ended from outside, as if its
    rules had.
    """
    setting = length_setting(ruleset)
    if setting is None:
        words = f"ended after {turns}, which no setting of {ruleset.name} does"
        return cast("Ruleset", _Cut(ruleset, turns)), complete_settings(ruleset, {}), words
    value = max(setting.low, min(turns, setting.high))
    return ruleset, complete_settings(ruleset, {setting.name: value}), f"{setting.name}={value}"


class _Cut:
    """A ruleset whose games end after so many turns."""

    def __init__(self, ruleset: Ruleset, turns: int) -> None:
        self._ruleset, self._turns = ruleset, turns

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ruleset, name)

    def new(self, settings: Mapping[str, int], board: Any, chance: Any) -> Game:
        """See `Ruleset`."""
        return cast("Game", _CutGame(self._ruleset.new(settings, board, chance), self._turns))


class _CutGame:
    """A game that is over after so many turns, ranked by score."""

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
    """The largest board of a game whose boards differ in size; None: all have one size."""
    return ruleset.read_board(largest_angrymob()) if ruleset.name == "angrymob" else None


def crowded_board(ruleset: Ruleset, seed: int, seat: int) -> Any:
    """A board on which the seat is soon out-numbered; None: its rivals must see to that.

    In Angry Mob a generated map with nothing to recruit in the seat's half, and hundreds of units
    around the other base. No match is played on such a map otherwise: maps are symmetrical.
    """
    if ruleset.name != "angrymob":
        return None
    board = ruleset.generate(complete_settings(ruleset, {}), ruleset.chance(seed))
    steps = zip(
        board.cells,
        board.distances(board.bases[seat]),
        board.distances(board.bases[1 - seat]),
        strict=True,
    )
    cells = tuple(
        IMPASSABLE
        if state == IMPASSABLE
        else RICH
        if 0 < theirs <= RICH_STEPS
        else 0
        if ours <= theirs
        else state
        for state, ours, theirs in steps
    )
    return attrs.evolve(board, cells=cells)


def largest_angrymob() -> str:
    """A map of 200 rows and 200 columns: pillars, and neutral units in a tenth of the rest."""
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


def submove_at(game: str, words: Sequence[str], index: int) -> Sequence[str] | None:
    """The words of a submove of an answer, by its place from 0; None if they can't be told."""
    size = NUMBERS.get(game)
    if size is not None:
        return words[index * size : (index + 1) * size] or None
    begins = [at for at, word in enumerate(words) if len(word) == 1 and word.isalpha()]
    if index >= len(begins):
        return None
    end = begins[index + 1] if index + 1 < len(begins) else len(words)
    return words[begins[index] : end]
