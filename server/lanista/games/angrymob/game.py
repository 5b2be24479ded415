"""A game of Angry Mob: reading answers, carrying out moves, the end, the facts.

The rules are in rules/angrymob.md 2 to 4, the facts in PROTOCOL.md 5. Units are kept as counts by
cell, because players occupy few cells even on large maps: they recruit only while they have at
most 8 units.
"""

import copy
import hashlib
from collections.abc import Iterable, Iterator, Sequence

import attrs

from lanista.games.angrymob import scene
from lanista.games.angrymob.board import IMPASSABLE, Board, Neighbours
from lanista.games.base import (
    Answer,
    Reason,
    Submove,
    Token,
    Verdict,
    whole_submoves,
)
from lanista.games.outcome import Outcome, Termination, forfeit
from lanista.games.picture import Frame, Mark, Place, Scene

SEATS = 2
RECRUIT_LIMIT = 8
"""The greatest number of units, after the fights, with which a player recruits in a move."""
WAYS = ("right", "up", "left", "down")
"""The directions in words."""

Units = dict[int, int]
"""The number of one player's units by cell; cells without units are left out."""

FORM = "i j k d"
"""The numbers of a submove (PROTOCOL.md 5)."""

_Submove = tuple[int, int, int, int]
"""Row, column, number of units and direction."""


@attrs.define(eq=False)
class AngryMob:
    """A game of Angry Mob in progress; its public attributes, the visible state, may be read."""

    board: Board
    move_limit: int
    turn: int = 0
    moved: tuple[tuple[int, ...] | None, ...] = (None, None)
    """By seat, the numbers of its last answer; None if it was late, malformed or missing."""
    units: tuple[Units, Units] = attrs.field(init=False)
    neutral: list[int] = attrs.field(init=False)
    """By cell, its neutral units now, or `IMPASSABLE`."""
    changed: set[int] = attrs.field(init=False, factory=set, repr=False)
    """The cells whose neutral units aren't those of the map."""
    _taken: list[int] = attrs.field(init=False, factory=list)  # cells recruited in the last move
    # By cell, the units of both seats that fought there in the last move.
    _fought: dict[int, tuple[int, int]] = attrs.field(init=False, factory=dict)
    _outcome: Outcome | None = attrs.field(init=False, default=None)
    _near: Neighbours = attrs.field(init=False, repr=False)
    _facts: bytes | None = attrs.field(init=False, default=None, repr=False)
    _ground_hash: bytes | None = attrs.field(init=False, default=None, repr=False)
    # Built when the first viewer asks, then kept: there are thousands, of which few change.
    _neutral_marks: dict[int, Mark] | None = attrs.field(init=False, default=None, repr=False)

    def __attrs_post_init__(self) -> None:
        self.units = ({self.board.bases[0]: 1}, {self.board.bases[1]: 1})
        self.neutral = list(self.board.cells)
        self._near = self.board.neighbours()

    # -- answers -------------------------------------------------------------------------------

    def parse(self, seat: int, tokens: Sequence[Token]) -> Answer:
        """Read `i j k d i j k d …` and refuse the first illegal submove, if any."""
        numbers = tuple(whole_submoves(tokens, 4, FORM))
        return Answer(numbers, self._first_illegal(self.units[seat], numbers))

    def decode(self, seat: int, tokens: Sequence[Token]) -> Iterator[Submove]:  # noqa: ARG002 - words don't depend on it
        """Yield what the submoves of a well-formed answer order, the illegal one included."""
        rows, cols = self.board.rows, self.board.cols
        for row, col, count, direction in _submoves(whole_submoves(tokens, 4, FORM)):
            way = f"go {WAYS[direction]}" if 0 <= direction <= 3 else f"go by {direction}"
            places: list[Place] = []
            if 0 <= row < rows and 0 <= col < cols:
                places.append((row, col))
                target = self._near[row * cols + col][direction] if 0 <= direction <= 3 else -1
                places += [divmod(target, cols)] if target >= 0 else []
            yield Submove(f"{scene.units(count)} from ({row}, {col}) {way}", None, tuple(places))

    def _first_illegal(self, units: Units, numbers: Sequence[int]) -> dict[int, Reason]:
        """Return the first illegal submove, if any, and the reason (rules/angrymob.md 4)."""
        cols, near = self.board.cols, self._near
        left = units.copy()
        for index, submove in enumerate(_submoves(numbers)):
            row, col, count, direction = submove
            cell = row * cols + col
            rest = left.get(cell, 0) - count
            # Where a player has units, the map has a passable cell: of places, only the column can
            # be wrong then.
            if (
                rest < 0
                or count < 1
                or not 0 <= col < cols
                or not 0 <= direction <= 3
                or near[cell][direction] < 0
            ):
                available = units.get(cell, 0)
                return {index: self._fault(submove, available, available - left.get(cell, 0))}
            left[cell] = rest
        return {}

    def _fault(self, submove: _Submove, available: int, already: int) -> Reason:
        """Return what is wrong with an illegal submove.

        `available` units were in the cell before the move, of which `already` were sent away.
        """
        row, col, count, direction = submove
        rows, cols = self.board.rows, self.board.cols
        if not (0 <= row < rows and 0 <= col < cols):
            return ("({}, {}) is outside the map of {} rows and {} columns", row, col, rows, cols)
        if self.neutral[row * cols + col] == IMPASSABLE:
            return ("({}, {}) is impassable", row, col)
        if not 0 <= direction <= 3:
            return ("direction {}; it is 0 right, 1 up, 2 left or 3 down", direction)
        if count < 1:
            return ("{} units; at least 1 must move", count)
        if already + count > available:
            template = "{} unit" if count == 1 else "{} units"
            template += " from ({}, {}), where you had {}"
            if already:
                template += " and already sent {}"
            return (template, count, row, col, available, already)
        template = "nothing can go {} from ({}, {}): a wall or the end of the map is there"
        return (template, WAYS[direction], row, col)

    # -- playing -------------------------------------------------------------------------------

    def advance(self, turn: Sequence[Verdict]) -> None:
        """Carry out one move of both players, or end the game by forfeit."""
        self._facts = None
        self.moved = tuple(
            verdict.orders if isinstance(verdict, Answer) else None for verdict in turn
        )
        at_fault = [not isinstance(verdict, Answer) or bool(verdict.refused) for verdict in turn]
        if any(at_fault):
            # A fault ends the game before anything is carried out (rules/angrymob.md 3).
            self._taken, self._fought = [], {}
            self._outcome = forfeit(at_fault, self.scores(), "forfeit")
            return
        for seat in range(SEATS):
            self._move(self.units[seat], self.moved[seat] or ())
        self._fight()
        self._recruit()
        self.turn += 1
        self._outcome = self._ending()

    def _move(self, units: Units, numbers: Sequence[int]) -> None:
        """Carry out step 1 for one player, whose submoves are legal."""
        cols = self.board.cols
        near = self._near
        for row, col, count, direction in _submoves(numbers):
            cell = row * cols + col
            target = near[cell][direction]
            units[target] = units.get(target, 0) + count
            if units[cell] == count:
                del units[cell]
            else:
                units[cell] -= count

    def _fight(self) -> None:
        """Carry out step 2: where both have units, the larger number keeps the difference."""
        first, second = self.units
        self._fought = {}
        for cell in first.keys() & second.keys():
            self._fought[cell] = first[cell], second[cell]
            difference = first[cell] - second[cell]
            del first[cell], second[cell]
            if difference > 0:
                first[cell] = difference
            elif difference < 0:
                second[cell] = -difference

    def _recruit(self) -> None:
        """Carry out step 3: a player with at most 8 units takes the neutral ones in its cells."""
        self._taken = []
        for units in self.units:
            if sum(units.values()) <= RECRUIT_LIMIT:
                for cell in units:
                    if self.neutral[cell]:
                        units[cell] += self.neutral[cell]
                        self.neutral[cell] = 0
                        self._taken.append(cell)
                        self.changed.add(cell)
                        self._ground_hash = None

    def _ending(self) -> Outcome | None:
        """Return the outcome after a move: step 4 and rules/angrymob.md 3."""
        first, second = self.units
        first_captures = self.board.bases[1] in first
        second_captures = self.board.bases[0] in second
        if first_captures and second_captures:
            return self._finished((1, 1), "both-captured")
        if first_captures or second_captures:
            return self._finished((1, 2) if first_captures else (2, 1), "capture")
        if not any(self.units):
            return self._finished((1, 1), "no-units")
        if self.turn >= self.move_limit:
            return self._finished((1, 1), "move-limit")
        return None

    def _finished(self, ranks: tuple[int, int], reason: str) -> Outcome:
        return Outcome(
            termination=Termination.FINISHED, ranks=ranks, scores=self.scores(), reason=reason
        )

    # -- looking ahead (rules.search) ----------------------------------------------------------

    def copy(self) -> "AngryMob":
        """Return a game that goes on independently of this one."""
        other = copy.copy(self)
        first, second = self.units
        other.units = (first.copy(), second.copy())
        other.neutral = self.neutral.copy()
        other.changed = self.changed.copy()
        other._neutral_marks = None  # noqa: SLF001 - its own class
        return other

    def legal(self, seat: int) -> dict[tuple[int, int], list[tuple[int, int, int, int]]]:
        """Return, by place, the submoves that may start there; see `games.search`."""
        cols = self.board.cols
        return {
            divmod(cell, cols): [
                (*divmod(cell, cols), sent, direction)
                for direction, near in enumerate(self._near[cell])
                if near >= 0
                for sent in range(count, 0, -1)
            ]
            for cell, count in sorted(self.units[seat].items())
        }

    def position(self, seat: int) -> bytes:  # noqa: ARG002 - the same for both seats
        """Return the facts with every cell whose neutral units changed since the start."""
        return self._facts_with(self.changed)

    # -- outcome, facts, views -----------------------------------------------------------------

    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None while it goes on."""
        return self._outcome

    def scores(self) -> tuple[int, ...]:
        """Return the number of units of each seat."""
        first, second = self.units
        return (sum(first.values()), sum(second.values()))

    def facts_at_start(self, seat: int) -> bytes:  # noqa: ARG002 - the same for both seats
        """Return size, bases and rows (PROTOCOL.md 5)."""
        board = self.board
        lines = [f"size {board.rows} {board.cols}"]
        for number, cell in enumerate(board.bases):
            lines.append(f"base {number} {cell // board.cols} {cell % board.cols}")
        lines += [f"row {row} {line}" for row, line in enumerate(board.lines())]
        return ("\n".join(lines) + "\n").encode()

    def facts(self, seat: int) -> bytes:  # noqa: ARG002 - the same for both seats
        """Return moves, units, recruited cells and totals (PROTOCOL.md 5), one object for both."""
        if self._facts is None:
            self._facts = self._facts_with(self._taken)
        return self._facts

    def _facts_with(self, told: Iterable[int]) -> bytes:
        """Return the facts, and how many neutral units there are in these cells."""
        cols = self.board.cols
        lines = []
        if self.turn:
            lines = [
                f"moved {owner} {' '.join(map(str, numbers))}" if numbers else f"moved {owner}"
                for owner, numbers in enumerate(self.moved)
            ]
        standing = [(cell, 0, count) for cell, count in self.units[0].items()]
        standing += [(cell, 1, count) for cell, count in self.units[1].items()]
        standing.sort()
        lines += [
            f"unit {cell // cols} {cell % cols} {owner} {count}" for cell, owner, count in standing
        ]
        lines += [
            f"neutral {cell // cols} {cell % cols} {self.neutral[cell]}" for cell in sorted(told)
        ]
        lines += [f"total {owner} {total}" for owner, total in enumerate(self.scores())]
        return ("\n".join(lines) + "\n").encode()

    def digest(self) -> str:
        """Return a hash of board, units, neutral units, last answers, turn, limit and outcome."""
        if self._ground_hash is None:
            # Neutral units change rarely; they are hashed again only when they did.
            ground = repr((self.board.rows, self.board.cols, self.board.bases, self.neutral))
            self._ground_hash = hashlib.blake2b(ground.encode(), digest_size=16).digest()
        ended = self._outcome
        state = (
            self.turn,
            self.move_limit,
            self.moved,
            sorted(self.units[0].items()),
            sorted(self.units[1].items()),
            ended and (ended.termination.value, ended.ranks, ended.scores, ended.reason),
        )
        hashed = hashlib.blake2b(repr(state).encode() + self._ground_hash, digest_size=8)
        return hashed.hexdigest()

    def scene(self) -> Scene:
        """Return the map without its units."""
        return scene.scene(self.board)

    def frame(self) -> Frame:
        """Return the players' units, neutral units, and the events of the last move."""
        if self._neutral_marks is None:
            self._neutral_marks = scene.neutral_marks(self.board, self.neutral)
        for cell in [cell for cell in self._neutral_marks if not self.neutral[cell]]:
            del self._neutral_marks[cell]
        scores, ended = self.scores(), self._outcome
        carried_out = ended is None or ended.termination is not Termination.FORFEIT
        return Frame(
            turn=self.turn,
            marks=scene.marks(self.board, self.units, self._neutral_marks),
            captions=tuple(scene.units(total) for total in scores),
            stats=tuple((total,) for total in scores),
            arrows=scene.arrows(self.board, self.moved if carried_out else ()),
            events=scene.events(self.board, self.units, self._fought, self._taken, ended),
        )


def _submoves(numbers: Sequence[int]) -> Iterator[_Submove]:
    each = iter(numbers)
    return zip(each, each, each, each, strict=True)
