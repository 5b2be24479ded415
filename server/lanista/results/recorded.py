"""Results as the records of matches say them, and stored results that differ from them.

A result is stored from its record, or together with it, so both must say the same. Where they
don't, the database or the record was damaged or changed.
"""

import time
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path

import attrs

from lanista.match.ending import Ending
from lanista.match.record import BadRecordError, Header, ResultInfo, read_ends
from lanista.results.database import Store
from lanista.results.match_result import BlockResult
from lanista.results.reading import PAGE, StoredMatch

SETTLED = 60.0
"""Seconds after the last change of a record from which on its match must be stored."""


class Trouble(Enum):
    """What can be wrong with a stored match or a record."""

    MISSING = "record missing"
    UNREADABLE = "record unreadable"
    DIFFERENT = "different from the record"
    UNSTORED = "not stored"


@attrs.frozen
class Finding:
    """One match or record for which something is wrong."""

    trouble: Trouble
    text: str
    """Which one it is, and what is wrong, in one line."""


@attrs.define
class Comparison:
    """Compares the stored matches of a tournament or a ladder with their records.

    The database may be in use: it is read in many short transactions.
    """

    store: Store
    records: Path
    """The folder of records."""
    recorded: Callable[[StoredMatch, Header, ResultInfo], BlockResult | None]
    """Returns what a record says of a stored match; None if its match was aborted."""
    matches: int = attrs.field(default=0, init=False)
    """Number of stored matches that were read."""
    without_record: int = attrs.field(default=0, init=False)
    """Number of those that never had a record, or whose record wasn't kept."""
    paths: set[str] = attrs.field(factory=set, init=False)
    """The records of those that have one, relative to the folder."""
    began: float = attrs.field(factory=time.time, init=False)
    """When the comparison began, in seconds since 1970."""

    def differing(self) -> Iterator[Finding | None]:
        """Yield what is wrong with each stored match, the newest first; None if nothing is.

        Raises:
            StoreError: The database can't be read.
        """
        before: int | None = None
        while page := list(self.store.matches(before=before, limit=PAGE)):
            for stored in page:
                self.matches += 1
                if stored.match.record is None:
                    self.without_record += 1
                    yield None
                else:
                    self.paths.add(stored.match.record)
                    yield self._compared(stored, self.records / stored.match.record)
            before = page[-1].number

    def _compared(self, stored: StoredMatch, path: Path) -> Finding | None:
        try:
            recorded = self.recorded(stored, *read_ends(path))
        except FileNotFoundError:
            return Finding(Trouble.MISSING, f"{_title(stored)}: {path} isn't there")
        except BadRecordError as error:
            return Finding(Trouble.UNREADABLE, f"{_title(stored)}: {error}")
        except OSError as error:
            return Finding(Trouble.UNREADABLE, f"{_title(stored)}: {path}: {error.strerror}")
        what = "its match was aborted" if recorded is None else ", ".join(_differ(stored, recorded))
        if not what:
            return None
        return Finding(Trouble.DIFFERENT, f"{_title(stored)}: in {path} {what}")

    def is_missing(self, block: str, seating: int, record: str, *, counted: bool) -> bool:
        """Return whether the match of a record should be stored, and isn't.

        Args:
            block: The id of the match's block.
            seating: The number of its seating.
            record: The record, relative to the folder.
            counted: Whether the match counts. If it was played again, the first one isn't stored.

        Raises:
            StoreError: The database can't be read.
        """
        return self._is_settled(record) and not any(
            stored.match.record == record
            or (counted and stored.match.counted and stored.match.seating == seating)
            for stored in self.store.matches([block])
        )

    def _is_settled(self, record: str) -> bool:
        """Return whether a record is old enough that its match must be stored by now."""
        try:
            return (self.records / record).stat().st_ctime < self.began - SETTLED
        except FileNotFoundError:
            return False


def _title(stored: StoredMatch) -> str:
    match = stored.match
    if match.id is not None:
        return f"match {stored.number} ({match.id})"
    return (
        f"match {stored.number} (block {stored.block}, seating {match.seating}, "
        f"attempt {match.attempt})"
    )


def _differ(stored: StoredMatch, recorded: BlockResult) -> Iterator[str]:
    """Yield what a record says otherwise than the database."""
    (match,) = recorded.matches
    for what in ("block", "bots", "seed", "map"):
        yield from _difference(what, stored, recorded)
    for what in ("seating", "attempt", "end", "reason", "turns", "digest"):
        yield from _difference(what, stored.match, match)
    if len(stored.match.seats) != len(match.seats):
        yield f"there are {len(match.seats)} seats, stored are {len(stored.match.seats)}"
    for seat, (ours, theirs) in enumerate(zip(stored.match.seats, match.seats, strict=False)):
        if ours.ending is Ending.CRASH:
            # How the bot's process ended was known only after the match.
            ours = attrs.evolve(ours, ending=Ending.DISCONNECT)  # noqa: PLW2901
        for what in ("bot", "rank", "score", "ending", "late", "malformed", "illegal"):
            yield from _difference(what, ours, theirs, f" of seat {seat}")


def _difference(what: str, stored: object, recorded: object, of: str = "") -> Iterator[str]:
    ours, theirs = (getattr(one, what) for one in (stored, recorded))
    if ours != theirs:
        ours, theirs = (one.value if isinstance(one, Ending) else one for one in (ours, theirs))
        yield f"the {what}{of} is {theirs!a}, stored is {ours!a}"
