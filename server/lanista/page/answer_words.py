"""The orders in the answers of a turn, and places, in words (docs/api.md, "Frames").

A ruleset that can't say what was ordered gives none, and viewers show the answers as they were
sent.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from lanista.games.base import Answer, DecodesAnswers, Game, Submove
from lanista.games.picture import Place, Scene
from lanista.match.replay import JudgedTurn

SUBMOVES_SHOWN = 100
"""Maximum number of a seat's submoves in a turn that are put into words; an answer may have
thousands, and all of it is shown as it was sent."""
NONE = -1
"""Stands for no seat, no unit or no health in the JSON."""

Decoded = Sequence[tuple[Submove, ...] | None]
"""By seat, its submoves in words; None: it gave no answer that counts."""


def decoded(game: Game, judged: JudgedTurn) -> Decoded | None:
    """Return what the answers of a turn order; None if the ruleset can't say it."""
    if not isinstance(game, DecodesAnswers):
        return None
    return [
        tuple(islice(game.decode(seat, tokens), SUBMOVES_SHOWN))
        if isinstance(verdict, Answer)
        else None
        for seat, (verdict, tokens) in enumerate(zip(judged.verdicts, judged.tokens, strict=True))
    ]


def submoves_json(
    answers: Decoded, idle: Mapping[int, str], cols: int
) -> list[list[list[Any]] | None]:
    """Return the submoves of each seat as JSON, given the idle units of the frame after them."""
    return [
        None if submoves is None else [_submove(submove, idle, cols) for submove in submoves]
        for submoves in answers
    ]


def _submove(submove: Submove, idle: Mapping[int, str], cols: int) -> list[Any]:
    text, unit, places = submove
    cells = [row * cols + col for row, col in places]
    if unit is None:
        return [text, NONE, cells]
    return [text, unit, cells, idle[unit]] if unit in idle else [text, unit, cells]


def place_words(scene: Scene, place: Place) -> str:
    """Return a cell as `(row, column)`, with the title of its level if the game has levels."""
    row, col = place
    for level in scene.levels:
        if level.col <= col < level.col + level.cols:
            return f"({row}, {col - level.col}) {level.title}"
    return f"({row}, {col})"
