"""Figures of matches that operators watch: how long answers and the arena's own part of turns take.

They are counted for every turn, so each costs one bisection and two additions. Histograms have
fixed bounds, so that those of many matches can be added up.
"""

import json
import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Self

import attrs

from lanista.match.channel import RoundTrip
from lanista.match.record import BadRecordError, whole_lines

ANSWER_BOUNDS = (
    *(100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000),
    *(1_000_000, 2_500_000, 5_000_000, 10_000_000, 30_000_000),
)
"""Upper bounds of the buckets for the times of answers, in microseconds."""
OWN_BOUNDS = (
    *(25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000),
    *(500_000, 1_000_000),
)
"""Upper bounds of the buckets for the arena's own part of a turn, in microseconds."""

ROUND_TRIP_BOUNDS = (
    *(50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000),
    1_000_000,
)
"""Upper bounds of the buckets for round trips, in microseconds."""


@attrs.define
class Histogram:
    """The number of values in each bucket, and their sum."""

    bounds: tuple[float, ...]
    """The highest value of each bucket but the last, which has none."""
    counts: list[int] = attrs.field(
        default=attrs.Factory(lambda self: [0] * (len(self.bounds) + 1), takes_self=True)
    )
    total: float = 0

    def add(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def include(self, other: Self) -> None:
        """Add the values of another histogram that has the same bounds."""
        self.counts = [own + its for own, its in zip(self.counts, other.counts, strict=True)]
        self.total += other.total


@attrs.define
class MatchFigures:
    """The figures of one match, or of several."""

    answers: Histogram = attrs.field(factory=lambda: Histogram(ANSWER_BOUNDS))
    """Microseconds from a turn's hand-over to each answer's arrival."""
    own: Histogram = attrs.field(factory=lambda: Histogram(OWN_BOUNDS))
    """Microseconds from the arrival of a turn's last answer to the beginning of the next turn, for
    turns in which everybody answered and no watcher held the match."""
    round_trips: Histogram = attrs.field(factory=lambda: Histogram(ROUND_TRIP_BOUNDS))
    """Microseconds of each smoothed round trip to a bot that was measured, in a few turns."""
    late: int = 0
    """Number of late answers that count as the bots' fault."""
    late_in_stalls: int = 0
    """Number of late answers of turns in which this machine stalled, so that the match is void."""

    def count_turn(self, times: Sequence[tuple[int, ...] | None], took: float) -> None:
        """Count a turn, given by seat the times in its line of the record (`turn_lines.times_of`).

        It took so many microseconds from its beginning to that of the next one: infinitely many if
        that is unknown, or if something else was waited for than answers.
        """
        last = 0.0
        for seat in times:
            if seat is None:
                continue
            if len(seat) == 1:  # no answer
                last = math.inf
            else:
                self.answers.add(seat[2])
                last = max(last, seat[0] + seat[2])
        if last <= took < math.inf:
            self.own.add(took - last)

    def count_late(self, *, in_stall: bool) -> None:
        """Count a late answer."""
        if in_stall:
            self.late_in_stalls += 1
        else:
            self.late += 1

    def include(self, other: Self) -> None:
        """Add the figures of another match."""
        self.answers.include(other.answers)
        self.own.include(other.own)
        self.round_trips.include(other.round_trips)
        self.late += other.late
        self.late_in_stalls += other.late_in_stalls


def round_trip_summary(measured: Iterable[tuple[int, int]]) -> RoundTrip | None:
    """Return the median of the smoothed round trips and the least one; None if there are none.

    Each is given as a smoothed round trip and the least one so far, in microseconds.
    """
    pairs = list(measured)
    if not pairs:
        return None
    # `statistics.median_low` without its module, whose import every match would wait for.
    smoothed = sorted(smoothed for smoothed, _ in pairs)[(len(pairs) - 1) // 2]
    return RoundTrip(smoothed, min(least for _, least in pairs))


def round_trips_in(path: Path, seat: int) -> Iterator[tuple[int, int]]:
    """Yield the round trips of a seat that a record has; they end where it can't be read.

    The other lines aren't parsed, which is most of what reading a record takes.
    """
    try:
        for line in whole_lines(path):
            if b'"round_trips"' in line:
                found = json.loads(line).get("round_trips", {}).get(str(seat))
                if found is not None:
                    smoothed, least = found
                    yield int(smoothed), int(least)
    except (BadRecordError, OSError, ValueError, TypeError, AttributeError):
        return
