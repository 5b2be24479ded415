"""The protocol of a tournament format: it asks for blocks and is given their results.

A format knows names, openings and points. It plays nothing, stores nothing, and knows neither seeds
nor the ids of blocks. The same bots and the same results give the same pairings, so a tournament is
resumed by giving a new format all results so far.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import attrs

from lanista.results.blocks import BlockScore, Pairing, Seating


@attrs.frozen(kw_only=True)
class Progress:
    """The progress of a tournament."""

    played: int
    """Number of blocks that were played and count."""
    planned: int | None
    """Number of blocks in the whole tournament; None while it can't be known."""
    words: str = ""
    """The current stage as one line for people, such as `round 3 of 5`; empty if there is none."""


class Format(Protocol):
    """A tournament format: decides which bots meet, and when."""

    @property
    def seated(self) -> tuple[Seating, ...]:
        """The seatings that each of its blocks is played in."""
        ...

    def record(self, pairing: Pairing, played: BlockScore) -> None:
        """Take the result of a block; called once a block.

        When a tournament is resumed, the stored blocks are given in the order in which they ended.
        A block that this format didn't ask for, and never will, is remembered and not counted.
        """
        ...

    def bench(self, bot: str) -> None:
        """Take a bot out of the tournament.

        Its blocks are no longer wanted, except those that were already handed out.
        """
        ...

    def next(self) -> Pairing | None:
        """Hand out the next block that is wanted and was neither played nor handed out.

        Returns None when there is none for now: either results are awaited, or the format is
        `over`.
        """
        ...

    def give_back(self, pairing: Pairing) -> None:
        """Take back a block that `next` handed out and that won't be played now.

        Called when one of its bots was benched.
        """
        ...

    def over(self) -> bool:
        """Return whether every block that is wanted was played."""
        ...

    def counts(self, pairing: Pairing) -> bool:
        """Return whether a block that was played belongs to the tournament as it is now."""
        ...

    def progress(self) -> Progress:
        """Return the progress of the tournament."""
        ...

    def order(self) -> Sequence[tuple[int, str]] | None:
        """Return the places that the format itself gives, best first, as (place, bot).

        Tied bots share the best place (1, 1, 3). None where the points decide.
        """
        ...

    def byes(self) -> Mapping[str, float]:
        """Return the points from byes and walkovers by bot; bots without any are left out.

        They are on the scale of a block's points. For two seats a bye is worth a block whose
        matches were all won; for four it is worth the mean of a block.
        """
        ...

    def verdict(self) -> str:
        """Return the outcome in one line once the format is over, such as the winner; else ""."""
        ...
