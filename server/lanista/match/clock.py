"""The fair clock: when an answer arrived, and whether that was in time.

A bot's time runs from the moment when the arena has handed the turn's bytes to the operating system
until the last byte of the answer reaches the arena's machine (PROTOCOL.md 4), as stamped by the
kernel. docs/design.md, "The fair clock", says why an arrival is an interval, and how doubts are
decided. All moments are seconds of trio's clock, which is monotonic.
"""

import attrs


@attrs.frozen
class ClockInfo:
    """The time limits of a match in seconds, where 0 means none, and the limit of late turns.

    A match's record has them as they are here.
    """

    time_init: float
    """The limit of the first answer, from the opening."""
    time_move: float
    """The limit of every other answer."""
    late_limit: int
    """Number of late turns in a row, or of turns without a connection, that eliminates a seat in
    games that skip late turns."""
    lag_allowance: float = 0.0
    """Maximum of the round trip, in seconds, that is added to a seat's time limits."""

    def of_turn(self, turn: int) -> float:
        """Return the seconds for the answer of a turn, counted from 0; infinite without a limit."""
        return (self.time_move if turn else self.time_init) or float("inf")

    def allowance(self, turns: int) -> float:
        """Return the seconds for a match of this many turns; 0 if any turn has no limit."""
        if not self.time_init or not self.time_move:
            return 0.0
        return self.time_init + self.time_move * (turns - 1)


@attrs.define  # frozen, it would take thrice as long to make, for each answer
class Arrival:
    """The moment at which the last byte of an answer reached the machine, as an interval."""

    earliest: float
    """Lower bound: the hand-over, or the last moment at which nothing was there to read."""
    latest: float
    """Upper bound: the time of receipt that came with the read that completed the answer."""
    read_at: float
    """When the arena read the answer."""

    def in_time(self, deadline: float) -> bool:
        """Tell whether the answer counts; a doubt is decided for the bot (PROTOCOL.md 4)."""
        return self.earliest <= deadline

    def in_doubt(self, deadline: float) -> bool:
        """Tell whether the answer counts only because the host was too busy to know better."""
        return self.earliest <= deadline < self.latest


def arrival(
    *, known_empty: float, stamp: float | None, read_at: float, has_trailing: bool
) -> Arrival:
    """Return the interval in which an answer arrived.

    `known_empty` is the last moment at which nothing was there to read, or the hand-over. `stamp`
    is when the kernel received the last byte of the read; None if that isn't known. If bytes after
    the answer's newline may have come with it (`has_trailing`), the stamp is theirs, and the answer
    came at some moment before it.
    """
    if stamp is None or stamp > read_at:
        # Nothing is received after it was read: such a stamp is from a clock that was set since.
        return Arrival(known_empty, max(known_empty, read_at), read_at)
    # Stamps are converted from the wall clock. If that was set back meanwhile, they are too early;
    # the bound keeps the arrival within what is known for certain.
    bounded = max(stamp, known_empty)
    return Arrival(known_empty if has_trailing else bounded, bounded, max(read_at, bounded))
