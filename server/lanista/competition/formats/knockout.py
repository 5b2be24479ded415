"""The knockout: the loser is eliminated. Two seats: a bracket of mini-matches; four: heats.

Bots are seeded in the spec's order. A heat is extended by further blocks while bots are tied where
it matters, that is, between the last one to go on and the first one to drop out.
"""

from collections.abc import Sequence
from itertools import groupby

import attrs

from lanista.competition.formats.base import Contest, shared_places
from lanista.competition.formats.staged import Meeting, Staged, shown
from lanista.results.blocks import RoundMeeting

EXTENSIONS = 20
"""The most blocks that are added to a tied heat; after them the higher seeds go on."""


@attrs.define(eq=False)
class Heat:
    """A heat of a round; with two seats it is a mini-match of two bots."""

    bots: tuple[str, ...]
    """The bots in it. A single one has a bye; none if no bot of the heats before is left."""
    through: int
    """The number of bots that go on to the next round."""
    meeting: Meeting | None = None
    """The meeting that is played; None for a bye."""
    won: list[str] | None = None
    """The bots that go on, best first; None while that is open."""


class Knockout(Staged):
    """A knockout tournament; round r, from 0, is on the openings from r·blocks on.

    Places aren't played for, except in the final of four seats.
    """

    def __init__(self, contest: Contest) -> None:
        """Begin with the first round, in which the bots are seeded in the spec's order."""
        super().__init__(contest)
        self._heats: list[Heat] = []
        # By round, also the present one.
        self._all_heats: list[list[Heat]] = []
        # The bots still in, best first; and those eliminated, in groups of equals, earliest first.
        self._in: list[str] = list(self._entries)
        self._out: list[list[str]] = []
        self._notes: list[str] = []
        self._advance()

    def _try_end_round(self) -> bool:
        for heat in self._heats:
            if heat.won is None:
                heat.won = self._decided(heat)
        if any(heat.won is None for heat in self._heats):
            return False
        if self._heats:
            self._end_round()
        if not self._ended:
            self._start_round()
        return True

    def _decided(self, heat: Heat) -> list[str] | None:
        """Return the bots that go on, best first; None while a tie that matters isn't decided."""
        meeting = heat.meeting
        if meeting is None:
            return list(heat.bots)
        while not meeting.awaited:
            ranked = sorted(heat.bots, key=lambda bot: (-meeting.points[bot], self._index[bot]))
            if meeting.broken:
                return [bot for bot in ranked if bot not in self.benched][: heat.through]
            last_in, first_out = ranked[heat.through - 1 : heat.through + 1]
            if meeting.points[last_in] > meeting.points[first_out]:
                return ranked[: heat.through]
            if meeting.blocks == self._blocks + EXTENSIONS:
                self._notes.append(
                    f"{last_in} advanced in place of {first_out} in round {self._rounds_begun} "
                    f"as the higher seed, as they were still even after {EXTENSIONS} extensions"
                )
                return ranked[: heat.through]
            self._want(meeting, self._first_opening + meeting.blocks)
        return None

    def _end_round(self) -> None:
        final = len(self._heats) == 1 and self._heats[0].through == 1
        # The winners of all heats come before the seconds; within each group the seeds decide.
        self._in = [
            bot
            for _, _, bot in sorted(
                (place, self._index[bot], bot)
                for heat in self._heats
                for place, bot in enumerate(heat.won or ())
            )
        ]
        lost = [bot for heat in self._heats for bot in heat.bots if bot not in self._in]
        meeting = self._heats[0].meeting
        if final and meeting is not None:
            # The final gives places by its points; a bot that left it comes after all others.
            left = self.benched if meeting.broken else {}
            worth = {bot: (bot in left, -meeting.points[bot]) for bot in lost}
            lost.sort(key=worth.__getitem__)
            groups = [list(same) for _, same in groupby(lost, worth.__getitem__)]
            self._out += reversed(groups)
        else:
            self._out.append(lost)
        self._ended = final

    def _start_round(self) -> None:
        if self._seats == 2:
            heats = self._bracket()
        else:
            if len(self._in) < self._seats:
                # This happens only after others were benched.
                playing = [bot for bot in self._in if bot not in self.benched]
                self._out.append([bot for bot in self._in if bot in self.benched])
                self._in = playing
                self._ended = True
                return
            heats = self._pods()
        full = [heat for heat in heats if len(heat.bots) == self._seats]
        self._heats = heats
        self._all_heats.append(heats)
        byes = [bot for heat in heats if len(heat.bots) < self._seats for bot in heat.bots]
        self._begin_round([heat.bots for heat in full], byes)
        for heat, meeting in zip(full, self._round, strict=True):
            heat.meeting = meeting

    def _bracket(self) -> list[Heat]:
        """Return the next round of a bracket, in which the winners of neighbouring heats meet."""
        if self._heats:
            slots = [next(iter(heat.won or ()), None) for heat in self._heats]
        else:
            entries = self._entries
            slots = [
                entries[seed] if seed < len(entries) else None for seed in bracket(len(entries))
            ]
        return [
            Heat(tuple(bot for bot in pair if bot is not None), through=1)
            for pair in zip(slots[::2], slots[1::2], strict=True)
        ]

    def _pods(self) -> list[Heat]:
        """Return the next heats of four, each with bots from every part of the ranking.

        Two of each heat go on, and one of the final. Where not all bots play (see `heats_of`), the
        first seeds have byes.
        """
        count = len(self._in)
        heats, out = heats_of(count)
        byes, playing = self._in[: count - 4 * heats], self._in[count - 4 * heats :]
        groups: list[list[str]] = [[] for _ in range(heats)]
        # Back and forth, as in drafting teams: 0 1 2 2 1 0 …
        for number, bot in enumerate(playing):
            lap, place = divmod(number, heats)
            groups[place if lap % 2 == 0 else heats - 1 - place].append(bot)
        through = [1 if count == 4 else 2] * heats
        if count > 4 and out % 2:
            through[-1] = 3
        return [
            *(Heat((bot,), through=1) for bot in byes),
            *(Heat(tuple(group), on) for group, on in zip(groups, through, strict=True)),
        ]

    def order(self) -> Sequence[tuple[int, str]]:
        """Return the places; those eliminated in the same round share one, as do those still in."""
        return shared_places([self._in, *reversed(self._out)], self._bots)

    def rounds(self) -> list[list[RoundMeeting]]:
        """Return the heats of each round until now, in the bracket's order."""
        return [
            [
                shown(heat.meeting, heat.bots, over=heat.won is not None, through=heat.won or ())
                for heat in heats
            ]
            for heats in self._all_heats
        ]

    def _meetings_later(self) -> int:
        later = 0
        left = sum(heat.through for heat in self._heats)
        while left >= self._seats:
            heats, out = heats_of(left) if self._seats == 4 else (left // 2, left // 2)
            later += heats
            left -= out
        return later

    def _stage(self) -> str:
        return f"round {self._rounds_begun}, {len(self._in)} in"

    def verdict(self) -> str:
        """Return the winner, and bots that went on from a tied heat by seed."""
        if len(self._in) == 1:
            outcome = f"{self._in[0]} wins"
        elif self._in:
            outcome = f"too few are left to play; {', '.join(self._in)} share the first place"
        else:
            outcome = "nobody is left to win"
        return "; ".join([outcome, *self._notes])


def bracket(count: int) -> list[int]:
    """Return the seeds, from 0, by line of a bracket; the best two can meet only in the final.

    The bracket's size is the power of two not below `count`, and at least two. Seeds from `count`
    on are byes, which therefore fall to the first seeds.
    """
    lines = [0, 1]
    while len(lines) < count:
        lines = [seed for line in lines for seed in (line, 2 * len(lines) - 1 - line)]
    return lines


def heats_of(count: int) -> tuple[int, int]:
    """Return the number of heats of four in a round of `count` bots, and how many bots drop out.

    With four bots this is the final, in which three drop out. If the count is four times a power of
    two, all play and half go on. Otherwise the bots are first brought down to such a number, in
    several rounds if need be: two drop out of each heat, and one of the last heat where an odd
    number has to go.
    """
    target = 4
    while target * 2 <= count:
        target *= 2
    if count == target:
        return count // 4, 3 if count == 4 else count // 2
    heats = min(-(-(count - target) // 2), count // 4)
    return heats, min(count - target, 2 * heats)
