"""Answer times over the bouts of a check. Arithmetic on records; no clock."""

import math
from collections.abc import Sequence

import attrs

from lanista.check.bout import Bout
from lanista.match.clock import Limits


@attrs.frozen(kw_only=True)
class Time:
    """How long one answer took."""

    seconds: float
    bout: str
    turn: int


@attrs.frozen(kw_only=True)
class Times:
    """Answer times of one kind: the first of each match, or all others."""

    limit: float
    """Seconds that an answer may take."""
    all: tuple[Time, ...]
    """In no particular order."""

    @property
    def slowest(self) -> Time | None:
        """The longest; None without answers."""
        return max(self.all, key=lambda time: time.seconds, default=None)

    def quantile(self, share: float) -> float:
        """The least time that so many of the answers, a share from 0 to 1, don't exceed.

        Raises:
            ValueError: There are no answers.
        """
        if not self.all:
            raise ValueError("no answers, no times")
        ordered = sorted(time.seconds for time in self.all)
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def times_of(bouts: Sequence[Bout], limits: Limits) -> tuple[Times, Times]:
    """The times of first answers, and of the others, in the bouts that were played with `limits`.

    Only answers that came in time: what a late one took is told by its fault.
    """
    firsts: list[Time] = []
    others: list[Time] = []
    for bout in bouts:
        if bout.spec.conditions.clock != limits:
            continue
        for record in bout.records:
            for turn in record.turns:
                times = turn.times[bout.spec.seat]
                if turn.verdicts[bout.spec.seat] not in {"answer", "malformed"} or times is None:
                    continue
                if len(times) < 3 or not any(times[1:]):
                    continue  # sent ahead, without having been asked
                # The latest it can have come; in doubt it counted as in time (PROTOCOL.md 4).
                seconds = min(times[2] / 1e6, limits.of_turn(turn.turn))
                time = Time(seconds=seconds, bout=bout.spec.name, turn=turn.turn)
                (others if turn.turn else firsts).append(time)
    return (
        Times(limit=limits.first, all=tuple(firsts)),
        Times(limit=limits.turn, all=tuple(others)),
    )
