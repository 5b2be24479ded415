"""The outcome of a match, and how it ended for each bot, as rules, records and standings say it."""

import enum
from collections.abc import Sequence
from typing import Self

import attrs

REMOVED = "removed"
"""The reason of an `Outcome` if a seat was put out from outside, and so lost, before all others had
answered."""


class Termination(enum.Enum):
    """The way a match ended; the values are those of the wire's `end` line (PROTOCOL.md 3)."""

    FINISHED = "finished"
    """Ended by the rules: a position that ends the game, or the last round."""
    FORFEIT = "forfeit"
    """Lost by one or all seats through a fault: late, malformed, illegal or disconnected."""
    ABORTED = "aborted"
    """Stopped by the arena, interrupted or after an internal error; there is no result."""
    VOID = "void"
    """Invalid because the host stalled while a seat was judged late; replayed, never counted."""


@attrs.frozen(kw_only=True)
class Outcome:
    """The result of a match; in an aborted or void one every seat has rank 1, as nobody won."""

    termination: Termination
    ranks: tuple[int, ...] = attrs.field()
    """The rank of each seat; 1 is best, and equal ranks are ties."""
    scores: tuple[int, ...]
    """The final score of each seat, in the ruleset's own unit."""
    reason: str
    """The ruleset's keyword for what happened, such as `capture` or `move-limit`."""

    @ranks.validator
    def _count_from_one(self, _: object, ranks: tuple[int, ...]) -> None:
        # A match whose ranks mean something else would count for the wrong bot.
        if ranks_by_score([-rank for rank in ranks]) != ranks:
            raise ValueError(
                f"ranks {ranks} must be a tuple and count from 1, and ties must share the best rank"
            )


def forfeit(at_fault: Sequence[bool], scores: Sequence[int], reason: str) -> Outcome:
    """Return the outcome when the seats at fault lose at once; if all are at fault, all tie."""
    if not any(at_fault):
        raise ValueError("a forfeit needs a seat at fault")
    losing = sum(not fault for fault in at_fault) + 1
    ranks = tuple(losing if fault else 1 for fault in at_fault)
    return Outcome(
        termination=Termination.FORFEIT, ranks=ranks, scores=tuple(scores), reason=reason
    )


def by_score(
    scores: Sequence[int], reason: str, termination: Termination = Termination.FINISHED
) -> Outcome:
    """Return the outcome of a match in which the scores decide."""
    ranks = ranks_by_score(scores)
    return Outcome(termination=termination, ranks=ranks, scores=tuple(scores), reason=reason)


def undecided(termination: Termination, scores: Sequence[int], reason: str) -> Outcome:
    """Return the outcome of a match that doesn't count: all seats share the first place."""
    ranks = (1,) * len(scores)
    return Outcome(termination=termination, ranks=ranks, scores=tuple(scores), reason=reason)


def ranks_by_score(scores: Sequence[int]) -> tuple[int, ...]:
    """Return the rank of each seat by score, highest first; equal scores share the best rank.

    For example, the scores 7, 7 and 2 have the ranks 1, 1 and 3.
    """
    return tuple(1 + sum(other > score for other in scores) for score in scores)


class Ending(enum.StrEnum):
    """How a match ended for one of its bots; the ranks say who won."""

    meaning: str
    """What the ending means, as one sentence about the bot for those who read standings."""

    def __new__(cls, value: str, meaning: str) -> Self:
        """Create an ending."""
        ending = str.__new__(cls, value)
        ending._value_ = value
        ending.meaning = meaning
        return ending

    NORMAL = "normal", "It played until the end."
    ILLEGAL = "illegal", "An answer that the rules forbid cost it the match."
    LATE = "late", "Answers that came too late cost it the match."
    MALFORMED = "malformed", "An answer that can't be read cost it the match."
    CRASH = "crash", "Its process ended by a fault of its own while it was needed."
    DISCONNECT = "disconnect", "Its connection ended, or was closed for what it sent."
    # This isn't a stall of the host, for which see VOID.
    NO_RESPONSE = "no-response", "It was there and gave no answer at all, or read nothing."
    START_FAILURE = "start-failure", "It did not come to the match."
    VOID = "void", "The host stalled: the match doesn't count, and was played again."


ENDINGS = {ending.value: ending for ending in Ending}
FAILURES = frozenset(Ending) - {Ending.NORMAL, Ending.VOID}
"""The endings that are the fault of the bot."""
