"""A game of Angry Mob: reading answers, carrying out moves, the end, the facts.

rules/angrymob.md 2 to 4 and PROTOCOL.md 5. Units are kept as counts by cell: players hold few
cells even on large maps, because they recruit only while they number 8 or fewer.
"""

import hashlib
from collections.abc import Sequence

import attrs

from lanista.rules.angrymob import scene
from lanista.rules.angrymob.board import IMPASSABLE, Board
from lanista.rules.base import (
    Answer,
    MalformedAnswerError,
    Refusal,
    RefusalCode,
    Token,
    Verdict,
)
from lanista.rules.outcome import Outcome, Termination, forfeit
from lanista.rules.picture import Frame, Mark, Scene

SEATS = 2
RECRUIT_LIMIT = 8
"""A player recruits in a move only if its units number at most this after the fights."""
DIRECTIONS = ("right", "up", "left", "down")

Units = dict[int, int]
"""Units of one player by cell, never 0."""


@attrs.define(eq=False)
class AngryMob:
    """A game in progress.

    Raises nothing in `advance`: every verdict has its consequence.
    """

    board: Board
    move_limit: int
    turn: int = 0
    """Moves carried out."""
    moved: tuple[tuple[int, ...] | None, ...] = (None, None)
    """By seat, the numbers of its last well-formed answer in time; None where there was none."""
    _units: tuple[Units, Units] = attrs.field(init=False)
    _neutral: list[int] = attrs.field(init=False)
    _taken: list[int] = attrs.field(init=False, factory=list)  # cells recruited last move
    # By cell, the units of both that met there last move.
    _fought: dict[int, tuple[int, int]] = attrs.field(init=False, factory=dict)
    _outcome: Outcome | None = attrs.field(init=False, default=None)
    _near: tuple[tuple[int, int, int, int], ...] = attrs.field(init=False, repr=False)
    _facts: bytes | None = attrs.field(init=False, default=None, repr=False)
    _ground_hash: bytes | None = attrs.field(init=False, default=None, repr=False)
    # For viewers, made when the first one asks: thousands, of which few change.
    _neutral_marks: dict[int, Mark] | None = attrs.field(init=False, default=None, repr=False)

    def __attrs_post_init__(self) -> None:
        self._units = ({self.board.bases[0]: 1}, {self.board.bases[1]: 1})
        self._neutral = list(self.board.cells)
        self._near = self.board.neighbours()

    # -- reading -------------------------------------------------------------------------------

    def parse(self, seat: int, tokens: Sequence[Token]) -> Answer:
        """Read `i j k d i j k d …` and say which submove is the first illegal one, if any.

        Raises:
            MalformedAnswerError: A letter, or a number of tokens not divisible by four
                (PROTOCOL.md 4).
        """
        if len(tokens) % 4:
            raise MalformedAnswerError(
                f"{len(tokens)} numbers; a submove is four: i j k d", len(tokens) // 4
            )
        numbers: list[int] = []
        for place, token in enumerate(tokens):
            if not isinstance(token, int):
                raise MalformedAnswerError(
                    f"`{token}` where a number belongs; a submove is four numbers: i j k d",
                    place // 4,
                )
            numbers.append(token)
        refusal = self._first_illegal(self._units[seat], numbers)
        return Answer(tuple(numbers), () if refusal is None else (refusal,))

    def _first_illegal(self, units: Units, numbers: list[int]) -> Refusal | None:
        """The first submove that rules/angrymob.md 4 forbids; units are those before the move."""
        if not numbers:
            return None
        rows, cols = self.board.rows, self.board.cols
        sent: Units = {}
        for index in range(len(numbers) // 4):
            row, col, count, direction = numbers[4 * index : 4 * index + 4]
            if not (0 <= row < rows and 0 <= col < cols):
                words = f"({row}, {col}) is outside the map of {rows} rows and {cols} columns"
                return Refusal(RefusalCode.ILLEGAL, words, index)
            cell = row * cols + col
            if self._neutral[cell] == IMPASSABLE:
                return Refusal(RefusalCode.ILLEGAL, f"({row}, {col}) is impassable", index)
            if not 0 <= direction <= 3:
                words = f"direction {direction}; it is 0 right, 1 up, 2 left or 3 down"
                return Refusal(RefusalCode.ILLEGAL, words, index)
            if count < 1:
                return Refusal(RefusalCode.ILLEGAL, f"{count} units; at least 1 must move", index)
            total = sent.get(cell, 0) + count
            had = units.get(cell, 0)
            if total > had:
                words = f"{count} units from ({row}, {col}), where you had {had}"
                if total > count:
                    words += f" and already sent {total - count}"
                return Refusal(RefusalCode.ILLEGAL, words, index)
            sent[cell] = total
            if self._near[cell][direction] < 0:
                words = (
                    f"the neighbour of ({row}, {col}) to the {DIRECTIONS[direction]} "
                    if direction in (0, 2)
                    else f"the neighbour {'above' if direction == 1 else 'below'} ({row}, {col}) "
                )
                return Refusal(
                    RefusalCode.ILLEGAL, words + "is outside the map or impassable", index
                )
        return None

    # -- playing -------------------------------------------------------------------------------

    def advance(self, turn: Sequence[Verdict]) -> None:
        """Carry out one move of both players, or end the game by forfeit."""
        self._facts = None
        self.moved = tuple(
            verdict.orders if isinstance(verdict, Answer) else None for verdict in turn
        )
        at_fault = [not isinstance(verdict, Answer) or bool(verdict.refused) for verdict in turn]
        if any(at_fault):
            # rules/angrymob.md 3: checked before anything is carried out.
            self._taken, self._fought = [], {}
            self._outcome = forfeit(at_fault, self.scores(), "forfeit")
            return
        for seat in range(SEATS):
            self._move(self._units[seat], self.moved[seat] or ())
        self._fight()
        self._recruit()
        self.turn += 1
        self._outcome = self._ending()

    def _move(self, units: Units, numbers: Sequence[int]) -> None:
        """Step 1 for one player: legal submoves, so leaving before arriving is never negative."""
        cols = self.board.cols
        for at in range(0, len(numbers), 4):
            row, col, count, direction = numbers[at : at + 4]
            cell = row * cols + col
            units[cell] -= count
            target = self._near[cell][direction]
            units[target] = units.get(target, 0) + count
        if numbers:
            for cell in [cell for cell, count in units.items() if not count]:
                del units[cell]

    def _fight(self) -> None:
        """Step 2: in every cell of both, the larger number keeps the difference."""
        first, second = self._units
        self._fought = {}
        for cell in first.keys() & second.keys():
            self._fought[cell] = first[cell], second[cell]
            left = first[cell] - second[cell]
            del first[cell], second[cell]
            if left > 0:
                first[cell] = left
            elif left < 0:
                second[cell] = -left

    def _recruit(self) -> None:
        """Step 3: who numbers at most 8 takes the neutral units where its own stand."""
        self._taken = []
        for units in self._units:
            if sum(units.values()) <= RECRUIT_LIMIT:
                for cell in units:
                    if self._neutral[cell]:
                        units[cell] += self._neutral[cell]
                        self._neutral[cell] = 0
                        self._taken.append(cell)
                        self._ground_hash = None

    def _ending(self) -> Outcome | None:
        """Step 4 and rules/angrymob.md 3."""
        first, second = self._units
        first_captures = self.board.bases[1] in first
        second_captures = self.board.bases[0] in second
        if first_captures and second_captures:
            return self._finished((1, 1), "both-captured")
        if first_captures or second_captures:
            return self._finished((1, 2) if first_captures else (2, 1), "capture")
        if not any(self._units):
            return self._finished((1, 1), "no-units")
        if self.turn >= self.move_limit:
            return self._finished((1, 1), "move-limit")
        return None

    def _finished(self, ranks: tuple[int, int], reason: str) -> Outcome:
        return Outcome(
            termination=Termination.FINISHED, ranks=ranks, scores=self.scores(), reason=reason
        )

    # -- telling -------------------------------------------------------------------------------

    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        return self._outcome

    def scores(self) -> tuple[int, ...]:
        """Units on the map, by seat."""
        first, second = self._units
        return (sum(first.values()), sum(second.values()))

    def facts_at_start(self, seat: int) -> bytes:  # noqa: ARG002 - both seats are told the same
        """Settings, size, bases and rows (PROTOCOL.md 5)."""
        board = self.board
        lines = [f"set move_limit {self.move_limit}", f"size {board.rows} {board.cols}"]
        for number, cell in enumerate(board.bases):
            lines.append(f"base {number} {cell // board.cols} {cell % board.cols}")
        lines += [f"row {row} {' '.join(board.tokens(row))}" for row in range(board.rows)]
        return ("\n".join(lines) + "\n").encode()

    def facts(self, seat: int, status: Sequence[float]) -> bytes:  # noqa: ARG002 - the same for all
        """What was moved, units, recruited cells, totals (PROTOCOL.md 5): one object for both."""
        if self._facts is None:
            cols = self.board.cols
            lines = []
            if self.turn:
                lines = [
                    f"moved {owner} {' '.join(map(str, numbers))}" if numbers else f"moved {owner}"
                    for owner, numbers in enumerate(self.moved)
                ]
            standing = [(cell, 0, count) for cell, count in self._units[0].items()]
            standing += [(cell, 1, count) for cell, count in self._units[1].items()]
            standing.sort()
            lines += [
                f"unit {cell // cols} {cell % cols} {owner} {count}"
                for cell, owner, count in standing
            ]
            lines += [f"neutral {cell // cols} {cell % cols} 0" for cell in sorted(self._taken)]
            lines += [f"total {owner} {total}" for owner, total in enumerate(self.scores())]
            self._facts = ("\n".join(lines) + "\n").encode()
        return self._facts

    def digest(self) -> str:
        """A hash of board, units, neutral units, last answers, turn, limit and outcome."""
        if self._ground_hash is None:
            # The neutral units change rarely: hashed anew only then.
            ground = repr((self.board.rows, self.board.cols, self.board.bases, self._neutral))
            self._ground_hash = hashlib.blake2b(ground.encode(), digest_size=16).digest()
        ended = self._outcome
        state = (
            self.turn,
            self.move_limit,
            self.moved,
            sorted(self._units[0].items()),
            sorted(self._units[1].items()),
            ended and (ended.termination.value, ended.ranks, ended.scores, ended.reason),
        )
        hashed = hashlib.blake2b(repr(state).encode() + self._ground_hash, digest_size=8)
        return hashed.hexdigest()

    def scene(self) -> Scene:
        """The map without its units."""
        return scene.scene(self.board)

    def frame(self) -> Frame:
        """Units of the players, and neutral ones where no player stands."""
        if self._neutral_marks is None:
            self._neutral_marks = scene.neutral_marks(self.board, self._neutral)
        for cell in [cell for cell in self._neutral_marks if not self._neutral[cell]]:
            del self._neutral_marks[cell]
        scores, ended = self.scores(), self._outcome
        carried_out = ended is None or ended.termination is not Termination.FORFEIT
        return Frame(
            turn=self.turn,
            marks=scene.marks(self.board, self._units, self._neutral_marks),
            captions=tuple(scene.units(total) for total in scores),
            stats=tuple((total,) for total in scores),
            arrows=scene.arrows(self.board, self.moved if carried_out else ()),
            events=scene.events(self.board, self._units, self._fought, self._taken, ended),
        )
