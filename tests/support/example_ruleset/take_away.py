"""Take-away: two players take stones from a heap in turn; whoever takes the last one wins."""

# ruff: noqa: ARG002 - such a small game doesn't need all arguments of the interface

import hashlib
import re
from collections.abc import Mapping, Sequence

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
from lanista.games.outcome import Outcome, Termination
from lanista.games.picture import Frame, Ground, Mark, Scene

MOST_STONES = 99


class TakeAway:
    """A game in progress."""

    def __init__(self, heap: int, most: int) -> None:
        self.turn = 0
        self.heap = self.first_heap = heap
        self.most = most
        self._build_facts()

    def _build_facts(self) -> None:
        """Build the facts once, since both seats see the same."""
        self._facts = f"heap {self.heap}\nmover {self.turn % 2}\n".encode()

    def facts_at_start(self, seat: int) -> bytes:
        """Return how many stones there are at first."""
        return f"stones {self.first_heap}\n".encode()

    def facts(self, seat: int) -> bytes:
        """Return the size of the heap, and whose turn it is."""
        return self._facts

    def parse(self, seat: int, tokens: Sequence[Token]) -> Answer:
        """Read an answer: a submove is one number, how many stones to take."""
        take = None
        refused: dict[int, Reason] = {}
        for index, token in enumerate(tokens):
            if isinstance(token, str):
                raise MalformedAnswerError(f"letter `{token}`; a submove is a number", index)
            if seat != self.turn % 2:
                refused[index] = ("{} stones, but it is the other player's turn", token)
            elif take is not None:
                refused[index] = ("{} more stones, but only one submove a turn is allowed", token)
            elif not 1 <= token <= min(self.most, self.heap):
                template = "{} stones of {}; 1 to {} can be taken"
                refused[index] = (template, token, self.heap, self.most)
            else:
                take = token
        return Answer(take, refused)

    def advance(self, turn: Sequence[Verdict]) -> None:
        """Take the stones; a player without a valid submove, for any reason, takes one."""
        verdict = turn[self.turn % 2]
        take = verdict.orders if isinstance(verdict, Answer) else None
        self.heap -= take or 1
        self.turn += 1
        self._build_facts()

    def scores(self) -> tuple[int, ...]:
        """Return 1 for the winner and 0 for the loser; before the end, 0 for both."""
        last = (self.turn - 1) % 2
        return (0, 0) if self.heap else (int(last == 0), int(last == 1))

    def outcome(self) -> Outcome | None:
        """Return the result once the heap is empty."""
        if self.heap:
            return None
        scores = self.scores()
        return Outcome(
            termination=Termination.FINISHED,
            ranks=tuple(2 - score for score in scores),
            scores=scores,
            reason="last-stone",
        )

    def digest(self) -> str:
        """Return a hash of everything that the rest of the game depends on."""
        state = (self.first_heap, self.heap, self.most, self.turn)
        return hashlib.blake2b(repr(state).encode(), digest_size=8).hexdigest()

    def scene(self) -> Scene:
        """Describe the grid: one row with a place for every stone."""
        places = self.first_heap
        return Scene(rows=1, cols=places, ground=((Ground.FLOOR,) * places,), owners={})

    def frame(self) -> Frame:
        """Describe the position: the stones that are left."""
        stones = tuple(Mark(0, col, None, "o") for col in range(self.heap))
        return Frame(turn=self.turn, marks=stones, captions=("first player", "second player"))


class TakeAwayRules:
    """The ruleset: everything about the game that is known before a match."""

    name = "take-away"
    title = "Take-away"
    version = "1"
    seats = 2
    consequence = Consequence.SKIP
    settings = (Setting(name="most", default=3, low=1, high=9, help="stones to take at most"),)
    seeds = (0, 2**31 - 1)
    classic = None

    def chance(self, seed: int) -> Chance:
        """Return the source of random draws for a seed."""
        return SeededChance(seed)

    def read_board(self, text: str) -> int:
        """Read a board file, which is one line, `heap N`."""
        match = re.fullmatch(r"heap ([1-9][0-9]?)\n?", text, re.ASCII)
        if match is None:
            raise BadBoardError(f"a board is one line, `heap N`, N from 1 to {MOST_STONES}", 1)
        return int(match[1])

    def write_board(self, board: int) -> str:
        """Return the board file of a heap."""
        return f"heap {board}\n"

    def generate(self, settings: Mapping[str, int], chance: Chance) -> int:
        """Draw a heap of 15 to 30 stones."""
        return 15 + chance.below(16, "heap")

    def new(self, settings: Mapping[str, int], board: int, chance: Chance) -> TakeAway:
        """Start a game, in which nobody has taken anything yet."""
        return TakeAway(board, settings["most"])

    def max_turns(self, settings: Mapping[str, int]) -> int:
        """Return the largest possible number of turns: at least one stone is taken in each."""
        return MOST_STONES


RULESET = TakeAwayRules()
