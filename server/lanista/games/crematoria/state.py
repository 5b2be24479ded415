"""The state of a match of Crematoria, kept so that no round has to count anything again."""

import copy
from collections.abc import Mapping, Sequence

import attrs

from lanista.games.chance import Chance
from lanista.games.crematoria.board import CAVE, GEM, LEVEL, OWNED, OWNERS, ROCK, Board, bits_of

SEATS = 4
NOBODY = -1
"""The player of necromongers and hellhounds, and the killer when no player's unit kills."""
PIONEER, FURYAN, NECROMONGER, HELLHOUND = "pfnh"
MAX_HEALTH = {PIONEER: 50, FURYAN: 100, NECROMONGER: 75}
"""The health of a new unit, which is also its greatest health."""
IMMORTAL = -1
"""The health of a hellhound, a code instead of a number of points."""
FREE, ROCKY, BEYOND = -1, -2, -3
"""The values of cells without a unit: free, rock, and outside the board."""
_EMPTY = bytes((ROCKY if kind == ROCK else FREE) % 256 for kind in range(256))
UNUSED = -1
"""The value in `State.turns` of a unit that never had to land."""


@attrs.define(eq=False)
class State:
    """The position of a match; `generator.place_units` makes the first one."""

    board: Board
    chance: Chance
    kind: list[str]
    """The kind of each unit, by id: `p`, `f`, `n` or `h`."""
    player: list[int]
    """The player of each unit, by id; for a dead unit, the player it will be reborn for."""
    health: list[int]
    """The health of each unit, by id; 0 when it is dead."""
    turns: list[int]
    """By id, the rounds until the unit lands; 0 when it landed or died, or `UNUSED`."""
    pos: list[int]
    """By id, the unit's cell, or the cell to which it descends; -1 when it is dead."""
    necromongers: range = attrs.field(init=False)
    """The ids of necromongers, in use or not."""
    hellhounds: range = attrs.field(init=False)
    occupant: list[int] = attrs.field(init=False)
    """By cell, the unit that stands there, `FREE` or `ROCKY`; the last one, for -1, is `BEYOND`."""
    caves: bytearray = attrs.field(init=False)
    """Level 0 as in `Board.caves`, with the present owners."""
    gems_lying: set[int] = attrs.field(init=False)
    cells: list[int] = attrs.field(init=False)
    """By seat, the number of caves that it owns."""
    gems: list[int] = attrs.field(init=False)
    """By seat, the number of gems that it has picked."""
    dead: list[int] = attrs.field(init=False, factory=list)
    """Pioneers and furyans that died in this round, to be reborn at its end."""
    moved: list[tuple[int, int]] = attrs.field(init=False, factory=list)
    """The movements executed in the last round, as (id, direction), in order."""
    idle: dict[int, str] = attrs.field(init=False, factory=dict)
    """Why orders of the last round changed nothing, by unit."""

    def __attrs_post_init__(self) -> None:
        hellhounds = self.kind.index(HELLHOUND)
        self.necromongers = range(self.kind.index(NECROMONGER), hellhounds)
        self.hellhounds = range(hellhounds, len(self.kind))
        underground = memoryview(self.board.caves.translate(_EMPTY)).cast("b").tolist()
        self.occupant = underground + [FREE] * LEVEL + [BEYOND]
        self.caves = bytearray(self.board.caves)
        self.gems_lying = {
            LEVEL + index for index, kind in enumerate(self.board.outside) if kind == GEM
        }
        self.cells = [self.board.caves.count(owner) for owner in OWNERS]
        self.gems = [0] * SEATS
        for unit, cell in enumerate(self.pos):
            if cell >= 0 and self.turns[unit] <= 0:
                self.occupant[cell] = unit

    def copy(self) -> "State":
        """Return a state that changes independently of this one, with the same draws to come."""
        other = copy.copy(self)
        other.chance = copy.copy(self.chance)
        other.player = self.player[:]
        other.health = self.health[:]
        other.turns = self.turns[:]
        other.pos = self.pos[:]
        other.occupant = self.occupant[:]
        other.caves = self.caves[:]
        other.gems_lying = self.gems_lying.copy()
        other.cells = self.cells[:]
        other.gems = self.gems[:]
        return other  # `dead`, `idle` and `moved` are new in every round

    @property
    def people(self) -> range:
        """The ids of pioneers and furyans."""
        return range(self.necromongers.start)

    def people_below(self) -> int:
        """Return the bitboard of the living pioneers and furyans of level 0."""
        cells = self.pos[: self.necromongers.start]
        return bits_of([cell for cell in cells if 0 <= cell < LEVEL])

    def pick(self, items: Sequence[int], why: str) -> int:
        """Draw one of the items."""
        return items[self.chance.below(len(items), why)]

    def move(self, unit: int, cell: int) -> None:
        """Move a unit to a free cell, from its present cell or from nowhere."""
        old = self.pos[unit]
        if old >= 0:
            self.occupant[old] = FREE
        self.occupant[cell] = unit
        self.pos[unit] = cell

    def kill(self, unit: int, killer: int) -> None:
        """Take a unit off the board and decide whose it will be (rules/crematoria.md 5)."""
        self.occupant[self.pos[unit]] = FREE
        self.pos[unit] = -1
        self.health[unit] = 0
        if self.kind[unit] == NECROMONGER:
            return
        self.dead.append(unit)
        if killer == NOBODY:
            other = self.chance.below(SEATS - 1, "new player")
            self.player[unit] = other + (other >= self.player[unit])
        else:
            self.player[unit] = killer

    def hit(self, unit: int, damage: int, killer: int) -> None:
        """Reduce a unit's health, which may kill it."""
        if self.health[unit] > damage:
            self.health[unit] -= damage
        else:
            self.kill(unit, killer)

    def conquer(self, cell: int, seat: int) -> None:
        """Make a player the owner of a cave, which must not be an elevator."""
        old = self.caves[cell]
        if old != CAVE:
            self.cells[old - OWNED] -= 1
        self.caves[cell] = OWNED + seat
        self.cells[seat] += 1


def roster(settings: Mapping[str, int]) -> tuple[list[str], list[int]]:
    """Return the kind and the first player of every unit, by id.

    First come each player's furyans and pioneers, then necromongers, then hellhounds.
    """
    furyans, pioneers = settings["nb_furyans"], settings["nb_pioneers"]
    group = [FURYAN] * furyans + [PIONEER] * pioneers
    slots, hounds = settings["max_nb_necromongers"], settings["nb_hellhounds"]
    kinds = group * SEATS + [NECROMONGER] * slots + [HELLHOUND] * hounds
    players = [seat for seat in range(SEATS) for _ in group] + [NOBODY] * (slots + hounds)
    return kinds, players


def scores(
    settings: Mapping[str, int], cells: Sequence[int], gems: Sequence[int]
) -> tuple[int, ...]:
    """Return each seat's score: its caves, and the gems it has picked at their value."""
    return tuple(
        caves + settings["gem_value"] * picked for caves, picked in zip(cells, gems, strict=True)
    )
