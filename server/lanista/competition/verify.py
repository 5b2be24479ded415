"""Comparing a tournament's stored results with the records of its matches."""

from collections.abc import Iterator
from pathlib import Path

import attrs

from lanista.competition.setup import Setup
from lanista.games.outcome import Termination
from lanista.hosting.endings import match_result
from lanista.match.record import ENDING, Header, ResultInfo
from lanista.results.block_records import BlockMatch
from lanista.results.match_result import SingleMatch
from lanista.results.reading import StoredMatch
from lanista.results.recorded import Comparison, Finding, Trouble, key_of


@attrs.frozen
class TournamentRecords:
    """The records of a tournament's matches, for `lanista.results.recorded`."""

    setup: Setup

    @property
    def folder(self) -> Path:
        """The folder of records."""
        return self.setup.records

    def result(self, stored: StoredMatch, header: Header, info: ResultInfo) -> SingleMatch | None:
        """Return what a record says of a stored match; None if its match was aborted."""
        if info.end == Termination.ABORTED.value or not info.endings:
            return None
        match = stored.match
        place = BlockMatch(stored.block, match.seating, match.attempt)
        # A record has the board, but not the name that the map has in the spec.
        board = self.setup.match_setup.boards.get(stored.map, header.board)
        return SingleMatch(
            seed=header.seed,
            map=stored.map if header.board == board else "another",
            match=match_result(
                info,
                [player.name for player in header.players],
                seating=match.seating,
                attempt=header.try_,
                seconds=match.seconds,
                stall=match.stall,
                record=place.place(is_void=not match.counted),
            ),
        )

    def unstored(self, comparison: Comparison) -> Iterator[Finding]:
        """Yield the records whose matches aren't stored."""
        for path in sorted(self.folder.glob(f"[0-9a-f][0-9a-f]/*{ENDING}")):
            record = f"{path.parent.name}/{path.name}"
            block, seating, *void = path.name.removesuffix(ENDING).split("-")
            key = record if void else key_of(block, int(seating))
            if comparison.is_missing(key, record):
                yield Finding(Trouble.UNSTORED, f"{path}: its match isn't stored")
