"""Formats that go round by round, where results decide who meets whom next.

A benched bot stays in the draw, byes and all, and who is drawn against it has a walkover: so the
pairings follow from the blocks told and from who is benched, and hardly from when. A tournament
that is resumed, its blocks told first and its benched bots named after, stands where it stood.

Which draws a meeting is on follows from its round, until the spec changes: what the same bots
played on another seed then takes the place of what would be played now.
"""

import abc
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import final

import attrs

from lanista.pairing.blocks import BlockScore, Pairing, Seating, points_by_place
from lanista.pairing.shared import Book, Rotation, arranged, bye_points


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


class Staged(Book, abc.ABC):
    """Rounds of meetings; Swiss and knockout are such. The next round is drawn in `_turn`."""

    def __init__(
        self,
        *,
        bots: Sequence[str],
        fillers: Sequence[str],
        seated: Sequence[Seating],
        blocks: int,
        maps: int,
        rotation: Rotation,
    ) -> None:
        """Nothing is drawn yet: a subclass calls `_go_on` when it is ready.

        Args:
            bots: In the spec's order.
            fillers: Who else takes part, in no table.
            seated: The seatings of each block.
            blocks: How many a meeting has on each map.
            maps: How many there are; draw d is on map d modulo this.
            rotation: The turn of each draw.
        """
        super().__init__(seated)
        self._bots = tuple(bots)
        self._entries = (*bots, *fillers)
        self._index = {entry: at for at, entry in enumerate(self._entries)}
        # Of a meeting, on all maps.
        self._blocks = blocks * maps
        self._maps = maps
        self._turn_of = rotation
        self._round: list[Meeting] = []
        self._meeting_of: dict[tuple[str, ...], Meeting] = {}
        # Here, in `_handed` and in what was told, bots stand in the order of their names: how they
        # are arranged is looked up when a block is handed out.
        self._open: dict[Pairing, Meeting] = {}
        self._queue: deque[Pairing] = deque()
        self._results: dict[Pairing, BlockScore] = {}
        # Of those told: what counts, as a meeting wanted it; what no meeting did, by bots.
        self._counted: set[Pairing] = set()
        self._spare: dict[tuple[str, ...], list[Pairing]] = {}
        self._bye_points: dict[str, float] = {}
        self._ended = False

    @final
    def record(self, pairing: Pairing, played: BlockScore) -> None:
        """A block was played. One that isn't wanted is kept, as it may be later."""
        key = _key(pairing.bots, pairing.draw)
        if key in self._results:
            return
        self._results[key] = played
        meeting = self._open.pop(key, None) or self._stood_in_for(key)
        if meeting is None:
            self._spare.setdefault(key.bots, []).append(key)
            return
        self._settle(key, meeting)
        self._go_on()

    def _stood_in_for(self, key: Pairing) -> Meeting | None:
        """The meeting that a block is taken for which was asked for by an earlier spec.

        It waits no more for one of its own, on the same map.
        """
        meeting = self._meeting_of.get(key.bots)
        if meeting is None:
            return None
        # The last one, as the first ones may have been played as well.
        draw = max(
            (
                draw
                for draw in meeting.waits
                if (draw - key.draw) % self._maps == 0
                and Pairing(key.bots, draw) not in self._handed
            ),
            default=None,
        )
        if draw is None:
            return None
        del self._open[Pairing(key.bots, draw)]
        meeting.waits.remove(draw)
        return meeting

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
    def give_back(self, pairing: Pairing) -> None:
        """A block that was handed out won't be played: as if its bot had been benched before."""
        key = _key(pairing.bots, pairing.draw)
        self._handed.discard(key)
        if key in self._open:
            self._walk_over_if_benched(self._open[key], key.draw)
            self._go_on()

    @final
    def next(self) -> Pairing | None:
        """The next block of the round."""
        while self._queue:
            key = self._queue.popleft()
            # It may be queued twice: wanted, stood in for, and wanted again.
            if key in self._open and key not in self._handed:
                self._handed.add(key)
                return Pairing(arranged(key.bots, key.draw, self._turn_of), key.draw)
        return None

    @final
    def over(self) -> bool:
        """Whether the last round was played."""
        return self._ended

    @final
    def counts(self, pairing: Pairing) -> bool:
        """Whether it was wanted when it was told; not when a walkover had taken its place."""
        key = _key(pairing.bots, pairing.draw)
        return key in self._counted and self._results[key].bots == pairing.bots

    @final
    def byes(self) -> Mapping[str, float]:
        """Points of byes and walkovers, by bot."""
        return {bot: self._bye_points[bot] for bot in self._bots if bot in self._bye_points}

    @abc.abstractmethod
    def _turn(self) -> bool:
        """If the round is played, end it, and draw the next one or set `_ended`.

        Returns:
            Whether it was played.
        """

    @final
    def _go_on(self) -> None:
        """Do all that can be done now: blocks told early may end several rounds at once."""
        while not self._ended and self._turn():
            pass

    @final
    def _meet(self, groups: Iterable[Iterable[str]], draws: Iterable[int]) -> None:
        """Begin a round: these meet, on each of these draws."""
        self._round = [Meeting(tuple(sorted(group))) for group in groups]
        self._meeting_of = {meeting.bots: meeting for meeting in self._round}
        for draw in draws:
            for meeting in self._round:
                self._want(meeting, draw)

    @final
    def _want(self, meeting: Meeting, draw: int) -> None:
        spare = self._spare.get(meeting.bots, [])
        on_map = [key for key in spare if (draw - key.draw) % self._maps == 0]
        if on_map:
            wanted = Pairing(meeting.bots, draw)
            key = wanted if wanted in on_map else on_map[0]
            spare.remove(key)
            self._settle(key, meeting)
            return
        # If it counts already, for an earlier meeting of theirs, the next seed.
        while (key := Pairing(meeting.bots, draw)) in self._results or key in self._open:
            draw += self._maps
        meeting.waits.add(draw)
        self._open[key] = meeting
        self._queue.append(key)
        self._walk_over_if_benched(meeting, draw)

    @final
    def _walk_over_if_benched(self, meeting: Meeting, draw: int) -> None:
        """Don't wait for a block that won't be played."""
        key = Pairing(meeting.bots, draw)
        if self._playable(meeting.bots):
            return
        two_left = sum(bot not in self._benched for bot in self._bots) >= 2
        if key in self._handed and two_left:
            return
        del self._open[key]
        meeting.waits.remove(draw)
        meeting.broken = True
        self._give([bot for bot in meeting.bots if bot not in self._benched], 1)

    @final
    def _settle(self, key: Pairing, meeting: Meeting) -> None:
        self._counted.add(key)
        meeting.waits.discard(key.draw)
        meeting.blocks += 1
        played = self._results[key]
        made = points_by_place(played, self.seated)
        for bot, points in zip(played.bots, made, strict=True):
            meeting.points[bot] += points

    @final
    def _give(self, bots: Iterable[str], blocks: int) -> None:
        """Give the points of blocks that aren't played to those who would play them."""
        for bot in bots:
            more = blocks * bye_points(self.seated)
            self._bye_points[bot] = self._bye_points.get(bot, 0.0) + more


def _key(bots: Iterable[str], draw: int) -> Pairing:
    """What names a block however its bots are arranged."""
    return Pairing(tuple(sorted(bots)), draw)
