"""The block: one opening, played in all the seatings that the format asks for.

docs/tournament_formats.md#the-block says why. Matches of one block aren't independent of each
other; blocks are. So a block is scheduled, stored and played again as a whole, and counts as one
observation in ratings and tests.
"""

import enum
import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import attrs


class FormatName(enum.StrEnum):
    """The name of a format."""

    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    LADDER = "ladder"
    SPRT = "sprt"

    @property
    def is_planned(self) -> bool:
        """Whether all its blocks are known from the start, on the openings that the spec lists.

        In the other formats results decide what is played next, and more openings may be needed.
        """
        return self in {FormatName.ROUND_ROBIN, FormatName.GAUNTLET}

    @property
    def has_rounds(self) -> bool:
        """Whether it is played in rounds: the opponents of a bot that left went on without it."""
        return self in {FormatName.SWISS, FormatName.KNOCKOUT}


class SeatingsName(enum.StrEnum):
    """The name of the set of seatings that a block is played in."""

    ROTATIONS = "rotations"
    """All rotations: two for two players, four for four."""
    ALL = "all"
    """All arrangements: two for two players, 24 for four."""


Seating = tuple[int, ...]
"""By seat: the place (index) in the block of the bot that sits there."""


class Pairing(NamedTuple):
    """A block as a format asks for it, before it has an id: its bots and its opening."""

    bots: tuple[str, ...]
    """The bots' names, by place; a name may occur several times (A, A, B, B in a version test)."""
    opening: int
    """The number of the tournament's opening (seed and map) that it is played on, from 0."""


class BlockScore(NamedTuple):
    """The result of a block, as ratings and formats need it."""

    bots: tuple[str, ...]
    """The bots' names, by place."""
    ranks: tuple[tuple[int, ...], ...]
    """The matches' ranks, by seating, then by seat: 1 is best, equal ranks are ties."""
    opening: int = 0
    """The number of the opening that it was played on, as in `Pairing`."""

    @property
    def pairing(self) -> Pairing:
        """The block that was played."""
        return Pairing(self.bots, self.opening)


@attrs.frozen(kw_only=True)
class RoundMeeting:
    """A meeting of a round, for people who want to see who met whom, and how it ended."""

    bots: tuple[str, ...]
    """The bots that meet; a single one has a bye. In a knockout they are in the bracket's order,
    and there are none if nobody is left of the heats before."""
    points: tuple[float, ...]
    """By bot: the points that it has scored so far in the blocks of this meeting."""
    blocks: int
    """Number of blocks that were played."""
    over: bool
    """Whether no more blocks will be played."""
    through: tuple[str, ...] = ()
    """The bots that go on, best first; empty while that isn't known, and outside of a knockout."""


def seatings(bots: Sequence[str], *, every: bool = False) -> tuple[Seating, ...]:
    """Return the seatings of a block: its rotations, or `every` arrangement.

    Arrangements that differ only by exchanging bots of the same name count as one. The first
    seating is in the order of `bots`. For two bots the rotations are all arrangements.
    """
    places = range(len(bots))
    candidates: Iterable[Seating]
    if every:
        candidates = itertools.permutations(places)
    else:
        candidates = [
            tuple((seat + rotation) % len(bots) for seat in places) for rotation in places
        ]
    different: dict[tuple[str, ...], Seating] = {}
    for seating in candidates:
        # Bots of one name are interchangeable, so the names tell arrangements apart.
        different.setdefault(tuple(bots[place] for place in seating), seating)
    return tuple(different.values())


def points(ranks: Sequence[int]) -> tuple[float, ...]:
    """Return the points of a match by seat: each opponent ranked below gives 1, each tied one ½."""
    return tuple(
        sum(1.0 if rank < other else 0.5 if rank == other else 0.0 for other in ranks) - 0.5
        for rank in ranks
    )


def points_by_place(played: BlockScore, seated: Sequence[Seating]) -> tuple[float, ...]:
    """Return the points of a whole block by place: the sum over its matches."""
    total = [0.0] * len(played.bots)
    for seating, ranks in zip(seated, played.ranks, strict=True):
        for place, won in zip(seating, points(ranks), strict=True):
            total[place] += won
    return tuple(total)
