"""Formats that are played in rounds, where results decide which bots meet next.

The state of such a format follows from the order in which blocks ended and bots were benched, which
is stored, because a tournament may be interrupted and resumed. Two rules bring that about. First, a
benched bot stays in the pairings, byes and all, and its opponents that aren't benched get a
walkover: they receive the points of a bye for each block that isn't played. Second, blocks may be
recorded before anything asks for them. They are kept as spare results, and a later meeting of the
same bots takes them over, so that recording one block may finish several rounds.
"""

import abc
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import final

import attrs

from lanista.competition.formats.base import Contest, Format, Progress, arranged, bye_points
from lanista.results.blocks import BlockScore, Pairing, RoundMeeting, points_by_place


@attrs.define(eq=False)
class Meeting:
    """A meeting of bots in a round, over one block or several."""

    bots: tuple[str, ...]
    points: dict[str, float] = attrs.field(init=False)
    """The points scored in its blocks so far, by bot."""
    awaited: set[int] = attrs.field(factory=set)
    """The openings on which blocks are still to be played."""
    blocks: int = 0
    """Number of blocks that were played."""
    broken: bool = False
    """Whether a block of it is left out because a bot was benched."""

    def __attrs_post_init__(self) -> None:
        self.points = dict.fromkeys(self.bots, 0.0)


class Staged(Format, abc.ABC):
    """Rounds of meetings; Swiss and knockout set up each round in their `_try_end_round`."""

    def __init__(self, contest: Contest) -> None:
        """Begin without a round: a subclass calls `_advance` when it is ready."""
        super().__init__(contest)
        self._index = {entry: number for number, entry in enumerate(self._entries)}
        # The number of blocks of a meeting, on all maps together.
        self._blocks = (contest.blocks or 1) * contest.maps
        self._maps = contest.maps
        self._rounds_begun = 0
        self._round: list[Meeting] = []
        self._meeting_of: dict[tuple[str, ...], Meeting] = {}
        # In `_open`, `_queue`, `_recorded` and `_awaited` a block's bots are sorted by name;
        # their arrangement is looked up when a block is handed out.
        self._open: dict[Pairing, Meeting] = {}
        self._queue: deque[Pairing] = deque()
        # Of the recorded blocks: those that count, as a meeting wanted them; and, by bots, those
        # that no meeting has wanted so far.
        self._counted: set[Pairing] = set()
        self._spare: dict[tuple[str, ...], list[Pairing]] = {}
        self._bye_points: dict[str, float] = {}
        self._ended = False

    @final
    def _key(self, pairing: Pairing) -> Pairing:
        """Return a block with its bots sorted by name, however they are arranged."""
        return Pairing(tuple(sorted(pairing.bots)), pairing.opening)

    @final
    def _take(self, played: BlockScore) -> None:
        """Count a result for its meeting; one that isn't wanted is kept, as it may be later."""
        key = self._key(played.pairing)
        meeting = self._open.pop(key, None) or self._stand_in(key)
        if meeting is None:
            self._spare.setdefault(key.bots, []).append(key)
            return
        self._settle(key, meeting)
        self._advance()

    def _stand_in(self, key: Pairing) -> Meeting | None:
        """Return the meeting that can use a block asked for by an earlier spec; None if none can.

        It is a meeting of the same bots in the current round. It then no longer waits for one of
        its own blocks on the same map.
        """
        meeting = self._meeting_of.get(key.bots)
        if meeting is None:
            return None
        # The last opening, as blocks on the first ones may also have been played and come later.
        opening = max(
            (
                opening
                for opening in meeting.awaited
                if (opening - key.opening) % self._maps == 0
                and Pairing(key.bots, opening) not in self._awaited
            ),
            default=None,
        )
        if opening is None:
            return None
        del self._open[Pairing(key.bots, opening)]
        meeting.awaited.remove(opening)
        return meeting

    @final
    def bench(self, *bots: str) -> None:
        """Take bots out: their opponents get the points of a bye for each block.

        Their blocks that were handed out are waited for, unless fewer than two bots are left.
        """
        new = [bot for bot in bots if bot in self._index and bot not in self.benched]
        if not new:
            return
        self.benched |= dict.fromkeys(new)
        for meeting in self._round:
            for opening in sorted(meeting.awaited):
                self._walk_over_if_benched(meeting, opening)
        self._advance()

    @final
    def resume(
        self, stored: Sequence[tuple[BlockScore, Sequence[str]]], benched: Sequence[str] = ()
    ) -> None:
        """Take what is stored, as other formats do.

        Blocks of a bot that ended after it was benched had been handed out before, so they are
        waited for.
        """
        self._awaited |= {self._key(score.pairing) for score, _ in stored}
        super().resume(stored, benched)

    @final
    def give_back(self, pairing: Pairing) -> None:
        """Take back a block that won't be played, as if its bot had been benched before."""
        super().give_back(pairing)
        key = self._key(pairing)
        if key in self._open:
            self._walk_over_if_benched(self._open[key], key.opening)
            self._advance()

    @final
    def _next(self) -> Pairing | None:
        while self._queue:
            key = self._queue.popleft()
            # A block may be queued twice: wanted, replaced by another, and wanted again.
            if key in self._open and key not in self._awaited:
                return Pairing(arranged(key.bots, key.opening, self._rotation), key.opening)
        return None

    @final
    def over(self) -> bool:
        """Return whether the last round was played."""
        return self._ended

    @final
    def counts(self, pairing: Pairing) -> bool:
        """Return whether a meeting wanted it; not if a walkover had already taken its place."""
        key = self._key(pairing)
        return key in self._counted and self._recorded[key].bots == pairing.bots

    @final
    def byes(self) -> Mapping[str, float]:
        """Return the points of byes and walkovers by bot."""
        return {bot: self._bye_points[bot] for bot in self._bots if bot in self._bye_points}

    @abc.abstractmethod
    def _try_end_round(self) -> bool:
        """End the round if it was played, set up the next or `_ended`; return whether it was."""

    @final
    def _advance(self) -> None:
        """End all rounds that can be ended: blocks recorded early may finish several at once."""
        while not self._ended and self._try_end_round():
            pass

    @final
    def _begin_round(self, groups: Iterable[Iterable[str]], byes: Iterable[str]) -> None:
        """Begin a round in which these groups meet, on the openings after those of the last one."""
        self._rounds_begun += 1
        self._give(byes, self._blocks)
        self._round = [Meeting(tuple(sorted(group))) for group in groups]
        self._meeting_of = {meeting.bots: meeting for meeting in self._round}
        for opening in range(self._first_opening, self._first_opening + self._blocks):
            for meeting in self._round:
                self._want(meeting, opening)

    @property
    def _first_opening(self) -> int:
        return (self._rounds_begun - 1) * self._blocks

    @final
    def progress(self) -> Progress:
        """Return the progress, assuming that no heat is extended any more and no bot benched."""
        known = len(self._counted) + len(self._open)
        return Progress(
            played=len(self._counted),
            planned=known + (0 if self._ended else self._meetings_later() * self._blocks),
            words="" if self._ended else self._stage(),
        )

    @abc.abstractmethod
    def _meetings_later(self) -> int:
        """Return how many meetings the rounds have that haven't begun, as far as is known."""

    @abc.abstractmethod
    def _stage(self) -> str:
        """Return the present round as one line for people."""

    @final
    def _want(self, meeting: Meeting, opening: int) -> None:
        spare = self._spare.get(meeting.bots, [])
        on_map = [key for key in spare if (opening - key.opening) % self._maps == 0]
        if on_map:
            wanted = Pairing(meeting.bots, opening)
            key = wanted if wanted in on_map else on_map[0]
            spare.remove(key)
            self._settle(key, meeting)
            return
        # If the block counts already, for an earlier meeting of these bots, use the next seed.
        while (key := Pairing(meeting.bots, opening)) in self._recorded or key in self._open:
            opening += self._maps
        meeting.awaited.add(opening)
        self._open[key] = meeting
        self._queue.append(key)
        self._walk_over_if_benched(meeting, opening)

    @final
    def _walk_over_if_benched(self, meeting: Meeting, opening: int) -> None:
        """Stop waiting for a block that won't be played, and give its points as byes."""
        key = Pairing(meeting.bots, opening)
        if self._playable(meeting.bots):
            return
        two_left = sum(bot not in self.benched for bot in self._bots) >= 2
        if key in self._awaited and two_left:
            return
        del self._open[key]
        meeting.awaited.remove(opening)
        meeting.broken = True
        self._give([bot for bot in meeting.bots if bot not in self.benched], 1)

    @final
    def _settle(self, key: Pairing, meeting: Meeting) -> None:
        self._counted.add(key)
        meeting.awaited.discard(key.opening)
        meeting.blocks += 1
        played = self._recorded[key]
        by_place = points_by_place(played, self.seated)
        for bot, points in zip(played.bots, by_place, strict=True):
            meeting.points[bot] += points

    @final
    def _give(self, bots: Iterable[str], blocks: int) -> None:
        """Give the points of as many blocks to bots that don't play them, as a bye does."""
        for bot in bots:
            more = blocks * bye_points(self.seated)
            self._bye_points[bot] = self._bye_points.get(bot, 0.0) + more


def shown(
    meeting: Meeting | None, bots: Sequence[str], *, over: bool, through: Sequence[str] = ()
) -> RoundMeeting:
    """Return a meeting as people see it; None stands for a bye, in which nothing is played."""
    points = {} if meeting is None else meeting.points
    return RoundMeeting(
        bots=tuple(bots),
        points=tuple(points.get(bot, 0.0) for bot in bots),
        blocks=0 if meeting is None else meeting.blocks,
        over=over,
        through=tuple(through),
    )
