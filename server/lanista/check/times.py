"""Answer times and round trips over the bouts of a check, from their records alone: no clock is
read here.
"""

import math
from collections.abc import Sequence

import attrs

from lanista.check.bout import Bout
from lanista.match.channel import RoundTrip
from lanista.match.conditions import Clock
from lanista.match.figures import round_trip_summary


@attrs.frozen(kw_only=True)
class Time:
    """The time that one answer took, in seconds, and where."""

    seconds: float
    bout: str
    turn: int


@attrs.frozen(kw_only=True)
class Times:
    """Answer times of one kind: the first of each match, or all others."""

    limit: float
    """The time that an answer may take, in seconds."""
    all: tuple[Time, ...]
    """The times of all answers, in no particular order."""

    @property
    def slowest(self) -> Time | None:
        """The longest time; None without answers."""
        return max(self.all, key=lambda time: time.seconds, default=None)

    def quantile(self, share: float) -> float:
        """Return the least time, in seconds, that this share (0 to 1) of answers doesn't exceed."""
        ordered = sorted(time.seconds for time in self.all)
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def times_of(bouts: Sequence[Bout], clock: Clock) -> tuple[Times, Times]:
    """Return the times of first answers, and those of all others.

    Only bouts that were played with this clock count, and only answers that came in time: the
    fault of a late answer says how long it took.
    """
    limits = clock.limits()
    firsts: list[Time] = []
    others: list[Time] = []
    for bout in bouts:
        if bout.spec.clock != clock:
            continue
        for record in bout.records:
            for turn in record.turns:
                times = turn.times[bout.spec.seat]
                if turn.verdicts[bout.spec.seat] not in {"answer", "malformed"} or times is None:
                    continue
                if len(times) < 3 or not any(times[1:]):
                    continue  # the answer was sent ahead, so it took no time
                # The upper end of the measured range may be over the limit: where it isn't clear
                # whether an answer was late, it counts as in time (PROTOCOL.md 4).
                seconds = min(times[2] / 1e6, limits.of_turn(turn.turn))
                time = Time(seconds=seconds, bout=bout.spec.name, turn=turn.turn)
                (others if turn.turn else firsts).append(time)
    return (
        Times(limit=clock.time_init, all=tuple(firsts)),
        Times(limit=clock.time_move, all=tuple(others)),
    )


def round_trip_of(bouts: Sequence[Bout]) -> RoundTrip | None:
    """Return the round trip between arena and bot over all bouts; None if none was measured."""
    return round_trip_summary(
        measured
        for bout in bouts
        for record in bout.records
        for turn in record.turns
        if (measured := turn.round_trips.get(str(bout.spec.seat))) is not None
    )
