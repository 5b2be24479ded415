"""Formats that go round by round, where results decide who meets whom next.

A benched bot stays in the draw, byes and all, and who is drawn against it has a walkover: so the
pairings follow from the blocks told and from who is benched, and hardly from when. A tournament
that is resumed, its blocks told first and its benched bots named after, stands where it stood.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import final

import attrs

from lanista.tournament.blocks import Pairing, Played, Seating, points_by_place
from lanista.tournament.pairing.shared import Book, arranged, bye_points


@attrs.define(eq=False)
class Meeting:
    """Bots that meet in a round, over one block or several."""

    bots: tuple[str, ...]
    points: dict[str, float] = attrs.field(init=False)
    """Made in its blocks so far."""
    waits: set[int] = attrs.field(factory=set)
    """The draws still to be played."""
    blocks: int = 0
    """That were played."""
    broken: bool = False
    """Whether a block of it isn't played, as a bot was benched."""

    def __attrs_post_init__(self) -> None:
        self.points = dict.fromkeys(self.bots, 0.0)


class Staged(Book):
    """Rounds of meetings; Swiss and knockout are such. The next round is drawn in `_turn`."""

    def __init__(
        self, *, bots: Sequence[str], fillers: Sequence[str], seated: Sequence[Seating], blocks: int
    ) -> None:
        """Nothing is drawn yet: a subclass calls `_go_on` when it is ready.

        Args:
            bots: In the spec's order.
            fillers: Who else takes part, in no table.
            seated: The seatings of each block.
            blocks: How many a meeting has.
        """
        super().__init__(seated)
        self._bots = tuple(bots)
        self._entries = (*bots, *fillers)
        self._index = {entry: at for at, entry in enumerate(self._entries)}
        self._blocks = blocks
        self._round: list[Meeting] = []
        # What is wanted and wasn't played; and what counts as it was played while it was wanted.
        self._open: dict[Pairing, Meeting] = {}
        self._queue: deque[Pairing] = deque()
        self._counted: set[Pairing] = set()
        self._bye_points: dict[str, float] = {}
        self._ended = False

    @final
    def record(self, pairing: Pairing, played: Played) -> None:
        """A block was played. One that isn't wanted is kept, as it may be later."""
        if pairing in self._told:
            return
        self._told[pairing] = played
        if pairing in self._open:
            self._settle(pairing, self._open.pop(pairing))
            self._go_on()

    @final
    def bench(self, bot: str) -> None:
        """A bot plays no more: those it was to play with get the points of a bye for each block.

        Blocks of it that were handed out are waited for, unless nobody is left to go on against.
        """
        if bot not in self._index or bot in self._benched:
            return
        self._benched[bot] = None
        for meeting in self._round:
            for draw in sorted(meeting.waits):
                self._walk_over_if_benched(meeting, draw)
        self._go_on()

    @final
    def next(self) -> Pairing | None:
        """The next block of the round."""
        while self._queue:
            pairing = self._queue.popleft()
            if pairing in self._open:
                self._handed.add(pairing)
                return pairing
        return None

    @final
    def over(self) -> bool:
        """Whether the last round was played."""
        return self._ended

    @final
    def counts(self, pairing: Pairing) -> bool:
        """Whether it was wanted when it was told; not when a walkover had taken its place."""
        return pairing in self._counted

    @final
    def byes(self) -> Mapping[str, float]:
        """Points of byes and walkovers, by bot."""
        return {bot: self._bye_points[bot] for bot in self._bots if bot in self._bye_points}

    def _turn(self) -> bool:
        """If the round is played, end it, and draw the next one or set `_ended`.

        Returns:
            Whether it was played.
        """
        raise NotImplementedError

    @final
    def _go_on(self) -> None:
        """Do all that can be done now: blocks told early may end several rounds at once."""
        while not self._ended and self._turn():
            pass

    @final
    def _meet(self, groups: Iterable[Iterable[str]], draws: Iterable[int]) -> None:
        """Begin a round: these meet, on each of these draws."""
        self._round = [Meeting(tuple(sorted(group))) for group in groups]
        for draw in draws:
            for meeting in self._round:
                self._want(meeting, draw)

    @final
    def _want(self, meeting: Meeting, draw: int) -> None:
        pairing = self._pairing(meeting, draw)
        if pairing in self._told:
            self._settle(pairing, meeting)
            return
        meeting.waits.add(draw)
        self._open[pairing] = meeting
        self._queue.append(pairing)
        self._walk_over_if_benched(meeting, draw)

    @final
    def _walk_over_if_benched(self, meeting: Meeting, draw: int) -> None:
        """Don't wait for a block that won't be played."""
        pairing = self._pairing(meeting, draw)
        if self._playable(meeting.bots):
            return
        two_left = sum(bot not in self._benched for bot in self._bots) >= 2
        if pairing in self._handed and two_left:
            return
        del self._open[pairing]
        meeting.waits.remove(draw)
        meeting.broken = True
        self._give([bot for bot in meeting.bots if bot not in self._benched], 1)

    @final
    def _settle(self, pairing: Pairing, meeting: Meeting) -> None:
        self._counted.add(pairing)
        meeting.waits.discard(pairing.draw)
        meeting.blocks += 1
        made = points_by_place(self._told[pairing], self.seated)
        for bot, points in zip(pairing.bots, made, strict=True):
            meeting.points[bot] += points

    @final
    def _give(self, bots: Iterable[str], blocks: int) -> None:
        """Give the points of blocks that aren't played to those who would play them."""
        for bot in bots:
            more = blocks * bye_points(self.seated)
            self._bye_points[bot] = self._bye_points.get(bot, 0.0) + more

    @staticmethod
    def _pairing(meeting: Meeting, draw: int) -> Pairing:
        return Pairing(arranged(meeting.bots, draw), draw)
