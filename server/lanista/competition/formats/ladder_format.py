"""The ladder as a tournament's format: goes on as long as desired, with all bots always present.

Who meets whom is decided by the same rules as on an arena's ladder (`ladder`). Time is measured in
blocks there: a bot waits since it has begun as many blocks as it has by now, so whoever has played
least has waited longest.
"""

import random
from collections.abc import Callable, Mapping, Sequence

from lanista.competition.formats.base import Contest, Format, Progress, arranged
from lanista.competition.formats.ladder import Ladder
from lanista.results.blocks import BlockScore, Pairing

SLACK = 2
"""The most blocks that a bot may be ahead of the least played one to be handed out, if possible."""


class LadderFormat(Format):
    """A ladder. Each block has an opening of its own, so that no seed's luck counts twice."""

    def __init__(
        self, contest: Contest, rate: Callable[[Sequence[BlockScore]], Mapping[str, float]]
    ) -> None:
        """Begin with nothing played; it is over after the contest's number of blocks, if any.

        `rate` returns the ratings of bots and fillers that follow from some blocks.
        """
        super().__init__(contest)
        self._limit = contest.blocks
        self._rate = rate
        # The blocks that count, in the order of their results, and how many of them are rated.
        self._played: list[BlockScore] = []
        self._rated = 0
        # The seats that the ladder deals are of no account: a block is played in all seatings.
        self._chance = random.Random(0)  # noqa: S311 - no secret
        self._ladder = Ladder(seats=self._seats, chance=self._chance)
        # By bot: the number of its blocks that were played or handed out. Who has begun one last
        # comes last, so that the others go first of those who wait equally long.
        self._begun = dict.fromkeys(self._entries, 0)
        # Every opening below `_next_opening` was used by a block that was played or handed out.
        self._next_opening = 0
        self._used_openings: set[int] = set()

    def counts(self, pairing: Pairing) -> bool:
        """Return whether it was played by bots of this ladder, on whatever opening."""
        bots = pairing.bots
        return (
            pairing.opening >= 0
            and len(bots) == self._seats == len(set(bots))
            and all(bot in self._begun for bot in bots)
        )

    def _take(self, played: BlockScore) -> None:
        if not self.counts(played.pairing):
            return
        self._played.append(played)
        pairing = played.pairing
        if pairing not in self._awaited:
            self._ladder.take(pairing.bots, (), 0)
            self._begin(pairing)

    def bench(self, *bots: str) -> None:
        """Take bots out; their blocks that are running aren't waited for."""
        for bot in bots:
            self.benched[bot] = None
            self._ladder.bench(bot)

    def give_back(self, pairing: Pairing) -> None:
        """Take back a block that won't be played; for its bots it no longer counts as begun."""
        super().give_back(pairing)
        self._count_begun(pairing, -1)

    def _next(self) -> Pairing | None:
        if self._limit is not None:
            running = sum(self._playable(pairing.bots) for pairing in self._awaited)
            if len(self._played) + running >= self._limit:
                return None
        self._rate_anew()
        while self._next_opening in self._used_openings:
            self._next_opening += 1
        opening = self._next_opening
        # What chance decides depends on the opening, not on what this run has drawn before, so that
        # a tournament that is resumed goes on as it would have.
        self._chance.seed(opening)
        now = sum(self._begun.values())  # nobody waits from a later time on
        most = self._most_begun()
        for bot, begun in self._begun.items():
            # All wait anew, so that their order depends on the blocks alone, in a resumed run too.
            self._ladder.leave(bot)
            if begun <= most:
                self._ladder.wait(bot, bot, begun)
        match = self._ladder.next(now)
        if match is None:
            return None
        self._ladder.over(match, now)
        pairing = Pairing(arranged(match, opening, self._rotation), opening)
        self._begin(pairing)
        return pairing

    def _most_begun(self) -> int:
        """Return how many blocks a bot may have begun to play now, and not be too far ahead."""
        there = sorted(begun for bot, begun in self._begun.items() if bot not in self.benched)
        return max(there[0] + SLACK, there[self._seats - 1]) if len(there) >= self._seats else 0

    def _rate_anew(self) -> None:
        """Rate the bots again whenever an eighth to a sixteenth more blocks were played.

        Which blocks are rated depends only on their number, so that a tournament that is resumed
        goes on as it would have.
        """
        step = max(0, len(self._played).bit_length() - 4)
        rated = len(self._played) >> step << step
        if rated > self._rated:
            self._rated = rated
            self._ladder.ratings = self._rate(self._played[:rated])

    def _begin(self, pairing: Pairing) -> None:
        self._used_openings.add(pairing.opening)
        self._count_begun(pairing, 1)

    def _count_begun(self, pairing: Pairing, number: int) -> None:
        for bot in pairing.bots:
            self._begun[bot] = self._begun.pop(bot) + number

    def over(self) -> bool:
        """Return whether all blocks asked for were played, or too few bots are left."""
        there = len(self._entries) - len(self.benched.keys() & self._begun.keys())
        return there < self._seats or (self._limit is not None and len(self._played) >= self._limit)

    def progress(self) -> Progress:
        """Return the progress; without a limit the total is unknown."""
        planned = None if self._limit is None else max(self._limit, len(self._played))
        return Progress(played=len(self._played), planned=planned)
