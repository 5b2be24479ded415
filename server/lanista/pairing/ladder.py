"""The ladder: goes on as long as desired; the least played bot meets those rated nearest to it.

Which ratings are near is decided by live ratings (`live_ratings`).
"""

from collections import deque
from collections.abc import Mapping, Sequence
from heapq import nsmallest

from lanista.pairing.base import Progress
from lanista.pairing.blocks import BlockScore, Pairing, Seating, points_by_place
from lanista.pairing.live_ratings import LiveRatings
from lanista.pairing.shared import FormatState, Rotation, arranged

SLACK = 2
"""The most blocks that an opponent may be ahead of the least played other bot, where possible."""
RECENT = 5
"""The number of blocks after which an opponent is no longer a recent one; recent ones come last.

At most half of the other bots count as recent.
"""


class Ladder(FormatState):
    """A ladder. Each block has an opening of its own, so that no seed's luck counts twice."""

    def __init__(
        self,
        *,
        bots: Sequence[str],
        fillers: Sequence[str],
        seated: Sequence[Seating],
        blocks: int | None,
        rotation: Rotation,
    ) -> None:
        """Begin with nothing played.

        Args:
            bots: The bots' names in the spec's order, which decides between equals.
            fillers: The names of the fillers, which take part but are in no table.
            seated: The seatings of each block.
            blocks: The number of blocks after which it is over; None for no end.
            rotation: Gives the rotation of an opening.
        """
        super().__init__(seated)
        self._bots = tuple(bots)
        self._entries = (*bots, *fillers)
        self._seats = len(self.seated[0])
        self._limit = blocks
        self._ratings = LiveRatings()
        self._played = 0
        # By bot: the number of its blocks that were played or handed out.
        self._begun = dict.fromkeys(self._entries, 0)
        self._waiting: set[Pairing] = set()
        self._rotation = rotation
        # Every opening below `_next_opening` was used by a block that was played or handed out.
        self._next_opening = 0
        self._used_openings: set[int] = set()
        self._active = list(self._entries)
        recent = min(RECENT * (self._seats - 1), (len(self._entries) - 1) // 2)
        self._recent: dict[str, deque[str]] = {
            entry: deque(maxlen=recent) for entry in self._entries
        }

    def counts(self, pairing: Pairing) -> bool:
        """Return whether it was played by bots of this ladder, on whatever opening."""
        bots = pairing.bots
        return (
            pairing.opening >= 0
            and len(bots) == self._seats == len(set(bots))
            and all(bot in self._begun for bot in bots)
        )

    def record(self, pairing: Pairing, played: BlockScore) -> None:
        """Take the result of a block, which updates the live ratings."""
        if pairing in self._recorded:
            return
        self._recorded[pairing] = played
        if not self.counts(pairing):
            return
        self._played += 1
        if pairing in self._handed_out:
            self._waiting.discard(pairing)
        else:
            self._begin(pairing)
        # One update for the whole block: its matches share an opening, and seats cancel in the sum.
        points = points_by_place(played, self.seated)
        self._ratings.rate(pairing.bots, [sum(other > own for other in points) for own in points])

    def bench(self, bot: str) -> None:
        """Take a bot out; its blocks that are running aren't waited for."""
        self._benched[bot] = None
        self._active = [entry for entry in self._entries if entry not in self._benched]
        self._waiting = {pairing for pairing in self._waiting if self._playable(pairing.bots)}

    def give_back(self, pairing: Pairing) -> None:
        """Take back a block that won't be played; for its bots it no longer counts as begun."""
        super().give_back(pairing)
        self._waiting.discard(pairing)
        for bot in pairing.bots:
            self._begun[bot] -= 1

    def next(self) -> Pairing | None:
        """Hand out a block of the least played bot and its nearest rated opponents.

        Bots that are far ahead in blocks are passed over.
        """
        if len(self._active) < self._seats or (
            self._limit is not None and self._played + len(self._waiting) >= self._limit
        ):
            return None
        least = min(self._active, key=self._begun.__getitem__)
        while self._next_opening in self._used_openings:
            self._next_opening += 1
        opening = self._next_opening
        bots = arranged((least, *self._opponents(least)), opening, self._rotation)
        pairing = Pairing(bots, opening)
        self._handed_out.add(pairing)
        self._waiting.add(pairing)
        self._begin(pairing)
        return pairing

    def _opponents(self, bot: str) -> list[str]:
        others = [other for other in self._active if other != bot]
        # Bots that are far ahead wait: otherwise those in mid-field would play all the time.
        most = min(self._begun[other] for other in others) + SLACK
        skill, recent = self._ratings.skill(bot), self._recent[bot]

        def dislike(other: str) -> tuple[int, bool, float]:
            ahead = max(0, self._begun[other] - most)
            return ahead, other in recent, abs(self._ratings.skill(other) - skill)

        return nsmallest(self._seats - 1, others, key=dislike)

    def _begin(self, pairing: Pairing) -> None:
        self._used_openings.add(pairing.opening)
        for bot in pairing.bots:
            self._begun[bot] += 1
            self._recent[bot].extend(other for other in pairing.bots if other != bot)

    def live(self) -> Mapping[str, float]:
        """Return the live ratings by bot: openskill's ordinal.

        It is the mean less three standard errors, so a bot that has played little ranks low.
        """
        return {bot: self._ratings.ordinal(bot) for bot in self._bots}

    def over(self) -> bool:
        """Return whether all blocks asked for were played, or too few bots are left."""
        return len(self._active) < self._seats or (
            self._limit is not None and self._played >= self._limit
        )

    def progress(self) -> Progress:
        """Return the progress; without a limit the total is unknown."""
        planned = None if self._limit is None else max(self._limit, self._played)
        return Progress(played=self._played, planned=planned)

    def order(self) -> None:
        """Return None: ratings decide."""
        return

    def byes(self) -> Mapping[str, float]:
        """Return nothing: a ladder has no byes."""
        return {}

    def verdict(self) -> str:
        """Return "": the table tells it all."""
        return ""
