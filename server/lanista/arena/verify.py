"""Comparing stored results with the records of matches, and rebuilding an arena's database."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import attrs

from lanista.arena.ladder_results import unstored
from lanista.match.record import BadRecordError, Header, ResultInfo
from lanista.results.base import Kind
from lanista.results.data_folder import DataFolder
from lanista.results.database import Row, insert, match_row
from lanista.results.match_result import MatchResult
from lanista.results.reading import StoredMatch
from lanista.results.rebuild import Rebuild, in_order, rebuilding
from lanista.results.recorded import (
    Comparison,
    Finding,
    Trouble,
    competition_of,
    differ,
    is_ladder_result,
    read_record,
    record_days,
    record_of,
    result_of,
)

BATCH = 500
"""Number of matches that are stored again in one transaction."""


@attrs.frozen
class LadderRecords:
    """The records of a ladder's matches, for `lanista.results.recorded`."""

    folder: Path
    """The arena's folder of records by day."""
    ladder: tuple[str, str]
    """The ladder's name and game."""

    def result(self, stored: StoredMatch, header: Header, info: ResultInfo) -> MatchResult | None:
        """Return what a record says of a stored match; None if its match was aborted."""
        assert stored.match.record is not None
        return (
            result_of(header, info, stored.match.record) if is_ladder_result(header, info) else None
        )

    def unstored(self, comparison: Comparison) -> Iterator[Finding]:
        """Yield the records of the ladder that aren't stored, and those that can't be read."""
        damaged: list[str] = []

        def on_damaged(_: str, why: str) -> None:
            damaged.append(why)

        for result in unstored(self.folder, self.ladder, "", comparison.paths, on_damaged):
            record = str(result.record)
            if comparison.is_missing(str(result.id), record):
                yield Finding(Trouble.UNSTORED, f"{self.folder / record}: its match isn't stored")
        for why in damaged:
            yield Finding(Trouble.UNREADABLE, why)


def rebuild(data: DataFolder, ladders: Iterable[tuple[str, str]]) -> Rebuild:
    """Rebuild the database of an arena from its records, while the arena doesn't run.

    Its ladders are given by their names and games. Matches keep their order. One that is stored as
    its record says, or that has no record any more, stays as it is stored.

    Raises:
        StoreError: The database is in use, the new one can't be written, or the folder of records
            can't be read.
    """
    with rebuilding(data.database) as work:
        former = work.competitions()
        known = {id_: (number, of) for number, of, id_ in work.numbers() if id_}
        days = dict(record_days(data.records))
        kinds = {
            of: work.new.make_competition(*of)
            for of in [*((Kind.LADDER, *ladder) for ladder in ladders), *former.values()]
            if of[0] is Kind.LADDER
        }
        of_ladders = {id_ for id_, (_, number) in known.items() if former.get(number) in kinds}
        order = in_order({*days, *of_ladders}, {id_: number for id_, (number, _) in known.items()})
        anew = _Anew(work, data.records, kinds)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            numbers = [known[id_][0] for _, id_ in batch if id_ in of_ladders]
            stored = {found.match.id: found for found in work.former_matches(numbers)}
            matches: list[tuple[int, Row]] = []
            for place, id_ in batch:
                found = stored.get(id_)
                of = None if found is None else former[known[id_][1]]
                row = anew.row(id_, days.get(id_), found, of)
                if row is not None:
                    matches.append((place, row))
            with work.new.writing() as connection:
                insert(connection, [row for _, row in matches])
            work.stored([place for place, _ in matches])
        work.keep({number: kinds[of] for number, of in former.items() if of in kinds})
    return work


@attrs.frozen
class _Anew:
    """The results of an arena's matches, stored again from their records."""

    work: Rebuild
    records: Path
    kinds: dict[tuple[Kind, str, str], int]
    """The numbers of the competitions: all ladders, and those whose matches are only listed."""

    def row(
        self,
        id_: str,
        day: str | None,
        stored: StoredMatch | None,
        of: tuple[Kind, str, str] | None,
    ) -> Row | None:
        """Return what is stored again of a match; None if nothing can be.

        The day is that of its record, if there is one. If it is `stored` in the former database, it
        is the result of a ladder, and this is the one that it is `of`.
        """
        match = None if stored is None else stored.match
        if day is not None:
            record = record_of(id_, day)
            try:
                header, info = read_record(self.records / record)
            except (BadRecordError, OSError) as error:
                self.work.troubles.append(f"record: {error}")
            else:
                former, of = of, (Kind.LADDER, *competition_of(header))
                if of not in self.kinds or not is_ladder_result(header, info):
                    of = (Kind.LISTED, *competition_of(header))
                recorded = result_of(header, info, record)
                if match is None or former != of or any(differ(match, recorded)):
                    match = recorded
        if match is None or of is None:
            return None
        if of not in self.kinds:
            self.kinds[of] = self.work.new.make_competition(*of)
        competition, row, seats = match_row(self.kinds[of], match)
        committed = match.ended if stored is None else stored.committed
        return competition, {**row, "committed": committed or match.started}, seats
