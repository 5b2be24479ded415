"""The findings of a check: items with status, evidence and advice. `items` makes them."""

import enum
from collections.abc import Sequence

import attrs


class Status(enum.Enum):
    """The result of an item."""

    OK = "ok"
    WARNING = "warning"
    """Nothing is wrong yet."""
    FAILED = "failed"
    NOT_APPLICABLE = "not-applicable"
    """The item needs something that this bot, or this game, doesn't have."""
    NOT_TRIED = "not-tried"
    """The item couldn't be judged, so nothing is known about it."""


@attrs.frozen(kw_only=True)
class Item:
    """One finding."""

    name: str
    """The item's name for programs, one word."""
    title: str
    """A description for people of what a good bot does."""
    status: Status
    said: str = ""
    """A few words about what was seen."""
    evidence: tuple[str, ...] = ()
    """The lines of evidence, which may hold anything that the bot sent."""
    advice: str = ""
    """A recommendation of what to do about it."""


TITLES = {
    "name": "says its name in time",
    "answers": "answers every turn with one line",
    "before-go": "sends nothing before go",
    "submoves": "sends well-formed, legal submoves",
    "unknown-keywords": "ignores keywords it doesn't know",
    "one-turn": "survives a match of one turn",
    "largest-map": "plays on the largest map",
    "out-numbered": "plays on when it is out-numbered",
    "end": "ends by itself, and well, when the match is over",
    "keep": "plays a second match on its connection (keep=1)",
    "times": "answers in time",
    "processes": "leaves no processes behind",
}
"""The titles of all items by name, in the order of the report."""


def passed(items: Sequence[Item]) -> bool:
    """Return whether no item failed, and none couldn't be tried."""
    return not any(item.status in {Status.FAILED, Status.NOT_TRIED} for item in items)
