"""Comparing a tournament's stored results with the records of its matches."""

from collections.abc import Iterator
from functools import partial

from lanista.competition.setup import Setup
from lanista.games.outcome import Termination
from lanista.hosting.host import match_result
from lanista.match.record import ENDING, Header, ResultInfo
from lanista.results.block_records import BlockMatch
from lanista.results.database import Store
from lanista.results.match_result import BlockResult
from lanista.results.reading import StoredMatch
from lanista.results.recorded import Comparison, Finding, Trouble


def comparison(setup: Setup, store: Store) -> Comparison:
    """Return the comparison of a tournament's results with its records."""
    return Comparison(store, setup.records, partial(_recorded, setup))


def _recorded(
    setup: Setup, stored: StoredMatch, header: Header, info: ResultInfo
) -> BlockResult | None:
    if info.end == Termination.ABORTED.value or not info.endings:
        return None
    record, match = str(stored.match.record), stored.match
    place = BlockMatch(stored.block, match.seating, match.attempt)
    # A record has the board, but not the name that the map has in the spec.
    board = setup.match_setup.boards.get(stored.map, header.board)
    return BlockResult(
        block=stored.block
        if place.place(is_void=not match.counted) == record
        else f"that of {record}",
        bots=stored.bots,
        seed=header.seed,
        map=stored.map if header.board == board else "another",
        matches=(
            match_result(
                info,
                [player.name for player in header.players],
                seating=match.seating,
                attempt=header.try_,
                seconds=match.seconds,
                stall=match.stall,
                record=record,
            ),
        ),
    )


def only_recorded(comparison: Comparison) -> Iterator[Finding]:
    """Yield the records whose matches aren't stored.

    Args:
        comparison: The comparison, which has read all that is stored.

    Raises:
        StoreError: The database can't be read.
        OSError: The folder of records can't be read.
    """
    for path in sorted(comparison.records.glob(f"[0-9a-f][0-9a-f]/*{ENDING}")):
        record = f"{path.parent.name}/{path.name}"
        block, seating, *void = path.name.removesuffix(ENDING).split("-")
        if record not in comparison.paths and comparison.is_missing(
            block, int(seating), record, counted=not void
        ):
            yield Finding(Trouble.UNSTORED, f"{path}: its match isn't stored")
