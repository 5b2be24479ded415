"""The fair clock: when an answer arrived, and whether that was in time.

All moments are seconds of trio's clock, which is monotonic. An arrival is known by two bounds,
because one read may return several segments and carries only the last one's time of receipt.
Pure arithmetic lives here; `channel` takes the times, `stalls` watches the host.
"""

import attrs


@attrs.frozen
class Limits:
    """Seconds a seat has for its answers; 0 is no limit."""

    first: float = 20.0
    """For the first answer, from the opening."""
    turn: float = 0.2
    """For every other."""

    def of_turn(self, turn: int) -> float:
        """Seconds for the answer asked for in this turn, from 0; infinite without a limit."""
        return (self.turn if turn else self.first) or float("inf")

    def allowance(self, turns: int) -> float:
        """Seconds for a whole match of this many turns; 0 when any turn has no limit."""
        if not self.first or not self.turn:
            return 0.0
        return self.first + self.turn * (turns - 1)


@attrs.frozen
class Arrival:
    """When the last byte of an answer reached the machine, as far as that can be known."""

    earliest: float
    """It was not there before: the hand-over, or the last moment nothing was there to read."""
    latest: float
    """It was there by then: the receive time of the read that completed the line."""
    read_at: float
    """When the arena got round to reading it."""

    def in_time(self, deadline: float) -> bool:
        """Whether the answer counts: in doubt, for the bot (PROTOCOL.md 4)."""
        return self.earliest <= deadline

    def in_doubt(self, deadline: float) -> bool:
        """Whether it counts only because the host was too busy to know."""
        return self.earliest <= deadline < self.latest


def arrival(
    *, known_empty: float, stamp: float | None, read_at: float, has_trailing: bool
) -> Arrival:
    """Bound an arrival.

    Args:
        known_empty: The hand-over, or the last moment since when nothing was there to read.
        stamp: When the kernel received the last byte of the read; None if it doesn't say.
        read_at: When the read returned.
        has_trailing: Whether bytes behind the answer's newline may have come with it: then the
            stamp is theirs, and the answer came at some moment before.
    """
    if stamp is None or stamp > read_at:
        # Nothing is received after it was read: such a stamp is of a clock that was set meanwhile.
        return Arrival(known_empty, max(known_empty, read_at), read_at)
    # Stamps are of the wall clock, turned into ours by the reader; bounded, so that a clock that
    # was set back meanwhile can't move an arrival out of what we know for certain.
    bounded = max(stamp, known_empty)
    return Arrival(known_empty if has_trailing else bounded, bounded, max(read_at, bounded))
