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
    return _line(
        "welcome",
        _natural("version", version),
        _word("software", software),
        _word("release", release),
    )


def wait(taken: int, needed: int) -> bytes:
    """Return how many seats are taken and needed; sent again whenever that changes."""
    return _line("wait", _natural("taken", taken), _natural("needed", needed))


def start(match: str) -> bytes:
    """Return the beginning of a match, with the match's id."""
    return _line("start", _word("match", match))


def game(name: str) -> bytes:
    """Return the ruleset's name."""
    return _line("game", _word("name", name))


def seat(seat: int) -> bytes:
    """Return the seat of the receiver, from 0."""
    return _line("seat", _natural("seat", seat))


def player(seat: int, name: str) -> bytes:
    """Return the name of the player at a seat; the name is the rest of the line."""
    return _line("player", _natural("seat", seat), _printable("name", name))


def clock(first: float, turn: float) -> bytes:
    """Return the limits in seconds, of the first answer and of every other; 0 means no limit."""
    return _line("clock", _limit("first", first), _limit("turn", turn))


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
    return _line("set", _word("name", name), str(value))


def turn(turn: int) -> bytes:
    """Return how many moves were made before the position whose facts follow."""
    return _line("turn", _natural("turn", turn))


def status(shares: Sequence[float]) -> bytes:
    """Return the share of its time that each seat has used, by seat; -1 for one that is out."""
    return _line("status", *map(number, shares))


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
    return _line("rank", _natural("seat", seat), str(place))


def score(seat: int, score: int) -> bytes:
    """Return a seat's final score."""
    return _line("score", _natural("seat", seat), str(score))


def bye() -> bytes:
    """Return the last line before the arena closes the connection."""
    return _line("bye")


def error(code: ErrorCode, words: str) -> bytes:
    """Return the reason for which the arena closes the connection now."""
    return _line("error", code.value, _printable("words", words))


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
    if index is not None and index < 0:
        raise LocalProtocolError(f"index is {index}; it must be None or at least 0")
    return _line(
        "note",
        code.value,
        _natural("turn", turn),
        "-" if index is None else str(index),
        _printable("words", words),
    )


def _line(*tokens: str) -> bytes:
    return (" ".join(tokens) + "\n").encode()


def _word(name: str, value: str) -> str:
    if not _WORD.fullmatch(value):
        raise LocalProtocolError(f"{name} {value!r} isn't a single printable word")
    return value


def _printable(name: str, value: str) -> str:
    if not value or not value.isprintable():
        raise LocalProtocolError(f"{name} {value!r} isn't one printable line")
    return value


def _natural(name: str, value: int) -> str:
    if value < 0:
        raise LocalProtocolError(f"{name} is {value}; it must be at least 0")
    return str(value)


def _limit(name: str, value: float) -> str:
    # A positive time that is rounded to 0 would mean to the bot that there is no limit.
    if not (value == 0 or SHORTEST <= value < math.inf):
        raise LocalProtocolError(
            f"{name} is {value} s; it must be 0 (no limit) or at least {SHORTEST} s"
        )
    return number(value)
