"""Formats whose blocks are all known from the start: the same length whatever the results.

Draw by draw, so that after each draw everybody has met as the format says.
"""

from collections.abc import Callable, Mapping, Sequence

from lanista.tournament.blocks import Pairing, Played, Seating
from lanista.tournament.pairing.base import Progress
from lanista.tournament.pairing.shared import Book


class Fixed(Book):
    """A list of blocks a draw; round-robin and gauntlet are such."""

    def __init__(
        self,
        *,
        seated: Sequence[Seating],
        draws: int,
        blocks_of: Callable[[int], Sequence[tuple[str, ...]]],
        period: int = 1,
    ) -> None:
        """Nothing is played yet.

        Args:
            seated: The seatings of each block.
            draws: How many there are.
            blocks_of: The bots, by place, of each block of a draw, in the order of play. It is
                asked for draws below `period` alone.
            period: After how many draws the blocks repeat.
        """
        super().__init__(seated)
        self._draws = draws
        self._lists = [tuple(blocks_of(draw)) for draw in range(min(period, draws))]
        self._sets = [frozenset(blocks) for blocks in self._lists]
        self._wanted = self._count_wanted()
        self._played = 0
        # Of those played, the ones that aren't wanted any more as they have a benched bot.
        self._unwanted = 0
        # Where to look for the next one: what is skipped is never wanted again.
        self._draw = 0
        self._index = 0

    def _count_wanted(self) -> int:
        kept = [sum(map(self._playable, blocks)) for blocks in self._lists]
        return sum(kept[draw % len(kept)] for draw in range(self._draws))

    def counts(self, pairing: Pairing) -> bool:
        """Whether it is one of the blocks of its draw."""
        draw = pairing.draw
        return 0 <= draw < self._draws and pairing.bots in self._sets[draw % len(self._sets)]

    def record(self, pairing: Pairing, played: Played) -> None:
        """A block was played."""
        if pairing in self._told:
            return
        self._told[pairing] = played
        if self.counts(pairing):
            self._played += 1
            if not self._playable(pairing.bots):
                self._unwanted += 1

    def bench(self, bot: str) -> None:
        """A bot plays no more: what of its blocks isn't played yet is not wanted any more."""
        if bot in self._benched:
            return
        self._benched[bot] = None
        self._wanted = self._count_wanted()
        self._unwanted = sum(
            1 for pairing in self._told if self.counts(pairing) and not self._playable(pairing.bots)
        )

    def next(self) -> Pairing | None:
        """The next block, in the order of draws."""
        while self._draw < self._draws:
            blocks = self._lists[self._draw % len(self._lists)]
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
        return self._played - self._unwanted == self._wanted

    def progress(self) -> Progress:
        """How far it is; blocks of benched bots are in it as far as they were played."""
        return Progress(played=self._played, planned=self._wanted + self._unwanted)

    def order(self) -> None:
        """Nothing: points and ratings decide."""
        return

    def byes(self) -> Mapping[str, float]:
        """None: every bot plays as often as the others."""
        return {}

    def verdict(self) -> str:
        """Nothing: the table tells it all."""
        return ""
