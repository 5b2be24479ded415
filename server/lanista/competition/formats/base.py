"""The interface of a tournament format, and what the formats share.

A format is asked for blocks and given their results. It plays nothing, stores nothing, and knows
neither seeds nor the ids of blocks. The same bots and the same results give the same pairings, so a
tournament is resumed by giving a new format all results so far.
"""

import abc
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import attrs

from lanista.results.blocks import BlockScore, Pairing, RoundMeeting, Seating


@attrs.frozen(kw_only=True)
class Progress:
    """The progress of a tournament."""

    played: int
    """Number of blocks that were played and count."""
    planned: int | None
    """Number of blocks in the whole tournament; None while it can't be known."""
    words: str = ""
    """The current stage as one line for people, such as `round 3 of 5`; empty if there is none."""


Rotation = Callable[[int], int]
"""Given the number of an opening, returns its rotation: a number that stays the same for ever.

Numbers of openings change when the spec lists other seeds or maps, and a block of four must not be
arranged anew then. It must not be called before a block is handed out or recorded, because the
seeds may not be settled earlier.
"""


@attrs.frozen(kw_only=True)
class Contest:
    """The bots of a tournament, and the blocks in which they may meet."""

    bots: tuple[str, ...]
    """The bots' names in the spec's order, which decides between equals."""
    fillers: tuple[str, ...]
    """The names of the fillers, which take part but are in no table."""
    seated: tuple[Seating, ...]
    """The seatings of each block."""
    openings: int
    """The number of openings that the spec lists; formats without a plan may ask for further ones,
    with numbers from this one on."""
    blocks: int | None
    """The number of blocks of a meeting on each map, or of the whole ladder or version test; None
    if the spec doesn't say."""
    maps: int
    """The number of maps; opening i is on map i modulo this."""
    rotation: Rotation

    @property
    def entries(self) -> tuple[str, ...]:
        """The names of all that take part."""
        return *self.bots, *self.fillers


class Format(abc.ABC):
    """A tournament format: decides which bots meet, and when.

    Its state is what was recorded, what was handed out and isn't recorded yet, and who is benched.
    """

    decision: str = ""
    """The hypothesis that a version test has accepted, `H0` or `H1`; empty in all other cases."""

    def __init__(self, contest: Contest) -> None:
        self.seated = contest.seated
        self._seats = len(contest.seated[0])
        self._bots = contest.bots
        self._entries = contest.entries
        self._rotation = contest.rotation
        self._recorded: dict[Pairing, BlockScore] = {}
        # The blocks that were handed out and aren't recorded yet.
        self._awaited: set[Pairing] = set()
        # A dict, not a set, for its order: the same calls must give the same state.
        self.benched: dict[str, None] = {}
        """The names of the bots that were benched, in the order in which they were."""

    def record(self, played: BlockScore) -> None:
        """Take the result of a block.

        A block that this format didn't ask for, and never will, is remembered and not counted.
        """
        key = self._key(played.pairing)
        if key not in self._recorded:
            self._recorded[key] = played
            self._take(played)
            self._awaited.discard(key)

    @abc.abstractmethod
    def _take(self, played: BlockScore) -> None:
        """Take a result that is recorded now; it is still awaited if it was handed out."""

    def _key(self, pairing: Pairing) -> Pairing:
        """Return by what a block is known in what is recorded and what is awaited."""
        return pairing

    @abc.abstractmethod
    def bench(self, *bots: str) -> None:
        """Take bots out at once; of their blocks only those are wanted that were handed out."""

    def resume(
        self, stored: Sequence[tuple[BlockScore, Sequence[str]]], benched: Sequence[str] = ()
    ) -> None:
        """Take what is stored of earlier runs, before anything else.

        `stored` has the blocks in the order in which they ended, each with the bots that were
        benched after it; `benched` are those benched before, by blocks that don't belong here any
        more.
        """
        self.bench(*benched)
        for score, out in stored:
            self.record(score)
            self.bench(*out)

    def next(self) -> Pairing | None:
        """Hand out the next block that is wanted and was neither played nor handed out.

        Returns None while results are awaited, and when the format is `over`.
        """
        pairing = self._next()
        if pairing is not None:
            self._awaited.add(self._key(pairing))
        return pairing

    @abc.abstractmethod
    def _next(self) -> Pairing | None:
        """Return the block for `next` to hand out."""

    def give_back(self, pairing: Pairing) -> None:
        """Take back a block that was handed out and won't be played, as a bot of it was benched."""
        self._awaited.discard(self._key(pairing))

    @abc.abstractmethod
    def over(self) -> bool:
        """Return whether every block that is wanted was played."""

    @abc.abstractmethod
    def counts(self, pairing: Pairing) -> bool:
        """Return whether a block that was played belongs to the tournament as it is now."""

    @abc.abstractmethod
    def progress(self) -> Progress:
        """Return the progress of the tournament."""

    def order(self) -> Sequence[tuple[int, str]] | None:
        """Return the places that the format itself gives, best first, as (place, bot).

        Tied bots share the best place (1, 1, 3). None where points or ratings decide.
        """
        return None

    def byes(self) -> Mapping[str, float]:
        """Return the points from byes and walkovers (`bye_points`) of the bots that have any."""
        return {}

    def rounds(self) -> list[list[RoundMeeting]]:
        """Return the meetings of each round until now, the present one last."""
        return []

    def verdict(self) -> str:
        """Return the outcome in one line, once it is over; empty if the table shows it."""
        return ""

    def _free(self, pairing: Pairing) -> bool:
        return pairing not in self._recorded and pairing not in self._awaited

    def _playable(self, bots: Iterable[str]) -> bool:
        return not self.benched or self.benched.keys().isdisjoint(bots)


_T = TypeVar("_T")

_CYCLES = ((0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2), (0, 3, 2, 1), (0, 1, 3, 2), (0, 2, 1, 3))
"""The six ways of seating four bots around a table.

The first three put every two bots opposite each other once. All six put every bot equally often
next after, opposite, and next before every other one.
"""


def turned(places: Sequence[_T], rotation: int) -> tuple[_T, ...]:
    """Return the order of a block's bots on an opening: one of six circular orders for four bots.

    A block's seatings give every bot every seat, but leave unchanged which bot sits after which;
    six openings with different rotations give every two bots every distance equally often. Two bots
    have just one order.
    """
    if len(places) != len(_CYCLES[0]):
        return tuple(places)
    return tuple(places[place] for place in _CYCLES[rotation % len(_CYCLES)])


def arranged(bots: Iterable[str], opening: int, rotation: Rotation) -> tuple[str, ...]:
    """Return the bots of a block by place, the same in whatever order the spec lists them."""
    names = sorted(bots)
    # Two bots have one order, so the rotation need not be known.
    return tuple(names) if len(names) == 2 else turned(names, rotation(opening))


def bye_points(seated: Sequence[Seating]) -> float:
    """Return the points for a block that isn't played because opponents are missing.

    For two seats these are the points of a block whose matches were all won. For four they are the
    mean of a block, as coming first against three opponents is more than any bot can expect.
    """
    seats = len(seated[0])
    return float(len(seated)) if seats == 2 else len(seated) * (seats - 1) / 2


def shared_places(groups: Iterable[Iterable[str]], bots: Sequence[str]) -> list[tuple[int, str]]:
    """Return the places of groups of equal bots, best first; bots of a group share its best place.

    Names that aren't in `bots`, those of fillers, take no place. The bots of a group are listed in
    the order of `bots`.
    """
    index = {bot: number for number, bot in enumerate(bots)}
    places: list[tuple[int, str]] = []
    for group in groups:
        place = len(places) + 1
        places += [(place, bot) for bot in sorted(set(group) & index.keys(), key=index.__getitem__)]
    return places
