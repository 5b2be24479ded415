"""The arena's messages in version 1: frozen, validated, one line each (PROTOCOL.md 3, 7).

The ruleset's facts aren't among them: rulesets provide them as bytes, which are sent unchanged.
"""

import math
import re
from typing import ClassVar

import attrs

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


def _word(_: object, attribute: "attrs.Attribute[str]", value: str) -> None:
    if not _WORD.fullmatch(value):
        raise LocalProtocolError(f"{attribute.name} {value!r} isn't a single printable word")


def _line(_: object, attribute: "attrs.Attribute[str]", value: str) -> None:
    if not value or not value.isprintable():
        raise LocalProtocolError(f"{attribute.name} {value!r} isn't one printable line")


def _natural(_: object, attribute: "attrs.Attribute[int]", value: int) -> None:
    if value < 0:
        raise LocalProtocolError(f"{attribute.name} is {value}; it must be at least 0")


def _index(_: object, attribute: "attrs.Attribute[int | None]", value: int | None) -> None:
    if value is not None and value < 0:
        raise LocalProtocolError(f"{attribute.name} is {value}; it must be None or at least 0")


def _place(_: object, attribute: "attrs.Attribute[int]", value: int) -> None:
    if value < 1:
        raise LocalProtocolError(
            f"{attribute.name} is {value}; it must be at least 1, which is the best"
        )


def _seed(_: object, attribute: "attrs.Attribute[int]", value: int) -> None:
    if not 0 <= value <= MAX_SEED:
        raise LocalProtocolError(f"{attribute.name} is {value}; it must be from 0 to {MAX_SEED}")


def _seconds(_: object, attribute: "attrs.Attribute[float]", value: float) -> None:
    # A positive time that is rounded to 0 would mean to the bot that there is no limit.
    if not (value == 0 or SHORTEST <= value < math.inf):
        raise LocalProtocolError(
            f"{attribute.name} is {value} s; it must be 0 (no limit) or at least {SHORTEST} s"
        )


def _finite(_: object, attribute: "attrs.Attribute[float]", value: float) -> None:
    if not 0 <= value < math.inf:
        raise LocalProtocolError(f"{attribute.name} is {value} s; it must be 0 s or more")


def _end_word(_: object, attribute: "attrs.Attribute[str]", value: str) -> None:
    if value not in END_WORDS:
        raise LocalProtocolError(
            f"{attribute.name} is {value!r}; it must be one of {', '.join(END_WORDS)}"
        )


@attrs.frozen
class Message:
    """A line from the arena; `bytes(message)` is that line with its newline."""

    keyword: ClassVar[str]

    def tokens(self) -> tuple[object, ...]:
        """Return the values that follow the keyword."""
        return attrs.astuple(self, recurse=False)

    def __bytes__(self) -> bytes:
        tokens = (number(t) if isinstance(t, float) else str(t) for t in self.tokens())
        return (" ".join([self.keyword, *tokens]) + "\n").encode()


@attrs.frozen
class Welcome(Message):
    """The first line of a connection, sent after its hello was accepted."""

    keyword = "welcome"
    version: int = attrs.field(validator=_natural)
    software: str = attrs.field(validator=_word)
    release: str = attrs.field(validator=_word)


@attrs.frozen
class Wait(Message):
    """How many seats are taken and needed; sent again whenever that changes."""

    keyword = "wait"
    taken: int = attrs.field(validator=_natural)
    needed: int = attrs.field(validator=_natural)


@attrs.frozen
class Start(Message):
    """The beginning of a match, with the match's id."""

    keyword = "start"
    match: str = attrs.field(validator=_word)


@attrs.frozen
class GameName(Message):
    """The ruleset's name."""

    keyword = "game"
    name: str = attrs.field(validator=_word)


@attrs.frozen
class Seat(Message):
    """The seat of the receiver, from 0."""

    keyword = "seat"
    seat: int = attrs.field(validator=_natural)


@attrs.frozen
class Player(Message):
    """The name of the player at a seat; the name is the rest of the line."""

    keyword = "player"
    seat: int = attrs.field(validator=_natural)
    name: str = attrs.field(validator=_line)


@attrs.frozen
class Clock(Message):
    """The time limits in seconds, of the first answer and of every other; 0 means no limit."""

    keyword = "clock"
    first: float = attrs.field(converter=float, validator=_seconds)
    turn: float = attrs.field(converter=float, validator=_seconds)


@attrs.frozen
class Lag(Message):
    """How many seconds of the way to the bot and back are added to its time limits at most."""

    keyword = "lag"
    most: float = attrs.field(converter=float, validator=_finite)


@attrs.frozen
class Seed(Message):
    """A seed for the receiver's own random choices, from 0 to 2^31-1."""

    keyword = "seed"
    seed: int = attrs.field(validator=_seed)


@attrs.frozen
class Turn(Message):
    """How many moves were made before the position whose facts follow."""

    keyword = "turn"
    turn: int = attrs.field(validator=_natural)


@attrs.frozen
class Go(Message):
    """The request for an answer; the seat's clock starts."""

    keyword = "go"


@attrs.frozen
class End(Message):
    """The end of the match, with one of `END_WORDS`."""

    keyword = "end"
    why: str = attrs.field(validator=_end_word)


@attrs.frozen
class Rank(Message):
    """A seat's final place; 1 is the best."""

    keyword = "rank"
    seat: int = attrs.field(validator=_natural)
    place: int = attrs.field(validator=_place)


@attrs.frozen
class Score(Message):
    """A seat's final score."""

    keyword = "score"
    seat: int = attrs.field(validator=_natural)
    score: int


@attrs.frozen
class Bye(Message):
    """The last line before the arena closes the connection."""

    keyword = "bye"


@attrs.frozen
class Error(Message):
    """The reason for which the arena closes the connection now."""

    keyword = "error"
    code: ErrorCode
    words: str = attrs.field(validator=_line)

    def tokens(self) -> tuple[object, ...]:
        """Return the code and the explanation for people."""
        return (self.code.value, self.words)


@attrs.frozen
class Note(Message):
    """The reason for which a part of an answer didn't count, or a bot isn't paired.

    In the first case the match goes on, or ends by a rule of the game.
    """

    keyword = "note"
    code: NoteCode
    turn: int = attrs.field(validator=_natural)
    """The turn that was answered. Of `BENCHED`, the seconds until the end of the rest; of `ROOM`,
    0."""
    index: int | None = attrs.field(validator=_index)
    words: str = attrs.field(validator=_line)

    def tokens(self) -> tuple[object, ...]:
        """Return the code, the turn, the submove's index or `-`, and the explanation for people."""
        index = "-" if self.index is None else self.index
        return (self.code.value, self.turn, index, self.words)
