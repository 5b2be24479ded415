"""Comparing a ladder's stored results with the records of its matches."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import attrs

from lanista.arena.ladder_results import LONGEST_MATCH, result_of, unstored
from lanista.match.record import Header, ResultInfo
from lanista.results.match_result import SingleMatch
from lanista.results.reading import StoredMatch
from lanista.results.recorded import Comparison, Finding, Trouble


@attrs.frozen
class LadderRecords:
    """The records of a ladder's matches, for `lanista.results.recorded`."""

    folder: Path
    """The arena's folder of records by day."""
    ladder: str
    """The ladder's name."""

    def result(self, stored: StoredMatch, header: Header, info: ResultInfo) -> SingleMatch | None:
        """Return what a record says of a stored match; None if its match was aborted."""
        assert stored.match.record is not None
        return result_of(header, info, stored.match.record)

    def unstored(self, comparison: Comparison) -> Iterator[Finding]:
        """Yield the records of the ladder that aren't stored, and those that can't be read."""
        damaged: list[str] = []

        def on_damaged(_: str, why: str) -> None:
            damaged.append(why)

        all_ = datetime.min.replace(tzinfo=UTC) + LONGEST_MATCH
        for result in unstored(self.folder, self.ladder, all_, comparison.paths, on_damaged):
            record = str(result.match.record)
            if comparison.is_missing(str(result.match.id), record):
                yield Finding(Trouble.UNSTORED, f"{self.folder / record}: its match isn't stored")
        for why in damaged:
            yield Finding(Trouble.UNREADABLE, why)
