"""What stands where in a match of Crematoria, kept so that a round needs no counting anew.

Flat lists by unit id and by cell, and the few changes that everything else is made of: a unit
comes to a cell, leaves it, dies; a cave or a gem is taken. The order of things is in `phases`.
"""

from collections.abc import Mapping

import attrs

from lanista.rules.chance import Chance
from lanista.rules.crematoria.board import GEM, OWNED, OWNERS, Board
from lanista.rules.crematoria.geometry import LEVEL

SEATS = 4
NOBODY = -1
"""The player of necromongers and hellhounds, and the killer when it is nobody's unit."""
PIONEER, FURYAN, NECROMONGER, HELLHOUND = "pfnh"
MAX_HEALTH = {PIONEER: 50, FURYAN: 100, NECROMONGER: 75}
IMMORTAL = -1
"""A hellhound's health."""
UNUSED = -1
"""Turns of what never was to land."""


@attrs.define(eq=False)
class State:
    """The position of a match. `placement` makes the first one."""

    board: Board
    chance: Chance
    kind: list[str]
    """By id: `p`, `f`, `n` or `h`."""
    player: list[int]
    """By id; of a dead unit of a player the one it will belong to."""
    health: list[int]
    """By id; 0: dead."""
    turns: list[int]
    """By id: rounds until it lands; 0: landed, or died; `UNUSED`."""
    pos: list[int]
    """By id, its cell, or the one over which it descends; -1: dead."""
    necromongers: range
    hellhounds: range
    occupant: list[int] = attrs.field(init=False)
    """By cell, the id of who stands there, or -1."""
    caves: bytearray = attrs.field(init=False)
    """Level 0 as in `Board.caves`, with present owners."""
    gems_lying: set[int] = attrs.field(init=False)
    """Cells."""
    cells: list[int] = attrs.field(init=False)
    """By seat, caves it owns."""
    gems: list[int] = attrs.field(init=False)
    """By seat, gems it ever picked."""
    dead: list[int] = attrs.field(init=False, factory=list)
    """Pioneers and furyans that died in this round, to be reborn at its end."""
    moved: list[tuple[int, int]] = attrs.field(init=False, factory=list)
    """Executed movements of the last round, (id, direction), in their order."""

    def __attrs_post_init__(self) -> None:
        self.occupant = [-1] * (2 * LEVEL)
        self.caves = bytearray(self.board.caves)
        self.gems_lying = {
            LEVEL + place for place, kind in enumerate(self.board.outside) if kind == GEM
        }
        self.cells = [self.board.caves.count(owner) for owner in OWNERS]
        self.gems = [0] * SEATS
        for unit, cell in enumerate(self.pos):
            if cell >= 0 and self.turns[unit] <= 0:
                self.occupant[cell] = unit

    @property
    def people(self) -> range:
        """Ids of pioneers and furyans."""
        return range(self.necromongers.start)

    def people_on(self, level: int) -> list[int]:
        """Cells of the living pioneers and furyans of a level, as numbers within it."""
        low = level * LEVEL
        return [
            cell - low for cell in self.pos[: self.necromongers.start] if low <= cell < low + LEVEL
        ]

    def move(self, unit: int, cell: int) -> None:
        """Take a unit to a free cell, from the one where it stands or from nowhere."""
        old = self.pos[unit]
        if old >= 0:
            self.occupant[old] = -1
        self.occupant[cell] = unit
        self.pos[unit] = cell

    def kill(self, unit: int, killer: int) -> None:
        """Take a unit off the board; who gets it is decided here (rules/crematoria.md 5)."""
        self.occupant[self.pos[unit]] = -1
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
        """Take health from a unit."""
        if self.health[unit] > damage:
            self.health[unit] -= damage
        else:
            self.kill(unit, killer)

    def conquer(self, cell: int, seat: int) -> None:
        """Make a cave of level 0 a player's; elevators have no owner."""
        old = self.caves[cell]
        if old in OWNERS:
            self.cells[old - OWNED] -= 1
        self.caves[cell] = OWNED + seat
        self.cells[seat] += 1


def roster(settings: Mapping[str, int]) -> tuple[list[str], list[int]]:
    """Kind and first player of every id: by player furyans, then pioneers; then nobody's."""
    furyans, pioneers = settings["nb_furyans"], settings["nb_pioneers"]
    group = [FURYAN] * furyans + [PIONEER] * pioneers
    slots, hounds = settings["max_nb_necromongers"], settings["nb_hellhounds"]
    kinds = group * SEATS + [NECROMONGER] * slots + [HELLHOUND] * hounds
    players = [seat for seat in range(SEATS) for _ in group] + [NOBODY] * (slots + hounds)
    return kinds, players
