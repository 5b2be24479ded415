"""The events of a running tournament, for displays and logs: a frozen class for each, and as JSON.

Strings from bots are unchanged in events; whatever displays them has to escape them. `words` are
one line, blocks are known by their ids and bots by their names. `running` is the number of blocks
that are being played, and `slots` the number of tasks that may run at the same time.
"""

import re
from typing import Any

import attrs

from lanista.competition.formats.base import Progress
from lanista.results.match_result import MatchResult

SCHEMA = 1
"""Version of the events' JSON; it grows with changes that older readers can't understand."""


@attrs.frozen(kw_only=True)
class Begun:
    """Playing begins; what earlier runs have played was counted."""

    name: str
    game: str
    format: str
    bots: tuple[str, ...]
    """The bots with a place in the standings, in the order of the spec."""
    seats: int
    progress: Progress
    """The progress, with the blocks of earlier runs."""
    matches: int
    """The number of matches of earlier runs that count."""
    slots: int


@attrs.frozen(kw_only=True)
class BlockDone:
    """A block was played and is stored."""

    block: str
    bots: tuple[str, ...]
    """The bots, by place."""
    seed: int
    map: str
    matches: tuple[MatchResult, ...]
    """The matches in the order played, void ones too."""
    progress: Progress
    running: int
    slots: int
    rate: float
    """The number of matches a second, averaged over this run."""
    eta: float | None
    """Expected number of seconds until all is played; None if it can't be known."""


@attrs.frozen(kw_only=True)
class Voided:
    """Matches of a block were void because the host stalled, and were played again."""

    block: str
    bots: tuple[str, ...]
    count: int
    stall: float
    """Duration of the longest stall, in seconds."""


@attrs.frozen(kw_only=True)
class Lowered:
    """A match was void, so fewer blocks are played at the same time from now on."""

    slots: int
    words: str
    """The new number and the reason."""


@attrs.frozen(kw_only=True)
class Resized:
    """The number of workers of a cluster has changed."""

    slots: int
    workers: int
    """The number of threads of the workers; if it is 0, tasks wait for one."""


@attrs.frozen(kw_only=True)
class Benched:
    """A bot failed so many matches in a row that it plays no more."""

    bot: str
    failures: int
    words: str
    """A description of its last failure."""


@attrs.frozen(kw_only=True)
class WorkerLost:
    """A worker died while it played; its blocks are handed out again."""

    words: str
    blocks: tuple[str, ...]


@attrs.frozen(kw_only=True)
class Finishing:
    """The run was asked to finish: running blocks are played to their end, and no others begin."""

    running: int


@attrs.frozen(kw_only=True)
class Halted:
    """The run can't go on: running blocks are played to their end, and no others begin."""

    words: str
    trace: str = ""
    """The traceback of an error in Lanista, several lines; empty for other reasons."""


@attrs.frozen(kw_only=True)
class Ended:
    """The run has ended, and nothing is played any more."""

    over: bool
    """Whether the whole tournament was played."""
    halted: str
    """The reason why the run couldn't go on, in one line; empty if it could."""
    interrupted: bool
    """Whether the run was asked to end before all was played."""
    progress: Progress
    verdict: str
    """The decision of the format (such as the winner), in one line, or empty."""


Event = (
    Begun
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
    """Return an event as a JSON object: `schema`, `event` (as `block-done`) and its fields.

    Times are numbers of seconds. Strings from bots are unchanged: write the object by `json.dumps`
    in ASCII, its default, and everything that could harm a terminal is escaped.
    """
    kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(event).__name__).lower()
    return {"schema": SCHEMA, "event": kind, **attrs.asdict(event)}
