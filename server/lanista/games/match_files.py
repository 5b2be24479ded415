"""The contents of match files of the original programs, and what explaining one has to do.

A match is explained from its file alone, state by state: what the rules determine must be as
expected, what chance decides must be something that chance can give. Where the next state doesn't
show at once which of two outcomes there was, that is a fork: a round is tried again and again, with
another combination of outcomes each time, until the rest fits.
"""

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import attrs

WORDS = ("Game", "SecGame")
"""The possible first words of a match file: the public program's, and the judge's."""

S = TypeVar("S")
C = TypeVar("C")


@attrs.frozen(kw_only=True)
class Res(Generic[S, C]):
    """The contents of a match file."""

    word: str
    """The first word, one of `WORDS`."""
    seed: int
    settings: Mapping[str, int]
    """The settings in the file, which has none of those that only Lanista knows."""
    names: tuple[str, ...]
    """The players' names, by seat."""
    states: tuple[S, ...]
    """The states before every round, and after the last."""
    commands: tuple[tuple[C, ...], ...]
    """The commands of each round that had an effect, in the order in which they took it."""


@attrs.frozen(kw_only=True)
class Explanation:
    """The number of rounds of a match file that the rules explain, and the problem after them."""

    rounds: int
    """The number of rounds explained, from the first one on."""
    of: int
    """The number of rounds of the file."""
    rules: str = "original"
    """The rules by which it was explained: `original` or `text`."""
    problem: str | None = None
    """The reason why the rules don't allow the next round; None: every round is explained."""


class UnexplainedError(Exception):
    """Something in a match file that the rules don't allow."""


def require(condition: object, problem: str) -> None:
    """Raise UnexplainedError unless the condition holds."""
    if not condition:
        raise UnexplainedError(problem)


def explained(
    res: Res[Any, Any],
    check_start: Callable[[], None],
    check_round: Callable[[int], None],
    rules: str,
) -> Explanation:
    """Explain a match up to the first round that the rules don't allow.

    Args:
        res: The match.
        check_start: Raises UnexplainedError if no match can begin with the first state.
        check_round: Raises it if the commands of a round can't lead from its state to the next.
        rules: The name of the rules.
    """
    rounds, place, problem = 0, "first state", None
    try:
        check_start()
        for number in range(len(res.commands)):
            place = f"round {number}"
            check_round(number)
            rounds += 1
    except UnexplainedError as error:
        problem = f"{place}: {error}"
    return Explanation(rounds=rounds, of=len(res.commands), rules=rules, problem=problem)


class Forks:
    """The choices that an attempt makes where two outcomes are possible."""

    def __init__(self, first: list[bool]) -> None:
        self._first = first
        self.made: list[bool] = []
        """The choices so far."""
        self.progress = 0
        """The number of steps checked, for which the attempt counts."""

    def choose(self) -> bool:
        """Return whether to go on with the first outcome, the more likely one, at another fork."""
        number = len(self.made)
        self.made.append(self._first[number] if number < len(self._first) else True)
        return self.made[-1]


def try_forks(attempt: Callable[[Forks], None], most: int) -> None:
    """Try all ways through the forks of an attempt, until one raises no UnexplainedError.

    Raises:
        UnexplainedError: All failed, or so many did; the problem is that of the attempt that made
            the most progress.
    """
    first: list[bool] = []
    farthest, problem = -1, UnexplainedError()
    for _ in range(most):
        forks = Forks(first)
        try:
            attempt(forks)
        except UnexplainedError as error:
            if forks.progress > farthest:
                farthest, problem = forks.progress, error
        else:
            return
        first = forks.made
        while first and not first[-1]:  # both ways of the last fork were tried
            first.pop()
        if not first:
            raise problem
        first[-1] = False
    raise UnexplainedError(f"{problem} (tried {most} combinations of outcomes)")
