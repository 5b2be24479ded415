"""Formats whose blocks are all known from the start, whatever the results.

The blocks are handed out one opening after another, so that after each opening all bots have met as
the format says.
"""

import operator
from collections.abc import Callable, Mapping, Sequence

from lanista.competition.formats.base import Progress
from lanista.competition.formats.shared import FormatState, Rotation
from lanista.results.blocks import BlockScore, Pairing, Seating


class Fixed(FormatState):
    """A fixed list of blocks for each opening; round-robin and gauntlet are of this kind."""

    def __init__(
        self,
        *,
        seated: Sequence[Seating],
        openings: int,
        lists: Sequence[Sequence[tuple[str, ...]]],
        rotation: Rotation = lambda _: 0,
        also_counts: Callable[[tuple[str, ...]], bool] = lambda _: False,
    ) -> None:
        """Begin with nothing played.

        Args:
            seated: The seatings of each block.
            openings: The number of openings.
            lists: By rotation: the blocks of an opening in the order of play, each as its bots by
                place.
            rotation: Gives the rotation of an opening; taken modulo the number of `lists`.
            also_counts: Returns whether a block that isn't in `lists`, given as its bots, counts if
                it was played.
        """
        super().__init__(seated)
        self._openings = openings
        self._lists = [tuple(blocks) for blocks in lists]
        self._sets = [frozenset(blocks) for blocks in self._lists]
        self._rotation = rotation
        self._also_counts = also_counts
        # By rotation: how many openings have it; counted when it is first needed.
        self._list_counts: list[int] | None = None
        self._wanted = self._count_wanted()
        self._played = 0
        # How many of the played blocks are wanted: listed, and without a benched bot.
        self._played_wanted = 0
        # Where to look for the next block; what was skipped is never wanted again.
        self._opening = 0
        self._index = 0

    def _count_wanted(self) -> int:
        kept = [sum(map(self._playable, blocks)) for blocks in self._lists]
        if len(set(kept)) == 1:
            return kept[0] * self._openings
        if self._list_counts is None:
            self._list_counts = [0] * len(kept)
            for opening in range(self._openings):
                self._list_counts[self._list_index(opening)] += 1
        return sum(map(operator.mul, kept, self._list_counts))

    def _list_index(self, opening: int) -> int:
        return self._rotation(opening) % len(self._lists)

    def _is_listed(self, pairing: Pairing) -> bool:
        return pairing.bots in self._sets[self._list_index(pairing.opening)]

    def counts(self, pairing: Pairing) -> bool:
        """Return whether it is one of the listed blocks, or may be counted with them."""
        return 0 <= pairing.opening < self._openings and (
            self._is_listed(pairing) or self._also_counts(pairing.bots)
        )

    def record(self, pairing: Pairing, played: BlockScore) -> None:
        """Take the result of a block."""
        if pairing in self._recorded:
            return
        self._recorded[pairing] = played
        if self.counts(pairing):
            self._played += 1
            self._played_wanted += self._is_wanted(pairing)

    def _is_wanted(self, pairing: Pairing) -> bool:
        return self._is_listed(pairing) and self._playable(pairing.bots)

    def bench(self, bot: str) -> None:
        """Take a bot out: those of its blocks that aren't played yet are no longer wanted."""
        if bot in self._benched:
            return
        self._benched[bot] = None
        self._wanted = self._count_wanted()
        self._played_wanted = sum(
            self.counts(pairing) and self._is_wanted(pairing) for pairing in self._recorded
        )

    def next(self) -> Pairing | None:
        """Hand out the next block, one opening after another."""
        while self._opening < self._openings:
            blocks = self._lists[self._list_index(self._opening)]
            while self._index < len(blocks):
                pairing = Pairing(blocks[self._index], self._opening)
                self._index += 1
                if self._playable(pairing.bots) and self._free(pairing):
                    self._handed_out.add(pairing)
                    return pairing
            self._opening += 1
            self._index = 0
        return None

    def over(self) -> bool:
        """Return whether every block that is wanted was played."""
        return self._played_wanted == self._wanted

    def progress(self) -> Progress:
        """Return the progress.

        Blocks that are no longer wanted are included if they were played.
        """
        unwanted = self._played - self._played_wanted
        return Progress(played=self._played, planned=self._wanted + unwanted)

    def order(self) -> None:
        """Return None: points and ratings decide."""
        return

    def byes(self) -> Mapping[str, float]:
        """Return nothing: every bot plays as often as the others."""
        return {}

    def verdict(self) -> str:
        """Return "": the table tells it all."""
        return ""
