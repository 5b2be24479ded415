"""The boards that chance makes: walls, units, books, Voldemort (rules/hogwarts.md 3).

The draws come in the original program's order, so that a seed makes the board it makes there.
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
"""How many walls are tried."""
HEADINGS = (UP, DOWN, LEFT, RIGHT)


def permuted(items: Sequence[int], draws: Sequence[int]) -> tuple[int, ...]:
    """A permutation as the original makes it: place i is exchanged with one from i on (3.4)."""
    mixed = list(items)
    for at, further in enumerate(draws):
        mixed[at], mixed[at + further] = mixed[at + further], mixed[at]
    return tuple(mixed)


_TURNS = {
    draws: permuted(HEADINGS, draws) for draws in itertools.product(range(4), range(3), range(2))
}
"""The permutations of the headings by the draws that make them; a fourth draw changes nothing."""
NEVER = 99
"""More wall cells next to a cell than there can be: no wall may enter it."""
_BORDERED = tuple(NEVER if cell in BORDER else 0 for cell in range(CELLS))


def generate(settings: Mapping[str, int], chance: Chance) -> Board:
    """A board from chance."""
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
    """The cells of the walls: plans are drawn until the corridors hang together."""
    while True:
        walls = _plan(chance)
        if connected(EVERYWHERE & ~bits(walls)):
            return walls


def connected(corridors: int) -> bool:
    """Whether steps in the four directions lead from every corridor to every other one."""
    reached, edge = 0, corridors & -corridors
    while edge:
        reached |= edge
        edge = (edge << 1 | edge >> 1 | edge << WIDTH | edge >> WIDTH) & corridors & ~reached
    return reached == corridors


def _plan(chance: Chance) -> set[int]:
    """Eight walls, whatever they cut off: thin snakes that never touch one another."""
    # By cell: wall cells of the present wall around it, or NEVER.
    beside = list(_BORDERED)
    walls: set[int] = set()
    left = CELLS // 2
    for number in range(WALLS, 0, -1):
        wall = _wall(chance, beside, left // number)
        left -= len(wall)
        walls.update(wall)
        for cell in wall:
            for near in AROUND[cell]:
                beside[near] = NEVER
    return walls


def _wall(chance: Chance, beside: list[int], length: int) -> list[int]:
    """One wall; it ends where it can't go on."""
    below = chance.below
    heading = HEADINGS[below(4, "wall's heading")]
    while True:
        row = 1 + below(SIDE - 2, "wall's row")
        cell = row * SIDE + 1 + below(SIDE - 2, "wall's column")
        if not beside[cell]:
            break
    wall = [cell]
    _fill(beside, cell)
    while length > 0:
        first, second = below(4, "wall's turn"), below(3, "wall's turn")
        ways = _TURNS[first, second, below(2, "wall's turn")]
        below(1, "wall's turn")
        bend = below(8, "whether a wall turns") == 0
        ahead = NEAR[heading][cell]
        if bend or beside[ahead] > 2:
            for way in ways:
                ahead = NEAR[way][cell]
                if beside[ahead] <= 2:
                    heading = way
                    break
            else:
                break
        cell = ahead
        _fill(beside, cell)
        wall.append(cell)
        length -= 1
    return wall


def _fill(beside: list[int], cell: int) -> None:
    beside[cell] = NEVER
    for near in AROUND[cell]:
        beside[near] += 1
