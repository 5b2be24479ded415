"""Chance as an argument: the sources of every random draw of a ruleset.

A ruleset uses no other chance, no time and no hashes: the same seed must give the same match
everywhere. Each draw carries its reason, so that a test can check the exact sequence of draws with
a scripted chance (`games.testing`).

The original programs draw whole permutations even where they use only the first few numbers, or
none. The generator must reach the same state as theirs, so unused draws are skipped in one jump.
"""

import itertools
import random
from collections.abc import Iterator, MutableSequence, Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")

SEED_BITS = 64
"""The width of a seed, a signed integer, in bits."""


class Chance(Protocol):
    """A source of random draws."""

    def below(self, n: int, why: str) -> int:
        """Draw an integer from 0 to n - 1, uniformly; `why` names the draw in tests."""


class SeededChance(random.Random):
    """A source that gives the same draws for a 64-bit seed on every machine and Python version.

    Python promises to keep the sequence of `random.Random.random()`, and of no other method.
    """

    def __init__(self, seed: int = 0) -> None:
        # Modulo 2^64 first: Python seeds with the absolute value, which would make
        # the seeds s and -s the same game.
        super().__init__(seed % (1 << SEED_BITS))

    def below(self, n: int, why: str) -> int:
        """Draw an integer from 0 to n - 1; n is at most 2^53."""
        if n < 1:
            raise ValueError(f"a draw below {n} ({why}) has no possible value")
        return int(self.random() * n)


def shuffle(chance: Chance, items: MutableSequence[T], why: str) -> None:
    """Shuffle the items in place (Fisher-Yates from the end), with one draw less than items."""
    for last in range(len(items) - 1, 0, -1):
        other = chance.below(last + 1, why)
        items[last], items[other] = items[other], items[last]


class OriginalChance:
    """The generator of the original Hogwarts and Crematoria programs, draw for draw.

    It is a linear congruential generator of 31 bits (rules/hogwarts.md 3.4), and a draw takes two
    steps of it. `below(n)` is the originals' `random(0, n - 1)`. Bots could infer the state from
    what they see of a match, so the seed must stay secret until the end.
    """

    MODULUS = 2**31
    MAX_RANGE = 1_000_000
    """The longest range; for a longer one the originals return its low end without a draw."""

    def __init__(self, seed: int) -> None:
        self.state = abs(seed) % self.MODULUS
        """The generator's present state, which is part of the digest of a match."""

    def below(self, n: int, why: str) -> int:
        """Draw an integer from 0 to n - 1; for n above MAX_RANGE return 0 without a step."""
        if not 1 <= n <= _MAX_RANGE:
            if n < 1:
                raise ValueError(f"a draw below {n} ({why}) has no possible value")
            return 0
        # A match takes tens of thousands of draws, so constants instead of the class's attributes.
        self.state = state = (_TWO_STEPS_FACTOR * self.state + _TWO_STEPS_TERM) & _MASK
        return n * state >> _BITS

    def order_of(self, n: int) -> tuple[int, ...]:
        """Return what `permutation` does, for n up to 4: a match takes thousands of them."""
        state, index = self.state, 0
        for left in range(n, 1, -1):
            state = (_TWO_STEPS_FACTOR * state + _TWO_STEPS_TERM) & _MASK
            index = index * left + (left * state >> _BITS)
        self.state = state
        return _ORDERS[n][index]

    @staticmethod
    def leap(draws: int) -> tuple[int, int]:
        """Return the factor and the term by which a single step does the steps of some draws.

        The state after them is `(factor * state + term) % MODULUS`.
        """
        factor, term = 1, 0
        for power_factor, power_term in _POWERS:
            if draws & 1:
                factor = power_factor * factor & _MASK
                term = (power_factor * term + power_term) & _MASK
            draws >>= 1
            if not draws:
                break
        return factor, term

    def skip(self, draws: int) -> None:
        """Skip draws whose values nobody needs, in time logarithmic in their number."""
        factor, term = self.leap(draws)
        self.state = (factor * self.state + term) & _MASK


_FACTOR, _TERM = 843_314_861, 453_816_693
_TWO_STEPS_FACTOR = _FACTOR * _FACTOR % OriginalChance.MODULUS
_TWO_STEPS_TERM = (_FACTOR * _TERM + _TERM) % OriginalChance.MODULUS
_MAX_RANGE = OriginalChance.MAX_RANGE
_BITS, _MASK = 31, OriginalChance.MODULUS - 1  # the modulus is a power of two


def _powers() -> Iterator[tuple[int, int]]:
    factor, term = _TWO_STEPS_FACTOR, _TWO_STEPS_TERM
    for _ in range(_BITS):
        yield factor, term
        factor, term = factor * factor & _MASK, (factor * term + term) & _MASK


_POWERS = tuple(_powers())
"""The factors and terms of `leap` for 1, 2, 4 draws and so on; so many that it begins again."""


def skip(chance: Chance, draws: int) -> None:
    """Skip draws without an effect, if the source must stay in step with an original program's."""
    jump = getattr(chance, "skip", None)
    if jump is not None and draws > 0:
        jump(draws)


def mixed(items: Sequence[T], draws: Sequence[int]) -> tuple[T, ...]:
    """Return a permutation as the originals make it: each item is swapped with a later one.

    By index, `draws` says how far away that is.
    """
    found = list(items)
    for index, distance in enumerate(draws):
        other = index + distance
        found[index], found[other] = found[other], found[index]
    return tuple(found)


def permutation(chance: Chance, n: int, why: str) -> tuple[int, ...]:
    """Return a random permutation of the numbers below n, after n - 1 draws."""
    if n < 5 and type(chance) is OriginalChance:
        return chance.order_of(n)
    return mixed(range(n), [chance.below(left, why) for left in range(n, 1, -1)])


_ORDERS = [
    [mixed(range(n), draws) for draws in itertools.product(*map(range, range(n, 1, -1)))]
    for n in range(5)
]
"""The permutations of the numbers below n, by n, in the order of the draws that give them."""


def permutation_start(chance: Chance, n: int, wanted: int, why: str) -> list[int]:
    """Return at most `wanted` numbers from the start of a permutation, after n - 1 draws."""
    numbers = list(itertools.islice(permuted(chance, n, why), wanted))
    skip(chance, n - 1 - wanted)
    return numbers


def permuted(chance: Chance, n: int, why: str) -> Iterator[int]:
    """Yield the numbers of a permutation, with a draw before each but the last."""
    moved: dict[int, int] = {}  # by index, numbers that differ from the index
    for index in range(n):
        other = index + chance.below(n - index, why) if index < n - 1 else index
        yield moved.get(other, other)
        moved[other] = moved.get(index, index)


_HALVES = tuple(
    (span, (1 << span) - 1) for span in (2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1)
)


def nth_member(members: int, n: int) -> int:
    """Return the n-th number, from 0, of a set of numbers below 4096, the bits of an integer."""
    number = 0
    for span, mask in _HALVES:
        low = members & mask
        count = low.bit_count()
        if n < count:
            members = low
        else:
            n -= count
            members >>= span
            number += span
    return number
