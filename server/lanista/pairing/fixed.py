"""Formats whose blocks are all known from the start: the same length whatever the results.

Draw by draw, so that after each draw everybody has met as the format says.
"""

import operator
from collections.abc import Callable, Mapping, Sequence

from lanista.pairing.base import Progress
from lanista.pairing.blocks import BlockScore, Pairing, Seating
from lanista.pairing.shared import Book, Rotation


class Fixed(Book):
    """A list of blocks a draw; round-robin and gauntlet are such."""

    def __init__(
        self,
        *,
        seated: Sequence[Seating],
        draws: int,
        lists: Sequence[Sequence[tuple[str, ...]]],
        rotation: Rotation = lambda _: 0,
        also: Callable[[tuple[str, ...]], bool] = lambda _: False,
    ) -> None:
        """Nothing is played yet.

        Args:
            seated: The seatings of each block.
            draws: How many there are.
            lists: The bots, by place, of each block of a draw, in the order of play, by the turns
                that a draw can have.
            rotation: The turn of each draw; it counts modulo the number of `lists`.
            also: Which other blocks of the draws count, if they were played: by their bots.
        """
        super().__init__(seated)
        self._draws = draws
        self._lists = [tuple(blocks) for blocks in lists]
        self._sets = [frozenset(blocks) for blocks in self._lists]
        self._turn_of = rotation
        self._also = also
        # How many draws have each turn; counted when it matters.
        self._often: list[int] | None = None
        self._wanted = self._count_wanted()
        self._played = 0
        # Of those played, the ones that are wanted: listed, and without a benched bot.
        self._played_wanted = 0
        # Where to look for the next one: what is skipped is never wanted again.
        self._draw = 0
        self._index = 0

    def _count_wanted(self) -> int:
        kept = [sum(map(self._playable, blocks)) for blocks in self._lists]
        if len(set(kept)) == 1:
            return kept[0] * self._draws
        if self._often is None:
            self._often = [0] * len(kept)
            for draw in range(self._draws):
                self._often[self._turn(draw)] += 1
        return sum(map(operator.mul, kept, self._often))

    def _turn(self, draw: int) -> int:
        return self._turn_of(draw) % len(self._lists)

    def _is_listed(self, pairing: Pairing) -> bool:
        return pairing.bots in self._sets[self._turn(pairing.draw)]

    def counts(self, pairing: Pairing) -> bool:
        """Whether it is one of the blocks of its draw, or may be counted with them."""
        return 0 <= pairing.draw < self._draws and (
            self._is_listed(pairing) or self._also(pairing.bots)
        )

    def record(self, pairing: Pairing, played: BlockScore) -> None:
        """A block was played."""
        if pairing in self._told:
            return
        self._told[pairing] = played
        if self.counts(pairing):
            self._played += 1
            self._played_wanted += self._is_wanted(pairing)

    def _is_wanted(self, pairing: Pairing) -> bool:
        return self._is_listed(pairing) and self._playable(pairing.bots)

    def bench(self, bot: str) -> None:
        """A bot plays no more: what of its blocks isn't played yet is not wanted any more."""
        if bot in self._benched:
            return
        self._benched[bot] = None
        self._wanted = self._count_wanted()
        self._played_wanted = sum(
            self.counts(pairing) and self._is_wanted(pairing) for pairing in self._told
        )

    def next(self) -> Pairing | None:
        """The next block, in the order of draws."""
        while self._draw < self._draws:
            blocks = self._lists[self._turn(self._draw)]
            while self._index < len(blocks):
                pairing = Pairing(blocks[self._index], self._draw)
                self._index += 1
                if self._playable(pairing.bots) and self._free(pairing):
                    self._handed.add(pairing)
                    return pairing
            self._draw += 1
            self._index = 0
        return None

    def over(self) -> bool:
        """Whether all that is wanted was played."""
        return self._played_wanted == self._wanted

    def progress(self) -> Progress:
        """How far it is; blocks that aren't wanted are in it as far as they were played."""
        besides = self._played - self._played_wanted
        return Progress(played=self._played, planned=self._wanted + besides)

    def order(self) -> None:
        """Nothing: points and ratings decide."""
        return

    def byes(self) -> Mapping[str, float]:
        """None: every bot plays as often as the others."""
        return {}

    def verdict(self) -> str:
        """Nothing: the table tells it all."""
        return ""
