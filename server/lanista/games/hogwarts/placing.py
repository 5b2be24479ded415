"""Random places and ingredients (rules/hogwarts.md 9 and 11).

The draws of places, ingredients and the cells of a spell are made here, in the order of the
original program.
"""

from collections.abc import Iterable

import attrs

from lanista.games.chance import Chance, skip
from lanista.games.hogwarts.grid import AROUND, BIT, EVERYWHERE, INTERIOR, SIDE, bits, grown, nth

INGREDIENTS = 15
GROUPS = 5
LOWEST_SUM, HIGHEST_SUM = 5, 30
"""The range of the sum of each group of three ingredients."""


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
        """Draw a cell for a unit or a book, and put it there.

        The cell is one of the clear cells; if there is none, any empty cell outside Voldemort's
        3x3 (rules/hogwarts.md 11 and 18, row 16).
        """
        if self.clear:
            cell = nth(self.clear, chance.below(self.clear.bit_count(), "clear cell"))
        else:
            cell = _any_of(self.empty & ~self.banned, chance)
        self.put(cell)
        return cell

    def draw_voldemort(self, chance: Chance, units: Iterable[int]) -> int:
        """Draw Voldemort's first cell, clear and not on the border (rules/hogwarts.md 3.2).

        If there is none, draw an empty cell not on the border without a unit next to it.
        """
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
    if not allowed & EVERYWHERE:
        raise AssertionError("no cell is left to put something on")
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
    mixed = [0] * INGREDIENTS
    places = list(range(INGREDIENTS))
    for index, value in enumerate(values):
        other = index + below(INGREDIENTS - index, "ingredient's place")
        places[index], places[other] = places[other], places[index]
        mixed[places[index]] = value
    return tuple(mixed)


def draw_some(chance: Chance, cells: list[int], count: int) -> list[int]:
    """Draw some of the cells: the first ones of a random permutation of all of them.

    The original draws the whole permutation; draws without an effect are skipped here.
    """
    last = len(cells)
    for index in range(count):
        other = index + chance.below(last - index, "spell's cell")
        cells[index], cells[other] = cells[other], cells[index]
    skip(chance, last - count)
    return cells[:count]
