"""Efforts of bots that are wasted for many turns: units without orders, orders without effect, or
moves that lead back.

Units are those on the board that have a number, or counts of units (`picture`); orders are those of
the answers in words (`played_turn`), or the arrows of units without numbers.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

import attrs

from lanista.games.base import RefusalCode
from lanista.games.picture import Frame, Place, Scene, Shape
from lanista.match.record import FaultInfo
from lanista.page.played_turn import SUBMOVES_SHOWN, Decoded, PlayedTurn, place_words

SPAN = 10
"""Number of turns whose share is looked at together, and minimum number of turns of a waste."""
SHORTEST = 10
"""By what a seat's number of turns is divided for the minimum number of turns of a waste."""
FEWEST = 10
"""Minimum number of units or orders in so many turns: of fewer, a share says little."""
HALF = 0.5
"""Share from which on the waste is told, however much was wasted before."""
JUMP = 0.3
"""By how much the share must be larger than the least one before to be told when it is smaller."""
GOES_ON = 0.15
"""By how much the share may be smaller again without an end of the waste."""


class Standing(NamedTuple):
    """A unit with a number as it stands on the board."""

    seat: int
    place: Place
    name: str


Units = Mapping[int, Standing]
"""Such units by their numbers."""


class Effort(NamedTuple):
    """The units of a seat before a turn, or its orders or moves of the turn."""

    seat: int
    total: int
    wasted: int
    """The number of them that got no order, had no effect, or led back."""
    why: str = ""
    """The most frequent reason, or one of those that were wasted; empty if nothing can be said."""
    round: int = 0
    """The round; `Efforts` fills it in."""


def share(efforts: Sequence[Effort]) -> float:
    """Return which share of some efforts was wasted; 0 of none."""
    total = sum(effort.total for effort in efforts)
    return sum(effort.wasted for effort in efforts) / total if total else 0.0


@attrs.frozen
class Waste:
    """Many efforts of a seat that were wasted in some turns, one after another."""

    efforts: Sequence[Effort]
    """All of its efforts in these turns, in order."""

    @property
    def rounds(self) -> Sequence[int]:
        """The rounds."""
        return [effort.round for effort in self.efforts]

    @property
    def total(self) -> int:
        """The number of units or orders in all of these turns."""
        return sum(effort.total for effort in self.efforts)

    @property
    def wasted(self) -> int:
        """The number of them that were wasted."""
        return sum(effort.wasted for effort in self.efforts)

    @property
    def why(self) -> str:
        """The reason or example that the most turns have; empty if none has any."""
        reasons = Counter(effort.why for effort in self.efforts if effort.why)
        return reasons.most_common(1)[0][0] if reasons else ""


@attrs.define(eq=False)
class Efforts:
    """All efforts of a match, turn by turn."""

    scene: Scene
    units: dict[int, list[Effort]] = attrs.field(factory=dict, init=False)
    """By seat, its units in the turns of its answers."""
    orders: dict[int, list[Effort]] = attrs.field(factory=dict, init=False)
    """By seat, its orders in the turns in which it gave any."""
    moves: dict[int, list[Effort]] = attrs.field(factory=dict, init=False)
    """By seat, the moves of its units in the turns in which any moved."""
    frame: Frame | None = attrs.field(default=None, init=False)
    _standing: tuple[Units, Units] = attrs.field(default=({}, {}), init=False)
    """The units with numbers in the frame before the latest one, and in the latest one."""

    def take(self, round_: int, frame: Frame, turn: PlayedTurn | None) -> None:
        """Take the frame of the next round, and the turn that led to it, as `Storyteller.take`."""
        (first, before), now = self._standing, units_of(frame)
        if turn is not None and turn.answers is not None and self.frame is not None:
            for by_seat, efforts in (
                (self.units, units_without_orders(self.frame, before, frame, turn.answers)),
                (self.orders, orders_without_effect(turn.answers, turn.faults, frame.idle)),
                (self.moves, moves_back(self.scene, first, before, now)),
                (self.moves, crowds_back(self.scene, self.frame, frame)),
            ):
                for effort in efforts:
                    by_seat.setdefault(effort.seat, []).append(effort._replace(round=round_))
        self._standing, self.frame = (before, now), frame


def units_without_orders(
    before: Frame, units: Units, now: Frame, answers: Decoded
) -> Iterator[Effort]:
    """Yield the units of the seats that had some and gave an answer that counts.

    `before` and `now` are the frames before and after the turn; `units` were there before it.
    """
    numbers: dict[int, set[int]] = {}
    for unit, standing in units.items():
        numbers.setdefault(standing.seat, set()).add(unit)
    counts: Counter[int] = Counter()
    for _, _, owner, text, shape, unit_number, _, _ in before.marks:
        if shape is Shape.COUNT and owner is not None and unit_number is None:
            counts[owner] += int(text) if text.isdecimal() else 0
    moved: Counter[int] = Counter()
    for (seat, _, _), count in _moved(now).items():
        moved[seat] += count
    for seat, submoves in enumerate(answers):
        if submoves is None:
            continue
        if seat in numbers and len(submoves) < SUBMOVES_SHOWN:  # else there may be more of them
            without = numbers[seat].difference(submove.unit for submove in submoves)
            one = units[min(without)].name if without else ""
            yield Effort(seat, len(numbers[seat]), len(without), one)
        elif seat in counts:
            yield Effort(seat, counts[seat], max(0, counts[seat] - moved[seat]))


def orders_without_effect(
    answers: Decoded, faults: Iterable[FaultInfo], idle: Mapping[int, str]
) -> Iterator[Effort]:
    """Yield the orders of the seats that gave any; refused ones aren't counted as wasted.

    Why orders changed nothing is in `idle`, as in the frame after them.
    """
    refused = {
        (fault.seat, fault.index) for fault in faults if fault.code == RefusalCode.ILLEGAL.value
    }
    for seat, submoves in enumerate(answers):
        if not submoves:
            continue
        reasons = Counter(
            idle[submove.unit]
            for index, submove in (enumerate(submoves) if idle else ())
            if submove.unit is not None and submove.unit in idle and (seat, index) not in refused
        )
        why = reasons.most_common(1)[0][0] if reasons else ""
        yield Effort(seat, len(submoves), reasons.total(), why)


def units_of(frame: Frame) -> Units:
    """Return the units with numbers that belong to a seat."""
    return {
        unit: Standing(seat, (row, col), details[0] if details else text)
        for row, col, seat, text, _, unit, _, details in frame.marks
        if unit is not None and seat is not None
    }


def moves_back(scene: Scene, first: Units, before: Units, now: Units) -> Iterator[Effort]:
    """Yield the moves of each seat's units; those are wasted that lead back to a turn before.

    The units are those before the turn before, before the turn, and after it.
    """
    moved: Counter[int] = Counter()
    back: dict[int, list[int]] = {}
    for unit, (seat, place, _) in now.items():
        came = before.get(unit)
        if came is not None and came.place != place:
            moved[seat] += 1
            if unit in first and first[unit].place == place:
                back.setdefault(seat, []).append(unit)
    for seat, total in moved.items():
        units = back.get(seat, [])
        why = ""
        if units:
            one = min(units)
            why = f"such as {now[one].name} {_between(scene, before[one].place, now[one].place)}"
        yield Effort(seat, total, len(units), why)


def crowds_back(scene: Scene, before: Frame, now: Frame) -> Iterator[Effort]:
    """Yield the moves of each seat's units without numbers; those are wasted that lead back.

    `before` is the frame before the turn, with the moves of the turn before; `now` that after it.
    """
    came = _moved(before)
    moved: Counter[int] = Counter()
    back: dict[int, Counter[str]] = {}
    for (seat, start, end), count in _moved(now).items():
        moved[seat] += count
        returned = min(count, came[seat, end, start])
        if returned:
            back.setdefault(seat, Counter())[_between(scene, start, end)] += returned
    for seat, total in moved.items():
        places = back.get(seat, Counter[str]())
        why = f"mostly {places.most_common(1)[0][0]}" if places else ""
        yield Effort(seat, total, places.total(), why)


def _between(scene: Scene, one: Place, other: Place) -> str:
    first, second = sorted((one, other))
    return f"between {place_words(scene, first)} and {place_words(scene, second)}"


def _moved(frame: Frame) -> Counter[tuple[int, Place, Place]]:
    """Return how many units without numbers moved in a turn, by seat, from where and to where."""
    moved: Counter[tuple[int, Place, Place]] = Counter()
    for arrow in frame.arrows:
        if arrow.text.isdecimal():
            moved[arrow.seat, arrow.start, arrow.end] += int(arrow.text)
    return moved


def longest_waste(efforts: Sequence[Effort]) -> Waste | None:
    """Return the longest time for which a large share of the efforts was wasted, if there is any.

    That is a share of a half, or one that is larger by `JUMP` than the least one before, of `SPAN`
    turns each.
    """
    longest = range(0)
    begun = None
    least = limit = HALF
    totals = [0, *accumulate(effort.total for effort in efforts)]
    wasted = [0, *accumulate(effort.wasted for effort in efforts)]
    for end in range(SPAN, len(efforts) + 1):
        total = totals[end] - totals[end - SPAN]
        if total < FEWEST:
            continue
        recent = (wasted[end] - wasted[end - SPAN]) / total
        if begun is None:
            limit = min(HALF, least + JUMP)
            if recent >= limit:
                begun = _beginning(efforts, range(end - SPAN, end), limit)
        elif recent < limit - GOES_ON:
            begun = None
        if begun is None:
            least = min(least, recent)
        elif end - begun > len(longest):
            longest = range(begun, end)
    while longest and efforts[longest[-1]].wasted < JUMP * efforts[longest[-1]].total:
        longest = longest[:-1]
    if len(longest) < max(SPAN, len(efforts) // SHORTEST):
        return None
    return Waste(efforts[longest.start : longest.stop])


def _beginning(efforts: Sequence[Effort], recent: range, limit: float) -> int:
    """Return from which of the recent turns on the most beyond a share was wasted."""
    beyond = {
        n: sum(effort.wasted - limit * effort.total for effort in efforts[n : recent.stop])
        for n in recent
    }
    return max(beyond, key=beyond.__getitem__)
