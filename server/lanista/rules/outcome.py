"""How a match ended: the one type that rules, runner, records and standings share."""

import enum
from collections.abc import Sequence

import attrs


class Termination(enum.Enum):
    """Why a match ended; the values are the words of the wire's `end` (PROTOCOL.md 3)."""

    FINISHED = "finished"
    """By its rules: a position that ends the game, or the last round."""
    FORFEIT = "forfeit"
    """By a seat's fault (or every seat's): late, malformed, illegal, or gone."""
    ABORTED = "aborted"
    """By the arena: interrupted, or an error of its own. No result."""
    VOID = "void"
    """The host stalled while a seat was judged late: played again, never counted."""


@attrs.frozen(kw_only=True)
class Outcome:
    """The end of a match.

    A match that is aborted or void ranks every seat 1: nobody won.
    """

    termination: Termination
    ranks: tuple[int, ...]
    """Place by seat, 1 is best; equal places are ties."""
    scores: tuple[int, ...]
    """Final score by seat, in the ruleset's own unit."""
    reason: str
    """One word of the ruleset for what happened, as `capture` or `move-limit`."""

    @property
    def is_draw(self) -> bool:
        """Whether no seat is better than another."""
        return len(set(self.ranks)) == 1


def forfeit(at_fault: Sequence[bool], scores: Sequence[int], reason: str) -> Outcome:
    """The outcome when the seats at fault lose at once; if all are, it is a draw."""
    if not any(at_fault):
        raise ValueError("a forfeit needs a seat at fault")
    losing = sum(not fault for fault in at_fault) + 1
    ranks = tuple(losing if fault else 1 for fault in at_fault)
    return Outcome(
        termination=Termination.FORFEIT, ranks=ranks, scores=tuple(scores), reason=reason
    )


def ranks_by_score(scores: Sequence[int]) -> tuple[int, ...]:
    """Places by score, highest first; equal scores share the best place (1, 1, 3)."""
    return tuple(1 + sum(other > score for other in scores) for score in scores)
