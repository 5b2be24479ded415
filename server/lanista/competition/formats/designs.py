"""Balanced designs: blocks of four out of n, in which every two points are together equally often.

In a four-player round-robin there are too many fours for all to meet, but every two bots must meet
equally often, or their points couldn't be compared. That is a balanced incomplete block design with
parameters (n, 4, λ), where λ is the number of blocks that every two points share. It exists for
every n ≥ 4 with λ(n-1) divisible by 3 and λn(n-1) divisible by 12 (Hanani 1961); the least possible
λ is 1, 2, 3 or 6.

A design is described by a few base blocks: adding 1 again and again, modulo some number, turns each
of them into a whole orbit of blocks, and every two points with the same difference meet equally
often in it. So it is enough that the differences within the base blocks are balanced. The base
blocks come from `designs.json`, from a formula (`_multiples`), or, for a third of the counts above
40, a design is put together from smaller ones (`_composed`). The tests count each design's pairs.
"""

import functools
import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from lanista.competition.formats.base import turned

Block = tuple[int, ...]
"""Four points out of 0 … n-1, in their order around the table."""
_FAMILIES: Mapping[str, tuple[int, list[list[int]]]] = json.loads(
    Path(__file__).with_name("designs.json").read_text(encoding="utf-8")
)
"""The base blocks that no formula gives, by count of points: the length of a cycle, and the blocks.

They were found by two searches of our own. Those with λ = 1 or 2, and those for 5 and 9 points,
come from a backtracking search over the orbits of sets of four under x → x+1. The others, with λ =
3 or 6, come from simulated annealing over base blocks in circular order; the cost was how far each
difference is from occurring λ/3 times between neighbours and λ/3 times between opposites. For most
counts it reached 0, so each bot is equally often next after, opposite and next before every other
one.
"""


@functools.cache
def balanced(count: int) -> tuple[Block, ...]:
    """Return a balanced design of blocks of four on the points 0 … count-1, at least four of them.

    Up to 40 points λ is the least possible one. The blocks' circular orders balance, as far as was
    found, who sits how far after whom; changing them from opening to opening (`base.turned`) does
    the rest. The blocks are in an order of play in which no point is far ahead of the others.
    """
    if count < 4:
        raise ValueError(f"a design of blocks of four needs four points at least, not {count}")
    return tuple(_spread(_design(count), count))


@functools.cache
def _design(count: int) -> tuple[Block, ...]:
    bases: Sequence[Sequence[int]]
    if (family := _FAMILIES.get(str(count))) is not None:
        modulus, bases = family
    elif count % 6 in {1, 5}:
        modulus, bases = count, _multiples(count)
    elif count % 6 in {0, 2}:
        modulus, bases = count - 1, _multiples_and_one(count - 1)
    else:
        return tuple(_composed(count))
    return tuple(block for base in bases for block in _developed(base, modulus, count))


def _developed(base: Sequence[int], modulus: int, count: int) -> list[Block]:
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
