"""The books of a tournament: store, records and format, always in step.

A block that was played comes in by `commit`, in one order: its records to their places, then one
transaction, then the format is told. So a stored block is whole, has its records, and is told once,
whenever this process dies. Who plays, and when, is not known here.
"""

import math
from collections.abc import Mapping, Sequence

import attrs
import trio

from lanista.match.ending import FAILURES
from lanista.pairing.base import Format
from lanista.pairing.blocks import BlockScore, Pairing
from lanista.standings.table import Standings
from lanista.store.database import Store
from lanista.store.results import Benching, BlockResult
from lanista.tournament.pace import Failures
from lanista.tournament.records import Records
from lanista.tournament.setup import Setup
from lanista.tournament.stored_blocks import Entry, StoredBlocks, read_stored_blocks
from lanista.tournament.totals import snapshot, standings
from lanista.tournament.worker import Finished


@attrs.define(eq=False)
class ResultRecorder:
    """What was played of a tournament."""

    setup: Setup
    """Its bots are agreed with the store, its base seed is settled."""
    store: Store
    """Open."""
    format: Format
    """New: it was told nothing."""
    benched: dict[str, None] = attrs.field(factory=dict, init=False)
    """Who plays no more."""
    _records: Records = attrs.field(init=False)
    _stored: StoredBlocks = attrs.field(init=False)
    _failures: Failures = attrs.field(init=False)
    _seen: set[str] = attrs.field(factory=set, init=False)
    """Bots that are in a stored block."""

    def __attrs_post_init__(self) -> None:
        self._records = Records(self.setup.records, self.setup.spec.keep)
        self._stored = StoredBlocks(entries=[], unmatched=[])
        self._failures = Failures({})

    @property
    def playing(self) -> str:
        """The folder where workers write records, if they see it."""
        return str(self._records.playing)

    @property
    def matches(self) -> int:
        """That are stored and count."""
        counted = sum(self.format.counts(entry.pairing) for entry in self._stored.entries)
        return counted * len(self.format.seated)

    def take_up(self) -> Mapping[str, int]:
        """Go on where the last run ended: read what was played, tell the format, bench.

        Returns:
            Who is benched, and how many matches they failed running.

        Raises:
            StoreError: The database can't be read.
            OSError: The folder of records can't be made.
        """
        self._records.prepare()
        blocks = self.store.played()
        self._stored = read_stored_blocks(self.setup, blocks)
        for _, pairing, played in self._stored.entries:
            self._seen.update(pairing.bots)
            self.format.record(pairing, played)
        most = self.setup.spec.bench_after
        self._failures = Failures(self.store.running_failures(most))
        running = self._failures.running
        there = [one for one in self.store.benched() if one.bot in self.setup.bots]
        benched = {one.bot for one in there}
        # Only where fewer failures are borne now than when they were stored.
        more = [
            Benching(bot=bot, block=blocks[-1].id, failures=running[bot])
            for bot in sorted(self.setup.bots)
            if bot not in benched and running.get(bot, 0) >= most
        ]
        if more:
            self.store.add([], more)
        for one in (*there, *more):
            self._bench(one)
        return {one.bot: one.failures for one in (*there, *more)}

    def commit(
        self, played: Sequence[tuple[Pairing, Finished]]
    ) -> tuple[list[BlockResult], list[tuple[Benching, str]]]:
        """Enter blocks that were played, and bench who failed too often running with them.

        Returns:
            Their results, as stored; and who is benched now, with the words of the last failure.

        Raises:
            OSError: A record can't be put in its place; nothing was entered.
            StoreError: The database can't be written; nothing was entered.
        """
        results = [self._records.place(finished) for _, finished in played]
        self._records.sync()
        failures = Failures(dict(self._failures.running))
        benched = self._failed(failures, results)
        self.store.add(results, [one for one, _ in benched])
        self._failures = failures
        for (pairing, _), result in zip(played, results, strict=True):
            self._seen.update(result.bots)
            block = BlockScore(result.bots, _ranks(result), pairing.draw)
            self._stored.entries.append(Entry(result.block, pairing, block))
            self.format.record(pairing, block)
        for one, _ in benched:
            self._bench(one)
        return results, benched

    def set_aside(self, finished: Finished) -> None:
        """Keep the records of a block that must not count, so that people can look at them.

        Raises:
            OSError: They can't be put in their places.
        """
        self._records.place(finished)

    def _failed(
        self, failures: Failures, results: Sequence[BlockResult]
    ) -> list[tuple[Benching, str]]:
        """Count failures; who has too many of them now, behind which block, and the last's words.

        Of one block, by name: as they are read again.
        """
        found: dict[str, tuple[Benching, str]] = {}
        for result in results:
            for bot, words in sorted(failures.note(result).items()):
                count = failures.running[bot]
                is_free = bot in self.setup.bots and bot not in self.benched and bot not in found
                if is_free and count >= self.setup.spec.bench_after:
                    found[bot] = Benching(bot=bot, block=result.block, failures=count), words
        return list(found.values())

    def _bench(self, one: Benching) -> None:
        self.benched[one.bot] = None
        self.format.bench(one.bot)

    def trial(self, bot: str) -> int | None:
        """Return how many blocks a bot on trial may still fail before it is benched, at least 1.

        A bot is on trial until it has played, and again while its last match was a failure. None
        for every other bot, and for fillers, which are never benched.
        """
        failures = self._failures.running.get(bot, 0)
        if bot not in self.setup.bots or (bot in self._seen and not failures):
            return None
        left = self.setup.spec.bench_after - failures
        return max(1, math.ceil(left / len(self.format.seated)))

    def last_words(self, bot: str) -> str:
        """Of a bot's last failure that is stored."""
        for stored in self.store.matches(failures=True, limit=1000):
            for seat in stored.match.seats:
                if seat.bot == bot and seat.ending in FAILURES:
                    return f"{seat.ending}: {seat.words}"
        return ""

    async def standings(self) -> Standings:
        """The standings of what is stored, computed in a thread.

        Raises:
            StoreError: The database can't be read.
        """
        # Of one moment: the thread must not ask a format that is being told something.
        moment = snapshot(self.format, self._stored, tuple(self.benched))
        return await trio.to_thread.run_sync(
            standings, self.setup, self.store, moment, abandon_on_cancel=True
        )


def _ranks(result: BlockResult) -> tuple[tuple[int, ...], ...]:
    """By seating, then by seat, of the matches that count."""
    counted = sorted((one for one in result.matches if one.counted), key=lambda one: one.seating)
    return tuple(tuple(seat.rank for seat in match.seats) for match in counted)
