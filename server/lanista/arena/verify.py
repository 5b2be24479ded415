"""Comparing stored results with the records of matches, and rebuilding an arena's database."""

import functools
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import attrs

from lanista.match.record import BadRecordError, Header, ResultInfo
from lanista.results.base import Kind
from lanista.results.data_folder import DataFolder
from lanista.results.database import insert, match_row
from lanista.results.match_result import MatchResult
from lanista.results.reading import StoredMatch
from lanista.results.rebuild import Rebuild, in_order, rebuilding
from lanista.results.recorded import (
    differ,
    is_ladder_result,
    read_records,
    record_paths,
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

    def others(self, known: Collection[str]) -> Iterator[tuple[str, BadRecordError | None]]:
        """Yield the ladder's other records of results, and any that can't be read, with why."""
        damaged: list[tuple[str, BadRecordError]] = []
        paths = sorted(path for id_, path in record_paths(self.folder) if id_ not in known)
        for match in read_records(
            self.folder, paths, lambda *one: damaged.append(one), self.ladder
        ):
            if match.is_ladder_result:
                yield str(match.result.record), None
        yield from damaged


def rebuild(data: DataFolder, ladders: Iterable[tuple[str, str]]) -> Rebuild:
    """Rebuild the database of an arena from its records, while the arena doesn't run.

    Its ladders are given by their names and games. Matches keep their order. One that is stored as
    its record says, or that has no record any more, stays as it is stored.

    Raises:
        StoreError: A database is in use or can't be written, or records can't be listed.
    """
    with rebuilding(data.database) as work:

        def on_damaged(_: str, why: BadRecordError) -> None:
            work.troubles.append(f"record: {why}")

        former = work.competitions()
        known = {id_: (number, of) for number, of, id_ in work.numbers() if id_}
        paths = dict(record_paths(data.records))
        all_ladders = {(Kind.LADDER, *ladder) for ladder in ladders}
        all_ladders.update(of for of in former.values() if of[0] is Kind.LADDER)
        of_ladders = {id_ for id_, (_, of) in known.items() if former.get(of) in all_ladders}
        order = in_order({*paths, *of_ladders}, {id_: number for id_, (number, _) in known.items()})
        number_of = functools.cache(work.new.make_competition)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            numbers = [known[id_][0] for _, id_ in batch if id_ in of_ladders]
            stored = {str(one.match.id): one for one in work.former_matches(numbers)}
            matches = {id_: (former[known[id_][1]], one.match) for id_, one in stored.items()}
            there = [paths[id_] for _, id_ in batch if id_ in paths]
            for recorded in read_records(data.records, there, on_damaged):
                id_, match = str(recorded.result.id), recorded.result
                of = (Kind.LADDER, *recorded.competition)
                if of not in all_ladders or not recorded.is_ladder_result:
                    of = (Kind.LISTED, *recorded.competition)
                as_stored = matches.get(id_)
                if as_stored is None or of != as_stored[0] or any(differ(as_stored[1], match)):
                    matches[id_] = of, match
            rows = []
            for id_ in (id_ for _, id_ in batch if id_ in matches):
                of, match = matches[id_]
                committed = stored[id_].committed if id_ in stored else match.ended
                row = match_row(number_of(*of), match, committed=committed or match.started)
                rows.append(row)
            with work.new.writing() as connection:
                insert(connection, rows)
            work.stored([place for place, id_ in batch if id_ in matches])
        work.keep({number: number_of(*of) for number, of in former.items() if of in all_ladders})
    return work
