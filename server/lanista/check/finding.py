"""What a check finds: items with status, evidence and advice. How they are found is in `items`."""

import enum
from collections.abc import Sequence

import attrs


class Status(enum.Enum):
    """What came of an item."""

    OK = "ok"
    WARNING = "warning"
    """Nothing is wrong yet."""
    FAILED = "failed"
    NOT_APPLICABLE = "not-applicable"
    """It asks for what this bot, or this game, doesn't have."""
    NOT_TRIED = "not-tried"
    """It couldn't be judged: so nothing is known of it."""


@attrs.frozen(kw_only=True)
class Item:
    """One finding."""

    name: str
    """For programs: one word."""
    title: str
    """For people: what a good bot does."""
    status: Status
    said: str = ""
    """What was seen, in a few words."""
    evidence: tuple[str, ...] = ()
    """Line by line; may hold anything that the bot sent."""
    advice: str = ""
    """What to do about it."""


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
"""By name, in order."""


def passed(items: Sequence[Item]) -> bool:
    """Whether nothing is wrong, and nothing is left that couldn't be tried."""
    return not any(item.status in {Status.FAILED, Status.NOT_TRIED} for item in items)
