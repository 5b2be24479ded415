"""The standings of a tournament, from its database and its format.

The mathematics is in `ratings.compute`; here its arguments are collected. Nothing is written.
"""

from collections.abc import Mapping, Sequence

import attrs

from lanista.competition.formats.base import Format, Progress
from lanista.competition.setup import Setup
from lanista.competition.stored_blocks import StoredBlocks
from lanista.ratings.compute import compute
from lanista.ratings.counting import count
from lanista.ratings.table import Standings
from lanista.results.blocks import BlockScore, RoundMeeting, Seating
from lanista.results.database import Store


@attrs.frozen(kw_only=True)
class Snapshot:
    """The state of a format and of the recorded results at one moment."""

    counted: Sequence[BlockScore]
    """The blocks that count, in commit order."""
    uncounted: Sequence[str]
    """The ids of all other blocks."""
    seated: tuple[Seating, ...]
    """The seatings of each block."""
    progress: Progress
    over: bool
    """Whether the whole tournament was played."""
    verdict: str
    """One line about what the format decided, or empty."""
    order: Sequence[tuple[int, str]] | None
    """The places that the format gives, as `Format.order` returns them."""
    byes: Mapping[str, float]
    """Points from byes, by bot."""
    benched: tuple[str, ...]
    """The names of the benched bots."""
    rounds: tuple[tuple[RoundMeeting, ...], ...] = ()
    """The meetings of each round; empty in formats without rounds."""


def snapshot(format_: Format, stored_blocks: StoredBlocks, benched: Sequence[str]) -> Snapshot:
    """Copy the state of a format, so that standings can be computed in another thread."""
    counted, uncounted = [], list(stored_blocks.unmatched)
    for id_, pairing, score in stored_blocks.entries:
        if format_.counts(pairing):
            counted.append(score)
        else:
            uncounted.append(id_)
    rounds = getattr(format_, "rounds", None)  # only formats that are played in rounds have it
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
        benched=tuple(benched),
        rounds=() if rounds is None else tuple(map(tuple, rounds())),
    )


def standings(setup: Setup, store: Store, moment: Snapshot) -> Standings:
    """Compute the standings at the moment of a snapshot.

    This may take a second; it may be called in any thread.

    Raises:
        StoreError: The database can't be read.
    """
    ended = store.endings(moment.uncounted)
    computed = compute(
        name=setup.spec.name,
        game=setup.ruleset.name,
        format=setup.spec.format.value,
        bots=setup.bots,
        counted=count(moment.counted, moment.seated, setup.bots, setup.fillers),
        endings={bot: counts.endings for bot, counts in ended.bots.items()},
        faults={
            bot: (counts.late, counts.malformed, counts.illegal)
            for bot, counts in ended.bots.items()
        },
        voids=ended.voids,
        benched=moment.benched,
        order=moment.order,
        byes=moment.byes,
        planned=moment.progress.planned,
        uncounted=len(moment.uncounted),
        over=moment.over,
        words=moment.verdict if moment.over else moment.progress.words,
    )
    return attrs.evolve(computed, rounds=moment.rounds)
