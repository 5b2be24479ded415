"""Draws in the manner of the original: permutations of which only the beginning is wanted.

The original draws whole permutations and often uses their first few numbers, or none. What
follows is passed over, so that the generator stands where the original's does.
"""

from collections.abc import Callable, Iterator

from lanista.rules.chance import Chance


def skip(chance: Chance, draws: int) -> None:
    """Pass over draws whose values have no effect.

    A chance without a `skip` of its own is no sequence that anything must keep in step with: of
    such a one nothing is drawn.
    """
    jump = getattr(chance, "skip", None)
    if jump is not None and draws > 0:
        jump(draws)


def permutation(chance: Chance, n: int, why: str) -> list[int]:
    """A random order of the numbers below n: n - 1 draws, none for n of 0 or 1."""
    numbers = list(range(n))
    for at in range(n - 1):
        other = at + chance.below(n - at, why)
        numbers[at], numbers[other] = numbers[other], numbers[at]
    return numbers


def permutation_start(chance: Chance, n: int, wanted: int, why: str) -> list[int]:
    """The first numbers of a permutation, as many as wanted if there are; n - 1 draws in all."""
    numbers: list[int] = []
    for number in first_of_permutation(chance, n, why, until=lambda: len(numbers) >= wanted):
        numbers.append(number)  # noqa: PERF402 - `until` looks at the list as it grows
    return numbers


def first_of_permutation(
    chance: Chance, n: int, why: str, until: Callable[[], bool]
) -> Iterator[int]:
    """The numbers of a permutation one by one, until it is enough; n - 1 draws in all."""
    moved: dict[int, int] = {}  # what stands elsewhere than in the identity
    for at in range(n - 1):
        if until():
            skip(chance, n - 1 - at)
            return
        other = at + chance.below(n - at, why)
        yield moved.get(other, other)
        moved[other] = moved.get(at, at)
    if n and not until():
        yield moved.get(n - 1, n - 1)
