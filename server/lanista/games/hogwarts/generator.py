"""The generator of random boards: walls, units, books, Voldemort (rules/hogwarts.md 3).

It makes the original program's draws in the same order, so that a seed gives the same board.
"""

import itertools
from collections.abc import Mapping, Sequence

from lanista.games.chance import Chance, OriginalChance
from lanista.games.hogwarts.board import CLANS, FREE, WALL, Board, Unit
from lanista.games.hogwarts.grid import BORDER, CELLS, SIDE, WIDTH, corridors_of
from lanista.games.hogwarts.placing import Places, draw_ingredients

WALLS = 8
"""The number of walls of a board."""
HEADINGS = (-SIDE, SIDE, -1, 1)
"""The headings of walls in the original's order, Up, Down, Left and Right, as the difference that a
step makes to the number of a cell off the border."""


def permuted(items: Sequence[int], draws: Sequence[int]) -> tuple[int, ...]:
    """Return a permutation as the original makes it: each item is swapped with a later one (3.4).

    Args:
        items: The items.
        draws: By index, how far away the item is with which it is swapped.
    """
    mixed = list(items)
    for index, distance in enumerate(draws):
        other = index + distance
        mixed[index], mixed[other] = mixed[other], mixed[index]
    return tuple(mixed)


_TURNS = {
    draws: permuted(HEADINGS, draws) for draws in itertools.product(range(4), range(3), range(2))
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
