"""The standings of a tournament and its list of matches, read from its database."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from lanista.competition.formats.base import Format
from lanista.competition.make_format import make_format
from lanista.competition.setup import Setup
from lanista.competition.stored_blocks import (
    StoredBlocks,
    read_stored_blocks,
    resume,
    settle_seed,
)
from lanista.games.outcome import ENDINGS
from lanista.match.record import rounds_of
from lanista.ratings.compute import compute
from lanista.ratings.counting import count
from lanista.ratings.table import Standings
from lanista.results.blocks import BlockScore, Seating
from lanista.results.database import Store
from lanista.results.reading import StoredMatch
from lanista.results.recorded import match_json, stored_json


@attrs.frozen(kw_only=True)
class Snapshot:
    """The state of a format and of the recorded results at one moment."""

    counted: Sequence[BlockScore]
    """The blocks that count, in commit order."""
    uncounted: Sequence[str]
    """The ids of all other blocks."""
    seated: tuple[Seating, ...]
    about: Mapping[str, Any]
    """Where the format stands, by the names of `compute`'s arguments."""


def snapshot(format_: Format, stored_blocks: StoredBlocks) -> Snapshot:
    """Copy the state of a format, so that standings can be computed in another thread."""
    counted, uncounted = [], list(stored_blocks.unmatched)
    for id_, played in stored_blocks.entries:
        if format_.counts(played.pairing):
            counted.append(played)
        else:
            uncounted.append(id_)
    over, progress = format_.over(), format_.progress()
    about = {
        "benched": tuple(format_.benched),
        "order": format_.order(),
        "byes": dict(format_.byes()),
        "planned": progress.planned,
        "over": over,
        "words": format_.verdict() if over else progress.words,
        "rounds": tuple(map(tuple, format_.rounds())),
    }
    return Snapshot(counted=counted, uncounted=uncounted, seated=format_.seated, about=about)


def standings(setup: Setup, store: Store | None, moment: Snapshot) -> Standings:
    """Compute the standings at the moment of a snapshot, in any thread; this may take a second.

    Without a store they tell neither how matches ended nor of any faults.

    Raises:
        StoreError: The database can't be read.
    """
    ended = None
    if store is not None:
        with store.reading() as now:
            ended = now.endings(moment.uncounted)
    return compute(
        name=setup.spec.name,
        game=setup.ruleset.name,
        format=setup.spec.format.value,
        bots=setup.bots,
        counted=count(moment.counted, moment.seated, setup.bots, setup.fillers),
        ended=ended,
        uncounted=len(moment.uncounted),
        **moment.about,
    )


def standings_of(setup: Setup, store: Store) -> Standings:
    """Compute the standings of a tournament from its database, which may be in use by a run.

    Raises:
        SpecError: The spec doesn't fit its format.
        StoreError: The database can't be read.
    """
    return standings(setup, store, moment_of(setup, store))


def moment_of(setup: Setup, store: Store) -> Snapshot:
    """Read where a tournament stands from its database, as `standings_of` does."""
    settle_seed(setup, store, makes=False)
    format_ = format_of(setup)
    with store.reading() as now:
        stored_blocks = read_stored_blocks(setup, now.played())
        benched = [benching for benching in now.benched() if benching.bot in setup.bots]
    resume(format_, stored_blocks, benched)
    return snapshot(format_, stored_blocks)


def format_of(setup: Setup) -> Format:
    """Make the format of a tournament, with nothing played; it raises as `make_format`."""
    return make_format(
        setup.spec,
        setup.ruleset.seats,
        setup.openings,
        setup.bots,
        setup.fillers,
        maps=max(1, len(setup.spec.maps)),
        rotation=setup.rotation,
    )


def page_of(
    setup: Setup,
    store: Store,
    *,
    limit: int,
    before: int | None = None,
    player: str | None = None,
    against: str | None = None,
    ending: str | None = None,
    fault: str | None = None,
) -> tuple[list[dict[str, Any]], int | None]:
    """Return matches as docs/api.md has them, the newest first, and the next page's `before`.

    That is None if there are no more. What is chosen is as in `Reading.matches`, where the bots are
    `bot` and `opponent`; the ending is a value of `Ending`.
    """
    with store.reading() as now:
        found = list(
            now.matches(
                bot=player,
                opponent=against,
                ending=None if ending is None else ENDINGS[ending],
                fault=fault,
                before=before,
                limit=limit + 1,
            )
        )
    after = found[limit - 1].number if len(found) > limit else None
    return [_as_json(setup, stored) for stored in found[:limit]], after


def _as_json(setup: Setup, stored: StoredMatch) -> dict[str, Any]:
    match = stored.match
    return match_json(
        setup.ruleset.name,
        match=stored.of_block.id,
        tournament=setup.spec.name,
        ended=stored.committed,
        seed=str(match.seed),
        map=match.map or None,
        faults=[seat.faults for seat in match.seats],
        recorded=match.record is not None,
        **stored_json(stored),
    )


Row = dict[str, int | float | str | None]


def match_rows(setup: Setup) -> list[Row]:
    """Return a row of plain values for each bot of each stored match, the oldest first.

    The setup is one after `settle_seed`. Void matches are included, with `end` `void`; matches of
    blocks that don't count, since the spec was changed, are not.

    Raises:
        StoreError: The database can't be read.
    """
    rows: list[Row] = []
    # Whether it is damaged was looked for when the run began.
    with Store.open(setup.database, create=False, check=False) as store:
        uncounted = set(moment_of(setup, store).uncounted)
        with store.reading() as now:
            matches = [stored for stored in now.matches() if stored.block not in uncounted]
    for stored in reversed(matches):
        match = stored.match
        common: Row = {
            "block": stored.block,
            "seating": match.seating,
            "attempt": match.attempt,
            "game": setup.ruleset.name,
            "map": match.map,
            "seed": match.seed,
            "end": match.end,
            "reason": match.reason,
            "turns": rounds_of(match.end, match.turns),
            "seconds": match.seconds,
            "record": None if match.record is None else str(setup.records / match.record),
        }
        rows += [
            {
                **common,
                "seat": number,
                "bot": seat.bot,
                "rank": seat.rank,
                "score": seat.score,
                "ending": seat.ending.value,
                "late": seat.late,
                "malformed": seat.malformed,
                "illegal": seat.illegal,
            }
            for number, seat in enumerate(match.seats)
        ]
    return rows
