"""How a match can end for one of its bots."""

import enum


class Ending(enum.StrEnum):
    """How a match ended for one of its bots. Who won is told by the ranks."""

    NORMAL = "normal"
    """It played until the end."""
    ILLEGAL = "illegal"
    """An answer that the rules forbid cost it the match."""
    LATE = "late"
    """Answers that came too late cost it the match."""
    MALFORMED = "malformed"
    """An answer that can't be read cost it the match, or what it sent was no line at all."""
    CRASH = "crash"
    """Its process ended by a fault of its own while it was needed."""
    DISCONNECT = "disconnect"
    """It left the match: its connection ended."""
    STALL = "stall"
    """It was there and gave no answer at all, not even too late, or did not read what it was
    sent."""
    START_FAILURE = "start-failure"
    """It did not come to the match."""
    VOID = "void"
    """The host stalled: the match doesn't count, and was played again."""


FAILURES = frozenset(Ending) - {Ending.NORMAL, Ending.VOID}
"""The endings that are the bot's own fault."""
