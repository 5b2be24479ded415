"""What an operator chooses for an arena, and the files that the arena needs to have open for it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from lanista.arena.spec import ArenaSpec, LadderSpec, Registration, Tls
from lanista.match.conditions import MatchConditions
from lanista.results.data_folder import DataFolder
from lanista.rules.base import Ruleset

LINGERING = 64
"""Number of connections without a place that may take a second to read why. Any others are sent the
reason and closed at once, in which case a bot that is just sending may not get to read it."""
ENTERING = 16
"""Number of connections without a place that may be in the process of being accepted."""


@attrs.frozen(kw_only=True)
class Options:
    """What an operator chooses."""

    default: Ruleset
    """The game of bots that don't ask for one; `settings` and `board` are for it alone."""
    host: str = "127.0.0.1"
    port: int = 7777
    data: DataFolder = attrs.field(default=DataFolder("lanista-data"), converter=DataFolder)
    conditions: MatchConditions = attrs.field(factory=MatchConditions)
    settings: Mapping[str, int] = attrs.field(factory=dict)
    board: Any = None
    manual: bool = False
    """Whether matches begin only when the operator says so."""
    matches: int | None = None
    """Number of matches after which the arena ends; None for no end."""
    max_connections: int = 1000
    max_per_address: int | None = None
    """Maximum number of simultaneous connections of one address; None for 100, or no limit for
    loopback addresses."""
    hello_timeout: float = 10.0
    """Seconds until which a connection must have sent its hello."""
    drain: float = 0.0
    """Seconds that running matches have to end after SIGTERM."""
    workers: int = 1
    """Number of processes that play matches; 1 for the arena's own."""
    ladders: tuple[LadderSpec, ...] = ()
    """The rated rooms."""
    registration: Registration = Registration.OPEN
    """Who may register a name on the ladders."""
    store: str | None = attrs.field(default=None, repr=False)
    """The URL of a PostgreSQL database for ladders and names; None for files in `data`."""
    tls: Tls | None = None
    """The certificate with which bots' port and page speak TLS; None for plain text."""
    private: tuple[Path, ...] = attrs.Factory(lambda self: self.data.private, takes_self=True)
    """Files and folders of this arena that its house bots don't see in their sandboxes."""
    folder: Path = Path()
    """The folder that `tls`, and the maps and the house bots' programs of `ladders` are relative
    to."""


def private_paths(spec: ArenaSpec, folder: Path) -> tuple[Path, ...]:
    """Return the files and folders of an arena that sandboxed bots must not see.

    These are its data, its secrets, and the folder of its file, which may have others.

    Args:
        spec: The content of the arena's file.
        folder: The folder of the file.
    """
    secrets = () if spec.tls is None else (spec.tls.certificate, spec.tls.key)
    files = [folder / path for path in (*secrets, *spec.page.tournaments)]
    return (folder, *DataFolder(folder / spec.data).private, *files)


def files_needed(max_connections: int, *, has_tls: bool = False) -> int:
    """Return how many files an arena must be allowed to have open, so that no match lacks one."""
    records = max_connections // 2  # if all matches are of two
    # Compressing a record takes two more, in one of trio's 40 threads. The last number is for the
    # arena itself: the catalogue, listeners, pipes of other processes, a bundle, the web page.
    sockets = (max_connections + LINGERING + ENTERING) * (2 if has_tls else 1)
    return sockets + records + 2 * 40 + 64
