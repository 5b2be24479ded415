"""Version test: two versions of a bot play until a sequential test decides between them.

The test's maths is in `sequential`; here is what it is fed, and when.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from lanista.pairing.base import Progress
from lanista.pairing.blocks import BlockScore, Pairing, Seating, points_by_place
from lanista.pairing.shared import Book


class SequentialTest(Protocol):
    """What decides; `sequential.Sequential` is one."""

    def add(self, score: float, /) -> None:
        """A block was played; A's share of its points, 0 to 1."""
        ...

    @property
    def llr(self) -> float:
        """The log likelihood ratio of H1 to H0."""
        ...

    @property
    def bounds(self) -> tuple[float, float]:
        """At which ratios it decides: for H0 the low one, for H1 the high one."""
        ...

    @property
    def decision(self) -> Literal["H0", "H1"] | None:
        """Which hypothesis is accepted; None while neither is."""
        ...


class VersionTest(Book):
    """A test of A against B on draws 0, 1, 2, …; four seats: A, A, B, B.

    Blocks go to the test in the order of draws, up to the first that isn't played yet: were they
    counted as they end, those that are over soon, which aren't like the others, would have more
    than their share. Blocks that run when it decides change nothing in the decision. Gaps are
    passed over only when there are as many blocks as asked for: the spec lists other seeds then
    than when they were played.
    """

    def __init__(
        self,
        *,
        bots: Sequence[str],
        seated: Sequence[Seating],
        blocks: int | None,
        test: SequentialTest,
    ) -> None:
        """Nothing is played yet.

        Args:
            bots: A and B.
            seated: The seatings of each block.
            blocks: After how many it ends undecided; None is never.
            test: New.
        """
        super().__init__(seated)
        self._first, self._second = bots
        self._seats = len(self.seated[0])
        side = self._seats // 2
        self._block = (self._first,) * side + (self._second,) * side
        self._limit = blocks
        self._test = test
        self._played = 0
        self._decision: str | None = None
        self._waiting = 0
        # Blocks that were fed to the test; all draws below the next ones were fed, or handed out.
        self._fed = 0
        self._next_fed = 0
        self._next_draw = 0
        # BlockScore, and not fed yet.
        self._early: dict[int, BlockScore] = {}

    def counts(self, pairing: Pairing) -> bool:
        """Whether it is one of the test's, on whatever draw."""
        return pairing.bots == self._block and pairing.draw >= 0

    def record(self, pairing: Pairing, played: BlockScore) -> None:
        """A block was played."""
        if pairing in self._told:
            return
        self._told[pairing] = played
        if not self.counts(pairing):
            return
        if pairing in self._handed:
            self._waiting -= 1
        was_full = self._full
        self._played += 1
        if was_full or self._decision is not None:
            return
        self._early[pairing.draw] = played
        while self._next_fed in self._early:
            self._feed(self._next_fed)
            self._next_fed += 1
        if self._full:
            for draw in sorted(self._early):
                self._feed(draw)

    @property
    def _full(self) -> bool:
        """Whether there were as many blocks as asked for."""
        return self._limit is not None and self._played >= self._limit

    def _feed(self, draw: int) -> None:
        played = self._early.pop(draw)
        if self._decision is None:
            self._test.add(self._share(played))
            self._fed += 1
            self._decision = self._test.decision

    def _share(self, played: BlockScore) -> float:
        """A's share, 0 to 1, of the points between A and B in a block."""
        made = points_by_place(played, self.seated)
        side, matches = self._seats // 2, len(self.seated)
        # Of A's points those between two of its own, one a pair, say nothing.
        own = matches * side * (side - 1) / 2
        return (sum(made[:side]) - own) / (matches * side * side)

    def bench(self, bot: str) -> None:
        """A bot plays no more: the test ends."""
        if bot in self._block:
            self._benched[bot] = None

    @property
    def decision(self) -> str:
        """Which hypothesis is accepted, `H0` or `H1`; empty while neither is."""
        return self._decision or ""

    def next(self) -> Pairing | None:
        """The lowest draw that isn't played or handed out."""
        if self.over() or (self._limit is not None and self._played + self._waiting >= self._limit):
            return None
        while not self._free(Pairing(self._block, self._next_draw)):
            self._next_draw += 1
        pairing = Pairing(self._block, self._next_draw)
        self._handed.add(pairing)
        self._waiting += 1
        return pairing

    def over(self) -> bool:
        """Whether the test has decided, has had all its blocks, or lost one of the two."""
        return self._decision is not None or bool(self._benched) or self._full

    def progress(self) -> Progress:
        """How far it is; a test ends when it ends."""
        low, high = self._test.bounds
        return Progress(
            played=self._played,
            planned=None if self._limit is None else max(self._limit, self._played),
            words=f"LLR {self._test.llr:.2f} ({low:.2f}, {high:.2f})",
        )

    def order(self) -> None:
        """Nothing: ratings decide."""
        return

    def byes(self) -> Mapping[str, float]:
        """None: a test has no byes."""
        return {}

    def verdict(self) -> str:
        """The decision, the log likelihood ratio with its bounds, and blocks that led to it."""
        if not self.over():
            return ""
        low, high = self._test.bounds
        if self._decision is not None:
            found = f"{self._decision} accepted"
        elif self._benched:
            found = f"undecided, as {next(iter(self._benched))} was benched"
        else:
            found = "undecided"
        return f"{found}: LLR {self._test.llr:.2f} ({low:.2f}, {high:.2f}) after {self._fed} blocks"
