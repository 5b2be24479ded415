"""The results of a ladder's matches: made from records, stored, and looked for after a crash.

A match's result is in its record before its bots are told of it, so a record is all that is needed
(`block_result`). `LadderResults` stores results while the arena runs, several in one transaction,
and tries again as long as the database can't be written. If the arena is killed in between, the
next one finds the records whose results aren't stored (`unstored`). So does the arena itself, if
the database can't be written for so long that too many results would have to be kept in memory.
"""

import json
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import attrs
import structlog
import trio

from lanista.match.conditions import LadderInfo
from lanista.match.ending import Ending
from lanista.match.figures import Histogram
from lanista.match.record import (
    ENDING,
    BadRecordError,
    Header,
    ResultInfo,
    read_record,
    whole_lines,
)
from lanista.rules.outcome import Termination
from lanista.store.database import Store
from lanista.store.errors import StoreError
from lanista.store.reading import ENDINGS
from lanista.store.results import BlockResult, MatchResult, SeatResult

AGAIN = 1.0
"""Seconds until results are stored again that couldn't be, twice as long each time."""
LONGEST_PAUSE = 60.0
"""The longest such pause, in seconds."""
AT_ONCE = 500
"""Maximum number of results that are stored in one transaction."""
MAX_WAITING = 10_000
"""Maximum number of results that are kept in memory; others are found in the records again."""
LONGEST_MATCH = timedelta(days=1)
"""How long before the last stored match a match may have begun whose result isn't stored."""
BEGINNING = datetime.min.replace(tzinfo=UTC) + LONGEST_MATCH
"""A time before all records."""
TIME_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the buckets for the times of transactions, in seconds."""
_STORED = frozenset({Termination.FINISHED, Termination.FORFEIT, Termination.VOID})

log = structlog.get_logger()


def block_result(
    ladder: LadderInfo,
    *,
    seed: int,
    attempt: int,
    names: Sequence[str],
    started: str,
    result: ResultInfo,
    stall: float,
    record: str,
) -> BlockResult | None:
    """Return what is stored of a match; None if it was aborted, so nothing is.

    Args:
        ladder: The match's place on its ladder.
        seed: The match's seed.
        attempt: The number of the attempt, from 1.
        names: The names of the bots, by seat.
        started: When it began, as ISO 8601 in UTC.
        result: Its result, as in its record.
        stall: Seconds of the host's longest stall during the match, as far as it is known.
        record: The path of its record, relative to the folder of records.
    """
    if Termination(result.end) not in _STORED:
        return None
    seats = []
    for seat, name in enumerate(names):
        counts = result.fault_counts[seat]
        ending = ENDINGS[result.endings[seat]]
        reasons = [fault.words for fault in result.faults if fault.seat == seat]
        is_failure = ending not in {Ending.NORMAL, Ending.VOID}
        seats.append(
            SeatResult(
                bot=name,
                rank=result.ranks[seat],
                score=result.scores[seat],
                ending=ending,
                words=" ".join(reasons[-1].split()) if is_failure and reasons else "",
                late=counts.get("late", 0),
                malformed=counts.get("malformed", 0),
                illegal=counts.get("illegal", 0),
            )
        )
    seconds = datetime.fromisoformat(result.ended) - datetime.fromisoformat(started)
    match = MatchResult(
        seating=ladder.seating,
        attempt=attempt,
        end=result.end,
        reason=result.reason,
        turns=result.turns,
        digest=result.digest,
        seconds=max(0.0, seconds.total_seconds()),
        stall=stall,
        seats=tuple(seats),
        record=record,
    )
    return BlockResult(
        block=ladder.block, bots=ladder.bots, seed=seed, map=ladder.map, matches=(match,)
    )


def unstored(
    records: Path, ladder: str, since: datetime, stored: Collection[str]
) -> Iterator[BlockResult]:
    """Yield the results of a ladder's records that aren't stored; damaged records are passed over.

    Args:
        records: The arena's folder of records by day.
        ladder: The ladder's name.
        since: When the last match was stored.
        stored: The records of the matches that were stored lately, relative to the folder.

    Raises:
        OSError: The folder can't be read.
    """
    first_day = (since - LONGEST_MATCH).date().isoformat()
    if not records.is_dir():
        return
    for day in sorted(entry.name for entry in os.scandir(records) if entry.is_dir()):
        if day < first_day:
            continue
        for entry in sorted((records / day).iterdir()):
            path = f"{day}/{entry.name}"
            if not entry.name.endswith(ENDING) or path in stored:
                continue
            try:
                if not _is_of(records / path, ladder):
                    continue
                record = read_record(records / path)
            except (BadRecordError, OSError) as error:
                log.warning("a record can't be read", path=path, why=str(error))
                continue
            header: Header = record.header
            if header.ladder is None or record.result is None or not record.result.endings:
                continue
            result = block_result(
                header.ladder,
                seed=header.seed,
                attempt=header.try_,
                names=[player.name for player in header.players],
                started=header.started,
                result=record.result,
                stall=0.0,
                record=path,
            )
            if result is not None:
                yield result


def _played_once(
    results: Iterable[BlockResult], counted: set[tuple[str, int]]
) -> Iterator[BlockResult]:
    """Yield results, each of one match, without a second one that counts for a block's seating.

    Args:
        results: The results.
        counted: By block and number: the seatings that have a match that counts; more are added.
    """
    for result in results:
        (match,) = result.matches
        seating = result.block, match.seating
        if match.counted and seating in counted:
            # The record of a match could not be completed, so it was taken for an aborted one.
            log.warning("not stored, as it was played again", record=match.record)
            continue
        if match.counted:
            counted.add(seating)
        yield result


def _is_of(path: Path, ladder: str) -> bool:
    """Return whether a record's first line says that its match was played on a ladder."""
    line = next(whole_lines(path), b"")
    about = json.loads(line).get("ladder") if line else None
    return about is not None and about["name"] == ladder


@attrs.define(eq=False)
class LadderResults:
    """Stores the results of a running ladder; `run` must run as long as there are any."""

    store: Store
    name: str
    """The ladder's name."""
    records: Path
    """The arena's folder of records by day."""
    times: Histogram = attrs.field(factory=lambda: Histogram(TIME_BOUNDS), init=False)
    """Seconds that each transaction took."""
    left_in_records: int = attrs.field(default=0, init=False)
    """Number of results that aren't stored and that are only in their records."""
    _left_since: datetime = attrs.field(default=BEGINNING, init=False)  # when the first of them was
    _waiting: list[BlockResult] = attrs.field(factory=list, init=False)
    _changed: trio.Event = attrs.field(factory=trio.Event, init=False)
    _done: trio.Event = attrs.field(factory=trio.Event, init=False)

    def add(self, result: BlockResult) -> None:
        """Have a result stored soon, or as soon as the database can be written again."""
        if len(self._waiting) < MAX_WAITING:
            self._waiting.append(result)
        else:
            if not self.left_in_records:
                self._left_since = datetime.now(UTC)
                log.error(
                    "too many results wait for the database; further ones are left in the records "
                    "until it can be written again",
                    ladder=self.name,
                    results=MAX_WAITING,
                )
            self.left_in_records += 1
        self._changed.set()

    @property
    def waiting(self) -> int:
        """Number of results in memory that aren't stored yet."""
        return len(self._waiting)

    async def stored(self) -> int | None:
        """Return how many matches are stored; None if the database can't be read now."""
        try:
            return await trio.to_thread.run_sync(self._last_number, abandon_on_cancel=True)
        except StoreError:
            return None

    def _last_number(self) -> int:
        with self.store.ladder_reading() as now:
            return now.last_number()

    async def settle(self) -> None:
        """Wait until all results in memory are stored."""
        while self._waiting:
            await self._done.wait()

    async def run(self) -> None:
        """Store results until cancelled."""
        pause = AGAIN
        while True:
            await self._changed.wait()
            self._changed = trio.Event()
            while self._waiting or self.left_in_records:
                try:
                    if self._waiting:
                        await self._store_waiting()
                    else:
                        await self._store_left()
                except (StoreError, OSError) as error:
                    log.error(  # noqa: TRY400 - the reason is enough
                        "results can't be stored yet",
                        ladder=self.name,
                        results=len(self._waiting) + self.left_in_records,
                        why=str(error),
                    )
                    await trio.sleep(pause)
                    pause = min(2 * pause, LONGEST_PAUSE)
                    continue
                pause = AGAIN
            self._done.set()
            self._done = trio.Event()

    async def _store_waiting(self) -> None:
        """Store some of the results in memory."""
        batch = self._waiting[:AT_ONCE]
        began = trio.current_time()
        await trio.to_thread.run_sync(self.store.add_matches, batch)
        self.times.add(trio.current_time() - began)
        del self._waiting[: len(batch)]

    async def _store_left(self) -> None:
        """Store the results that were left in the records."""
        number, self.left_in_records = self.left_in_records, 0
        is_stored = False
        try:
            await trio.to_thread.run_sync(self.store_missing, self._left_since)
            is_stored = True
        finally:
            if not is_stored:
                self.left_in_records += number

    def store_missing(self, since: datetime | None = None) -> None:
        """Store the results that are only in records; this blocks.

        Args:
            since: When the first of them was made known; None if that was after the last result
                that is stored.

        Raises:
            StoreError: The database can't be read or written.
            OSError: The folder of records can't be read.
        """
        stored, counted = set[str](), set[tuple[str, int]]()
        for match in self.store.matches():
            committed = datetime.fromisoformat(match.committed)
            since = since or committed
            if committed < since - LONGEST_MATCH:
                break
            stored.add(match.match.record or "")
            if match.match.counted:
                counted.add((match.block, match.match.seating))
        found = unstored(self.records, self.name, since or BEGINNING, stored)
        missing = _played_once(found, counted)
        number = 0
        while batch := list(islice(missing, AT_ONCE)):
            self.store.add_matches(batch)
            number += len(batch)
        if number:
            log.info("results stored from records", ladder=self.name, matches=number)
