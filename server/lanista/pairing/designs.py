"""Balanced designs: blocks of four out of n, every two together in equally many.

A balanced incomplete block design (n, 4, λ) exists for every n ≥ 4 with λ(n-1) divisible by 3 and
λn(n-1) by 12 (Hanani 1961); the least λ is 1, 2, 3 or 6. Here the blocks come from the base blocks
in `families`, from a formula, or, for a third of the counts above 40, from smaller designs. Every
design is exact; the tests count its pairs. Numbers only: no bots, no draws.
"""

import functools
import itertools
import math
from collections.abc import Iterator, Sequence

from lanista.pairing.families import FAMILIES
from lanista.pairing.shared import turned

Block = tuple[int, ...]
"""Four of 0 … n-1, in the order around the table."""


@functools.cache
def balanced(count: int) -> tuple[Block, ...]:
    """A balanced design of blocks of four on 0 … count-1.

    Every two are together in the same number of blocks, so everybody is in as many. Up to 40 that
    number is the least possible one. The blocks' circular orders balance who sits how far after
    whom as far as was found; changing them from draw to draw (`shared.turned`) does the rest.
    They stand in an order of play: nobody is far ahead of the others.

    Raises:
        ValueError: Less than four.
    """
    if count < 4:
        raise ValueError(f"{count} points; a design of blocks of four needs four at least")
    return tuple(_spread(_design(count), count))


@functools.cache
def _design(count: int) -> tuple[Block, ...]:
    """A balanced design, in the order of its making."""
    if count in FAMILIES:
        modulus, bases = FAMILIES[count]
    elif count % 6 in {1, 5}:
        modulus, bases = count, _multiples(count)
    elif count % 6 in {0, 2}:
        modulus, bases = count - 1, _multiples_and_one(count - 1)
    else:
        return tuple(_composed(count))
    return tuple(block for base in bases for block in _developed(base, modulus, count))


def _developed(base: Block, modulus: int, count: int) -> list[Block]:
    """The orbit of a block when 1 is added again and again, each set of four once.

    The points are orbits of `modulus` ones, numbered one orbit after the other; if one is left
    over, it stays where it is. A block that is its own translate has a short orbit.
    """
    whole = count // modulus * modulus
    found: dict[frozenset[int], Block] = {}
    for step in range(modulus):
        block = tuple(
            point if point >= whole else point // modulus * modulus + (point + step) % modulus
            for point in base
        )
        found.setdefault(frozenset(block), block)
    return list(found.values())


def _multiples(modulus: int) -> tuple[Block, ...]:
    """Base blocks over Z_modulus with λ = 6, where neither 2 nor 3 divides it.

    They are i·(0, 1, 3, 2), i = 1 … (modulus-1)/2. The differences are ±i and ±2i next to each
    other, ±i and ±3i opposite; as 2 and 3 have inverses, each of these runs once through all that
    isn't 0. So every two are twice next after, twice opposite, twice next before each other.
    """
    return tuple(
        tuple(i * point % modulus for point in (0, 1, 3, 2)) for i in range(1, modulus // 2 + 1)
    )


def _multiples_and_one(modulus: int) -> tuple[Block, ...]:
    """Base blocks over Z_modulus and one more point, with λ = 6, as `_multiples`.

    The block of i = 1 gives way to two with the new point: {0, 1, 2} and {0, 1, 3} have together
    the differences of {0, 1, 2, 3}.
    """
    return (
        (modulus, 1, 2, 0),
        (modulus, 0, 1, 3),
        *_multiples(modulus)[1:],
    )


def _composed(count: int) -> Iterator[Block]:
    """A design with λ = 6 out of smaller ones, for what the formulas leave out.

    The points are four groups of m and one of u ≤ m, where neither 2 nor 3 divides m. The lines
    x, x+y, x+2y, x+3y (mod m), and y in the last group as far as it goes, meet every two points of
    different groups once (a truncated transversal design). Each line of four is taken in all six
    circular orders, each of five becomes a design twice, each group a design of its own.
    """
    size, rest = next(
        (size, count - 4 * size)
        for size in range(count // 4, 4, -1)
        if size % 6 in {1, 5} and count - 4 * size <= size and count - 4 * size not in {2, 3}
    )
    for x, y in itertools.product(range(size), repeat=2):
        line = [group * size + (x + group * y) % size for group in range(4)]
        if y < rest:
            yield from _sixfold([*line, 4 * size + y])
        else:
            yield from _sixfold(line)
    for group in range(4):
        yield from _sixfold(range(group * size, (group + 1) * size))
    if rest > 1:
        yield from _sixfold(range(4 * size, count))


def _sixfold(points: Sequence[int]) -> Iterator[Block]:
    """A design on these points, as often as λ = 6 needs, in different circular orders."""
    design = _design(len(points))
    once = 12 * len(design) // (len(points) * (len(points) - 1))
    # Twice: an order and its reverse.
    for draw in (0, 3) if once == 3 else range(6 // once):
        for block in design:
            yield turned([points[place] for place in block], draw)


def _spread(blocks: Sequence[Block], count: int) -> Iterator[Block]:
    """Put blocks into an order of play: next is one of whoever was in the fewest so far."""
    # Golden section steps: the first ones of a point are from everywhere in the design.
    step = round(len(blocks) * 0.618)
    while math.gcd(step, len(blocks)) > 1:
        step += 1
    left: list[list[int]] = [[] for _ in range(count)]
    for at in range(len(blocks)):
        for point in blocks[at * step % len(blocks)]:
            left[point].append(at * step % len(blocks))
    played = [0] * count
    for _ in blocks:
        poorest = min((point for point in range(count) if left[point]), key=played.__getitem__)
        # Some are enough to choose among, and quick.
        at = min(left[poorest][:32], key=lambda at: sum(played[p] ** 2 for p in blocks[at]))
        for point in blocks[at]:
            played[point] += 1
            left[point].remove(at)
        yield blocks[at]
