"""A match of Crematoria: answers, rounds, the end, the facts (PROTOCOL.md 5).

What a round does is in `phases`, what viewers draw in `scene`. Beside the interface of
`lanista.rules.base`, `moved`, `units()`, `caves()`, `outside()`, `cells` and `gems` show the
position to formats.
"""

import hashlib
from collections.abc import Mapping, Sequence

import attrs

from lanista.rules.base import Answer, Token, Verdict
from lanista.rules.crematoria import scene
from lanista.rules.crematoria.board import GEM, rows_of
from lanista.rules.crematoria.geometry import COLS, LEVEL, NIGHT, ROWS, position
from lanista.rules.crematoria.orders import read_orders
from lanista.rules.crematoria.phases import play_round
from lanista.rules.crematoria.scene import Position
from lanista.rules.crematoria.state import State
from lanista.rules.outcome import Outcome, Termination, ranks_by_score
from lanista.rules.picture import Frame, Scene

NO_ORDERS: tuple[()] = ()
_OWN = [f"own {row} ".encode() for row in range(ROWS)]
_PLACES = [
    f" {row} {col} {level}" for level in (0, 1) for row in range(ROWS) for col in range(COLS)
]
"""By cell, its position as lines of facts end."""


@attrs.frozen
class Unit:
    """A unit, as a match record of the original tells it."""

    kind: str
    """`p` pioneer, `f` furyan, `n` necromonger, `h` hellhound."""
    player: int
    """-1: nobody's."""
    health: int
    """0: dead; -1: a hellhound's."""
    turns: int
    """Rounds until a necromonger lands; 0: landed or died; -1: never used, or no necromonger."""
    row: int
    col: int
    level: int
    """0 underground, 1 outside; all three are -1 for the dead."""


@attrs.define(eq=False)
class Crematoria:
    """A game in progress."""

    state: State
    settings: Mapping[str, int]
    turn: int = 0
    """Rounds carried out."""
    _facts: tuple[tuple[float, ...], bytes] | None = attrs.field(
        init=False, default=None, repr=False
    )
    _position: bytes | None = attrs.field(init=False, default=None, repr=False)
    _start: bytes | None = attrs.field(init=False, default=None, repr=False)
    _scene: Scene | None = attrs.field(init=False, default=None, repr=False)
    _before: Position | None = attrs.field(init=False, default=None, repr=False)

    # -- playing -------------------------------------------------------------------------------

    def parse(self, seat: int, tokens: Sequence[Token]) -> Answer:
        """Read `id direction` pairs; see `orders`."""
        return read_orders(self.state, seat, tokens)

    def advance(self, turn: Sequence[Verdict]) -> None:
        """Carry out one round; without an answer a seat gives no orders."""
        self._facts = self._position = None
        self._before = self.seen()
        orders = [verdict.orders if isinstance(verdict, Answer) else NO_ORDERS for verdict in turn]
        play_round(self.state, self.turn, self.settings, orders)
        self.turn += 1

    def outcome(self) -> Outcome | None:
        """After the last round, by score."""
        if self.turn < self.settings["nb_rounds"]:
            return None
        scores = self.scores()
        return Outcome(
            termination=Termination.FINISHED,
            ranks=ranks_by_score(scores),
            scores=scores,
            reason="rounds",
        )

    def scores(self) -> tuple[int, ...]:
        """By seat, cells owned now and gems ever picked, at their value."""
        value = self.settings["gem_value"]
        return tuple(
            cells + value * gems
            for cells, gems in zip(self.state.cells, self.state.gems, strict=True)
        )

    # -- the position for formats and viewers --------------------------------------------------

    @property
    def moved(self) -> tuple[tuple[int, int], ...]:
        """Movements executed in the last round, (id, direction), in their order."""
        return tuple(self.state.moved)

    @property
    def cells(self) -> tuple[int, ...]:
        """By seat, caves it owns now."""
        return tuple(self.state.cells)

    @property
    def gems(self) -> tuple[int, ...]:
        """By seat, gems it ever picked."""
        return tuple(self.state.gems)

    def units(self) -> tuple[Unit, ...]:
        """Every unit by id, the dead and never used too."""
        state = self.state
        return tuple(
            Unit(kind, player, health, turns, *position(cell))
            for kind, player, health, turns, cell in zip(
                state.kind, state.player, state.health, state.turns, state.pos, strict=True
            )
        )

    def caves(self) -> list[str]:
        """Level 0 by row: `R`, `C`, `E`, an owner from `0` to `3`."""
        return rows_of(self.state.caves)

    def outside(self) -> list[str]:
        """Level 1 by row: `O`, `E`, `G` with a gem."""
        level = bytearray(self.state.board.outside.replace(b"G", b"O"))
        for cell in self.state.gems_lying:
            level[cell - LEVEL] = GEM
        return rows_of(level)

    # -- the wire ------------------------------------------------------------------------------

    def facts_at_start(self, seat: int) -> bytes:  # noqa: ARG002 - all seats are told the same
        """Settings, size, elevators, level 0 (PROTOCOL.md 5): one object for all seats."""
        if self._start is None:
            self._start = self._start_facts()
        return self._start

    def _start_facts(self) -> bytes:
        board = self.state.board
        lines = [f"set {name} {value}" for name, value in self.settings.items()]
        lines.append(f"size {ROWS} {COLS}")
        lines += [f"elevator {cell // COLS} {cell % COLS}" for cell in board.elevators]
        unowned = board.caves.translate(_UNOWNED)
        lines += [f"row {row} {cells}" for row, cells in enumerate(rows_of(unowned))]
        return ("\n".join(lines) + "\n").encode()

    def facts(self, seat: int, status: Sequence[float]) -> bytes:  # noqa: ARG002 - the same for all
        """The position (PROTOCOL.md 5): one object for all seats."""
        shares = tuple(status)
        if self._facts is None or self._facts[0] != shares:
            if self._position is None:
                self._position = self._position_facts()
            told = " ".join(map(_share, shares))
            self._facts = shares, self._position + f"status {told}\n".encode()
        return self._facts[1]

    def _position_facts(self) -> bytes:
        state = self.state
        caves = bytes(state.caves)
        rows = b"".join(
            prefix + caves[at : at + COLS] + b"\n"
            for prefix, at in zip(_OWN, range(0, LEVEL, COLS), strict=True)
        )
        lines = [f"gem {cell // COLS - ROWS} {cell % COLS}\n" for cell in sorted(state.gems_lying)]
        lines += [
            f"unit {unit} {kind} {player} {health} {turns}{_PLACES[cell]}\n"
            for unit, (kind, player, health, turns, cell) in enumerate(
                zip(state.kind, state.player, state.health, state.turns, state.pos, strict=True)
            )
            if cell >= 0
        ]
        lines.append(
            f"sun {(NIGHT + 2 * self.turn) % COLS}\n"
            f"cells {_numbers(state.cells)}\n"
            f"gems {_numbers(state.gems)}\n"
            f"score {_numbers(self.scores())}\n"
        )
        return rows + "".join(lines).encode()

    # -- records and viewers -------------------------------------------------------------------

    def digest(self) -> str:
        """A hash of board, units, gems, movements, settings, round and the generator's state."""
        state = self.state
        told = (
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
        hashed = hashlib.blake2b(repr(told).encode(), digest_size=8)
        hashed.update(state.caves)
        hashed.update(state.board.outside)
        return hashed.hexdigest()

    def seen(self) -> Position:
        """The position for viewers; it stays as it is while the game goes on."""
        state = self.state
        return Position(
            self.turn,
            bytes(state.caves),
            frozenset(state.gems_lying),
            state.kind,
            state.player[:],
            state.health[:],
            state.turns[:],
            state.pos[:],
            self.cells,
            self.gems,
            self.scores(),
        )

    def scene(self) -> Scene:
        """Level 0 at the left, level 1 at the right, a wall between them."""
        if self._scene is None:
            self._scene = scene.scene(self.state.board.caves, self.state.board.outside)
        return self._scene

    def frame(self) -> Frame:
        """Units by their letters, a descending necromonger by its turns, gems by `*`."""
        return scene.frame(self.seen(), self._before)


_UNOWNED = bytes.maketrans(b"0123", b"CCCC")


def _numbers(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))


def _share(share: float) -> str:
    """A number with at most four digits and no trailing zeros (PROTOCOL.md 1)."""
    return f"{share:.4f}".rstrip("0").rstrip(".")
