"""The version test: two versions of a bot play until a sequential test decides between them."""

from collections import Counter

from lanista.competition.formats.base import Contest, Format, Progress
from lanista.games.picture import counted
from lanista.ratings.sequential import Sequential
from lanista.results.blocks import BlockScore, Pairing, points_by_place

STEPS_SHOWN = 9
"""Maximum number of distinct scores of a block whose counts are listed; two seats have five."""


class VersionTest(Format):
    """A test of A against B on openings 0, 1, 2, …; with four seats A, A, B, B.

    Blocks are fed to the test in the order of openings, up to the first one that isn't played yet.
    If they were fed as they end, short blocks would have more than their share, and they aren't
    like the others. Blocks that are still running when the test decides don't change the decision.
    Gaps are skipped only once all blocks asked for are played: they mean that the spec now lists
    other seeds than when the blocks were played.
    """

    def __init__(self, contest: Contest, test: Sequential) -> None:
        """Begin a new test; after the contest's blocks, if there is a number, it ends undecided."""
        super().__init__(contest)
        first, second = contest.bots
        side = self._seats // 2
        self._block = (first,) * side + (second,) * side
        # The points that A can have in a block, and how often it had which number of them.
        self._most = len(self.seated) * side * side
        self._counts: Counter[float] = Counter()
        self._limit = contest.blocks
        self._test = test
        # How many blocks were fed to the test. Every opening below `_next_fed` was fed, and every
        # one below `_next_opening` was played or handed out.
        self._fed = 0
        self._next_fed = 0
        self._next_opening = 0
        # By opening: results that aren't fed yet.
        self._early: dict[int, BlockScore] = {}

    def counts(self, pairing: Pairing) -> bool:
        """Return whether it is a block of this test, on whatever opening."""
        return pairing.bots == self._block and pairing.opening >= 0

    def _take(self, played: BlockScore) -> None:
        if not self.counts(played.pairing):
            return
        was_full = self._full
        self._counts[self._points(played)] += 1
        if was_full or self.decision:
            return
        self._early[played.opening] = played
        while self._next_fed in self._early:
            self._feed(self._next_fed)
            self._next_fed += 1
        if self._full:
            for opening in sorted(self._early):
                self._feed(opening)

    @property
    def _played(self) -> int:
        return self._counts.total()

    @property
    def _full(self) -> bool:
        return self._limit is not None and self._played >= self._limit

    def _feed(self, opening: int) -> None:
        played = self._early.pop(opening)
        if not self.decision:
            self._test.add(self._points(played) / self._most)
            self._fed += 1
            self.decision = self._test.decision or ""

    def _points(self, played: BlockScore) -> float:
        """Return A's points against B in a block."""
        side = self._seats // 2
        # With two seats each, A scores one point in each match against itself; that says nothing.
        own = len(self.seated) * side * (side - 1) / 2
        return sum(points_by_place(played, self.seated)[:side]) - own

    def bench(self, *bots: str) -> None:
        """Take bots out, which ends the test."""
        self.benched |= dict.fromkeys(bot for bot in bots if bot in self._block)

    def _next(self) -> Pairing | None:
        begun = self._played + len(self._awaited)
        if self.over() or (self._limit is not None and begun >= self._limit):
            return None
        while not self._free(pairing := Pairing(self._block, self._next_opening)):
            self._next_opening += 1
        return pairing

    def over(self) -> bool:
        """Return whether the test has decided, had all its blocks, or lost one of its bots."""
        return bool(self.decision or self.benched) or self._full

    def progress(self) -> Progress:
        """Return the progress; without a limit of blocks the total is unknown."""
        return Progress(
            played=self._played,
            planned=None if self._limit is None else max(self._limit, self._played),
            words=self._ratio() + self._scores(),
        )

    def verdict(self) -> str:
        """Return the decision, the log likelihood ratio, its bounds, and the scores of A."""
        if self.decision:
            outcome = f"{self.decision} accepted"
        elif self.benched:
            outcome = f"undecided, as {next(iter(self.benched))} was benched"
        else:
            outcome = "undecided"
        after = counted(self._fed, "block")
        return f"{outcome}: {self._ratio()} after {after}{self._scores()}"

    def _ratio(self) -> str:
        low, high = self._test.bounds
        return f"LLR {self._test.llr:.2f} ({low:.2f}, {high:.2f})"

    def _scores(self) -> str:
        """Return what A has scored, such as `; A scored 61.2 % in 12 blocks; by its points …`."""
        if not self._played:
            return ""
        made = sum(points * count for points, count in self._counts.items())
        share = 100 * made / (self._played * self._most)
        text = f"; {self._block[0]} scored {share:.1f} % in {counted(self._played, 'block')}"
        steps = [half / 2 for half in range(2 * self._most + 1)]
        if len(steps) > STEPS_SHOWN:
            return text
        counts = ", ".join(str(self._counts[step]) for step in steps)
        return f"{text}; by its points in a block, from 0 to {self._most}: {counts}"
