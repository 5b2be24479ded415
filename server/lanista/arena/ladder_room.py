"""A ladder of a running arena: its waiting bots, its openings, and what is stored of its matches.

Who meets whom is decided by `ladder.Ladder`, which knows neither bots nor seeds nor a clock; this
module tells it who is there, and makes of its decisions matches that can be played.
"""

import heapq
import itertools
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import Any, Self

import attrs
import structlog

from lanista.arena.damage_check import is_large
from lanista.arena.house_bots import house_contestants
from lanista.arena.ladder import Ladder, LadderMatch, LadderResult
from lanista.arena.ladder_ratings import KEPT
from lanista.arena.ladder_results import LONGEST_MATCH, LadderResults, block_result, unstored
from lanista.arena.match_player import PlayedMatch
from lanista.arena.names import LadderName
from lanista.arena.spec import LadderSpec
from lanista.hosting import ids
from lanista.hosting.bot_pool import Contestant
from lanista.hosting.control import RunningMatches
from lanista.hosting.host import VoidRecords
from lanista.hosting.spec_parts import configurations
from lanista.match.conditions import LadderInfo, MatchConditions, MatchSpec
from lanista.match.ending import FAILURES
from lanista.pairing.blocks import Pairing, seatings
from lanista.rules import registry
from lanista.rules.base import Ruleset
from lanista.store.database import Store
from lanista.store.ladder_reading import CountedMatch, LadderReading
from lanista.store.results import BlockResult

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
    """One ladder of an arena; `run` it while the arena runs, and `close` it at the end."""

    spec: LadderSpec
    ruleset: Ruleset
    house: Mapping[str, Contestant]
    """The house bots by name."""
    results: LadderResults
    running: RunningMatches
    unchecked: Path | None
    """Its database if that is too large for looking for damage before the arena starts."""
    _settings: Mapping[str, Mapping[str, int]]  # by map
    _boards: Mapping[str, Any]  # by map; without one the seed makes it
    _ladder: Ladder
    _failures: dict[str, str] = attrs.field(factory=dict, init=False)
    """Why each bot that has failed did so the last time, by name."""
    _openings: dict[Pairing, _Opening] = attrs.field(factory=dict, init=False)
    _opened: ExitStack = attrs.field(factory=ExitStack, init=False)
    # Times given to the ladder are on the scale of stored ones, but the wall clock may be set.
    _epoch: float = attrs.field(factory=lambda: time.time() - time.monotonic(), init=False)

    @classmethod
    def open(
        cls, spec: LadderSpec, folder: Path, data: Path, target: str | None, running: RunningMatches
    ) -> Self:
        """Open a ladder with all that was played on it; this may take seconds.

        Records that the last arena has left must be complete (`recovery`).

        Args:
            spec: The ladder.
            folder: The folder of the arena's file.
            data: The data folder.
            target: The URL of a PostgreSQL database; None for a file in the data folder.
            running: The arena's running matches.

        Raises:
            SpecError: A map, a setting or a house bot doesn't exist or doesn't fit.
            StoreError: The results can't be read or written.
            OSError: The folder of records can't be read.
        """
        ruleset = registry.get(spec.game)
        settings, boards = configurations(ruleset, spec.maps, spec.settings, folder)
        house = {bot.name: bot for bot in house_contestants(spec, folder)}
        with ExitStack() as opened:
            path = data / "ladders" / f"{spec.name}.db"
            if target is None:
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            schema = spec.schema if target else None
            unchecked = path if target is None and is_large(path) else None
            store = opened.enter_context(
                Store.open(target or path, schema=schema, check=unchecked is None)
            )
            if target is None:
                opened.enter_context(store.lock())
            room = cls(
                spec=spec,
                ruleset=ruleset,
                house=house,
                results=LadderResults(store, spec.name),
                running=running,
                unchecked=unchecked,
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
            room._store_missing(data / "records", is_shared=target is not None)
            room._restore()
            if target is not None:
                room.results.on_other = room._over_elsewhere
            room._opened = opened.pop_all()
        return room

    def reload(self, spec: LadderSpec) -> None:
        """Go on with other limits, those of another spec of this ladder."""
        self.spec = spec
        self._ladder.limit(spec.fill_after, spec.block_timeout, spec.bench_after)

    def close(self) -> None:
        """Close the database."""
        self._opened.close()

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
        missing = []
        for result in unstored(records, self.spec.name, since, stored):
            (played,) = result.matches
            seating = result.block, played.seating
            # The record of a match could not be completed, so it was taken for an aborted one.
            if played.counted and seating in counted:
                log.warning("not stored, as it was played again", record=played.record)
                continue
            counted |= {seating} if played.counted else set()
            missing.append(result)
        if missing:
            store.add_matches(missing)
            log.info("results stored from records", ladder=self.spec.name, matches=len(missing))

    def _restore(self) -> None:
        with self.results.store.ladder_reading() as now:
            matches = now.last_matches(KEPT)
            if self.spec.window is not None:
                # All in the window too, or it would seem to reach further back.
                of_window = LadderReading.of_window(now.connection, self.spec.window)
                matches = _merged(matches, of_window.counted_matches())
            self._ladder.restore(_in_order(matches, self.now), now.played_matches())
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

    def why_resting(self, who: LadderName) -> str:
        """Return why a bot that rests does so."""
        if self._ladder.is_benched(who.name):
            return "the arena's operator has benched it"
        why = f"{self.spec.bench_after} failed matches in a row"
        last = self._failures.get(who.name)
        return f"{why}; the last: {last}" if last else why

    def bench_house(self, name: str) -> None:
        """Pair a house bot no longer, as it can't be started."""
        self._ladder.bench(name)

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
                records=VoidRecords(self.running),
            )
        return opening

    def match_spec(self, match: LadderMatch) -> MatchSpec:
        """Return the description of a match that is to begin."""
        opening = self.opening(match.pairing)
        return MatchSpec(
            match=ids.match_id(),
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
    def result_of(
        spec: MatchSpec, names: Sequence[str], played: PlayedMatch, *, started: str, record: str
    ) -> BlockResult | None:
        """Return what is stored of a match; None if it was aborted.

        Args:
            spec: The match.
            names: The names of the bots, by seat.
            played: How it ended.
            started: When it began, as ISO 8601 in UTC.
            record: The path of its record, relative to the folder of records.
        """
        if not played.result.endings:
            return None
        assert spec.ladder is not None
        return block_result(
            spec.ladder,
            seed=spec.seed,
            attempt=spec.try_,
            names=names,
            started=started,
            result=played.result,
            stall=played.stall,
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
        self._forget_closed()

    def _over_elsewhere(self, match: CountedMatch) -> None:
        """Take a match that another arena has stored."""
        self._ladder.over_elsewhere(
            *(match.block, match.bots, match.seating, match.ranks),
            failed=match.failed,
            now=self.now,
        )

    def _forget_closed(self) -> None:
        """Show the records of the blocks that are over."""
        for pairing in [pairing for pairing in self._openings if not self._ladder.is_open(pairing)]:
            self._openings.pop(pairing).records.show()


def _merged(*sources: Iterable[CountedMatch]) -> Iterator[CountedMatch]:
    """Merge matches that are in the order of their numbers; none comes twice."""
    in_order = heapq.merge(*sources, key=attrgetter("number"))
    return (next(same) for _, same in itertools.groupby(in_order, attrgetter("number")))


def _in_order(matches: Iterable[CountedMatch], now: float) -> Iterator[LadderResult]:
    """Give the blocks of stored matches numbers, in the order of their first matches.

    Args:
        matches: The matches, in the order of their commits.
        now: The present time. None is taken for a later one, though the clock may have been ahead.
    """
    openings: dict[str, int] = {}
    for match in matches:
        opening = openings.setdefault(match.block, len(openings))
        yield LadderResult(
            pairing=Pairing(match.bots, opening),
            seating=match.seating,
            attempt=1,
            ranks=match.ranks,
            failed=match.failed,
            time=min(datetime.fromisoformat(match.committed).timestamp(), now),
        )
