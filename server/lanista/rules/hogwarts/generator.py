"""The generator of random boards: walls, units, books, Voldemort (rules/hogwarts.md 3).

It makes the original program's draws in the same order, so that a seed gives the same board.
"""

import itertools
from collections.abc import Mapping, Sequence

from lanista.rules.chance import Chance
from lanista.rules.hogwarts.board import CLANS, FREE, WALL, Board, Unit
from lanista.rules.hogwarts.grid import (
    AROUND,
    BORDER,
    CELLS,
    DOWN,
    EVERYWHERE,
    LEFT,
    NEAR,
    RIGHT,
    SIDE,
    UP,
    WIDTH,
    bits,
)
from lanista.rules.hogwarts.placing import Places, draw_ingredients

WALLS = 8
"""The number of walls of a board."""
HEADINGS = (UP, DOWN, LEFT, RIGHT)
"""The directions of walls, in the original's order."""


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


def generate(settings: Mapping[str, int], chance: Chance) -> Board:
    """Generate a random board."""
    walls = draw_walls(chance)
    corridors = EVERYWHERE & ~bits(walls)
    places = Places.of(corridors, ())
    cells = bytearray(FREE if cell not in walls else WALL for cell in range(CELLS))
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


def draw_walls(chance: Chance) -> set[int]:
    """Return the cells of the walls of the first plan whose corridors are connected."""
    while True:
        walls = _plan(chance)
        if connected(EVERYWHERE & ~bits(walls)):
            return walls


def connected(corridors: int) -> bool:
    """Return whether steps in four directions lead from every corridor to every other one."""
    reached, edge = 0, corridors & -corridors
    while edge:
        reached |= edge
        edge = (edge << 1 | edge >> 1 | edge << WIDTH | edge >> WIDTH) & corridors & ~reached
    return reached == corridors


def _plan(chance: Chance) -> set[int]:
    """Return eight walls, thin snakes that never touch each other but may cut off corridors."""
    # By cell: the number of cells of the present wall around it, or NEVER.
    walls_around = list(_BORDERED)
    walls: set[int] = set()
    left = CELLS // 2
    for number in range(WALLS, 0, -1):
        wall = _wall(chance, walls_around, left // number)
        left -= len(wall)
        walls.update(wall)
        for cell in wall:
            for near in AROUND[cell]:
                walls_around[near] = NEVER
    return walls


def _wall(chance: Chance, walls_around: list[int], length: int) -> list[int]:
    """Return the cells of one wall, which ends early where it can't go on."""
    below = chance.below
    heading = HEADINGS[below(4, "wall's heading")]
    while True:
        row = 1 + below(SIDE - 2, "wall's row")
        cell = row * SIDE + 1 + below(SIDE - 2, "wall's column")
        if not walls_around[cell]:
            break
    wall = [cell]
    _fill(walls_around, cell)
    while length > 0:
        first, second = below(4, "wall's turn"), below(3, "wall's turn")
        ways = _TURNS[first, second, below(2, "wall's turn")]
        below(1, "wall's turn")
        bend = below(8, "whether a wall turns") == 0
        ahead = NEAR[heading][cell]
        if bend or walls_around[ahead] > 2:
            for way in ways:
                ahead = NEAR[way][cell]
                if walls_around[ahead] <= 2:
                    heading = way
                    break
            else:
                break
        cell = ahead
        _fill(walls_around, cell)
        wall.append(cell)
        length -= 1
    return wall


def _fill(walls_around: list[int], cell: int) -> None:
    walls_around[cell] = NEVER
    for near in AROUND[cell]:
        walls_around[near] += 1
