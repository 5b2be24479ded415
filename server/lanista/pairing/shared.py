"""What the formats share: what was told and handed out, how a block is arranged, how ties share.

Who meets whom is the formats' own matter.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from lanista.pairing.blocks import BlockScore, Pairing, Seating

Rotation = Callable[[int], int]
"""Gives a draw, by its number, the turn that it has for ever: numbers change when the spec lists
other seeds or maps, and four bots must not be arranged anew then. Not to be asked before a block is
handed out or told: the seeds may not be settled."""

_T = TypeVar("_T")

_CYCLES = ((0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2), (0, 3, 2, 1), (0, 1, 3, 2), (0, 2, 1, 3))
"""The six ways of seating four around a table. The first three put each two opposite once; all
six put every bot next after, opposite and next before every other one equally often."""


def turned(places: Sequence[_T], turn: int) -> tuple[_T, ...]:
    """The order of a block's bots on a draw: four take turns through the six circular orders.

    A block's rotations give every bot every seat, and leave who sits after whom as it is; six
    turns give every two bots every distance equally often. Two bots have one order only.
    """
    if len(places) != len(_CYCLES[0]):
        return tuple(places)
    return tuple(places[place] for place in _CYCLES[turn % len(_CYCLES)])


def arranged(bots: Iterable[str], draw: int, rotation: Rotation) -> tuple[str, ...]:
    """The bots of a block by place, the same however the spec orders them; see `turned`."""
    names = sorted(bots)
    # Two have one order, whatever the turn.
    return tuple(names) if len(names) == 2 else turned(names, rotation(draw))


def bye_points(seated: Sequence[Seating]) -> float:
    """Points that a block not played for want of opponents gives.

    Two seats: those of a block won throughout. Four: the mean of a block, as being first against
    three is more than anyone can expect.
    """
    seats = len(seated[0])
    return float(len(seated)) if seats == 2 else len(seated) * (seats - 1) / 2


def shared_places(groups: Iterable[Iterable[str]], bots: Sequence[str]) -> list[tuple[int, str]]:
    """Places for groups of equal bots, best first: those of a group share the best (1, 1, 3).

    Args:
        groups: Names; those that aren't in `bots` (fillers) take no place.
        bots: The spec's, in its order, which those of a group are listed in.
    """
    index = {bot: at for at, bot in enumerate(bots)}
    places: list[tuple[int, str]] = []
    for group in groups:
        place = len(places) + 1
        places += [(place, bot) for bot in sorted(set(group) & index.keys(), key=index.__getitem__)]
    return places


class Book:
    """What a format was told and what it handed out; the state that all formats have."""

    def __init__(self, seated: Sequence[Seating]) -> None:
        self.seated = tuple(seated)
        """The seatings of each block."""
        self._told: dict[Pairing, BlockScore] = {}
        self._handed: set[Pairing] = set()
        # A dict for its order: the same calls must give the same state.
        self._benched: dict[str, None] = {}

    def _free(self, pairing: Pairing) -> bool:
        """Whether it was neither played nor handed out."""
        return pairing not in self._told and pairing not in self._handed

    def give_back(self, pairing: Pairing) -> None:
        """A block that was handed out won't be played, as a bot of it was benched."""
        self._handed.discard(pairing)

    def _playable(self, bots: Iterable[str]) -> bool:
        """Whether none of these is benched."""
        return not self._benched or self._benched.keys().isdisjoint(bots)
