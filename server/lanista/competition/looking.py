"""Functions for programs that look at a tournament: load its spec, compute its standings.

No module that plays is imported; nothing is printed or written.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lanista.competition.formats.base import Format
from lanista.competition.make_format import make_format
from lanista.competition.setup import Setup, prepare
from lanista.competition.spec import Spec, read_spec, spec_of
from lanista.competition.stored_blocks import read_stored_blocks, settle_seed
from lanista.competition.totals import Snapshot, snapshot, standings
from lanista.ratings.table import Standings
from lanista.results.database import Store

AnySpec = str | Path | Mapping[str, Any] | Spec
"""The path of a TOML file, the content of such a file, or a spec."""


def load(spec: AnySpec, folder: str | Path | None = None, *, plays: bool = True) -> Setup:
    """Look up all that a spec names, and return the tournament.

    Args:
        spec: The spec.
        folder: For a spec that isn't a file: the folder of the results, to which paths in the spec
            are relative; None for the current directory.
        plays: Whether it will be played on this machine; if not, the programs of the bots needn't
            be there.

    Raises:
        SpecError: The spec can't be read or can't be played.
    """
    if isinstance(spec, (str, Path)):
        path = Path(spec)
        return prepare(read_spec(path), path.parent, path.stem, plays=plays, source=path)
    if not isinstance(spec, Spec):
        spec = spec_of(spec)
    return prepare(spec, Path.cwd() if folder is None else Path(folder), plays=plays)


def standings_of(setup: Setup, store: Store) -> Standings:
    """Compute the standings of a tournament from its database.

    Args:
        setup: The tournament.
        store: Its database; it may be in use by a run.

    Raises:
        SpecError: The spec doesn't fit its format.
        StoreError: The database can't be read.
    """
    return standings(setup, store, moment_of(setup, store))


def moment_of(setup: Setup, store: Store) -> Snapshot:
    """Read where a tournament stands from its database.

    Args:
        setup: The tournament.
        store: Its database; it may be in use by a run.

    Raises:
        SpecError: The spec doesn't fit its format.
        StoreError: The database can't be read.
    """
    settle_seed(setup, store, makes=False)
    format_ = format_of(setup)
    with store.reading() as now:
        stored_blocks = read_stored_blocks(setup, now.played())
        benched = [benching.bot for benching in now.benched() if benching.bot in setup.bots]
    for _, pairing, score in stored_blocks.entries:
        format_.record(pairing, score)
    for bot in benched:
        format_.bench(bot)
    return snapshot(format_, stored_blocks, benched)


def format_of(setup: Setup) -> Format:
    """Make the format of a tournament, with nothing played.

    Raises:
        SpecError: The spec doesn't fit its format.
    """
    return make_format(
        setup.spec,
        setup.ruleset.seats,
        setup.openings,
        setup.bots,
        setup.fillers,
        maps=max(1, len(setup.spec.maps)),
        rotation=setup.rotation,
    )
