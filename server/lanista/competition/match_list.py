"""The stored matches of a tournament, for the page (in the form of docs/api.md) and for tables."""

from typing import Any

from lanista.competition.setup import Setup
from lanista.competition.stored_blocks import read_stored_blocks
from lanista.games.outcome import ENDINGS
from lanista.results.block_records import BlockMatch
from lanista.results.database import Store
from lanista.results.reading import StoredMatch
from lanista.results.recorded import match_json, stored_json


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
) -> dict[str, Any]:
    """Return matches, the newest first, and where the next page begins.

    Args:
        setup: The tournament.
        store: Its database.
        limit: The most matches to return.
        before: The `next` of the page before; None for the first page.
        player: The name of a bot that played in them; None for any.
        against: The name of a second bot that played in them, too; None for any.
        ending: How they ended for `player`, or for any bot: a value of `Ending`; None for any.
        fault: `late`, `malformed` or `illegal`: `player`, or any bot, made such a fault.

    Raises:
        StoreError: The database can't be read.
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
    return {
        "matches": [_as_json(setup, stored) for stored in found[:limit]],
        "next": str(found[limit - 1].number) if len(found) > limit else None,
    }


def _as_json(setup: Setup, stored: StoredMatch) -> dict[str, Any]:
    match = stored.match
    return match_json(
        setup.ruleset.name,
        match=BlockMatch(stored.block, match.seating, match.attempt).id,
        tournament=setup.spec.name,
        ended=stored.committed,
        seed=str(stored.seed),
        map=stored.map or None,
        faults=[seat.late + seat.malformed + seat.illegal for seat in match.seats],
        recorded=match.record is not None,
        **stored_json(stored),
    )


Row = dict[str, int | float | str | None]


def match_rows(setup: Setup) -> list[Row]:
    """Return a row of plain values for each bot of each stored match, the oldest first.

    The setup is one after `settle_seed`. Void matches are included, with `end` `void`; matches of
    blocks that the spec no longer contains are not.

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
