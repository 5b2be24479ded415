"""For programs: a tournament's spec looked up, and the standings of what its database holds.

Nothing that plays is imported, nothing is printed and nothing written.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lanista.pairing.base import Format
from lanista.standings.table import Standings
from lanista.store.database import Store
from lanista.tournament.formats import make_format
from lanista.tournament.setup import Setup, prepare
from lanista.tournament.spec import Spec, read_spec, spec_of
from lanista.tournament.stored_blocks import read_stored_blocks, settle_seed
from lanista.tournament.totals import snapshot, standings

AnySpec = str | Path | Mapping[str, Any] | Spec
"""A TOML file's path, what such a file holds, or a spec."""


def load(spec: AnySpec, folder: str | Path | None = None, *, plays: bool = True) -> Setup:
    """Look up all that a spec names.

    Args:
        spec: The spec.
        folder: Where results lie, and what paths are relative to, for a spec that is no file; the
            present folder without it.
        plays: Whether it will be played here; else no program need be there, only the results.

    Raises:
        SpecError: It can't be read, or can't be played.
    """
    if isinstance(spec, (str, Path)):
        path = Path(spec)
        return prepare(read_spec(path), path.parent, path.stem, plays=plays, source=path)
    if not isinstance(spec, Spec):
        spec = spec_of(spec)
    return prepare(spec, Path.cwd() if folder is None else Path(folder), plays=plays)


def standings_of(setup: Setup, store: Store) -> Standings:
    """The standings of what a database holds of a tournament; nothing is written.

    Args:
        setup: The tournament.
        store: Its database; may be in use by a run.

    Raises:
        SpecError: The spec's format can't be.
        StoreError: The database can't be read.
    """
    settle_seed(setup, store, makes=False)
    format_ = format_of(setup)
    with store.reading() as now:
        stored_blocks = read_stored_blocks(setup, now.played())
        benched = [one.bot for one in now.benched() if one.bot in setup.bots]
    for _, pairing, played in stored_blocks.entries:
        format_.record(pairing, played)
    for bot in benched:
        format_.bench(bot)
    return standings(setup, store, snapshot(format_, stored_blocks, benched))


def format_of(setup: Setup) -> Format:
    """The format of a tournament, new.

    Raises:
        SpecError: It can't be.
    """
    return make_format(
        setup.spec,
        setup.ruleset.seats,
        setup.draws,
        setup.bots,
        setup.fillers,
        maps=max(1, len(setup.spec.maps)),
        rotation=setup.turn,
    )
