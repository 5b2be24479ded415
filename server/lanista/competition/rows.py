"""The matches of a tournament as rows of plain values, for tables of other programs."""

from lanista.competition.setup import Setup
from lanista.competition.stored_blocks import read_stored_blocks
from lanista.results.database import Store

Row = dict[str, int | float | str | None]


def match_rows(setup: Setup) -> list[Row]:
    """Return a row for each bot of each stored match of a tournament, the oldest first.

    Void matches are included, with `end` `void`; matches of blocks that the spec no longer contains
    are not.

    Args:
        setup: The tournament, after `settle_seed`.

    Raises:
        StoreError: The database can't be read.
    """
    rows: list[Row] = []
    # Whether it is damaged was looked for when the run began.
    with Store.open(setup.database, create=False, check=False) as store, store.reading() as now:
        entries = read_stored_blocks(setup, now.played()).entries
        matches = list(now.matches([entry.id for entry in entries]))
    for stored in reversed(matches):
        match = stored.match
        common: Row = {
            "block": stored.block,
            "seating": match.seating,
            "attempt": match.attempt,
            "game": setup.ruleset.name,
            "map": stored.map,
            "seed": stored.seed,
            "end": match.end,
            "reason": match.reason,
            "turns": match.turns,
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
