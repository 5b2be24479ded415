"""The block: one seed on one map, played in all the seatings that the format asks for.

It is the unit of scheduling, resuming, voiding and statistics. Nothing is played here.
"""

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

Seating = tuple[int, ...]
"""By seat, the place of the block's bots that sits there."""


class Pairing(NamedTuple):
    """Who plays a block, and on which draw. A format makes it, before it has an id."""

    bots: tuple[str, ...]
    """By place; a name may stand at several (a version test of four seats: A, A, B, B)."""
    draw: int
    """Which of the tournament's draws (seed and map), from 0."""


class BlockScore(NamedTuple):
    """A block that was played, as ratings and formats see it."""

    bots: tuple[str, ...]
    """By place."""
    ranks: tuple[tuple[int, ...], ...]
    """By seating, then by seat: the place in that match, 1 is best, equal ones are ties."""
    draw: int = 0
    """On which of the tournament's draws, as `Pairing` has it."""


def seatings(bots: Sequence[str], *, every: bool = False) -> tuple[Seating, ...]:
    """The seatings of a block: the rotations (two bots: both ways), or every arrangement.

    Arrangements that differ only in bots of one name are the same, and are there once.

    Args:
        bots: Their names, by place.
        every: All arrangements in place of the rotations; the same for two bots.

    Returns:
        By seating, by seat: the place that sits there. The first one is in the order of `bots`.
    """
    places = range(len(bots))
    found: Iterable[Seating]
    if every:
        found = itertools.permutations(places)
    else:
        found = [tuple((seat + turn) % len(bots) for seat in places) for turn in places]
    different: dict[tuple[str, ...], Seating] = {}
    for seating in found:
        different.setdefault(tuple(bots[place] for place in seating), seating)
    return tuple(different.values())


def points(ranks: Sequence[int]) -> tuple[float, ...]:
    """Points by seat of one match: an opponent that is placed below gives 1, a tied one one half.

    For two players: 1 for a win, one half for a draw, 0.
    """
    return tuple(
        sum(1.0 if rank < other else 0.5 if rank == other else 0.0 for other in ranks) - 0.5
        for rank in ranks
    )


def points_by_place(played: BlockScore, seated: Sequence[Seating]) -> tuple[float, ...]:
    """Points by place of a whole block: the sum over its matches."""
    total = [0.0] * len(played.bots)
    for seating, ranks in zip(seated, played.ranks, strict=True):
        for place, won in zip(seating, points(ranks), strict=True):
            total[place] += won
    return tuple(total)
