"""What a format is to the rest: it says which blocks are wanted, and hears how they ended.

A format knows names, draws and points. It plays nothing, stores nothing, knows no seed and no id.
The same bots and the same results give the same pairings, so a tournament is resumed by telling a
new format all that was played.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import attrs

from lanista.pairing.blocks import BlockScore, Pairing, Seating


@attrs.frozen(kw_only=True)
class Progress:
    """How far a tournament is."""

    played: int
    """Blocks that were played and count."""
    planned: int | None
    """Blocks in all; None while nobody can know."""
    words: str = ""
    """Where it is, one line for people: `round 3 of 5`; empty when there is nothing to tell."""


class Format(Protocol):
    """Who meets whom, and when."""

    @property
    def seated(self) -> tuple[Seating, ...]:
        """The seatings of each of its blocks."""
        ...

    def record(self, pairing: Pairing, played: BlockScore) -> None:
        """A block was played. Told once a block; when resuming, in the order of their ends.

        A block that this format didn't ask for, and never will, is remembered and not counted.
        """
        ...

    def bench(self, bot: str) -> None:
        """A bot plays no more. Blocks that it is in aren't wanted any more, unless handed out."""
        ...

    def next(self) -> Pairing | None:
        """The next block that is wanted and was neither played nor handed out; now it is.

        None when there is none for now: results are waited for, or it is `over`.
        """
        ...

    def give_back(self, pairing: Pairing) -> None:
        """A block that `next` gave won't be played now; called when a bot of it was benched."""
        ...

    def over(self) -> bool:
        """Whether all it wants was played."""
        ...

    def counts(self, pairing: Pairing) -> bool:
        """Whether a block that was played belongs to this tournament as it is now."""
        ...

    def progress(self) -> Progress:
        """How far it is."""
        ...

    def order(self) -> Sequence[tuple[int, str]] | None:
        """Places that the format itself gives (a knockout's), best first: (place, bot).

        Ties share the best place (1, 1, 3). None where the points decide.
        """
        ...

    def byes(self) -> Mapping[str, float]:
        """Points by bot from byes and walkovers, on the scale of a block's points; bots with some.

        Two seats: a bye gives each match of a block won; four: the mean of what a block gives.
        """
        ...

    def verdict(self) -> str:
        """What it found when it is over, one line: the winner, the hypothesis; or empty."""
        ...
