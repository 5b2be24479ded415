"""Ladder: goes on as long as one likes; the least played bot meets the nearest rated ones.

The live rating is openskill's; the standings' ratings are computed elsewhere, from all blocks.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from heapq import nsmallest

from lanista.pairing.base import Progress
from lanista.pairing.blocks import BlockScore, Pairing, Seating, points_by_place
from lanista.pairing.shared import Book, Rotation, arranged

SLACK = 2
"""Blocks that an opponent may be ahead of the least played other bot, if there is a choice."""
RECENT = 5
"""A bot's last opponents come last when its next ones are chosen: so many, and at most half."""


class Ladder(Book):
    """A ladder. Each block is on a draw of its own: no seed's luck counts twice."""

    def __init__(
        self,
        *,
        bots: Sequence[str],
        fillers: Sequence[str],
        seated: Sequence[Seating],
        blocks: int | None,
        rotation: Rotation,
    ) -> None:
        """Nothing is played yet.

        Args:
            bots: In the spec's order, which decides between equals.
            fillers: Who else takes part, in no table.
            seated: The seatings of each block.
            blocks: After how many it is over; None is never.
            rotation: The turn of each draw.
        """
        # Here, as it takes a fifth of a second that no other command should wait for.
        from openskill.models import PlackettLuce  # noqa: PLC0415 - see above

        super().__init__(seated)
        self._bots = tuple(bots)
        self._entries = (*bots, *fillers)
        self._seats = len(self.seated[0])
        self._limit = blocks
        self._model = PlackettLuce()
        self._ratings = {entry: self._model.rating() for entry in self._entries}
        self._played = 0
        # Blocks begun: played, or handed out.
        self._begun = dict.fromkeys(self._entries, 0)
        self._waiting: set[Pairing] = set()
        self._turn_of = rotation
        # All draws below the next one are among those that a block was begun on.
        self._next_draw = 0
        self._drawn: set[int] = set()
        self._active = list(self._entries)
        recent = min(RECENT * (self._seats - 1), (len(self._entries) - 1) // 2)
        self._recent: dict[str, deque[str]] = {
            entry: deque(maxlen=recent) for entry in self._entries
        }

    def counts(self, pairing: Pairing) -> bool:
        """Whether those who play on this ladder played it, on whatever draw."""
        bots = pairing.bots
        return (
            pairing.draw >= 0
            and len(bots) == self._seats == len(set(bots))
            and all(bot in self._begun for bot in bots)
        )

    def record(self, pairing: Pairing, played: BlockScore) -> None:
        """A block was played: its points move the live ratings."""
        if pairing in self._told:
            return
        self._told[pairing] = played
        if not self.counts(pairing):
            return
        self._played += 1
        if pairing in self._handed:
            self._waiting.discard(pairing)
        else:
            self._begin(pairing)
        # One update a block: its matches have the same draw, and seats cancel in their sum.
        points = points_by_place(played, self.seated)
        rated = self._model.rate(
            [[self._ratings[bot]] for bot in pairing.bots],
            ranks=[sum(other > own for other in points) for own in points],
        )
        for bot, (rating,) in zip(pairing.bots, rated, strict=True):
            self._ratings[bot] = rating

    def bench(self, bot: str) -> None:
        """A bot plays no more; its blocks that are running aren't waited for."""
        self._benched[bot] = None
        self._active = [entry for entry in self._entries if entry not in self._benched]
        self._waiting = {pairing for pairing in self._waiting if self._playable(pairing.bots)}

    def give_back(self, pairing: Pairing) -> None:
        """A block that was handed out won't be played: its bots are as many behind again."""
        super().give_back(pairing)
        self._waiting.discard(pairing)
        for bot in pairing.bots:
            self._begun[bot] -= 1

    def next(self) -> Pairing | None:
        """The least played bot against the nearest rated who aren't far ahead in blocks."""
        if len(self._active) < self._seats or (
            self._limit is not None and self._played + len(self._waiting) >= self._limit
        ):
            return None
        least = min(self._active, key=self._begun.__getitem__)
        while self._next_draw in self._drawn:
            self._next_draw += 1
        draw = self._next_draw
        bots = arranged((least, *self._opponents(least)), draw, self._turn_of)
        pairing = Pairing(bots, draw)
        self._handed.add(pairing)
        self._waiting.add(pairing)
        self._begin(pairing)
        return pairing

    def _opponents(self, bot: str) -> list[str]:
        others = [other for other in self._active if other != bot]
        # Who is far ahead waits: no one starves, and no one in mid-field plays all the time.
        most = min(self._begun[other] for other in others) + SLACK
        skill, recent = self._ratings[bot].mu, self._recent[bot]

        def dislike(other: str) -> tuple[int, bool, float]:
            ahead = max(0, self._begun[other] - most)
            return ahead, other in recent, abs(self._ratings[other].mu - skill)

        return nsmallest(self._seats - 1, others, key=dislike)

    def _begin(self, pairing: Pairing) -> None:
        self._drawn.add(pairing.draw)
        for bot in pairing.bots:
            self._begun[bot] += 1
            self._recent[bot].extend(other for other in pairing.bots if other != bot)

    def live(self) -> Mapping[str, float]:
        """The live ratings by bot: openskill's ordinal, three standard errors below the mean."""
        return {bot: self._ratings[bot].ordinal() for bot in self._bots}

    def over(self) -> bool:
        """Whether there were as many blocks as asked for, or too few bots are left."""
        return len(self._active) < self._seats or (
            self._limit is not None and self._played >= self._limit
        )

    def progress(self) -> Progress:
        """How far it is; without a limit nobody can know how much there will be."""
        planned = None if self._limit is None else max(self._limit, self._played)
        return Progress(played=self._played, planned=planned)

    def order(self) -> None:
        """Nothing: ratings decide."""
        return

    def byes(self) -> Mapping[str, float]:
        """None: nobody sits out."""
        return {}

    def verdict(self) -> str:
        """Nothing: the table tells it all."""
        return ""
