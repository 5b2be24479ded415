"""Where things appear by chance: clear cells, and the new ingredients (rules/hogwarts.md 9, 11).

Every draw of the ruleset outside the walls, the orders and the battles is made here. The order
of the draws is that of the original program.
"""

from collections.abc import Iterable

import attrs

from lanista.rules.chance import Chance, OriginalChance
from lanista.rules.hogwarts.grid import (
    AROUND,
    BIT,
    EVERYWHERE,
    INTERIOR,
    SIDE,
    bits,
    grown,
    nth,
)

INGREDIENTS = 15
GROUPS = 5
LOWEST_SUM, HIGHEST_SUM = 5, 30
"""What each group of three ingredients can sum up to."""


@attrs.define
class Places:
    """The cells on which something can be put, while nothing leaves the board."""

    empty: int
    """Corridors without unit and book, as bits."""
    clear: int
    """Those of them with nothing in the 5x5 around them, Voldemort counted."""
    banned: int
    """Voldemort's 3x3, which nothing enters even when no clear cell is left."""

    @classmethod
    def of(cls, corridors: int, things: Iterable[int], voldemort: int | None = None) -> "Places":
        """The places of a board on which units and books stand on some cells."""
        standing = bits(things)
        if voldemort is None:
            near, banned = grown(standing), 0
        else:
            near = grown(standing | BIT[voldemort])
            banned = BIT[voldemort] | bits(AROUND[voldemort])
        return cls(corridors & ~standing, corridors & ~near, banned)

    def draw(self, chance: Chance) -> int:
        """A cell for a unit or a book, which from now on stands there.

        Uniformly one of the clear cells; if there is none, any empty cell outside Voldemort's
        3x3 (hogwarts.md 11 and 18, row 16).
        """
        if self.clear:
            cell = nth(self.clear, chance.below(self.clear.bit_count(), "clear cell"))
        else:
            cell = _any_of(self.empty & ~self.banned, chance)
        self.put(cell)
        return cell

    def draw_voldemort(self, chance: Chance, units: Iterable[int]) -> int:
        """Voldemort's first cell: clear and not on the border (hogwarts.md 3.2).

        If there is none: empty, not on the border, without a unit next to it.
        """
        clear = self.clear & INTERIOR
        if clear:
            return nth(clear, chance.below(clear.bit_count(), "Voldemort's cell"))
        beside = bits(near for unit in units for near in AROUND[unit])
        return _any_of(self.empty & INTERIOR & ~beside, chance)

    def put(self, cell: int) -> None:
        """Something stands on a cell now."""
        bit = BIT[cell]
        self.empty &= ~bit
        self.clear &= ~grown(bit)


def _any_of(allowed: int, chance: Chance) -> int:
    """Rows and columns drawn until they hit an allowed cell; there must be one."""
    if not allowed & EVERYWHERE:
        raise AssertionError("no cell is left to put something on")
    while True:
        row = chance.below(SIDE, "row of any cell")
        cell = row * SIDE + chance.below(SIDE, "column of any cell")
        if allowed & BIT[cell]:
            return cell


def draw_ingredients(chance: Chance) -> tuple[int, ...]:
    """15 new ingredients that can be put into 5 groups of equal sums (hogwarts.md 9.1)."""
    total = LOWEST_SUM + chance.below(HIGHEST_SUM - LOWEST_SUM + 1, "ingredients' sum")
    low, high = total // 4, total // 2
    values: list[int] = []
    for _ in range(GROUPS):
        while True:
            first = low + chance.below(high - low + 1, "ingredient")
            second = low + chance.below(high - low + 1, "ingredient")
            third = total - first - second
            if low <= third <= high:
                break
        values += (first, second, third)
    mixed = [0] * INGREDIENTS
    places = list(range(INGREDIENTS))
    for at, value in enumerate(values):
        other = at + chance.below(INGREDIENTS - at, "ingredient's place")
        places[at], places[other] = places[other], places[at]
        mixed[places[at]] = value
    return tuple(mixed)


def draw_some(chance: Chance, cells: list[int], count: int) -> list[int]:
    """So many of the cells, each choice alike: the first ones of a permutation of all of them.

    The original draws the whole permutation; draws that decide nothing are passed over.
    """
    last = len(cells)
    for at in range(count):
        other = at + chance.below(last - at, "spell's cell")
        cells[at], cells[other] = cells[other], cells[at]
    if isinstance(chance, OriginalChance):
        chance.skip(last - count)
    return cells[:count]
