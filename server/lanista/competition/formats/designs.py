"""Balanced designs: blocks of four out of n, in which every two points are together equally often.

In a four-player round-robin not every four bots can meet: there are too many combinations. What is
needed is a list of blocks in which every two bots meet equally often, because only then are their
points comparable. That is a balanced incomplete block design (n, 4, λ), where λ is the number of
blocks that every two points share. It exists for every n ≥ 4 with λ(n-1) divisible by 3 and λn(n-1)
divisible by 12 (Hanani 1961); the least possible λ is 1, 2, 3 or 6.

A design is described by a few base blocks: adding 1 again and again, modulo some number, turns each
of them into a whole orbit of blocks, and every two points with the same difference meet equally
often in it. So it is enough that the differences within the base blocks are balanced. The base
blocks come from `FAMILIES`, from a formula (`_multiples`), or, for a third of the counts above 40,
a design is put together from smaller ones (`_composed`). Every design is exact; the tests count its
pairs. Here are only numbers: no bots, no openings.
"""

import functools
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

from lanista.competition.formats.base import turned

Block = tuple[int, ...]
"""Four points out of 0 … n-1, in their order around the table."""


@functools.cache
def balanced(count: int) -> tuple[Block, ...]:
    """Return a balanced design of blocks of four on the points 0 … count-1.

    Every two points are together in the same number of blocks, so every point is in equally many.
    Up to 40 points that number is the least possible one. The blocks' circular orders balance, as
    far as was found, who sits how far after whom; changing them from opening to opening
    (`base.turned`) does the rest. The blocks are in an order of play in which no point is far
    ahead of the others.

    Raises:
        ValueError: There are fewer than four points.
    """
    if count < 4:
        raise ValueError(f"a design of blocks of four needs four points at least, not {count}")
    return tuple(_spread(_design(count), count))


@functools.cache
def _design(count: int) -> tuple[Block, ...]:
    """Return a balanced design, in the order in which it was constructed."""
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
    """Return the orbit of a block under repeated addition of 1, each set of four once.

    The points are divided into cycles of length `modulus`, numbered one cycle after another; a
    point that is left over stays where it is. A block that is a translate of itself has a shorter
    orbit.
    """
    whole = count // modulus * modulus
    orbit: dict[frozenset[int], Block] = {}
    for step in range(modulus):
        block = tuple(
            point if point >= whole else point // modulus * modulus + (point + step) % modulus
            for point in base
        )
        orbit.setdefault(frozenset(block), block)
    return list(orbit.values())


def _multiples(modulus: int) -> tuple[Block, ...]:
    """Return base blocks over Z_modulus with λ = 6, for a modulus divisible by neither 2 nor 3.

    They are i·(0, 1, 3, 2), i = 1 … (modulus-1)/2. The differences between neighbours are ±i and
    ±2i, those between opposites ±i and ±3i. As 2 and 3 have inverses, each of these runs exactly
    once through everything but 0. So of every two points each is twice next after the other, twice
    opposite, and twice next before it.
    """
    return tuple(
        tuple(i * point % modulus for point in (0, 1, 3, 2)) for i in range(1, modulus // 2 + 1)
    )


def _multiples_and_one(modulus: int) -> tuple[Block, ...]:
    """Return base blocks over Z_modulus and one further point, with λ = 6.

    They are those of `_multiples`, but the block of i = 1 is replaced by two blocks with the
    further point: {0, 1, 2} and {0, 1, 3} have together the differences of {0, 1, 2, 3}.
    """
    return (
        (modulus, 1, 2, 0),
        (modulus, 0, 1, 3),
        *_multiples(modulus)[1:],
    )


def _composed(count: int) -> Iterator[Block]:
    """Yield a design with λ = 6 composed of smaller ones, for counts without a formula.

    The points are four groups of m and one group of u ≤ m, where neither 2 nor 3 divides m. The
    lines x, x+y, x+2y, x+3y (mod m), and y in the last group as far as it goes, contain every two
    points of different groups exactly once (a truncated transversal design). Each line of four is
    used in all six circular orders, each line of five becomes a design twice, and each group
    becomes a design of its own.
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
    """Yield a design on these points, repeated up to λ = 6, in different circular orders."""
    design = _design(len(points))
    once = 12 * len(design) // (len(points) * (len(points) - 1))
    # Twice: an order and its reverse.
    for rotation in (0, 3) if once == 3 else range(6 // once):
        for block in design:
            yield turned([points[place] for place in block], rotation)


def _spread(blocks: Sequence[Block], count: int) -> Iterator[Block]:
    """Yield blocks in an order of play: next is always a block of a point that has played least."""
    # In steps of the golden section, so that each point's candidates come from the whole design.
    step = round(len(blocks) * 0.618)
    while math.gcd(step, len(blocks)) > 1:
        step += 1
    left: list[list[int]] = [[] for _ in range(count)]
    for number in range(len(blocks)):
        index = number * step % len(blocks)
        for point in blocks[index]:
            left[point].append(index)
    played = [0] * count
    for _ in blocks:
        fewest = min((point for point in range(count) if left[point]), key=played.__getitem__)
        # 32 candidates are enough to choose well, and keep it fast.
        index = min(left[fewest][:32], key=lambda i: sum(played[p] ** 2 for p in blocks[i]))
        for point in blocks[index]:
            played[point] += 1
            left[point].remove(index)
        yield blocks[index]


# fmt: off
FAMILIES: Mapping[int, tuple[int, tuple[tuple[int, ...], ...]]] = {
    4: (4, (
        (0, 1, 2, 3),
    )),
    5: (5, (
        (0, 1, 3, 2),
    )),
    7: (7, (
        (0, 2, 1, 5),
    )),
    8: (7, (
        (7, 0, 6, 4), (0, 4, 2, 3),
    )),
    9: (3, (
        (0, 6, 1, 4), (3, 4, 6, 8), (0, 4, 7, 3), (0, 7, 8, 1), (0, 1, 3, 5), (0, 8, 5, 6),
    )),
    10: (3, (
        (0, 9, 3, 6), (3, 9, 4, 5), (0, 2, 1, 9), (0, 7, 5, 4), (0, 1, 6, 5), (6, 7, 8, 9),
        (0, 3, 8, 7),
    )),
    12: (11, (
        (11, 0, 8, 7), (0, 7, 8, 2), (0, 3, 9, 2),
    )),
    13: (13, (
        (0, 5, 11, 1),
    )),
    15: (15, (
        (0, 1, 14, 2), (0, 9, 5, 6), (0, 14, 7, 9), (0, 14, 11, 3), (0, 8, 13, 5), (0, 4, 9, 11),
        (0, 10, 6, 12),
    )),
    16: (15, (
        (0, 5, 10, 15), (0, 7, 3, 1),
    )),
    17: (17, (
        (0, 4, 15, 5), (0, 1, 3, 12), (0, 14, 5, 4), (0, 6, 4, 14),
    )),
    19: (19, (
        (0, 8, 1, 2), (0, 3, 10, 14), (0, 2, 16, 6),
    )),
    20: (19, (
        (19, 0, 10, 2), (0, 6, 1, 14), (0, 17, 14, 10), (0, 8, 9, 12), (0, 4, 16, 17),
    )),
    21: (21, (
        (0, 1, 15, 2), (0, 20, 10, 4), (0, 12, 19, 8), (0, 3, 12, 17), (0, 6, 8, 3),
    )),
    22: (21, (
        (0, 21, 14, 7), (0, 7, 21, 14), (0, 16, 1, 3), (0, 12, 2, 17), (0, 1, 10, 18),
    )),
    24: (23, (
        (23, 0, 1, 11), (0, 5, 13, 4), (0, 21, 18, 12), (0, 7, 2, 11), (0, 22, 3, 6),
        (0, 15, 8, 21),
    )),
    25: (5, (
        (10, 24, 11, 16), (0, 10, 22, 12), (5, 13, 24, 7), (5, 16, 12, 19), (0, 11, 6, 7),
        (5, 17, 23, 18), (0, 23, 19, 21), (0, 2, 5, 15), (0, 14, 17, 1), (0, 24, 20, 9),
    )),
    27: (27, (
        (0, 15, 6, 9), (0, 9, 25, 19), (0, 17, 18, 14), (0, 7, 14, 26), (0, 20, 19, 3),
        (0, 13, 5, 10), (0, 14, 20, 18), (0, 8, 1, 23), (0, 19, 23, 21), (0, 11, 7, 22),
        (0, 16, 26, 1), (0, 22, 9, 6), (0, 12, 14, 17),
    )),
    28: (7, (
        (0, 16, 3, 22), (7, 26, 8, 24), (7, 27, 20, 21), (0, 25, 21, 1), (7, 22, 19, 18),
        (0, 14, 23, 18), (0, 2, 8, 11), (0, 19, 12, 10), (0, 15, 17, 7),
    )),
    29: (29, (
        (0, 18, 23, 6), (0, 2, 3, 22), (0, 6, 14, 1), (0, 13, 16, 2), (0, 26, 22, 7), (0, 9, 4, 8),
        (0, 11, 2, 19),
    )),
    31: (31, (
        (0, 1, 20, 22), (0, 11, 2, 5), (0, 6, 16, 23), (0, 15, 7, 3), (0, 14, 27, 1),
    )),
    32: (31, (
        (31, 0, 2, 3), (0, 27, 4, 22), (0, 17, 1, 8), (0, 6, 18, 12), (0, 11, 15, 28),
        (0, 22, 12, 11), (0, 29, 24, 21), (0, 17, 10, 15),
    )),
    33: (33, (
        (0, 25, 11, 7), (0, 18, 21, 2), (0, 2, 23, 1), (0, 28, 19, 24), (0, 20, 24, 18),
        (0, 16, 6, 23), (0, 12, 25, 32), (0, 30, 3, 25),
    )),
    34: (33, (
        (0, 22, 11, 33), (0, 33, 11, 22), (0, 3, 29, 12), (0, 2, 30, 14), (0, 4, 18, 24),
        (0, 27, 1, 2), (0, 13, 5, 23),
    )),
    36: (35, (
        (35, 0, 30, 18), (0, 28, 15, 23), (0, 25, 26, 17), (0, 33, 6, 26), (0, 32, 13, 34),
        (0, 15, 32, 11), (0, 7, 1, 32), (0, 13, 19, 24), (0, 4, 23, 25),
    )),
    37: (37, (
        (0, 14, 1, 21), (0, 29, 4, 19), (0, 11, 2, 5),
    )),
    39: (39, (
        (0, 2, 8, 24), (0, 21, 14, 25), (0, 35, 15, 10), (0, 35, 32, 13), (0, 10, 37, 21),
        (0, 25, 30, 24), (0, 13, 35, 19), (0, 30, 15, 27), (0, 24, 32, 21), (0, 17, 38, 35),
        (0, 37, 29, 32), (0, 38, 37, 9), (0, 22, 12, 38), (0, 19, 23, 32), (0, 8, 13, 38),
        (0, 27, 19, 33), (0, 37, 31, 26), (0, 16, 18, 11), (0, 17, 20, 29),
    )),
    40: (40, (
        (0, 22, 3, 14), (0, 10, 30, 20), (0, 15, 9, 2), (0, 1, 5, 17),
    )),
    46: (45, (
        (0, 28, 3, 40), (0, 6, 29, 20), (0, 38, 4, 33), (0, 8, 22, 32), (0, 3, 27, 1),
        (0, 1, 19, 36), (0, 15, 30, 45), (0, 30, 15, 45), (0, 2, 34, 41),
    )),
    70: (69, (
        (69, 0, 47, 34), (69, 0, 61, 21), (0, 68, 65, 37), (0, 46, 25, 41), (0, 13, 49, 39),
        (0, 54, 67, 16), (0, 23, 64, 41), (0, 32, 13, 47), (0, 23, 39, 37), (0, 63, 57, 9),
        (0, 17, 24, 16), (0, 67, 56, 66), (0, 6, 32, 35), (0, 8, 29, 17), (0, 1, 3, 34),
        (0, 20, 58, 18), (0, 19, 8, 26), (0, 14, 19, 30), (0, 20, 60, 24), (0, 30, 18, 44),
        (0, 55, 10, 29), (0, 48, 47, 42), (0, 30, 39, 13), (0, 35, 46, 42), (0, 44, 48, 33),
        (0, 17, 41, 36), (0, 15, 22, 31), (0, 12, 27, 32), (0, 12, 37, 20), (0, 49, 27, 24),
        (0, 62, 63, 59), (0, 50, 23, 9), (0, 59, 34, 7), (0, 31, 45, 67), (0, 4, 12, 63),
    )),
}
"""The base blocks that no formula gives, by count of points: the length of a cycle, and the blocks.

They were found by two searches of our own. Those with λ = 1 or 2, and those for 5 and 9 points,
come from a backtracking search over the orbits of sets of four under x → x+1, which always
continued with the orbit of pairs that the fewest remaining sets can cover. Of the families found
within some seconds, the one was kept whose circular orders could make the distances most equal. The
others, with λ = 3 or 6, come from simulated annealing over base blocks in circular order; the cost
was how far each difference is from occurring λ/3 times between neighbours and λ/3 times between
opposites. For most counts it reached 0, so each bot is equally often next after, opposite and next
before every other one. The tests don't rely on these searches: they count the pairs.
"""
# fmt: on
