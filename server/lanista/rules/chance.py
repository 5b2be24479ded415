"""Chance as an argument: every random draw of a ruleset goes through one of these.

Never the `random` module's global state, never time, never hashing. A draw says *why* it is
made, so that a scripted chance (`rules.testing`) can hold a test to the exact draws.
"""

import random
from collections.abc import MutableSequence
from typing import Protocol, TypeVar

T = TypeVar("T")

SEED_BITS = 64
"""Seeds are signed whole numbers of this many bits."""


class Chance(Protocol):
    """A source of draws."""

    def below(self, n: int, why: str) -> int:
        """Draw a whole number from 0 to n - 1, all alike; `why` names the draw in tests."""
        ...


class SeededChance:
    """Draws from a 64-bit seed, the same on every machine and Python version.

    Built on `random.Random.random()` alone: the one method whose sequence Python promises to
    keep (its documentation, "Notes on Reproducibility").
    """

    def __init__(self, seed: int) -> None:
        # Modulo 2^64 first: Python seeds with the absolute value, which would make
        # the seeds s and -s the same game.
        self._random = random.Random(seed % (1 << SEED_BITS)).random  # noqa: S311 - games, not secrets

    def below(self, n: int, why: str) -> int:
        """Draw a whole number from 0 to n - 1; n is at most 2^53."""
        if n < 1:
            raise ValueError(f"a draw below {n} ({why}) has no possible value")
        return int(self._random() * n)


def shuffle(chance: Chance, items: MutableSequence[T], why: str) -> None:
    """Put the items into a random order in place: Fisher and Yates, from the end, n - 1 draws."""
    for last in range(len(items) - 1, 0, -1):
        other = chance.below(last + 1, why)
        items[last], items[other] = items[other], items[last]


class OriginalChance:
    """The generator of the original Hogwarts and Crematoria programs, draw for draw.

    A linear congruential generator of 31 bits (rules/hogwarts.md 3.4). A draw takes two steps;
    both programs draw whole numbers of a range by it, so `below(n)` is their `random(0, n - 1)`.
    It can be guessed from what it shows: the match's seed must stay secret until the end.
    """

    MODULUS = 2**31
    MAX_RANGE = 1_000_000
    """Above this the originals return the low end without a draw."""

    def __init__(self, seed: int) -> None:
        self._state = abs(seed) % self.MODULUS

    @property
    def state(self) -> int:
        """Where the sequence stands: part of the state of a match, for its digest."""
        return self._state

    def below(self, n: int, why: str) -> int:
        """Draw a whole number from 0 to n - 1 (0 without a step for n over MAX_RANGE)."""
        if n < 1:
            raise ValueError(f"a draw below {n} ({why}) has no possible value")
        if n > self.MAX_RANGE:
            return 0
        self._state = (_TWO_STEPS_FACTOR * self._state + _TWO_STEPS_TERM) % self.MODULUS
        return n * self._state // self.MODULUS

    def skip(self, draws: int) -> None:
        """Pass over draws whose values nobody needs, in time of the logarithm of their number."""
        factor, term = _TWO_STEPS_FACTOR, _TWO_STEPS_TERM
        while draws:
            if draws & 1:
                self._state = (factor * self._state + term) % self.MODULUS
            term = (factor * term + term) % self.MODULUS
            factor = factor * factor % self.MODULUS
            draws >>= 1


_FACTOR, _TERM = 843_314_861, 453_816_693
_TWO_STEPS_FACTOR = _FACTOR * _FACTOR % OriginalChance.MODULUS
_TWO_STEPS_TERM = (_FACTOR * _TERM + _TERM) % OriginalChance.MODULUS
