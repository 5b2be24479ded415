"""Knockout: who loses is out. Two seats: a bracket of mini-matches; four: heats.

Seeds are the spec's order. A heat is extended while it is drawn where it matters.
"""

from collections.abc import Sequence
from itertools import groupby

import attrs

from lanista.pairing.base import Progress
from lanista.pairing.blocks import Seating
from lanista.pairing.shared import Rotation, shared_places
from lanista.pairing.staged import Meeting, Staged

EXTENSIONS = 20
"""Blocks that are added to a drawn heat at most; then the higher seeds go on."""


@attrs.define(eq=False)
class Heat:
    """One of a round's heats; two seats: a mini-match."""

    bots: tuple[str, ...]
    """Who was drawn into it; one alone has a bye; none: nobody of the heats before is left."""
    through: int
    """How many go on."""
    meeting: Meeting | None = None
    """None where nothing is to be played."""
    won: list[str] | None = None
    """Who goes on, best first; None while that is open."""


class Knockout(Staged):
    """A knockout. Round r, from 0, is on the seeds from r·blocks on; places aren't played for."""

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
        """The first round is drawn.

        Args:
            bots: In the spec's order: the first is the first seed.
            fillers: Who else takes part, in no table.
            seated: The seatings of each block.
            blocks: How many a heat has on each map before it is extended.
            maps: How many there are; draw d is on map d modulo this.
            rotation: The turn of each draw.
        """
        super().__init__(
            bots=bots, fillers=fillers, seated=seated, blocks=blocks, maps=maps, rotation=rotation
        )
        self._seats = len(self.seated[0])
        self._rounds = 0
        self._heats: list[Heat] = []
        # Who is still in, best first; who fell out, in groups of equals, the first to fall first.
        self._in: list[str] = list(self._entries)
        self._out: list[list[str]] = []
        self._notes: list[str] = []
        self._go_on()

    def _turn(self) -> bool:
        for heat in self._heats:
            if heat.won is None:
                heat.won = self._decided(heat)
        if any(heat.won is None for heat in self._heats):
            return False
        if self._heats:
            self._end_round()
        if not self._ended:
            self._draw()
        return True

    def _decided(self, heat: Heat) -> list[str] | None:
        """Who goes on; None while that isn't known. A heat that is drawn is extended."""
        meeting = heat.meeting
        if meeting is None:
            return list(heat.bots)
        while not meeting.waits:
            ranked = sorted(heat.bots, key=lambda bot: (-meeting.points[bot], self._index[bot]))
            if meeting.broken:
                return [bot for bot in ranked if bot not in self._benched][: heat.through]
            last, behind = ranked[heat.through - 1 : heat.through + 1]
            if meeting.points[last] > meeting.points[behind]:
                return ranked[: heat.through]
            if meeting.blocks == self._blocks + EXTENSIONS:
                self._notes.append(
                    f"{last} went on before {behind} in round {self._rounds} as the higher seed, "
                    f"still even after {EXTENSIONS} extensions"
                )
                return ranked[: heat.through]
            self._want(meeting, self._first_draw() + meeting.blocks)
        return None

    def _end_round(self) -> None:
        final = len(self._heats) == 1 and self._heats[0].through == 1
        # Winners of heats before seconds, each by seed.
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
            # The final gives places by its points; who didn't play it to its end is behind.
            left = self._benched if meeting.broken else {}
            made = {bot: (bot in left, -meeting.points[bot]) for bot in lost}
            lost.sort(key=made.__getitem__)
            groups = [list(same) for _, same in groupby(lost, made.__getitem__)]
            self._out += reversed(groups)
        else:
            self._out.append(lost)
        self._ended = final

    def _draw(self) -> None:
        """Draw the next round."""
        if self._seats == 2:
            heats = self._bracket()
        else:
            if len(self._in) < self._seats:
                # So few are left only if others were benched.
                playing = [bot for bot in self._in if bot not in self._benched]
                self._out.append([bot for bot in self._in if bot in self._benched])
                self._in = playing
                self._ended = True
                return
            heats = self._pods()
        self._rounds += 1
        full = [heat for heat in heats if len(heat.bots) == self._seats]
        first = self._first_draw()
        self._heats = heats
        self._meet([heat.bots for heat in full], range(first, first + self._blocks))
        for heat, meeting in zip(full, self._round, strict=True):
            heat.meeting = meeting
        for heat in heats:
            if heat.meeting is None:
                self._give(heat.bots, self._blocks)

    def _first_draw(self) -> int:
        return (self._rounds - 1) * self._blocks

    def _bracket(self) -> list[Heat]:
        """The next round of a bracket: neighbours meet, from the first round on."""
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
        """The next heats of four, those of a kind spread over all heats.

        Two of each go on, one of the final. Where not all play (see `heats_of`), the first seeds
        have byes.
        """
        count = len(self._in)
        heats, out = heats_of(count)
        byes, playing = self._in[: count - 4 * heats], self._in[count - 4 * heats :]
        groups: list[list[str]] = [[] for _ in range(heats)]
        for at, bot in enumerate(playing):
            lap, place = divmod(at, heats)
            groups[place if lap % 2 == 0 else heats - 1 - place].append(bot)
        through = [1 if count == 4 else 2] * heats
        if count > 4 and out % 2:
            through[-1] = 3
        return [
            *(Heat((bot,), through=1) for bot in byes),
            *(Heat(tuple(group), many) for group, many in zip(groups, through, strict=True)),
        ]

    def order(self) -> Sequence[tuple[int, str]]:
        """Places: those who fell out in a round share its place, those still in share the first.

        The four seats' final gives places by its points.
        """
        return shared_places([self._in, *reversed(self._out)], self._bots)

    def progress(self) -> Progress:
        """How far it is, if nothing more is extended and nobody benched."""
        later = 0
        if not self._ended:
            left = sum(heat.through for heat in self._heats)
            while left >= self._seats:
                heats, out = heats_of(left) if self._seats == 4 else (left // 2, left // 2)
                later += heats
                left -= out
        known = len(self._counted) + len(self._open)
        return Progress(
            played=len(self._counted),
            planned=known + later * self._blocks,
            words="" if self._ended else f"round {self._rounds}, {len(self._in)} in",
        )

    def verdict(self) -> str:
        """Who won, and who went on by seed alone."""
        if not self._ended:
            return ""
        if len(self._in) == 1:
            words = f"{self._in[0]} wins"
        elif self._in:
            words = f"too few are left to play; {', '.join(self._in)} share the first place"
        else:
            words = "nobody is left to win"
        return "; ".join([words, *self._notes])


def bracket(count: int) -> list[int]:
    """Seeds in the order of a bracket's lines, from 0: the best two can meet in the final only.

    For a power of two not below `count`, and two at least; seeds from `count` on are byes, which so
    fall to the first seeds.
    """
    lines = [0, 1]
    while len(lines) < count:
        lines = [seed for line in lines for seed in (line, 2 * len(lines) - 1 - line)]
    return lines


def heats_of(count: int) -> tuple[int, int]:
    """How many heats of four there are in a round of `count` bots, and how many that puts out.

    Four: the final, which puts out three. Four times a power of two: all play, half go on. Else
    they are brought down to such a number, if need be in several rounds: two out a heat, and one
    out of the last heat where an odd number has to go.
    """
    target = 4
    while target * 2 <= count:
        target *= 2
    if count == target:
        return count // 4, 3 if count == 4 else count // 2
    heats = min(-(-(count - target) // 2), count // 4)
    return heats, min(count - target, 2 * heats)
