"""What the arena says in version 1: frozen, validated messages, each one line (PROTOCOL.md 3, 7).

The ruleset's facts aren't here: they come as bytes and are passed on as they are.
"""

import math
import re
from typing import ClassVar

import attrs

from lanista_protocol.errors import ErrorCode, LocalProtocolError, NoteCode

MAX_SEED = 2**31 - 1
SHORTEST = 0.0001
"""Seconds: the shortest time that 4 digits after the point can tell."""
END_WORDS = ("finished", "forfeit", "aborted", "void")
_WORD = re.compile(r"[!-~]+")


def number(value: float) -> str:
    """A number as the arena writes it: at most 4 digits after the point (PROTOCOL.md 1)."""
    if not math.isfinite(value):
        raise LocalProtocolError(f"{value} can't be told on the wire")
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _word(_: object, attribute: "attrs.Attribute[str]", value: str) -> None:
    if not _WORD.fullmatch(value):
        raise LocalProtocolError(f"{attribute.name} {value!r} is no single printable word")


def _line(_: object, attribute: "attrs.Attribute[str]", value: str) -> None:
    if not value or not value.isprintable():
        raise LocalProtocolError(f"{attribute.name} {value!r} isn't one printable line")


def _natural(_: object, attribute: "attrs.Attribute[int]", value: int) -> None:
    if value < 0:
        raise LocalProtocolError(f"{attribute.name} is {value}; it is from 0")


def _index(_: object, attribute: "attrs.Attribute[int | None]", value: int | None) -> None:
    if value is not None and value < 0:
        raise LocalProtocolError(f"{attribute.name} is {value}; it is from 0, or None")


def _place(_: object, attribute: "attrs.Attribute[int]", value: int) -> None:
    if value < 1:
        raise LocalProtocolError(f"{attribute.name} is {value}; 1 is the best")


def _seed(_: object, attribute: "attrs.Attribute[int]", value: int) -> None:
    if not 0 <= value <= MAX_SEED:
        raise LocalProtocolError(f"{attribute.name} is {value}; it is from 0 to {MAX_SEED}")


def _seconds(_: object, attribute: "attrs.Attribute[float]", value: float) -> None:
    # A positive time that is written as 0 would tell the bot that there is no limit.
    if not (value == 0 or SHORTEST <= value < math.inf):
        raise LocalProtocolError(
            f"{attribute.name} is {value} s; it is 0 for no limit, or from {SHORTEST} s"
        )


def _end_word(_: object, attribute: "attrs.Attribute[str]", value: str) -> None:
    if value not in END_WORDS:
        raise LocalProtocolError(f"{attribute.name} {value!r}; it is one of {', '.join(END_WORDS)}")


@attrs.frozen
class Message:
    """A line from the arena; `bytes(message)` is it with its newline."""

    keyword: ClassVar[str]

    def tokens(self) -> tuple[object, ...]:
        """What follows the keyword."""
        return attrs.astuple(self, recurse=False)

    def __bytes__(self) -> bytes:
        words = (
            self.keyword,
            *(number(t) if isinstance(t, float) else str(t) for t in self.tokens()),
        )
        return (" ".join(words) + "\n").encode()


@attrs.frozen
class Welcome(Message):
    """Once a connection, after its hello was accepted."""

    keyword = "welcome"
    version: int = attrs.field(validator=_natural)
    software: str = attrs.field(validator=_word)
    release: str = attrs.field(validator=_word)


@attrs.frozen
class Wait(Message):
    """Seats taken and seats needed; again when it changes."""

    keyword = "wait"
    taken: int = attrs.field(validator=_natural)
    needed: int = attrs.field(validator=_natural)


@attrs.frozen
class Start(Message):
    """A match begins; its id."""

    keyword = "start"
    match: str = attrs.field(validator=_word)


@attrs.frozen
class GameName(Message):
    """The ruleset's name."""

    keyword = "game"
    name: str = attrs.field(validator=_word)


@attrs.frozen
class Seat(Message):
    """Which player the receiver is, from 0."""

    keyword = "seat"
    seat: int = attrs.field(validator=_natural)


@attrs.frozen
class Player(Message):
    """The name of one seat: the rest of the line."""

    keyword = "player"
    seat: int = attrs.field(validator=_natural)
    name: str = attrs.field(validator=_line)


@attrs.frozen
class Clock(Message):
    """Seconds for the first answer and for every other; 0: no limit."""

    keyword = "clock"
    first: float = attrs.field(converter=float, validator=_seconds)
    turn: float = attrs.field(converter=float, validator=_seconds)


@attrs.frozen
class Seed(Message):
    """For this seat's own random choices, 0 … 2^31-1."""

    keyword = "seed"
    seed: int = attrs.field(validator=_seed)


@attrs.frozen
class Turn(Message):
    """The facts that follow are those after this many moves."""

    keyword = "turn"
    turn: int = attrs.field(validator=_natural)


@attrs.frozen
class Go(Message):
    """The seat's clock starts."""

    keyword = "go"


@attrs.frozen
class End(Message):
    """Why the match is over."""

    keyword = "end"
    why: str = attrs.field(validator=_end_word)


@attrs.frozen
class Rank(Message):
    """A seat's place; 1 is best."""

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
    """The arena closes the connection now."""

    keyword = "bye"


@attrs.frozen
class Error(Message):
    """Why the connection closes now."""

    keyword = "error"
    code: ErrorCode
    words: str = attrs.field(validator=_line)

    def tokens(self) -> tuple[object, ...]:
        """The code's word and the words for people."""
        return (self.code.value, self.words)


@attrs.frozen
class Note(Message):
    """Why something of an answer didn't count; the match goes on or ends by a rule."""

    keyword = "note"
    code: NoteCode
    turn: int = attrs.field(validator=_natural)
    index: int | None = attrs.field(validator=_index)
    words: str = attrs.field(validator=_line)

    def tokens(self) -> tuple[object, ...]:
        """The code's word, the turn, the submove's place or `-`, the words for people."""
        index = "-" if self.index is None else self.index
        return (self.code.value, self.turn, index, self.words)
