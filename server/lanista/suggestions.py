"""Suggestions for mistyped names: the known name that is closest to what was typed.

Every message about an unknown name ends with `did_you_mean`, so that all of them read alike.
"""

from collections.abc import Iterable

LONGEST = 64
"""Number of characters that are compared; comparing a long text would take long."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is closest to a name, or None if none is close.

    Upper and lower case are the same here: whoever types `DEMO` is told of `Demo`.
    """
    import difflib  # noqa: PLC0415 - only a mistake needs it

    by_key = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name[:LONGEST].casefold(), by_key, n=1)
    return by_key[close[0]] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: a suggestion, or nothing."""
    close = nearest(name, known)
    return "" if close is None else f"; did you mean {close!a}?"
