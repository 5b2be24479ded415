"""The standings of a tournament, from its database: what counts, and what its format says of it.

`compute` does the mathematics; here is brought together what it needs. Nothing is written.
"""

from collections.abc import Mapping, Sequence

import attrs

from lanista.pairing.base import Format, Progress
from lanista.pairing.blocks import BlockScore, Seating
from lanista.standings.compute import compute
from lanista.standings.table import Standings
from lanista.store.database import Store
from lanista.tournament.setup import Setup
from lanista.tournament.stored_blocks import StoredBlocks


@attrs.frozen(kw_only=True)
class Snapshot:
    """What a format and the ledger know at one moment."""

    counted: Sequence[BlockScore]
    """The blocks that count, in commit order."""
    uncounted: Sequence[str]
    """The ids of all others."""
    seated: tuple[Seating, ...]
    progress: Progress
    over: bool
    verdict: str
    order: Sequence[tuple[int, str]] | None
    byes: Mapping[str, float]
    live: Mapping[str, float]
    """The ladder's live ratings; empty elsewhere."""
    benched: tuple[str, ...]


def snapshot(format_: Format, stored_blocks: StoredBlocks, benched: Sequence[str]) -> Snapshot:
    """Ask a format all at once, so that what follows can be done in another thread."""
    counted, uncounted = [], list(stored_blocks.unmatched)
    for id_, pairing, played in stored_blocks.entries:
        if format_.counts(pairing):
            counted.append(played)
        else:
            uncounted.append(id_)
    live = getattr(format_, "live", None)  # the ladder alone has them
    over = format_.over()
    return Snapshot(
        counted=counted,
        uncounted=uncounted,
        seated=format_.seated,
        progress=format_.progress(),
        over=over,
        verdict=format_.verdict(),
        order=format_.order(),
        byes=dict(format_.byes()),
        live={} if live is None else dict(live()),
        benched=tuple(benched),
    )


def standings(setup: Setup, store: Store, moment: Snapshot) -> Standings:
    """Compute the standings; may take a second, in any thread.

    Raises:
        StoreError: The database can't be read.
    """
    ended = store.endings(moment.uncounted)
    return compute(
        name=setup.spec.name,
        game=setup.ruleset.name,
        format=setup.spec.format.value,
        bots=setup.bots,
        fillers=setup.fillers,
        played=moment.counted,
        seated=moment.seated,
        endings={bot: of.endings for bot, of in ended.bots.items()},
        faults={bot: (of.late, of.malformed, of.illegal) for bot, of in ended.bots.items()},
        voids=ended.voids,
        benched=moment.benched,
        order=moment.order,
        byes=moment.byes,
        live=moment.live,
        planned=moment.progress.planned,
        uncounted=len(moment.uncounted),
        over=moment.over,
        words=moment.verdict if moment.over else moment.progress.words,
    )
