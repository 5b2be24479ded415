"""A match of Crematoria: answers, the end, the facts (PROTOCOL.md 5)."""

import copy
import functools
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import attrs

from lanista.games.base import (
    REPEATED,
    Answer,
    Reason,
    Submove,
    Token,
    TooManySubmovesError,
    Verdict,
    spaced,
    whole_submoves,
)
from lanista.games.crematoria import scene
from lanista.games.crematoria.board import (
    COLS,
    ELEVATOR,
    LEVEL,
    NEAR,
    NIGHT,
    NONE,
    ROCK,
    ROWS,
    UNOWNED,
    UP,
    rows_of,
)
from lanista.games.crematoria.phases import play_round
from lanista.games.crematoria.scene import NAMES, PLACES, Position
from lanista.games.crematoria.state import State, scores
from lanista.games.outcome import Outcome, by_score
from lanista.games.picture import Frame, Scene

MAX_ORDERS = 1000
"""The greatest number of submoves in a turn, valid or not."""
WAYS = (
    *("down", "down-right", "right", "up-right", "up", "up-left", "left", "down-left"),
    *("up to the outside", "down underground"),
)
"""The directions 0 to 9 in words."""
_OWN = [(f"own {row} ".encode(), slice(row * COLS, (row + 1) * COLS)) for row in range(ROWS)]
_PLACES = [
    f" {row} {col} {level}\n" for level in (0, 1) for row in range(ROWS) for col in range(COLS)
]
"""By cell, its row, column and level as at the end of a fact."""


@attrs.define(eq=False)
class Crematoria:
    """A game of Crematoria in progress."""

    state: State
    settings: Mapping[str, int]
    turn: int = 0
    _facts: bytes | None = attrs.field(init=False, default=None, repr=False)
    _before: Position | None = attrs.field(init=False, default=None, repr=False)
    _units: list[str] = attrs.field(init=False, repr=False)  # the beginnings of their facts

    def __attrs_post_init__(self) -> None:
        self._units = [f"unit {unit} {kind}" for unit, kind in enumerate(self.state.kind)]

    # -- playing -------------------------------------------------------------------------------

    def parse(self, seat: int, tokens: Sequence[Token]) -> Answer:
        """Read `id d id d …`; the orders are those that count, in the order of the answer."""
        submoves = whole_submoves(tokens, 2, "id direction")
        if len(tokens) > 2 * MAX_ORDERS:
            raise TooManySubmovesError(
                f"{len(tokens) // 2} submoves; a turn takes at most {MAX_ORDERS}"
            )
        orders: list[tuple[int, int]] = []
        ordered: set[int] = set()
        refused: dict[int, Reason] = {}
        player, units = self.state.player, len(self.state.player)
        numbers = iter(submoves)
        for index, order in enumerate(zip(numbers, numbers, strict=True)):
            unit, direction = order
            if (
                0 <= unit < units
                and player[unit] == seat
                and unit not in ordered
                and 0 <= direction <= NONE
            ):
                ordered.add(unit)
                if direction != NONE:
                    orders.append(order)
            else:
                refused[index] = _fault(self.state, seat, unit, direction, ordered)
        return Answer(tuple(orders), refused)

    def decode(self, seat: int, tokens: Sequence[Token]) -> Iterator[Submove]:  # noqa: ARG002 - words don't depend on it
        """Yield what the submoves of a well-formed answer order, refused or not, in its order."""
        state = self.state
        numbers = iter(cast("Sequence[int]", tokens))
        kinds, cells = state.kind, state.pos
        known = len(kinds)
        for unit, direction in zip(numbers, numbers, strict=True):
            if not 0 <= unit < known:
                yield Submove(_words("unit", unit, direction))
                continue
            text, cell = _words(NAMES[kinds[unit]], unit, direction), cells[unit]
            target = NEAR[cell][direction] if cell >= 0 and 0 <= direction < NONE else -1
            if target >= 0:
                yield Submove(text, unit, (PLACES[cell], PLACES[target]))
            else:
                yield Submove(text, unit, (PLACES[cell],) if cell >= 0 else ())

    def advance(self, turn: Sequence[Verdict]) -> None:
        """Carry out one round; a seat without a usable answer gives no orders."""
        self._facts = None
        self._before = self.seen()
        orders = [verdict.orders if isinstance(verdict, Answer) else () for verdict in turn]
        play_round(self.state, self.turn, self.settings, orders)
        self.turn += 1

    def outcome(self) -> Outcome | None:
        """Return the outcome, ranked by score, after the last round."""
        if self.turn < self.settings["nb_rounds"]:
            return None
        return by_score(self.scores(), "rounds")

    def scores(self) -> tuple[int, ...]:
        """Return each seat's score: its caves, and the gems it has picked at their value."""
        return scores(self.settings, self.state.cells, self.state.gems)

    # -- looking ahead (rules.search) ----------------------------------------------------------

    def copy(self) -> "Crematoria":
        """Return a game that goes on independently of this one, with the same draws to come."""
        other = copy.copy(self)
        other.state = self.state.copy()
        return other

    def legal(self, seat: int) -> dict[int, list[tuple[int, int]]]:
        """Return the orders of each unit of a player that lead to a passable cell, by unit."""
        return {
            unit: _legal(self.state, unit)
            for unit in self.state.people
            if self.state.player[unit] == seat
        }

    # -- the wire ------------------------------------------------------------------------------

    def facts_at_start(self, seat: int) -> bytes:  # noqa: ARG002 - the same for all
        """Return size, elevators and level 0 (PROTOCOL.md 5)."""
        board = self.state.board
        lines = [f"size {ROWS} {COLS}"]
        lines += [f"elevator {cell // COLS} {cell % COLS}" for cell in board.elevators]
        unowned = board.caves.translate(UNOWNED)
        lines += [f"row {row} {cells}" for row, cells in enumerate(rows_of(unowned))]
        return ("\n".join(lines) + "\n").encode()

    def facts(self, seat: int) -> bytes:  # noqa: ARG002 - the same for all
        """Return the position (PROTOCOL.md 5), one object for all seats."""
        if self._facts is None:
            self._facts = self._position_facts()
        return self._facts

    def _position_facts(self) -> bytes:
        state = self.state
        caves = bytes(state.caves)
        rows = b"".join([prefix + caves[row] + b"\n" for prefix, row in _OWN])
        lines = [f"gem {cell // COLS - ROWS} {cell % COLS}\n" for cell in sorted(state.gems_lying)]
        lines += [
            f"{unit}{_condition(player, health, turns)}{_PLACES[cell]}"
            for unit, player, health, turns, cell in zip(
                self._units, state.player, state.health, state.turns, state.pos, strict=True
            )
            if cell >= 0
        ]
        lines.append(
            f"sun {(NIGHT + 2 * self.turn) % COLS}\n"
            f"cells {spaced(state.cells)}\n"
            f"gems {spaced(state.gems)}\n"
            f"score {spaced(self.scores())}\n"
        )
        return rows + "".join(lines).encode()

    # -- records and viewers -------------------------------------------------------------------

    def digest(self) -> str:
        """Return a hash of board, units, gems, movements, settings, round and generator."""
        state = self.state
        hashed_state = (
            self.turn,
            *self.settings.values(),
            state.player,
            state.health,
            state.turns,
            state.pos,
            sorted(state.gems_lying),
            state.gems,
            state.moved,
            getattr(state.chance, "state", None),
        )
        hashed = hashlib.blake2b(repr(hashed_state).encode(), digest_size=8)
        hashed.update(state.caves)
        hashed.update(state.board.outside)
        return hashed.hexdigest()

    def seen(self) -> Position:
        """Return a copy of the position for viewers and files."""
        state = self.state
        return Position(
            self.turn,
            bytes(state.caves),
            state.board.outside.replace(b"G", b"O"),
            frozenset(state.gems_lying),
            state.kind,
            state.player[:],
            state.health[:],
            state.turns[:],
            state.pos[:],
            state.cells[:],
            state.gems[:],
            self.scores(),
        )

    def scene(self) -> Scene:
        """Return level 0 at the left, level 1 at the right, and a wall between them."""
        return scene.scene(self.state.board.caves, self.state.board.outside)

    def frame(self) -> Frame:
        """Return units, gems and the sun, with the events of the last round."""
        return attrs.evolve(scene.frame(self.seen(), self._before), idle=self.state.idle)


def _legal(state: State, unit: int) -> list[tuple[int, int]]:
    """Return the orders that lead a living unit to a passable cell, whoever stands there."""
    cell = state.pos[unit]
    ways = NEAR[cell] if state.caves[cell % LEVEL] == ELEVATOR else NEAR[cell][:UP]
    return [
        (unit, direction)
        for direction, target in enumerate(ways)
        if target >= LEVEL or (target >= 0 and state.caves[target] != ROCK)
    ]


@functools.lru_cache(maxsize=4096)
def _condition(player: int, health: int, turns: int) -> str:
    return f" {player} {health} {turns}"


@functools.lru_cache(maxsize=4096)
def _words(kind: str, unit: int, direction: int) -> str:
    if direction == NONE:
        return f"{kind} {unit} stays"
    way = WAYS[direction] if 0 <= direction < NONE else f"by {direction}"
    return f"{kind} {unit} moves {way}"


def _fault(state: State, seat: int, unit: int, direction: int, ordered: set[int]) -> Reason:
    """Return what is wrong with a refused order, checked in the original's sequence."""
    if not 0 <= unit < len(state.kind):
        return ("there is no unit {}; ids are from 0 to {}", unit, len(state.kind) - 1)
    owner = state.player[unit]
    if owner != seat:
        if not state.health[unit]:
            return ("unit {} is not alive", unit)
        if owner < 0:
            return ("unit {} is nobody's, not yours", unit)
        return ("unit {} is player {}'s, not yours", unit, owner)
    if unit in ordered:
        return (REPEATED, unit)
    return ("direction {}; it is from 0 (Bottom) to 10 (None)", direction)
