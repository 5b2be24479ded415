"""Take-away: two players in turn take stones from a heap; who takes the last one wins."""

# ruff: noqa: ARG002 - the interface's arguments, which so small a game doesn't need

import hashlib
import re
from collections.abc import Mapping, Sequence

from lanista.rules.base import (
    Answer,
    BadBoardError,
    Consequence,
    MalformedAnswerError,
    Reason,
    Refusal,
    Setting,
    Token,
    Verdict,
    illegal,
)
from lanista.rules.chance import Chance, SeededChance
from lanista.rules.outcome import Outcome, Termination
from lanista.rules.picture import Frame, Ground, Mark, Scene

MOST_STONES = 99


class TakeAway:
    """A game in progress."""

    def __init__(self, heap: int, most: int) -> None:
        self.turn = 0
        self.heap = self.first_heap = heap
        self.most = most
        self._tell()

    def _tell(self) -> None:
        """Build the facts once, for both seats see the same."""
        self._facts = f"heap {self.heap}\nmover {self.turn % 2}\n".encode()

    def facts_at_start(self, seat: int) -> bytes:
        """Every setting, by the name and in the order of `TakeAwayRules.settings`."""
        return f"set most {self.most}\n".encode()

    def facts(self, seat: int, status: Sequence[float]) -> bytes:
        """The heap, and whose turn it is."""
        return self._facts

    def parse(self, seat: int, tokens: Sequence[Token]) -> Answer:
        """A submove is one number: how many stones to take."""
        take, refused = self._judged(seat, tokens)
        return Answer(take, tuple(refused))

    def explain(self, seat: int, tokens: Sequence[Token]) -> tuple[Refusal, ...]:
        """What is wrong with the submoves that `parse` refuses."""
        return illegal(self._judged(seat, tokens)[1])

    def _judged(self, seat: int, tokens: Sequence[Token]) -> tuple[int | None, dict[int, Reason]]:
        """The stones to take, and the reasons for refused submoves by index."""
        take = None
        refused: dict[int, Reason] = {}
        for index, token in enumerate(tokens):
            if isinstance(token, str):
                raise MalformedAnswerError(f"letter `{token}`; a submove is a number", index)
            if seat != self.turn % 2:
                refused[index] = ("{} stones, in the other player's turn", token)
            elif take is not None:
                refused[index] = ("{} stones more; one submove a turn", token)
            elif not 1 <= token <= min(self.most, self.heap):
                template = "{} stones of {}; from 1 to {} can be taken"
                refused[index] = (template, token, self.heap, self.most)
            else:
                take = token
        return take, refused

    def advance(self, turn: Sequence[Verdict]) -> None:
        """Who makes no use of its turn, for whatever reason, takes one stone."""
        verdict = turn[self.turn % 2]
        take = verdict.orders if isinstance(verdict, Answer) else None
        self.heap -= take or 1
        self.turn += 1
        self._tell()

    def scores(self) -> tuple[int, ...]:
        """1 for the winner."""
        last = (self.turn - 1) % 2
        return (0, 0) if self.heap else (int(last == 0), int(last == 1))

    def outcome(self) -> Outcome | None:
        """The game ends with the heap."""
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
        """A hash of everything that the rest of the game depends on."""
        state = (self.first_heap, self.heap, self.most, self.turn)
        return hashlib.blake2b(repr(state).encode(), digest_size=8).hexdigest()

    def scene(self) -> Scene:
        """A row with a place for every stone."""
        places = self.first_heap
        return Scene(rows=1, cols=places, ground=((Ground.FLOOR,) * places,), owners={})

    def frame(self) -> Frame:
        """The stones that are left."""
        stones = tuple(Mark(0, col, None, "o") for col in range(self.heap))
        return Frame(turn=self.turn, marks=stones, captions=("first player", "second player"))


class TakeAwayRules:
    """The ruleset: what is known before a game is."""

    name = "take-away"
    title = "Take-away"
    version = "1"
    seats = 2
    consequence = Consequence.SKIP
    settings = (Setting(name="most", default=3, low=1, high=9, help="stones to take at most"),)
    seeds = (0, 2**31 - 1)
    classic = None

    def chance(self, seed: int) -> Chance:
        """The draws of a seed."""
        return SeededChance(seed)

    def read_board(self, text: str) -> int:
        """A board file is one line, `heap N`."""
        match = re.fullmatch(r"heap ([1-9][0-9]?)\n?", text, re.ASCII)
        if match is None:
            raise BadBoardError(f"a board is one line, `heap N`, N from 1 to {MOST_STONES}", 1)
        return int(match[1])

    def write_board(self, board: int) -> str:
        """The heap as a file."""
        return f"heap {board}\n"

    def generate(self, settings: Mapping[str, int], chance: Chance) -> int:
        """From 15 to 30 stones."""
        return 15 + chance.below(16, "heap")

    def new(self, settings: Mapping[str, int], board: int, chance: Chance) -> TakeAway:
        """Nobody has taken anything."""
        return TakeAway(board, settings["most"])

    def max_turns(self, settings: Mapping[str, int]) -> int:
        """A stone goes every turn."""
        return MOST_STONES


RULESET = TakeAwayRules()
