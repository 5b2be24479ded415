"""Permutations as the original draws them, of which often only the beginning is used.

The original draws whole permutations even where it uses only the first few numbers, or none.
Computing the rest would be a waste, but the generator must reach the same state as the
original's. Therefore the unused draws are skipped in one jump.
"""

from collections.abc import Callable, Iterator

from lanista.games.chance import Chance


def skip(chance: Chance, draws: int) -> None:
    """Skip draws whose values have no effect.

    Only `OriginalChance` has a `skip` method, because only its sequence must stay in step with
    the original's; with another source nothing is drawn.
    """
    jump = getattr(chance, "skip", None)
    if jump is not None and draws > 0:
        jump(draws)


def permutation(chance: Chance, n: int, why: str) -> list[int]:
    """Return a random permutation of the numbers below n, after n - 1 draws."""
    numbers = list(range(n))
    for index in range(n - 1):
        other = index + chance.below(n - index, why)
        numbers[index], numbers[other] = numbers[other], numbers[index]
    return numbers


def permutation_start(chance: Chance, n: int, wanted: int, why: str) -> list[int]:
    """Return at most `wanted` numbers from the start of a permutation, after n - 1 draws."""
    numbers: list[int] = []
    for number in first_of_permutation(chance, n, why, until=lambda: len(numbers) >= wanted):
        numbers.append(number)  # noqa: PERF402 - `until` reads the growing list
    return numbers


def first_of_permutation(
    chance: Chance, n: int, why: str, until: Callable[[], bool]
) -> Iterator[int]:
    """Yield the numbers of a permutation until `until` returns true; n - 1 draws in all."""
    moved: dict[int, int] = {}  # by index, numbers that differ from the index
    for index in range(n - 1):
        if until():
            skip(chance, n - 1 - index)
            return
        other = index + chance.below(n - index, why)
        yield moved.get(other, other)
        moved[other] = moved.get(index, index)
    if n and not until():
        yield moved.get(n - 1, n - 1)
