"""The ways in which a match can end for one of its bots."""

import enum
from typing import Self


class Ending(enum.StrEnum):
    """How a match ended for one of its bots; the ranks say who won."""

    meaning: str
    """What the ending means, as one sentence about the bot for those who read standings."""

    def __new__(cls, value: str, meaning: str) -> Self:
        """Create an ending from its value and its meaning."""
        ending = str.__new__(cls, value)
        ending._value_ = value
        ending.meaning = meaning
        return ending

    NORMAL = "normal", "It played until the end."
    ILLEGAL = "illegal", "An answer that the rules forbid cost it the match."
    LATE = "late", "Answers that came too late cost it the match."
    MALFORMED = "malformed", "An answer that can't be read cost it the match."
    CRASH = "crash", "Its process ended by a fault of its own while it was needed."
    DISCONNECT = "disconnect", "Its connection ended, or was closed for what it sent."
    # This isn't a stall of the host, for which see VOID.
    NO_RESPONSE = "no-response", "It was there and gave no answer at all, or read nothing."
    START_FAILURE = "start-failure", "It did not come to the match."
    VOID = "void", "The host stalled: the match doesn't count, and was played again."


ENDINGS = {ending.value: ending for ending in Ending}
FAILURES = frozenset(Ending) - {Ending.NORMAL, Ending.VOID}
"""The endings that are the fault of the bot."""
