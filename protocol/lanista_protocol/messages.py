"""The arena's messages in version 1, as bytes: one validated line each (PROTOCOL.md 3, 7).

A message is a function of the name of its keyword, which returns the line with its newline. If a
value would make no such line, it raises a `LocalProtocolError`.

The ruleset's facts aren't among them: rulesets provide them as bytes, which are sent unchanged.
"""

import math
import re
from collections.abc import Sequence

from lanista_protocol.errors import ErrorCode, LocalProtocolError, NoteCode

MAX_SEED = 2**31 - 1
"""The largest seed that is sent to a bot."""
SHORTEST = 0.0001
"""The shortest time, in seconds, that 4 digits after the point can express."""
END_WORDS = ("finished", "forfeit", "aborted", "void")
"""The words of an `end` line: how a match can end."""
_WORD = re.compile(r"[!-~]+")


def number(value: float) -> str:
    """Return a number as it is sent: at most 4 digits after the point (PROTOCOL.md 1)."""
    if not math.isfinite(value):
        raise LocalProtocolError(f"{value} can't be sent; numbers on the wire are finite")
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def welcome(version: int, software: str, release: str) -> bytes:
    """Return the first line of a connection, sent after its hello was accepted."""
    return _line("welcome", version, software, release)


def wait(taken: int, needed: int) -> bytes:
    """Return how many seats are taken and needed; sent again whenever that changes."""
    return _line("wait", taken, needed)


def start(match: str) -> bytes:
    """Return the beginning of a match, with the match's id."""
    return _line("start", match)


def game(name: str) -> bytes:
    """Return the ruleset's name."""
    return _line("game", name)


def seat(seat: int) -> bytes:
    """Return the seat of the receiver, from 0."""
    return _line("seat", seat)


def player(seat: int, name: str) -> bytes:
    """Return the name of the player at a seat; the name is the rest of the line."""
    return _line("player", seat, rest=name)


def clock(first: float, turn: float) -> bytes:
    """Return the limits in seconds, of the first answer and of every other; 0 means no limit."""
    return _line("clock", _limit(first), _limit(turn))


def lag(most: float) -> bytes:
    """Return how many seconds of the way to the bot and back are added to its limits at most."""
    if not 0 <= most < math.inf:
        raise LocalProtocolError(f"most is {most} s; it must be 0 s or more")
    return _line("lag", number(most))


def seed(seed: int) -> bytes:
    """Return a seed for the receiver's own random choices, from 0 to 2^31-1."""
    if not 0 <= seed <= MAX_SEED:
        raise LocalProtocolError(f"seed is {seed}; it must be from 0 to {MAX_SEED}")
    return _line("seed", str(seed))


def set(name: str, value: int) -> bytes:  # noqa: A001 - the keyword's name
    """Return the value of a setting of the ruleset."""
    return _line("set", name, str(value))


def turn(turn: int) -> bytes:
    """Return how many moves were made before the position whose facts follow."""
    return _line("turn", turn)


def status(shares: Sequence[float]) -> bytes:
    """Return the share of its time that each seat has used, by seat; -1 for one that is out."""
    return _line("status", rest=" ".join(map(number, shares)))


def go() -> bytes:
    """Return the request for an answer; the seat's clock starts."""
    return _line("go")


def end(why: str) -> bytes:
    """Return the end of the match, with one of `END_WORDS`."""
    if why not in END_WORDS:
        raise LocalProtocolError(f"why is {why!r}; it must be one of {', '.join(END_WORDS)}")
    return _line("end", why)


def rank(seat: int, place: int) -> bytes:
    """Return a seat's final place; 1 is the best."""
    if place < 1:
        raise LocalProtocolError(f"place is {place}; it must be at least 1, which is the best")
    return _line("rank", seat, place)


def score(seat: int, score: int) -> bytes:
    """Return a seat's final score."""
    return _line("score", seat, str(score))


def bye() -> bytes:
    """Return the last line before the arena closes the connection."""
    return _line("bye")


def error(code: ErrorCode, words: str) -> bytes:
    """Return the reason for which the arena closes the connection now."""
    return _line("error", code.value, rest=words)


def note(code: NoteCode, turn: int, index: int | None, words: str) -> bytes:
    """Return the reason for which a part of an answer didn't count, or a bot isn't paired.

    In the first case the match goes on, or ends by a rule of the game.

    Args:
        code: The code of the reason.
        turn: The turn that was answered. Of `BENCHED`, the seconds until the end of the rest; of
            `ROOM`, 0.
        index: The index of the submove that it concerns; None if it concerns none.
        words: The explanation for people.
    """
    return _line("note", code.value, turn, "-" if index is None else index, rest=words)


def _line(keyword: str, *tokens: int | str, rest: str | None = None) -> bytes:
    """Return the line of a keyword, of words and numbers from 0 on, and of words for its rest."""
    line = keyword
    for token in tokens:
        line += f" {token}"
        is_sound = token >= 0 if isinstance(token, int) else _WORD.fullmatch(token)
        if not is_sound:
            raise LocalProtocolError(
                f"{token!r} in a line `{keyword}`; it takes a number from 0 on, or a printable word"
            )
    if rest is not None:
        line += f" {rest}"
        if not rest or not rest.isprintable():
            raise LocalProtocolError(f"{rest!r} in a line `{keyword}`; it takes printable text")
    return f"{line}\n".encode()


def _limit(value: float) -> str:
    # A positive time that is rounded to 0 would mean to the bot that there is no limit.
    if not (value == 0 or SHORTEST <= value < math.inf):
        raise LocalProtocolError(
            f"a limit of {value} s; it must be 0 (no limit) or at least {SHORTEST} s"
        )
    return number(value)
