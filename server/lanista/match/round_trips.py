"""The round trips to a bot that records have (docs/records.md, `round_trips`), as two figures."""

import json
import statistics
from collections.abc import Iterable, Iterator
from pathlib import Path

from lanista.match.channel import RoundTrip
from lanista.match.record import BadRecordError, whole_lines


def summary(measured: Iterable[tuple[int, int]]) -> RoundTrip | None:
    """Return the median of the smoothed round trips and the least one; None if there are none.

    Args:
        measured: Each a smoothed round trip and the least one so far, in microseconds.
    """
    pairs = list(measured)
    if not pairs:
        return None
    smoothed = statistics.median_low(smoothed for smoothed, _ in pairs)
    return RoundTrip(smoothed, min(least for _, least in pairs))


def measured_in(path: Path, seat: int) -> Iterator[tuple[int, int]]:
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
