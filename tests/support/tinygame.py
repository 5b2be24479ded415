"""Counting: the smallest ruleset with three seats and skipped turns, for tests of all else.

Each seat says one number from 0 to 9 a round; the sum of what it said is its score. After the
last round the highest score wins. Late, malformed and missing answers say nothing.

Its wire, in the manner of PROTOCOL.md 5:

Start: `table WORD`.
Turn: `said SEAT V` for every seat that said a number last round; `omen N`, drawn every round and
without effect (so that a replay which draws otherwise is noticed); `score s0 s1 s2`.
Submove: `V`, say V; or `a`, say again what this seat said last (0 when it said nothing yet).
A number outside 0 to 9, and every submove after the first allowed one, is not allowed and
ignored. A letter other than `a` is malformed.

A board file is one line: `table WORD`, WORD of lower-case letters.
"""

# ruff: noqa: ARG002 - the interface's arguments, which so small a game doesn't need

import hashlib
import re
from collections.abc import Mapping, Sequence

import attrs

from lanista.games.base import (
    Answer,
    BadBoardError,
    Consequence,
    MalformedAnswerError,
    Reason,
    Setting,
    Token,
    Verdict,
)
from lanista.games.chance import Chance, SeededChance
from lanista.games.outcome import Outcome, Termination, ranks_by_score
from lanista.games.picture import Event, Frame, Ground, Mark, Scene, Shape

SEATS = 3
TABLES = ("oak", "pine", "walnut")
_BOARD = re.compile(r"table ([a-z]+)\n?", re.ASCII)


@attrs.define(eq=False)
class Counting:
    """A game in progress."""

    table: str
    rounds: int
    chance: Chance
    turn: int = 0
    said: list[int | None] = attrs.field(factory=lambda: [None] * SEATS)
    """By seat, the number of last round; None: it said nothing."""
    last: list[int] = attrs.field(factory=lambda: [0] * SEATS)
    """By seat, what `a` says again."""
    sums: list[int] = attrs.field(factory=lambda: [0] * SEATS)
    omen: int = attrs.field(init=False)
    _facts: bytes | None = attrs.field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        self.omen = self.chance.below(10, "omen")

    def facts_at_start(self, seat: int) -> bytes:
        """The table."""
        return f"table {self.table}\n".encode()

    def facts(self, seat: int) -> bytes:
        """Return what was said, the omen and the scores, as one object for all seats."""
        if self._facts is None:
            said = [f"said {at} {number}" for at, number in enumerate(self.said)]
            lines = [
                *(line for line, number in zip(said, self.said, strict=True) if number is not None),
                f"omen {self.omen}",
                "score " + " ".join(map(str, self.sums)),
                "",
            ]
            self._facts = "\n".join(lines).encode()
        return self._facts

    def parse(self, seat: int, tokens: Sequence[Token]) -> Answer:
        """Read numbers and `a`; the orders are the number said, or None."""
        said: int | None = None
        refused: dict[int, Reason] = {}
        for index, token in enumerate(tokens):
            if isinstance(token, str) and token != "a":
                raise MalformedAnswerError(f"letter `{token}`; a submove is a number or `a`", index)
            number = self.last[seat] if isinstance(token, str) else token
            if not 0 <= number <= 9:
                refused[index] = ("the number {}; it is from 0 to 9", number)
            elif said is not None:
                refused[index] = ("a second number, {}; one a round", number)
            else:
                said = number
        return Answer(said, refused)

    def advance(self, turn: Sequence[Verdict]) -> None:
        """Add up one round."""
        self._facts = None
        self.said = [v.orders if isinstance(v, Answer) else None for v in turn]
        for seat, number in enumerate(self.said):
            if number is not None:
                self.sums[seat] += number
                self.last[seat] = number
        self.omen = self.chance.below(10, "omen")
        self.turn += 1

    def outcome(self) -> Outcome | None:
        """After the last round, by score."""
        if self.turn < self.rounds:
            return None
        return Outcome(
            termination=Termination.FINISHED,
            ranks=ranks_by_score(self.sums),
            scores=self.scores(),
            reason="counted",
        )

    def scores(self) -> tuple[int, ...]:
        """Sums by seat."""
        return tuple(self.sums)

    def digest(self) -> str:
        """A hash of everything but what is only shown."""
        state = (self.table, self.rounds, self.turn, self.said, self.last, self.sums, self.omen)
        return hashlib.blake2b(repr(state).encode(), digest_size=8).hexdigest()

    def scene(self) -> Scene:
        """A row of three places, each belonging to its seat."""
        return Scene(
            rows=1,
            cols=SEATS,
            ground=((Ground.BASE,) * SEATS,),
            owners={(0, at): at for at in range(SEATS)},
            stats=("sum",),
            kinds=((Shape.COUNT, "5", "the number said last"),),
        )

    def frame(self) -> Frame:
        """The numbers said last, and the sums."""
        said = [(seat, number) for seat, number in enumerate(self.said) if number is not None]
        return Frame(
            turn=self.turn,
            marks=tuple(
                Mark(0, seat, seat, str(number), Shape.COUNT, seat, number / 9, ("a number",))
                for seat, number in said
            ),
            captions=tuple(f"sum {n}" for n in self.sums),
            stats=tuple((n,) for n in self.sums),
            events=tuple(Event(seat, f"said {number}") for seat, number in said),
        )


class CountingRules:
    """The ruleset."""

    name = "counting"
    title = "Counting"
    version = "1"
    seats = SEATS
    consequence = Consequence.SKIP
    settings = (Setting(name="rounds", default=5, low=1, high=1000, help="rounds of a match"),)
    seeds = (0, 2**31 - 1)
    classic = None
    game = Counting
    """What `new` makes; a test's variant puts its own here."""

    def chance(self, seed: int) -> Chance:
        """The draws of a seed."""
        return SeededChance(seed)

    def read_board(self, text: str) -> str:
        """The table's name."""
        match = _BOARD.fullmatch(text)
        if match is None:
            raise BadBoardError("a board is one line, `table WORD` in lower-case letters", 1)
        return match[1]

    def write_board(self, board: str) -> str:
        """The table as a file."""
        return f"table {board}\n"

    def generate(self, settings: Mapping[str, int], chance: Chance) -> str:
        """One of the tables."""
        return TABLES[chance.below(len(TABLES), "table")]

    def new(self, settings: Mapping[str, int], board: str, chance: Chance) -> Counting:
        """Nobody has said anything."""
        return self.game(board, settings["rounds"], chance)

    def max_turns(self, settings: Mapping[str, int]) -> int:
        """The rounds."""
        return settings["rounds"]


RULESET = CountingRules()
