"""The ways in which a match can end for one of its bots."""

import enum


class Ending(enum.StrEnum):
    """How a match ended for one of its bots; who won is told by the ranks."""

    NORMAL = "normal"
    """The bot played until the end."""
    ILLEGAL = "illegal"
    """The bot lost the match by an answer that the rules forbid."""
    LATE = "late"
    """The bot lost the match by answers that came too late."""
    MALFORMED = "malformed"
    """The bot lost the match by an answer that can't be parsed, or by bytes that aren't a line."""
    CRASH = "crash"
    """The bot's process ended by a fault of its own while it was needed."""
    DISCONNECT = "disconnect"
    """The bot left the match: its connection ended."""
    NO_RESPONSE = "no-response"
    """The bot was connected but gave no answer, not even a late one, or didn't read what it was
    sent. This isn't a stall of the host, for which see VOID."""
    START_FAILURE = "start-failure"
    """The bot didn't connect for the match."""
    VOID = "void"
    """The host stalled, so the match doesn't count and was played again."""


FAILURES = frozenset(Ending) - {Ending.NORMAL, Ending.VOID}
"""The endings that are the fault of the bot."""
