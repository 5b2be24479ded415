"""Chance puts walls, units, books and ingredients on a board (rules/hogwarts.md 3, 9 and 11).

The draws are those of the original program in the same order.
"""

import itertools
from collections.abc import Iterable, Mapping

import attrs

from lanista.games.chance import Chance, OriginalChance, mixed, skip
from lanista.games.hogwarts.board import (
    AROUND,
    BIT,
    BORDER,
    CELLS,
    CLANS,
    FREE,
    GROUPS,
    INGREDIENTS,
    INTERIOR,
    SIDE,
    WALL,
    WIDTH,
    Board,
    Unit,
    bits,
    corridors_of,
    grown,
    nth,
)

LOWEST_SUM, HIGHEST_SUM = 5, 30
"""The range of the sum of each group of three ingredients."""
WALLS = 8
"""The number of walls of a board."""
HEADINGS = (-SIDE, SIDE, -1, 1)
"""The headings of walls in the original's order, Up, Down, Left and Right, as the difference that a
step makes to the number of a cell off the border."""


_TURNS = {
    draws: mixed(HEADINGS, draws) for draws in itertools.product(range(4), range(3), range(2))
}
"""The permutations of the headings, by the draws that give them; the fourth draw has no effect."""
NEVER = 99
"""A count of neighbouring wall cells that is impossible: no wall may enter the cell."""
_BORDERED = tuple(NEVER if cell in BORDER else 0 for cell in range(CELLS))
_CLOSED = bytes(NEVER if count else 0 for count in range(256))
"""Maps the counts around a wall to those for the next wall, which may not touch it."""
DRAWS_OF_STEP = 5
"""The number of draws for each step of a wall."""


def generate(settings: Mapping[str, int], chance: Chance) -> Board:
    """Generate a random board; the chance must be the original's."""
    assert isinstance(chance, OriginalChance)
    cells = draw_walls(chance)
    places = Places.of(corridors_of(cells), ())
    wizards = settings["NUM_INI_WIZARDS_PER_CLAN"]
    rest = settings["ROUNDS_SPELL_RESTING_GHOST"]
    units = [Unit(clan, places.draw(chance), rest, -1) for clan in range(CLANS)]
    units += [
        Unit(clan, places.draw(chance), 0, -1) for clan in range(CLANS) for _ in range(wizards)
    ]
    for unit in units:
        cells[unit.cell] = ord(str(unit.clan))
    books = sorted(places.draw(chance) for _ in range(settings["NUM_INI_BOOKS"]))
    ingredients = draw_ingredients(chance)
    voldemort = places.draw_voldemort(chance, (unit.cell for unit in units))
    return Board(bytes(cells), tuple(units), tuple(books), ingredients, voldemort)


def draw_walls(chance: OriginalChance) -> bytearray:
    """Return the cells, `W` or `.`, of the first plan whose corridors are connected."""
    while True:
        cells = _plan(chance)
        if connected(corridors_of(cells)):
            return cells


def connected(corridors: int) -> bool:
    """Return whether steps in four directions lead from every corridor to every other one."""
    reached, edge = 0, corridors & -corridors
    while edge:
        reached |= edge
        edge = (edge << 1 | edge >> 1 | edge << WIDTH | edge >> WIDTH) & corridors & ~reached
    return reached == corridors


def _plan(chance: OriginalChance) -> bytearray:
    """Return eight walls, thin snakes that never touch each other but may cut off corridors."""
    # By cell: the number of cells of the present wall around it, or NEVER.
    walls_around = bytearray(_BORDERED)
    cells = bytearray([FREE]) * CELLS
    left = CELLS // 2
    for number in range(WALLS, 0, -1):
        wall = _wall(chance, walls_around, left // number)
        left -= len(wall)
        for cell in wall:
            cells[cell] = WALL
        walls_around = walls_around.translate(_CLOSED)
    return cells


def _wall(chance: OriginalChance, walls_around: bytearray, length: int) -> list[int]:
    """Return the cells of one wall, which ends early where it can't go on."""
    below = chance.below
    heading = HEADINGS[below(4, "wall's heading")]
    while True:
        row = 1 + below(SIDE - 2, "wall's row")
        cell = row * SIDE + 1 + below(SIDE - 2, "wall's column")
        if not walls_around[cell]:
            break
    # A board takes thousands of steps. Most go straight on, for which the last draw of a step tells
    # enough; the draws for a turn are made only where they decide.
    wall: list[int] = []
    state = chance.state
    factor, term = chance.leap(DRAWS_OF_STEP)
    mask = chance.MODULUS - 1  # the modulus is a power of two
    bends_below = chance.MODULUS // 8
    while True:
        wall.append(cell)
        walls_around[cell] = NEVER
        walls_around[cell - SIDE - 1] += 1
        walls_around[cell - SIDE] += 1
        walls_around[cell - SIDE + 1] += 1
        walls_around[cell - 1] += 1
        walls_around[cell + 1] += 1
        walls_around[cell + SIDE - 1] += 1
        walls_around[cell + SIDE] += 1
        walls_around[cell + SIDE + 1] += 1
        if len(wall) > length:
            break
        before = state
        state = (factor * state + term) & mask
        if state < bends_below or walls_around[cell + heading] > 2:
            chance.state = before
            draws = below(4, "wall's turn"), below(3, "wall's turn"), below(2, "wall's turn")
            for way in _TURNS[draws]:
                if walls_around[cell + way] <= 2:
                    heading = way
                    break
            else:
                break
        cell += heading
    chance.state = state
    return wall


# -- places and ingredients ------------------------------------------------------------------------


@attrs.define
class Places:
    """The cells on which something can be put, as long as nothing leaves the board."""

    empty: int
    """The corridors without a unit or book, as bits."""
    clear: int
    """The empty corridors with no unit, book or Voldemort in their 5x5, as bits."""
    banned: int
    """Voldemort's 3x3, as bits, in which nothing appears even when no clear cell is left."""

    @classmethod
    def of(cls, corridors: int, things: Iterable[int], voldemort: int | None = None) -> "Places":
        """Return the places of a board with units and books on the given cells."""
        standing = bits(things)
        if voldemort is None:
            near, banned = grown(standing), 0
        else:
            near = grown(standing | BIT[voldemort])
            banned = sum(map(BIT.__getitem__, AROUND[voldemort]), BIT[voldemort])
        return cls(corridors & ~standing, corridors & ~near, banned)

    def draw(self, chance: Chance) -> int:
        """Draw a cell for a unit or a book, and put it there (rules/hogwarts.md 11; 18, row 16)."""
        if self.clear:
            cell = nth(self.clear, chance.below(self.clear.bit_count(), "clear cell"))
        else:
            cell = _any_of(self.empty & ~self.banned, chance)
        self.put(cell)
        return cell

    def draw_voldemort(self, chance: Chance, units: Iterable[int]) -> int:
        """Draw Voldemort's first cell (rules/hogwarts.md 3.2)."""
        clear = self.clear & INTERIOR
        if clear:
            return nth(clear, chance.below(clear.bit_count(), "Voldemort's cell"))
        next_to_units = bits(near for unit in units for near in AROUND[unit])
        return _any_of(self.empty & INTERIOR & ~next_to_units, chance)

    def put(self, cell: int) -> None:
        """Record that something stands on a cell now."""
        bit = BIT[cell]
        self.empty &= ~bit
        self.clear &= ~grown(bit)


def _any_of(allowed: int, chance: Chance) -> int:
    """Draw rows and columns until they give an allowed cell; there must be one."""
    assert allowed, "no cell is left to put something on"
    while True:
        row = chance.below(SIDE, "row of any cell")
        cell = row * SIDE + chance.below(SIDE, "column of any cell")
        if allowed & BIT[cell]:
            return cell


def draw_ingredients(chance: Chance) -> tuple[int, ...]:
    """Draw 15 ingredients that can form 5 groups of equal sums (rules/hogwarts.md 9.1)."""
    below = chance.below
    total = LOWEST_SUM + below(HIGHEST_SUM - LOWEST_SUM + 1, "ingredients' sum")
    low, high = total // 4, total // 2
    values: list[int] = []
    for _ in range(GROUPS):
        while True:
            first = low + below(high - low + 1, "ingredient")
            second = low + below(high - low + 1, "ingredient")
            third = total - first - second
            if low <= third <= high:
                break
        values += (first, second, third)
    found = [0] * INGREDIENTS
    places = list(range(INGREDIENTS))
    for index, value in enumerate(values):
        other = index + below(INGREDIENTS - index, "ingredient's place")
        places[index], places[other] = places[other], places[index]
        found[places[index]] = value
    return tuple(found)


def draw_some(chance: Chance, cells: list[int], count: int) -> list[int]:
    """Draw some of the cells: the first ones of a random permutation of all of them."""
    last = len(cells)
    for index in range(count):
        other = index + chance.below(last - index, "spell's cell")
        cells[index], cells[other] = cells[other], cells[index]
    skip(chance, last - count)
    return cells[:count]
