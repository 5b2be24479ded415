"""Comparing a ladder's stored results with the records of its matches."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from lanista.arena.ladder_results import LONGEST_MATCH, result_of, unstored
from lanista.match.record import Header, ResultInfo
from lanista.results.database import Store
from lanista.results.match_result import BlockResult
from lanista.results.reading import StoredMatch
from lanista.results.recorded import Comparison, Finding, Trouble


def comparison(store: Store, records: Path) -> Comparison:
    """Return the comparison of a ladder's results with an arena's folder of records."""
    return Comparison(store, records, _recorded)


def _recorded(stored: StoredMatch, header: Header, info: ResultInfo) -> BlockResult | None:
    assert stored.match.record is not None
    return result_of(header, info, stored.match.record)


def only_recorded(comparison: Comparison, ladder: str) -> Iterator[Finding]:
    """Yield the records of a ladder's matches that aren't stored, and those that can't be read.

    Args:
        comparison: The comparison, which has read all that is stored.
        ladder: The ladder's name.

    Raises:
        StoreError: The database can't be read.
        OSError: The folder of records can't be read.
    """
    damaged: list[str] = []

    def on_damaged(_: str, why: str) -> None:
        damaged.append(why)

    all_ = datetime.min.replace(tzinfo=UTC) + LONGEST_MATCH
    for result in unstored(comparison.records, ladder, all_, comparison.paths, on_damaged):
        (match,) = result.matches
        record = str(match.record)
        if comparison.is_missing(result.block, match.seating, record, counted=match.counted):
            yield Finding(
                Trouble.UNSTORED, f"{comparison.records / record}: its match isn't stored"
            )
    for why in damaged:
        yield Finding(Trouble.UNREADABLE, why)
