"""A ladder of a running arena: its waiting bots, its openings, and what is stored of its matches.

Who meets whom is decided by `ladder.Ladder`, which knows neither bots nor seeds nor a clock; this
module tells it who is there, and makes of its decisions matches that can be played.
"""

import heapq
import itertools
import math
import time
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import Any, Self

import attrs
import structlog
import trio

from lanista.arena.ladders.house_bots import house_contestants
from lanista.arena.ladders.ladder import Counted, Ladder, LadderMatch, LadderResult
from lanista.arena.ladders.names import LadderName
from lanista.arena.ladders.ratings import KEPT
from lanista.arena.ladders.results import (
    AT_ONCE,
    LONGEST_MATCH,
    LadderResults,
    block_result,
    store_possible,
    unstored,
)
from lanista.arena.spec import LadderSpec
from lanista.hosting import ids
from lanista.hosting.bot_pool import Contestant
from lanista.hosting.control import RunningMatches
from lanista.hosting.host import MatchReport, VoidRecords
from lanista.hosting.spec_parts import configurations
from lanista.match.conditions import LadderInfo, MatchConditions, MatchSpec
from lanista.match.ending import FAILURES
from lanista.pairing.blocks import Pairing, seatings
from lanista.results.data_folder import DataFolder
from lanista.results.match_result import BlockResult
from lanista.rules import registry
from lanista.rules.base import Ruleset
from lanista.store.base import Database
from lanista.store.database import Store
from lanista.store.ladder_reading import CountedMatch, LadderReading
from lanista.store.names import BenchedName, key_of

log = structlog.get_logger()


@attrs.define(eq=False)
class _Opening:
    """An opening: the seed and the map that all matches of a block have in common."""

    block: str
    """The block's id."""
    seed: int
    map: str
    records: VoidRecords
    """The records of its matches, hidden until the block is over, as they contain the seed."""


@attrs.define(eq=False)
class LadderRoom:
    """One ladder of an arena, whose results are in the arena's database."""

    spec: LadderSpec
    ruleset: Ruleset
    house: Mapping[str, Contestant]
    """The house bots by name."""
    results: LadderResults
    running: RunningMatches
    _settings: Mapping[str, Mapping[str, int]]  # by map
    _boards: Mapping[str, Any]  # by map; without one the seed makes it
    _ladder: Ladder
    _failures: dict[str, str] = attrs.field(factory=dict, init=False)
    """Why each bot that has failed did so the last time, by name."""
    _benched: Collection[str] = attrs.field(default=(), init=False)
    """The keys of the names that the operator has benched."""
    _unbenched: Mapping[str, int] = attrs.field(factory=dict, init=False)
    _struck: Mapping[str, int] = attrs.field(factory=dict, init=False)
    """What the operator has noted in the database, as far as it was taken up."""
    _over: list[tuple[Pairing, BlockResult]] | None = attrs.field(default=None, init=False)
    # While matches are counted anew, those of other arenas that are taken meanwhile.
    _taken: list[CountedMatch] | None = attrs.field(default=None, init=False)
    # The number of the last match of those that were counted anew.
    _counted_to: int = attrs.field(default=0, init=False)
    """The results since the matches began to be counted anew; None if they aren't now."""
    _openings: dict[Pairing, _Opening] = attrs.field(factory=dict, init=False)
    # Times given to the ladder are on the scale of stored ones, but the wall clock may be set.
    _epoch: float = attrs.field(factory=lambda: time.time() - time.monotonic(), init=False)

    @classmethod
    def open(
        cls,
        spec: LadderSpec,
        folder: Path,
        data: DataFolder,
        database: Database,
        running: RunningMatches,
        *,
        private: Sequence[Path] = (),
    ) -> Self:
        """Open a ladder with all that was played on it; this may take seconds.

        Records that the last arena has left must be complete (`recovery`).

        Args:
            spec: The ladder.
            folder: The folder of the arena's file.
            data: The data folder.
            database: The arena's database, which stays open as long as the ladder is played.
            running: The arena's running matches.
            private: Files and folders that the house bots must not see in their sandboxes.

        Raises:
            SpecError: A map, a setting or a house bot doesn't exist or doesn't fit.
            StoreError: The results can't be read or written.
            OSError: The folder of records can't be read.
        """
        ruleset = registry.get(spec.game)
        settings, boards = configurations(ruleset, spec.maps, spec.settings, folder)
        house = {bot.name: bot for bot in house_contestants(spec, folder, private)}
        store = Store.of_ladder(database, spec.name, ruleset.name)
        room = cls(
            spec=spec,
            ruleset=ruleset,
            house=house,
            results=LadderResults(store, spec.name),
            running=running,
            settings=settings,
            boards={map_: ruleset.read_board(text) for map_, text in boards.items()},
            ladder=Ladder(
                seated=seatings([str(seat) for seat in range(ruleset.seats)]),
                house=tuple(house),
                fill_after=spec.fill_after,
                block_timeout=spec.block_timeout,
                bench_after=spec.bench_after,
                window=spec.window,
            ),
        )
        room._store_missing(data.records, is_shared=database.is_shared)
        room._restore()
        if database.is_shared:
            room.results.on_other = room._over_elsewhere
        return room

    @property
    def is_shared(self) -> bool:
        """Whether other arenas may store results of the same ladder."""
        return self.results.store.database.is_shared

    def reload(self, spec: LadderSpec) -> None:
        """Go on with other limits, those of another spec of this ladder."""
        self.spec = spec
        self._ladder.limit(spec.fill_after, spec.block_timeout, spec.bench_after)

    def _store_missing(self, records: Path, *, is_shared: bool) -> None:
        """Store the results that the last arena couldn't store any more.

        Args:
            records: The arena's folder of records.
            is_shared: Whether other arenas store results, too. The records of those are elsewhere.
        """
        store = self.results.store
        begin = datetime.min.replace(tzinfo=UTC) + LONGEST_MATCH
        since, stored, counted = begin, set[str](), set[tuple[str, int]]()
        with store.ladder_reading() as now:
            for match in now.newest_records():
                committed = datetime.fromisoformat(match.committed)
                if since == begin and (not is_shared or (records / match.record).exists()):
                    # Not later than now: the clock may have been ahead when it was stored.
                    since = min(committed, datetime.now(UTC))
                if since > begin and committed < since - LONGEST_MATCH:
                    break
                stored.add(match.record)
                if match.counted:
                    counted.add((match.block, match.seating))
        missing: list[BlockResult] = []
        count = 0
        for result in unstored(records, self.spec.name, since, stored):
            (played,) = result.matches
            seating = result.block, played.seating
            # The record of a match could not be completed, so it was taken for an aborted one.
            if played.counted and seating in counted:
                log.warning("not stored, as it was played again", record=played.record)
                continue
            counted |= {seating} if played.counted else set()
            missing.append(result)
            if len(missing) == AT_ONCE:
                count += len(store_possible(store, self.spec.name, missing)[0])
                missing = []
        if missing:
            count += len(store_possible(store, self.spec.name, missing)[0])
        if count:
            log.info("results stored from records", ladder=self.spec.name, matches=count)

    def _restore(self) -> None:
        with self.results.store.ladder_reading() as now:
            self._struck, self._unbenched = now.struck_until(), now.unbenched_until()
            matches = now.last_matches(KEPT)
            if self.spec.window is not None:
                # All in the window too, or it would seem to reach further back.
                of_window = LadderReading.of_window(
                    now.connection, now.competition, self.spec.window
                )
                matches = _merged(matches, of_window.counted_matches())
            in_order = _in_order(matches, self.now, self._unbenched)
            self._ladder.restore(in_order, now.played_matches())
            self.results.seen = now.last_number()
        # Nobody has their seeds any more, and it is known now what was played with them.
        self._ladder.close_blocks()

    @property
    def now(self) -> float:
        """The present time on the ladder's scale: seconds since 1970 that never run backwards."""
        return self._epoch + time.monotonic()

    # -- who is there --------------------------------------------------------------------------

    def wait(self, who: LadderName) -> None:
        """Let a bot wait for matches."""
        self._bench_or_not(who.name, who.key)
        self._ladder.wait(who.name, who.owner, self.now)

    def leave(self, who: LadderName) -> None:
        """Let a bot wait no longer."""
        self._ladder.leave(who.name)

    def presence(self) -> Mapping[str, int]:
        """Return how many bots are present: `waiting`, `playing`, `resting`."""
        return self._ladder.presence(self.now)

    def resting(self, who: LadderName) -> float | None:
        """Return for how many seconds a bot isn't paired, infinity if the operator benched it.

        Returns None if it doesn't rest.
        """
        until = self._ladder.resting_until(who.name, self.now)
        return None if until is None else until - self.now

    def why_resting(self, name: str) -> str:
        """Return why a bot that rests does so."""
        if self._ladder.is_benched(name):
            if name in self.house:
                return "it couldn't be started; the arena's log says why"
            return "the arena's operator has benched it"
        why = f"{self.spec.bench_after} failed matches in a row"
        last = self._failures.get(name)
        return f"{why}; the last: {last}" if last else why

    def rests(self) -> Mapping[str, datetime | None]:
        """Return the names that rest, and until when; None if the operator has benched one."""
        return {
            name: None if until == math.inf else datetime.fromtimestamp(until, UTC)
            for name, until in self._ladder.resting(self.now).items()
        }

    @property
    def hidden_blocks(self) -> list[str]:
        """The ids of the blocks whose records can't be seen yet, as their seeds are in use."""
        return [opening.block for opening in self._openings.values()]

    def bench_house(self, name: str) -> None:
        """Pair a house bot no longer, as it can't be started."""
        self._ladder.bench(name)

    # -- what the operator decides -------------------------------------------------------------

    def set_benched(
        self, benched: Iterable[BenchedName], present: Iterable[LadderName] = ()
    ) -> None:
        """Pair the benched names no longer, and those that were benched before again.

        Args:
            benched: The names that are benched now, on any ladder.
            present: The names of the bots that wait or play.
        """
        keys = {name.key for name in benched if name.ladder in {None, self.spec.name}}
        before, self._benched = self._benched, keys
        for who in present:
            self._bench_or_not(who.name, who.key)
        for name in self.house:
            if key_of(name) in keys or key_of(name) in before:
                self._bench_or_not(name, key_of(name))

    def _bench_or_not(self, name: str, key: str) -> None:
        if key in self._benched:
            self._ladder.bench(name)
        elif self._ladder.is_benched(name):
            self._ladder.unbench(name, self.now)

    async def take_up_notes(self) -> None:
        """Take up what the operator has noted in the database: who is struck, whose rest ends.

        Raises:
            StoreError: The database can't be read.
        """
        struck, unbenched = await trio.to_thread.run_sync(self._notes, abandon_on_cancel=True)
        for name, number in unbenched.items():
            if number != self._unbenched.get(name):
                self._ladder.unbench(name, self.now)
        self._unbenched = unbenched
        if struck != self._struck:
            await self._recount()
            for name, number in struck.items():
                if number != self._struck.get(name):
                    self._ladder.unbench(name, self.now)  # its failures don't count either
            self._struck = struck

    def _notes(self) -> tuple[Mapping[str, int], Mapping[str, int]]:
        with self.results.store.ladder_reading() as now:
            return now.struck_until(), now.unbenched_until()

    async def _recount(self) -> None:
        """Count the stored matches anew, as others of them count now."""
        await self.results.settle()
        self._over, self._taken = [], []
        try:
            known = {opening.block: pairing for pairing, opening in self._openings.items()}
            counted, last, number = await trio.to_thread.run_sync(
                self._counted, known, abandon_on_cancel=True
            )
            for pairing, result in self._over:
                (match,) = result.matches
                # It may have been stored before the stored ones were read.
                if match.counted and (result.block, match.seating) not in last:
                    names = [seat.bot for seat in match.seats]
                    counted.add(pairing, names, [seat.rank for seat in match.seats])
            self._ladder.recount(counted)
            self._counted_to = number
            for other in self._taken:
                if other.number > number:  # its failures have been counted already
                    self._take(other, failed=())
        finally:
            self._over = self._taken = None
        log.info("matches counted anew", ladder=self.spec.name)

    def _counted(
        self, known: Mapping[str, Pairing]
    ) -> tuple[Counted, Collection[tuple[str, int]], int]:
        """Count the stored matches.

        Args:
            known: The blocks that may be open, by id.

        Returns:
            What was counted; the block and the seating of each of the last ones; and the number up
            to which these were all.
        """
        last = deque[tuple[str, int]](maxlen=AT_ONCE)

        def noted(matches: Iterable[CountedMatch]) -> Iterator[CountedMatch]:
            for match in matches:
                last.append((match.block, match.seating))
                yield match

        with self.results.store.ladder_reading() as now:
            matches = _in_order(noted(now.counted_matches()), self.now, {}, known)
            return self._ladder.counted(matches), last, now.last_number()

    # -- matches -------------------------------------------------------------------------------

    def next(self) -> LadderMatch | None:
        """Return a match to begin now, whose bots then no longer wait; None if there is none."""
        match = self._ladder.next(self.now)
        self._forget_closed()
        return match

    def due(self) -> float | None:
        """Return in how many seconds `next` must be called again at the latest; None for never."""
        due = self._ladder.due(self.now)
        return None if due is None else max(0.0, due - self.now)

    def opening(self, pairing: Pairing) -> _Opening:
        """Return what the matches of a block have in common; it is drawn with the first of them."""
        opening = self._openings.get(pairing)
        if opening is None:
            maps = list(self._settings)
            opening = self._openings[pairing] = _Opening(
                block=ids.match_id(),
                seed=ids.fresh_seed(self.ruleset),
                map=maps[pairing.opening % len(maps)],
                records=VoidRecords(self.running, of_block=True),
            )
        return opening

    def match_spec(self, match: LadderMatch) -> MatchSpec:
        """Return the description of a match that is to begin."""
        opening = self.opening(match.pairing)
        return MatchSpec(
            ruleset=self.ruleset,
            settings=self._settings[opening.map],
            seed=opening.seed,
            board=self._boards.get(opening.map),
            conditions=self.conditions,
            try_=match.attempt,
            ladder=LadderInfo(
                name=self.spec.name,
                block=opening.block,
                bots=match.pairing.bots,
                seating=match.seating,
                map=opening.map,
            ),
        )

    @property
    def conditions(self) -> MatchConditions:
        """The conditions of all matches. A void one is played again when its bots wait again."""
        conditions = self.spec.clock.conditions(void_tries=1)
        return attrs.evolve(conditions, lag_allowance=self.spec.lag_allowance)

    @staticmethod
    def result_of(report: MatchReport, *, started: str, record: str) -> BlockResult | None:
        """Return what is stored of a match; None if it was aborted.

        Args:
            report: The report on the match.
            started: When it began, as ISO 8601 in UTC.
            record: The path of its record, relative to the folder of records.
        """
        spec = report.spec
        if not report.result.endings:
            return None
        assert spec.ladder is not None
        return block_result(
            spec.ladder,
            seed=spec.seed,
            attempt=spec.try_,
            names=report.names,
            started=started,
            result=report.result,
            stall=report.stall,
            record=record,
        )

    def over(self, match: LadderMatch, result: BlockResult | None) -> None:
        """Take the end of a match, and have its result stored.

        Args:
            match: The match.
            result: Its result; None if it could not begin, or was aborted.
        """
        if result is None:
            self._ladder.over(match, self.now, None)
        else:
            (played,) = result.matches
            failed = [seat.bot for seat in played.seats if seat.ending in FAILURES]
            for seat in played.seats:
                if seat.ending in FAILURES and seat.bot not in self.house:
                    self._failures[seat.bot] = seat.words or seat.ending.meaning
            ranks = [seat.rank for seat in played.seats] if played.counted else None
            self._ladder.over(match, self.now, ranks, failed)
            self.results.add(result)
            if self._over is not None:
                self._over.append((match.pairing, result))
        self._forget_closed()

    def _over_elsewhere(self, match: CountedMatch) -> None:
        """Take a match that another arena has stored."""
        if match.number <= self._counted_to:
            return
        if self._taken is not None:
            self._taken.append(match)
        self._take(match, failed=match.failed)

    def _take(self, match: CountedMatch, failed: Collection[str]) -> None:
        self._ladder.over_elsewhere(
            *(match.block, match.bots, match.seating, match.ranks), failed=failed, now=self.now
        )

    def _forget_closed(self) -> None:
        """Show the records of the blocks that are over."""
        for pairing in [pairing for pairing in self._openings if not self._ladder.is_open(pairing)]:
            self._openings.pop(pairing).records.show()


def _merged(*sources: Iterable[CountedMatch]) -> Iterator[CountedMatch]:
    """Merge matches that are in the order of their numbers; none comes twice."""
    in_order = heapq.merge(*sources, key=attrgetter("number"))
    return (next(same) for _, same in itertools.groupby(in_order, attrgetter("number")))


def _in_order(
    matches: Iterable[CountedMatch],
    now: float,
    unbenched: Mapping[str, int],
    known: Mapping[str, Pairing] | None = None,
) -> Iterator[LadderResult]:
    """Give the blocks of stored matches numbers, in the order of their first matches.

    Args:
        matches: The matches, in the order of their commits.
        now: The present time. None is taken for a later one, though the clock may have been ahead.
        unbenched: By name: the number of the last match whose failure is forgotten.
        known: By id: the blocks that a running ladder has numbered; the others then get negative
            numbers. None if it has numbered none.
    """
    pairings = dict(known or {})
    for match in matches:
        pairing = pairings.get(match.block)
        if pairing is None:
            opening = len(pairings) if known is None else -1 - len(pairings)
            pairing = pairings[match.block] = Pairing(match.bots, opening)
        yield LadderResult(
            pairing=pairing,
            seating=match.seating,
            attempt=1,
            ranks=match.ranks,
            failed={name for name in match.failed if match.number > unbenched.get(name, 0)},
            time=min(datetime.fromisoformat(match.committed).timestamp(), now),
        )
