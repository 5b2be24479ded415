"""Comparing a tournament's results with its records, and rebuilding its database from them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import attrs

from lanista.competition.setup import Setup
from lanista.errors import StoreError, one_line
from lanista.games.outcome import Termination
from lanista.hosting.host import distinct
from lanista.match.record import BadRecordError, Header, ResultInfo
from lanista.results.base import Kind
from lanista.results.block_records import stored_records
from lanista.results.database import Store
from lanista.results.engines import why
from lanista.results.match_result import BlockResult, MatchResult
from lanista.results.reading import StoredMatch
from lanista.results.rebuild import Rebuild, rebuilding
from lanista.results.recorded import Trouble, corrected, match_result, read_whole

BATCH = 500
"""Number of matches that are read, or of blocks that are stored, at once."""


@attrs.frozen
class TournamentRecords:
    """The records of a tournament's matches, for `lanista.results.recorded`."""

    setup: Setup

    @property
    def folder(self) -> Path:
        """The folder of records."""
        return self.setup.records

    def result(self, stored: StoredMatch, header: Header, info: ResultInfo) -> MatchResult | None:
        """Return what a record says of a stored match; None if its match was aborted."""
        match = stored.match
        record = stored.of_block.place(is_void=not match.counted)
        # A record has the board, but not the name that the map has in the spec.
        board = self.setup.match_setup.boards.get(match.map, header.board)
        map_ = match.map if header.board == board else "another"
        result = self._result(header, info, map_, match.seating, record)
        if result is None:
            return None
        return attrs.evolve(result, seconds=match.seconds, stall=match.stall)

    def read(self, record: str, seating: int) -> MatchResult | None:
        """Return the result of a match that isn't stored; None if it was aborted.

        An unreadable record is a BadRecordError or an OSError.
        """
        header, info = read_whole(self.folder / record)
        boards = self.setup.match_setup.boards.items()
        maps = [name for name, board in boards if board == header.board]
        return self._result(header, info, maps[0] if maps else "", seating, record)

    def _result(
        self, header: Header, info: ResultInfo, map_: str, seating: int, record: str
    ) -> MatchResult | None:
        if info.end == Termination.ABORTED.value or not info.endings:
            return None
        return match_result(
            header,
            info,
            self._bots([player.name for player in header.players]),
            map_=map_,
            started=header.started,
            record=record,
            seating=seating,
        )

    def _bots(self, players: Sequence[str]) -> Sequence[str]:
        """Return the bots of a record's players, whose names `distinct` has made.

        If a bot has several seats, as in a version test of four, all but its first name are
        numbered.
        """
        bots: list[str] = []
        for name in players:
            bot, _, number = name.rpartition("-")
            same = (other for other in bots if bot and other.startswith(bot))
            is_numbered = number.isdecimal() and name not in self.setup.contestants
            bots.append(next(same, name) if is_numbered else name)
        return bots if distinct(bots) == players else players

    def others(self, known: Collection[str]) -> Iterator[tuple[str, None]]:
        """Yield the records that aren't at the place of a known match."""
        for record, *_ in stored_records(self.folder):
            if record not in known:
                yield record, None


def rebuild(setup: Setup, database: Path) -> Rebuild:
    """Rebuild the database of a tournament from its records, while it isn't played.

    Blocks keep their order. A match that is stored as its record says, or that has no record,
    stays as it is stored. A block of which not all matches are known isn't stored, and is played
    again.

    Raises:
        StoreError: The database is in use or is an arena's, the new one can't be written, or the
            folder of records can't be read.
    """
    records = TournamentRecords(setup)
    with rebuilding(database, Kind.TOURNAMENT) as work:
        if any(kind is not Kind.TOURNAMENT for kind, *_ in work.competitions().values()):
            raise StoreError(f"{database}: the database of an arena, not of a tournament")
        blocks: dict[str, list[tuple[int, MatchResult]]] = {}
        paths = set()
        last = 0
        numbers = [number for number, *_ in work.numbers()]
        for start in range(0, len(numbers), BATCH):
            for stored in work.former_matches(numbers[start : start + BATCH]):
                match, finding = corrected(records, stored)
                if finding is not None and finding.trouble is Trouble.UNREADABLE:
                    work.troubles.append(finding.text)
                last = stored.number
                paths.add(match.record)
                blocks.setdefault(stored.block, []).append((last, match))
        for record, block, seating in stored_records(records.folder):
            if record in paths:
                continue
            try:
                found = records.read(record, seating)
            except (BadRecordError, OSError) as error:
                work.troubles.append(f"record: {one_line(error)}")
                continue
            if found is not None:
                blocks.setdefault(block, []).append((last, found))
        _store(setup, work, blocks)
    return work


def _store(
    setup: Setup, work: Rebuild, blocks: Mapping[str, Sequence[tuple[int, MatchResult]]]
) -> None:
    """Store blocks, given by their ids, and what only the former database has.

    With each match comes its former number, or that of the last one before it.
    """
    number = work.new.competition(Kind.TOURNAMENT)
    assert number is not None
    store = Store(work.new, number)
    whole: list[tuple[int, BlockResult]] = []
    for block, played in blocks.items():
        matches = tuple(match for _, match in played)
        counted = sorted((one for one in matches if one.counted), key=lambda one: one.seating)
        if counted:
            # The first seating has the bots in the order of their places.
            bots = tuple(seat.bot for seat in counted[0].seats)
            opening = counted[0].seed, counted[0].map
            # A record may have been copied from another block, or from another seating.
            expected = [
                (number, opening, [bots[place] for place in seating])
                for number, seating in enumerate(setup.seatings(bots))
            ]
            found = [
                (one.seating, (one.seed, one.map), [seat.bot for seat in one.seats])
                for one in counted
            ]
            if found == expected:
                result = BlockResult(block=block, bots=bots, matches=matches)
                whole.append((max(place for place, _ in played), result))
                continue
        work.troubles.append(
            f"block {block}: not all of its matches are known, so it is played again"
        )
    whole.sort(key=lambda one: one[0])
    for start in range(0, len(whole), BATCH):
        batch = whole[start : start + BATCH]
        store.add([result for _, result in batch])
        work.stored([place for place, result in batch for _ in result.matches])
    if work.former is not None:
        ids = {result.block for _, result in whole}
        try:
            former = work.former.competition(Kind.TOURNAMENT)
            if former is not None:
                work.keep({former: number})
                with Store(work.former, former).reading() as now:
                    benched = now.benched()
                store.add([], [one for one in benched if one.block in ids])
        except StoreError as error:
            work.troubles.append(f"benched bots couldn't be kept: {why(error)}")
