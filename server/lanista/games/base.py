"""The interface between a ruleset and everything that plays, records or shows it.

A ruleset makes a `Game` from settings, a board and chance. In every turn the runner asks
`Game.parse` to read each seat's answer, forms a verdict on each seat, and gives all verdicts to
`Game.advance` at once, in order of seats. The same settings, board, seed and verdicts give the same
game, whatever order the answers came in; that is what makes records and replays possible.
"""

import enum
import math
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, SupportsIndex, cast, runtime_checkable

import attrs

from lanista.errors import BadInputError, did_you_mean
from lanista.games.chance import Chance
from lanista.games.outcome import REMOVED, Outcome
from lanista.games.picture import Frame, Place, Scene, counted

Token = int | str
"""One token of an answer: a 32-bit signed integer or a single letter (PROTOCOL.md 4)."""


class RefusalCode(enum.Enum):
    """The reason why an answer, or one of its submoves, doesn't count (PROTOCOL.md 7, notes)."""

    LATE = "late"
    MALFORMED = "malformed"
    ILLEGAL = "illegal"
    IGNORED = "ignored"
    """It repeats an order, which is no fault; the wire shows it like an illegal submove."""


@attrs.frozen
class Refusal:
    """A refused answer, or a refused submove of one."""

    code: RefusalCode
    message: str
    """The reason in plain English, in one printable line."""
    index: int | None = None
    """The index of the submove in the line, from 0; None when the whole line is refused."""


Reason = tuple[str, *tuple[object, ...]]
"""What is wrong with a submove: a template for `str.format`, and the values that it takes.

A bot may be refused a hundred thousand submoves in a match, and hardly anybody reads why. So the
messages are written where somebody does, which may be after the turn: the values don't change.
"""


REPEATED = "a second order for unit {}; only its first one counts"
"""The template of the reason why an order is ignored, where the rules ignore repeated ones."""


class MalformedAnswerError(Exception):
    """The tokens of an answer don't form submoves of this ruleset."""

    def __init__(self, message: str, index: int | None = None) -> None:
        super().__init__(message)
        self.refusal = Refusal(RefusalCode.MALFORMED, message, index)


def whole_submoves(tokens: Sequence[Token], size: int, form: str) -> Sequence[int]:
    """Return the tokens of an answer whose submoves are each so many numbers, named by `form`.

    Raises MalformedAnswerError if there is a letter, or the last submove lacks a number
    (PROTOCOL.md 4).
    """
    count = _COUNTS.get(size, size)
    if str in map(type, tokens):
        at, letter = next((at, token) for at, token in enumerate(tokens) if isinstance(token, str))
        raise MalformedAnswerError(
            f"`{letter}` where a number belongs; a submove is {count} numbers: {form}", at // size
        )
    if len(tokens) % size:
        raise MalformedAnswerError(
            f"{counted(len(tokens), 'number')}; a submove is {count}: {form}", len(tokens) // size
        )
    return cast("Sequence[int]", tokens)


_COUNTS: Mapping[int, object] = {2: "two", 4: "four"}


class TooManySubmovesError(Exception):
    """An answer has more submoves than the ruleset allows in a turn; the seat is eliminated."""

    def __init__(self, message: str = "more submoves than a turn may have") -> None:
        super().__init__(message)


@attrs.frozen
class Answer:
    """The verdict on a well-formed answer that came in time."""

    orders: Any
    """The submoves as the ruleset's `parse` returned them; only the ruleset looks inside."""
    refused: Mapping[int, Reason] = attrs.field(factory=dict)
    """Why submoves aren't allowed, by index, ascending; the ruleset decides what follows."""

    @property
    def repeats(self) -> int:
        """How many of them are merely ignored because they repeat an order."""
        return [reason[0] for reason in self.refused.values()].count(REPEATED)

    def refusals(self) -> tuple[Refusal, ...]:
        """Return the submoves that are not allowed, with the messages, which this writes."""
        return tuple(
            Refusal(
                RefusalCode.IGNORED if template is REPEATED else RefusalCode.ILLEGAL,
                template.format(*values),
                index,
            )
            for index, (template, *values) in self.refused.items()
        )


@attrs.frozen
class Late:
    """The verdict when no answer came in time."""


@attrs.frozen
class Malformed:
    """The verdict on an answer that came in time but isn't a line of submoves."""

    refusal: Refusal


@attrs.frozen
class Missing:
    """The verdict when the connection ended before an answer came, or there is none now."""


@attrs.frozen
class Out:
    """The verdict on a seat that was eliminated in an earlier turn and is no longer asked."""


Verdict = Answer | Late | Malformed | Missing | Out
"""The runner's judgement of one seat's turn; a replay applies it and never judges again."""


class Consequence(enum.Enum):
    """The consequence of a turn that is late, malformed or missing."""

    FORFEIT = "forfeit"
    """The seat loses at once, and the runner sends it the reason."""
    SKIP = "skip"
    """The turn counts as no submoves; several late turns in a row eliminate the seat."""


@attrs.frozen
class Setting:
    """An integer setting of a ruleset."""

    name: str
    """The name, as on the wire (`set NAME VALUE`) and in `--set NAME=VALUE`."""
    default: int
    low: int
    high: int
    help: str
    """A description in one line of plain English."""


class BadSettingError(BadInputError):
    """A setting is unknown to the ruleset, or its value is out of range."""


class FormatError(BadInputError):
    """A file breaks the rules of its format; the message says where and what would be right."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        where = [] if line is None else [f"line {line}"]
        if column is not None:
            where.append(f"column {column}")
        super().__init__(f"{', '.join(where)}: {message}" if where else message)
        self.message = message
        """The fault, without its place."""
        self.line = line
        """The number of the wrong line, from 1; None if no single line is wrong."""
        self.column = column
        """The column in characters, from 1; None if the fault isn't at a single place."""


class BadBoardError(FormatError):
    """A board file can't be used."""


class Game(Protocol):
    """A match in progress: mutable, deterministic, driven by the runner or by a replay."""

    @property
    def turn(self) -> int:
        """The number of turns carried out so far: the N of the wire's `turn N`."""

    def facts_at_start(self, seat: int) -> bytes:
        """Return the facts of PROTOCOL.md 5 that never change, for this seat.

        Each line is ended by a newline. The settings, which the match tells, aren't among them.
        """

    def facts(self, seat: int) -> bytes:
        """Return the facts of PROTOCOL.md 5 about the present position, for this seat.

        Each line is ended by a newline. Seats that see the same facts get the same object, so that
        its bytes are encoded once. The status (PROTOCOL.md 3), which the match tells, isn't among
        them.
        """

    def parse(self, seat: int, tokens: Sequence[Token]) -> Answer:
        """Check an answer's tokens against the position; the game doesn't change.

        Raises MalformedAnswerError or TooManySubmovesError (PROTOCOL.md 4).
        """

    def advance(self, turn: Sequence[Verdict]) -> None:
        """Carry out one turn, given one verdict per seat, in order of seats."""

    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None while it goes on."""

    def scores(self) -> tuple[int, ...]:
        """Return the present score of each seat."""

    def digest(self) -> str:
        """Return a hash of the whole state, outcome included, as 16 hexadecimal digits."""

    def scene(self) -> Scene:
        """Return what a viewer draws once for the whole match."""

    def frame(self) -> Frame:
        """Return what a viewer draws of the present position."""


class Submove(NamedTuple):
    """A submove of an answer in words, and what it concerns on the board."""

    text: str
    """What it orders, in plain English and in one line, such as `wizard 39 moves left`."""
    unit: int | None = None
    """The number of the unit that it moves, as in `picture.Mark`; None when there is none."""
    cells: tuple[Place, ...] = ()
    """The cells of the scene that it concerns: where the unit stands, then where it is to go."""


@runtime_checkable
class DecodesAnswers(Protocol):
    """A game that can say in words what an answer orders; else viewers show it as it was sent."""

    def decode(self, seat: int, tokens: Sequence[Token]) -> Iterator[Submove]:
        """Yield every submove of an answer that `parse` reads, refused or not, in its order.

        It is asked in the same position as `parse`, and only if somebody looks.
        """


class Dialect(Protocol):
    """A wire format of a ruleset's match other than protocol version 1.

    A dialect replaces the bytes that are sent and nothing else: lines, pending answers and time
    are handled as in PROTOCOL.md 1 and 4.
    """

    def opening(self, game: Any, seat: int) -> bytes:
        """Return what a seat is sent first; it also asks for the seat's first answer."""

    def turn(self, game: Any, seat: int) -> bytes:
        """Return what a seat is sent after a turn, when another answer is due."""

    def closing(self, game: Any, seat: int) -> bytes:
        """Return what a seat is sent after the last turn, before the connection closes."""


class Ruleset(Protocol):
    """The rules of a game; `Any` is its own type of boards, into which no other code looks."""

    @property
    def name(self) -> str:
        """The name, as in `game=NAME` on the wire: lower-case letters, digits and `-`."""

    @property
    def title(self) -> str:
        """The name as people write it."""

    @property
    def version(self) -> str:
        """The version, which changes whenever the same turns could lead to a different game."""

    @property
    def seats(self) -> int:
        """The number of seats in a match."""

    @property
    def consequence(self) -> Consequence:
        """The consequence of a turn without a usable answer."""

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings, in the order in which the wire sends them."""

    @property
    def seeds(self) -> tuple[int, int]:
        """The lowest and the highest seed that the ruleset accepts."""

    @property
    def classic(self) -> Dialect | None:
        """The dialect for a hello without `v=` (PROTOCOL.md 6); None means protocol version 1."""

    def chance(self, seed: int) -> Chance:
        """Return the source of random draws for a seed, which is within `seeds`."""

    def read_board(self, text: str) -> Any:
        """Read a board file; raise BadBoardError if it isn't valid."""

    def write_board(self, board: Any) -> str:
        """Return the text of a board file, which `read_board` reads back to an equal board."""

    def generate(self, settings: Mapping[str, int], chance: Chance) -> Any:
        """Generate a board; the same chance always gives the same board."""

    def new(self, settings: Mapping[str, int], board: Any, chance: Chance) -> Game:
        """Start a game. `settings` has every setting, as `complete_settings` returns them."""

    def max_turns(self, settings: Mapping[str, int]) -> int:
        """Return the greatest number of turns that a match can have."""


def whole_number(what: str, value: object, least: float = -math.inf, most: float = math.inf) -> int:
    """Return a whole number that was given, numpy's included, as Python's own.

    Raises BadInputError, whose message begins with `what`, if it is something else or out of its
    range.
    """
    number = value if type(value) is int else None
    if number is None and isinstance(value, SupportsIndex) and not isinstance(value, bool):
        number = operator.index(value)
    if number is None or not least <= number <= most:
        place = "" if least == -math.inf else f" from {least:g}"
        place += "" if most == math.inf else f" to {most:.0f}"
        raise BadInputError(f"{what} {value!r:.200}; expected a whole number{place}")
    return number


def check_seed(ruleset: Ruleset, seed: int) -> int:
    """Return a seed that was given; raise BadInputError if it is none of the ruleset's."""
    seed = whole_number("seed", seed)
    low, high = ruleset.seeds
    if not low <= seed <= high:
        raise BadInputError(f"seed {seed}; a seed of {ruleset.name} is from {low} to {high}")
    return seed


def complete_settings(
    ruleset: Ruleset, given: Mapping[str, int] | None, rest: Mapping[str, int] | None = None
) -> dict[str, int]:
    """Return all settings of a ruleset in its order, checked.

    Where none is given, those of `rest` hold, and else the defaults. Raises BadInputError if these
    are no settings, and BadSettingError for an unknown name or a value out of range.
    """
    if not isinstance(given, Mapping | None):
        raise BadInputError(f"settings {given!r:.200}; expected a dictionary such as {{'N': 1}}")
    known = {setting.name: setting for setting in ruleset.settings}
    complete = {name: setting.default for name, setting in known.items()}
    for name, value in {**(rest or {}), **(given or {})}.items():
        if name not in known:
            names = ", ".join(known) or "none"
            raise BadSettingError(
                f"{ruleset.title} has no setting {name!r:.64}; its settings are: {names}"
                f"{did_you_mean(str(name), known)}"
            )
        setting = known[name]
        complete[name] = whole_number(f"setting {name} of {ruleset.title} is", value)
        if not setting.low <= value <= setting.high:
            raise BadSettingError(
                f"setting {name} of {ruleset.title} is {value}; "
                f"it must be from {setting.low} to {setting.high}"
            )
    return complete


def start_game(
    ruleset: Ruleset, settings: Mapping[str, int], seed: int, board: object = None
) -> Game:
    """Start a game as a match does: one source of chance for the board and what follows.

    Without a board, the seed makes it. `settings` has every setting.
    """
    chance = ruleset.chance(seed)
    if board is None:
        board = ruleset.generate(settings, chance)
    return ruleset.new(settings, board, chance)


_ENDINGS: Mapping[str, str] = {
    "forfeit": "whoever was at fault lost at once, whatever the scores",
    REMOVED: "the arena put a bot out, which lost at once, whatever the scores",
    "all-out": "every bot was put out; the scores at that moment decided",
}
"""Explanations of the reasons that all games share."""


def ending_text(ruleset: Ruleset, reason: str) -> str | None:
    """Return by which rule a match was decided, in one line, or None if that isn't known.

    A ruleset's own lines are in its attribute `endings`, if it has any, by `Outcome.reason`.
    """
    endings: Mapping[str, str] = {**_ENDINGS, **getattr(ruleset, "endings", {})}
    return endings.get(reason)


def turn_word(ruleset: Ruleset) -> str:
    """Return the word for a turn, such as `round`: the ruleset's `turn_word`, or else `turn`."""
    word: str = getattr(ruleset, "turn_word", "turn")
    return word


def spaced(values: Iterable[object]) -> str:
    """Return values as the words of a line."""
    return " ".join(map(str, values))


def submove_numbers(ruleset: Ruleset) -> int | None:
    """Return how many numbers a submove has; None: it begins with a letter (PROTOCOL.md 4)."""
    numbers: int | None = getattr(ruleset, "submove_numbers", None)
    return numbers


@attrs.frozen(kw_only=True)
class ByHand:
    """How a person's orders on the page are written as submoves, each of which moves units a step.

    A submove is `WORD UNIT DIRECTION`, or `WORD ROW COLUMN COUNT DIRECTION` if units have no
    numbers. On the page a wall of the scene is in the way, and nothing else.
    """

    steps: tuple[tuple[int, int] | None, ...]
    """By direction: the rows down and the columns to the right that it leads; None: it isn't used.
    """
    word: str = ""
    """The word that a submove begins with; empty: none."""
    counts: bool = False
    """Whether a submove moves some of the units of a cell."""
    lifts: tuple[int, int] | None = None
    """The directions from the first level to the second, and back, through a cell that is a base on
    both; None if there are no such directions."""
