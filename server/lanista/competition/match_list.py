"""The stored matches of a tournament as a list that can be filtered, in the form of docs/api.md."""

from typing import Any

from lanista.competition.setup import Setup
from lanista.match.ending import ENDINGS
from lanista.results.block_records import BlockMatch
from lanista.results.database import Store
from lanista.results.reading import StoredMatch


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
    return {
        "match": BlockMatch(stored.block, match.seating, match.attempt).id,
        "game": setup.ruleset.name,
        "title": setup.ruleset.title,
        "ladder": None,
        "tournament": setup.spec.name,
        "state": "over",
        "started": None,
        "ended": stored.committed,
        "players": [seat.bot for seat in match.seats],
        "end": match.end,
        "reason": match.reason,
        "ranks": [seat.rank for seat in match.seats],
        "scores": [seat.score for seat in match.seats],
        "turns": match.turns,
        "seed": str(stored.seed),
        "map": stored.map or None,
        "faults": [seat.late + seat.malformed + seat.illegal for seat in match.seats],
        "endings": [seat.ending.value for seat in match.seats],
        "words": [seat.words for seat in match.seats],
        "recorded": match.record is not None,
    }
