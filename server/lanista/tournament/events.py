"""What a running tournament tells those who watch it: one frozen class an event, and their JSON.

Events are facts for displays and logs. Nothing is decided, printed or stored here; strings from
bots stand here as they came, for the display to make safe.
"""

import enum
import re
from collections.abc import Mapping
from typing import Any

import attrs

from lanista.pairing.base import Progress
from lanista.store.results import MatchResult

SCHEMA = 1
"""Of the events' JSON; grows when an older reader couldn't understand a newer one."""


@attrs.frozen(kw_only=True)
class Begun:
    """All was looked up, what was played before was counted; playing begins."""

    name: str
    game: str
    format: str
    bots: tuple[str, ...]
    """Those with a place in the standings, in the spec's order."""
    seats: int
    progress: Progress
    """With what was played before."""
    matches: int
    """That count, played before."""
    slots: int | None
    """Tasks at the same time; None while that is yet to be measured (`Calibrated`)."""


@attrs.frozen(kw_only=True)
class Level:
    """What the measurement showed with so many blocks at the same time."""

    concurrency: int
    median: float
    """Seconds from a hand-over to its answer: half were as fast."""
    high: float
    """99 of 100 were as fast."""
    stall: float
    """Seconds of the longest stall of the host."""
    answers: int
    trouble: str = ""
    """Why it is too much, one line; empty when answers don't suffer."""


@attrs.frozen(kw_only=True)
class Calibrated:
    """How many blocks this machine plays at the same time without hurting clocks."""

    slots: int
    levels: tuple[Level, ...]
    """From 1 up; the last one may be the one that was too much."""
    words: str
    """The figures, one line."""


@attrs.frozen(kw_only=True)
class BlockDone:
    """A block was played and is stored."""

    block: str
    """Its id."""
    bots: tuple[str, ...]
    """By place."""
    seed: int
    map: str
    matches: tuple[MatchResult, ...]
    """In the order played, void ones too."""
    progress: Progress
    running: int
    """Blocks that are being played."""
    slots: int
    """Tasks that may run at the same time."""
    rate: float
    """Matches a second, of late; 0 while that isn't known."""
    eta: float | None
    """Seconds until all is played; None where nobody can know."""


@attrs.frozen(kw_only=True)
class Voided:
    """Matches of a block were void by the host's stalls, and were played again."""

    block: str
    bots: tuple[str, ...]
    count: int
    stall: float
    """Seconds of the longest stall."""


@attrs.frozen(kw_only=True)
class Lowered:
    """Stalls showed: fewer blocks are played at the same time from here on."""

    slots: int
    words: str


@attrs.frozen(kw_only=True)
class Resized:
    """Workers of a cluster came or went."""

    slots: int
    """Tasks at the same time from here on."""
    workers: int
    """Threads that are there; with 0, tasks wait for one."""


@attrs.frozen(kw_only=True)
class Benched:
    """A bot failed so often running that it plays no more."""

    bot: str
    failures: int
    """Matches it failed running."""
    words: str
    """The last failure's."""


@attrs.frozen(kw_only=True)
class WorkerLost:
    """A worker ended in the middle; its blocks are handed out again."""

    words: str
    blocks: tuple[str, ...]
    """Their ids."""


@attrs.frozen(kw_only=True)
class Finishing:
    """It was asked to finish: nothing more is handed out, what runs is waited for."""

    running: int
    """Blocks that are being played."""


@attrs.frozen(kw_only=True)
class Halted:
    """It can't go on: nothing more is handed out, what runs is waited for."""

    words: str
    """Why, one line."""
    trace: str = ""
    """Where in the code, if it is our fault; several lines."""


@attrs.frozen(kw_only=True)
class Ended:
    """Nothing runs any more."""

    over: bool
    """Whether all was played."""
    halted: str
    interrupted: bool
    progress: Progress
    verdict: str
    """What the format found, one line, or empty."""


Event = (
    Begun
    | Calibrated
    | BlockDone
    | Voided
    | Lowered
    | Resized
    | Benched
    | WorkerLost
    | Finishing
    | Halted
    | Ended
)


def as_json(event: Event) -> dict[str, Any]:
    """An event as one JSON object: `schema`, `event` (its class: `block-done`) and its fields.

    A field that is an object or a list is written as such; seconds are numbers. Strings hold what
    bots sent: `json.dumps` escapes what a terminal must not see as long as it writes ASCII.
    """
    kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(event).__name__).lower()
    return {"schema": SCHEMA, "event": kind, **_plain(attrs.asdict(event))}


def _plain(value: Any) -> Any:
    """Values that JSON knows."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(inner) for inner in value]
    return value
