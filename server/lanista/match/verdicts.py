"""The verdicts on answers: their names in records, and the one on an answer that came in time.

A match and its replay read answers by the same function, so what the rules say of an answer in a
replay is what they said when it was played.
"""

from collections.abc import Mapping, Sequence

from lanista.games.base import (
    Answer,
    Game,
    Late,
    Malformed,
    MalformedAnswerError,
    Missing,
    Out,
    Refusal,
    RefusalCode,
    Token,
    Verdict,
)
from lanista_protocol import MalformedLineError, tokenize

NAMES: Mapping[type[Verdict], str] = {
    Answer: "answer",
    Late: "late",
    Malformed: "malformed",
    Missing: "missing",
    Out: "out",
}
"""The names of the verdicts in a record."""
REFUSED = frozenset({"late", "malformed"})
"""The names of the verdicts on answers of which a record may keep only the beginning, as they
aren't needed to replay the match."""


def read_answer(game: Game, seat: int, line: str) -> tuple[Answer | Malformed, Sequence[Token]]:
    """Read an answer in the position in which it was given.

    Args:
        game: The game before the turn, which doesn't change.
        seat: The seat that answered.
        line: The answer.

    Returns:
        The verdict, and the answer's tokens; none if it isn't a line of tokens.

    Raises:
        TooManySubmovesError: There are more submoves than the rules allow in a turn.
    """
    try:
        tokens = tokenize(line)
    except MalformedLineError as error:
        return Malformed(Refusal(RefusalCode.MALFORMED, str(error))), ()
    try:
        return game.parse(seat, tokens), tokens
    except MalformedAnswerError as error:
        return Malformed(error.refusal), tokens
