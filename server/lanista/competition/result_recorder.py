"""The recorder of results: keeps the database, the records and the format of a tournament in step.

Blocks that were played are recorded by `commit`, in a fixed order: first their records are moved to
their places and written to the disk, then one transaction stores the results, then the format
learns of them. So whenever this process dies, a stored block is complete and has its records, and a
later run reports it to the format exactly once.
"""

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import attrs
import trio

from lanista.competition.formats.base import Format
from lanista.competition.setup import Setup
from lanista.competition.spec import Keep
from lanista.competition.standings import snapshot, standings
from lanista.competition.stored_blocks import Entry, StoredBlocks, read_stored_blocks, resume
from lanista.competition.worker import Finished
from lanista.errors import file_errors
from lanista.ratings.table import Standings
from lanista.results.block_records import PLAYING
from lanista.results.blocks import BlockScore, Pairing
from lanista.results.database import Store
from lanista.results.match_result import Benching, BlockResult
from lanista.results.schema import UNBENCHED
from lanista.system import make_folder, sync_folder, write_whole

SYNC_THREADS = 16
"""Number of records that are written, or folders flushed, to the disk at the same time."""


@attrs.define(eq=False)
class PlacedRecords:
    """The records of a tournament, in a folder of this machine or one shared with workers.

    The methods raise `OSError` if a file or folder can't be made, moved or written.
    """

    folder: Path
    keep: Keep
    _unwritten: list[tuple[Path, bytes]] = attrs.field(factory=list, init=False)
    _changed: set[Path] = attrs.field(factory=set, init=False)  # folders to be flushed
    # They end with this object; to start some for each `sync` would cost a match 2 % more.
    _threads: ThreadPoolExecutor = attrs.field(
        factory=lambda: ThreadPoolExecutor(SYNC_THREADS), init=False
    )

    @property
    def playing(self) -> Path:
        """The folder into which workers write, if they see it."""
        return self.folder / PLAYING

    def prepare(self) -> None:
        """Make the folders, and remove what an earlier run left: it belongs to no stored match."""
        make_folder(self.playing)
        for path in self.playing.iterdir():
            # A worker of a manager that was just killed may be removing its files right now.
            path.unlink(missing_ok=True)

    def place(self, finished: Finished) -> BlockResult:
        """Move the records of a block to their places, or remove those that aren't to be kept.

        They are at their places, and on the disk, for certain only after `sync`. Returns the result
        to be stored; matches whose record isn't kept have none.
        """
        matches = []
        for match in finished.result.matches:
            record = None
            if match.record is not None and match.record in finished.records:
                written = finished.records[match.record]
                if self.keep.keeps(match):
                    self._put(self.folder / match.record, written)
                    record = match.record
                elif isinstance(written, str):
                    (self.playing / written).unlink(missing_ok=True)
            matches.append(attrs.evolve(match, record=record))
        return attrs.evolve(finished.result, matches=tuple(matches))

    def sync(self) -> None:
        """Write all records that were placed, and their folders, to the disk."""
        # At the same time, because a disk takes hardly longer for many of them than for one.
        list(self._threads.map(self._write, self._unwritten))
        list(self._threads.map(sync_folder, sorted(self._changed)))
        self._unwritten.clear()
        self._changed.clear()

    def _write(self, record: tuple[Path, bytes]) -> None:
        place, content = record
        with file_errors("can't write", place):  # an error of a full disk names no file
            write_whole(place, [content], self.playing / place.name)

    def _put(self, place: Path, written: str | bytes) -> None:
        if not place.parent.is_dir():
            make_folder(place.parent)
            self._changed.add(place.parent.parent)
        if isinstance(written, str):
            # Its content is on the disk: a worker returns a record only when it is complete.
            (self.playing / written).replace(place)
        else:
            self._unwritten.append((place, written))
        self._changed.add(place.parent)


def count_failures(running: dict[str, int], result: BlockResult) -> dict[str, str]:
    """Count the matches of a block in the numbers of matches in a row that each bot has failed.

    Returns, by name, why bots failed their last match of the block.
    """
    last: dict[str, str] = {}
    for match in result.matches:
        if not match.counted:
            continue
        failed = {seat.bot: seat.failure for seat in match.seats if seat.failure}
        for bot in sorted({seat.bot for seat in match.seats}):
            last.pop(bot, None)
            if bot in failed:
                last[bot] = failed[bot]
                running[bot] = running.get(bot, 0) + 1
            else:
                running[bot] = 0
    return last


@attrs.define(eq=False)
class ResultRecorder:
    """The results of a tournament and all that follows from them."""

    setup: Setup
    """The tournament, after `check_identities` and `settle_seed` with this store."""
    store: Store
    format: Format
    """A new format, to which no result was reported."""
    _records: PlacedRecords = attrs.field(init=False)
    _stored: StoredBlocks = attrs.field(factory=StoredBlocks, init=False)
    _running: dict[str, int] = attrs.field(factory=dict, init=False)
    """The latest matches in a row that a bot failed, by name; a missing bot has failed none."""
    _seen: set[str] = attrs.field(factory=set, init=False)
    """The bots that have played a stored block; those that were ever unbenched, in this run."""

    def __attrs_post_init__(self) -> None:
        self._records = PlacedRecords(self.setup.records, self.setup.spec.keep)

    @property
    def playing(self) -> str:
        """The folder into which workers write records, if they see it."""
        return str(self._records.playing)

    @property
    def matches(self) -> int:
        """The number of stored matches that count."""
        counted = sum(self.format.counts(entry.played.pairing) for entry in self._stored.entries)
        return counted * len(self.format.seated)

    def resume(self) -> Mapping[str, int]:
        """Go on where the last run ended: report stored blocks and benched bots to the format.

        Returns, by name of each benched bot, how many matches in a row it failed.

        Raises:
            StoreError: The database can't be read.
            OSError: The folder of records can't be made.
        """
        self._records.prepare()
        max_failures = self.setup.spec.bench_after
        with self.store.reading() as now:
            blocks, self._running = now.played(), now.running_failures(max_failures)
            stored = [one for one in now.benched() if one.bot in self.setup.bots]
            unbenched = now.notes(UNBENCHED)
            self._stored = read_stored_blocks(self.setup, blocks)
        running = self._running
        for _, played in self._stored.entries:
            self._seen.update(played.bots)
        self._seen.difference_update(unbenched)  # they may be as broken as before
        benched = {benching.bot for benching in stored}
        # There are some only if `bench_after` was lowered since these failures were stored.
        new = [
            Benching(bot=bot, block=blocks[-1].id, failures=running[bot])
            for bot in sorted(self.setup.bots)
            if bot not in benched and running.get(bot, 0) >= max_failures
        ]
        if new:
            self.store.add([], new)
        resume(self.format, self._stored, (*stored, *new))
        return {benching.bot: benching.failures for benching in (*stored, *new)}

    def commit(
        self, played: Sequence[tuple[Pairing, Finished]]
    ) -> tuple[list[BlockResult], list[tuple[Benching, str]]]:
        """Record blocks that were played, and bench the bots that failed too often in a row.

        Returns the results as they were stored, and each bot that was benched now, with a
        description of its last failure. If it raises an error, nothing was stored.

        Raises:
            OSError: A record can't be moved to its place.
            StoreError: The database can't be written.
        """
        results = [self._records.place(finished) for _, finished in played]
        self._records.sync()
        running = dict(self._running)
        benched = self._to_bench(running, results)
        self.store.add(results, [benching for benching, _ in benched])
        self._running = running
        for (pairing, _), result in zip(played, results, strict=True):
            self._seen.update(result.bots)
            score = BlockScore(result.bots, _ranks(result), pairing.opening)
            self._stored.entries.append(Entry(result.block, score))
            self.format.record(score)
            out = [benching.bot for benching, _ in benched if benching.block == result.block]
            self.format.bench(*out)
        return results, benched

    def set_aside(self, finished: Finished) -> None:
        """Keep the records of a block that must not count, so that people can look at them."""
        self._records.place(finished)
        self._records.sync()

    def _to_bench(
        self, running: dict[str, int], results: Sequence[BlockResult]
    ) -> list[tuple[Benching, str]]:
        """Count the failures in results, and return the bots to bench, with their last failures.

        Bots to bench after the same block are sorted by name, as the database returns them later.
        """
        to_bench: dict[str, tuple[Benching, str]] = {}
        for result in results:
            for bot, reason in sorted(count_failures(running, result).items()):
                count = running[bot]
                can_be_benched = bot in self.setup.bots and bot not in self.format.benched
                if can_be_benched and bot not in to_bench and count >= self.setup.spec.bench_after:
                    benching = Benching(bot=bot, block=result.block, failures=count)
                    to_bench[bot] = benching, reason
        return list(to_bench.values())

    def blocks_until_benched(self, bot: str) -> int | None:
        """Return how many blocks a bot on trial may still fail before it is benched, at least 1.

        Returns None for a bot that isn't on trial, and for fillers, which are never benched.
        """
        failures = self._running.get(bot, 0)
        if bot not in self.setup.bots or (bot in self._seen and not failures):
            return None
        left = self.setup.spec.bench_after - failures
        return max(1, math.ceil(left / len(self.format.seated)))

    def last_failure(self, bot: str) -> str:
        """Return a description of a bot's last stored failure; empty if there is none."""
        with self.store.reading() as now:
            stored = next(now.matches(bot=bot, failures=True, limit=1), None)
        seats = () if stored is None else stored.match.seats
        return next((seat.failure for seat in seats if seat.bot == bot and seat.failure), "")

    async def standings(self, *, with_endings: bool = True) -> Standings:
        """Return the standings of what is stored; they are computed in a thread.

        Only the endings need the database, and without them it isn't read.
        """
        # The format may change while the thread runs, so all that is needed of it is copied first.
        moment = snapshot(self.format, self._stored)
        store = self.store if with_endings else None
        return await trio.to_thread.run_sync(
            standings, self.setup, store, moment, abandon_on_cancel=True
        )


def _ranks(result: BlockResult) -> tuple[tuple[int, ...], ...]:
    """Return the ranks in the matches that count, by seating, then by seat."""
    counted = sorted(
        (match for match in result.matches if match.counted), key=lambda match: match.seating
    )
    return tuple(tuple(seat.rank for seat in match.seats) for match in counted)
