"""A turn as viewers are told of it, with its faults and the orders in its answers in words."""

from collections.abc import Sequence
from itertools import islice

import attrs

from lanista.games.base import Answer, DecodesAnswers, Game, Submove
from lanista.games.picture import Place, Scene
from lanista.match.record import FaultInfo, Header, TurnInfo
from lanista.match.replay import JudgedTurn, carry_out, turn_faults

SUBMOVES_SHOWN = 100
"""Maximum number of a seat's submoves in a turn that are put into words; an answer may have
thousands, and all of it is shown as it was sent."""

Decoded = Sequence[tuple[Submove, ...] | None]
"""By seat, its submoves in words; None: it gave no answer that counts."""


@attrs.frozen
class PlayedTurn:
    """A turn of a record that was carried out, and what a replay finds out about it."""

    info: TurnInfo
    faults: Sequence[FaultInfo] = ()
    answers: Decoded | None = None
    """The submoves of the answers, by seat; None if the ruleset can't say them."""


def play(header: Header, game: Game, judged: JudgedTurn) -> PlayedTurn:
    """Carry out a turn in the game in which it was judged.

    Raises:
        MismatchError: The digest of the position isn't the recorded one.
    """
    answers = decoded(game, judged)  # from the position before the turn
    carry_out(game, judged)
    return PlayedTurn(judged.turn, turn_faults(header, judged), answers)


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


def place_words(scene: Scene, place: Place) -> str:
    """Return a cell as `(row, column)`, with the title of its level if the game has levels."""
    row, col = place
    for level in scene.levels:
        if level.col <= col < level.col + level.cols:
            return f"({row}, {col - level.col}) {level.title}"
    return f"({row}, {col})"
