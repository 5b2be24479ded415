"""The installed rulesets by name, from the entry point group `lanista.rulesets`.

Another package adds a game by declaring an entry point in its own pyproject.toml.
"""

import functools
from importlib.metadata import EntryPoint, entry_points

from lanista.errors import BadInputError
from lanista.rules.base import Ruleset
from lanista.suggestions import did_you_mean

GROUP = "lanista.rulesets"


class UnknownGameError(BadInputError):
    """No installed ruleset has this name; the message lists the installed ones."""


@functools.cache
def _installed() -> dict[str, EntryPoint]:
    return {point.name: point for point in sorted(entry_points(group=GROUP), key=lambda p: p.name)}


def names() -> tuple[str, ...]:
    """Return the names of all installed rulesets, sorted."""
    return tuple(_installed())


def get(name: str) -> Ruleset:
    """Load the ruleset of this name.

    Raises:
        UnknownGameError: There is none.
    """
    point = _installed().get(name)
    if point is None:
        raise UnknownGameError(
            f"unknown game {name[:64]!r}; known games: {', '.join(names())}"
            f"{did_you_mean(name, names())}"
        )
    ruleset: Ruleset = point.load()
    return ruleset
