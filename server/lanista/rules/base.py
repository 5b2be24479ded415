"""The interface between a ruleset and everything that plays, records or shows it.

A ruleset is found by its name (`registry`), makes a `Game` from settings, a board and chance,
and the game goes from turn to turn by `advance`. Same settings, board, seed and verdicts give
the same game, whatever order the answers came in. Nothing here knows of sockets, clocks, files
or the lines around the facts.
"""

import enum
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import attrs

from lanista.rules.chance import Chance
from lanista.rules.outcome import Outcome
from lanista.rules.picture import Frame, Scene

Token = int | str
"""A token of an answer: a whole number of 32 bits, or one letter (PROTOCOL.md 4)."""


class RefusalCode(enum.Enum):
    """Why an answer, or a submove of it, doesn't count (PROTOCOL.md 7, notes)."""

    LATE = "late"
    MALFORMED = "malformed"
    ILLEGAL = "illegal"


@attrs.frozen
class Refusal:
    """Something of an answer that was refused."""

    code: RefusalCode
    message: str
    """Why, for a person: one printable line."""
    index: int | None = None
    """The submove's place in the line, from 0; None when it is the whole line."""


class MalformedAnswerError(Exception):
    """The tokens of an answer don't form submoves of this ruleset."""

    def __init__(self, words: str, index: int | None = None) -> None:
        super().__init__(words)
        self.refusal = Refusal(RefusalCode.MALFORMED, words, index)


class TooManySubmovesError(Exception):
    """An answer with more submoves than the ruleset takes in a turn: the seat is out."""


@attrs.frozen
class Answer:
    """A well-formed answer that came in time."""

    orders: Any
    """The submoves as the ruleset's `parse` made them; only the ruleset reads them."""
    refused: tuple[Refusal, ...] = ()
    """What of it is not allowed. The ruleset says what follows from that."""


@attrs.frozen
class Late:
    """No answer within the time."""


@attrs.frozen
class Malformed:
    """An answer in time that is no line of submoves."""

    refusal: Refusal


@attrs.frozen
class Missing:
    """The connection ended before an answer came."""


@attrs.frozen
class Out:
    """The seat was put out in an earlier turn and is asked no more."""


Verdict = Answer | Late | Malformed | Missing | Out
"""What the runner says of one seat's turn; a replay obeys it and never judges again."""


class Consequence(enum.Enum):
    """What follows when a seat's turn is late, malformed or missing."""

    FORFEIT = "forfeit"
    """The seat loses at once; the runner tells it why."""
    SKIP = "skip"
    """The turn counts as no submoves; a streak of late turns puts the seat out."""


@attrs.frozen(kw_only=True)
class Setting:
    """A whole-number setting of a ruleset."""

    name: str
    """As on the wire (`set NAME VALUE`) and in `--set NAME=VALUE`."""
    default: int
    low: int
    high: int
    help: str
    """One line for people."""


class BadSettingError(Exception):
    """A setting that the ruleset doesn't have, or a value out of its range."""


class BadBoardError(Exception):
    """A board file that can't be used; says where and what would be right."""

    def __init__(self, words: str, line: int | None = None, column: int | None = None) -> None:
        where = [f"line {line}"] if line is not None else []
        where += [f"column {column}"] if column is not None else []
        super().__init__(f"{', '.join(where)}: {words}" if where else words)
        self.line = line
        """From 1; None when no single line is wrong."""
        self.column = column
        """From 1, in characters; None when no single place of the line is wrong."""


class Game(Protocol):
    """A match in progress. Mutable, deterministic; driven by the runner or a replay."""

    @property
    def turn(self) -> int:
        """Moves carried out so far: the N of the wire's `turn N`."""
        ...

    def facts_at_start(self, seat: int) -> bytes:
        """The lines of PROTOCOL.md 5 "Start" for this seat, each ended by a newline."""
        ...

    def facts(self, seat: int, status: Sequence[float]) -> bytes:
        """The lines of PROTOCOL.md 5 "Turn" for this seat.

        Seats that see the same get the same object, so that its bytes are built once.

        Args:
            seat: Who will read it.
            status: By seat, answer times so far as a share of the match's allowance; -1: out.
        """
        ...

    def parse(self, seat: int, tokens: Sequence[Token]) -> Answer:
        """Read an answer's tokens against the position; the game doesn't change.

        Raises:
            MalformedAnswerError: The tokens are no submoves of this ruleset.
            TooManySubmovesError: More submoves than may be sent in a turn (PROTOCOL.md 4).
        """
        ...

    def advance(self, turn: Sequence[Verdict]) -> None:
        """Carry out one turn: a verdict a seat, in order of seats."""
        ...

    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        ...

    def scores(self) -> tuple[int, ...]:
        """Score by seat as things stand."""
        ...

    def digest(self) -> str:
        """16 hexadecimal digits of a hash over the whole state, outcome included."""
        ...

    def scene(self) -> Scene:
        """What a viewer draws once."""
        ...

    def frame(self) -> Frame:
        """What a viewer draws of the present position."""
        ...


class Dialect(Protocol):
    """Another way of telling a ruleset's match than version 1: the bytes and nothing else.

    The rules of lines, debts and time stay those of PROTOCOL.md 1 and 4.
    """

    def opening(self, game: Any, seat: int) -> bytes:
        """What a seat is sent first; its first answer is asked for by it."""
        ...

    def turn(self, game: Any, seat: int) -> bytes:
        """What a seat is sent after a turn, when another answer is asked for."""
        ...

    def closing(self, game: Any, seat: int) -> bytes:
        """What a seat is sent after the last turn, before the connection closes."""
        ...


class Ruleset(Protocol):
    """A game's rules under a name.

    `Any` stands for the ruleset's own board type: the ones who pass it on never look inside.
    """

    @property
    def name(self) -> str:
        """As in `game=NAME` on the wire: lower-case letters, digits, `-`."""
        ...

    @property
    def title(self) -> str:
        """As people write it."""
        ...

    @property
    def version(self) -> str:
        """Changes when the same turns could give another game."""
        ...

    @property
    def seats(self) -> int:
        """How many play."""
        ...

    @property
    def consequence(self) -> Consequence:
        """What follows from a turn without a usable answer."""
        ...

    @property
    def settings(self) -> tuple[Setting, ...]:
        """In the order in which the wire tells them."""
        ...

    @property
    def seeds(self) -> tuple[int, int]:
        """The lowest and the highest seed it takes."""
        ...

    @property
    def classic(self) -> Dialect | None:
        """What a hello without `v=` gets (PROTOCOL.md 6); None: version 1."""
        ...

    def chance(self, seed: int) -> Chance:
        """The draws of a match with this seed, which is within `seeds`."""
        ...

    def read_board(self, text: str) -> Any:
        """Read a board file.

        Raises:
            BadBoardError: Anything in it breaks the rules of boards.
        """
        ...

    def write_board(self, board: Any) -> str:
        """The board as a file that `read_board` reads back to an equal board."""
        ...

    def generate(self, settings: Mapping[str, int], chance: Chance) -> Any:
        """Make a board by chance; the same chance makes the same board."""
        ...

    def new(self, settings: Mapping[str, int], board: Any, chance: Chance) -> Game:
        """Start a game. `settings` has every setting, as `complete_settings` makes them."""
        ...

    def max_turns(self, settings: Mapping[str, int]) -> int:
        """How many turns a match can have at most."""
        ...


def complete_settings(ruleset: Ruleset, given: Mapping[str, int]) -> dict[str, int]:
    """All settings of a ruleset in its order: the given ones checked, the others' defaults.

    Raises:
        BadSettingError: A name the ruleset doesn't have, or a value out of range.
    """
    known = {setting.name: setting for setting in ruleset.settings}
    for name, value in given.items():
        if name not in known:
            names = ", ".join(known) or "none"
            raise BadSettingError(
                f"{ruleset.title} has no setting {name!r}; its settings are: {names}"
            )
        setting = known[name]
        if not setting.low <= value <= setting.high:
            raise BadSettingError(
                f"setting {name} of {ruleset.title} is {value}; "
                f"it can be from {setting.low} to {setting.high}"
            )
    return {name: given.get(name, setting.default) for name, setting in known.items()}
