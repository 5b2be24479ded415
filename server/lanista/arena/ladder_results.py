"""The results of a ladder's matches: made from records, stored, and looked for after a crash.

A match's result is in its record before its bots are told of it, so a record is all that is needed.
`LadderResults` stores results while the arena runs, several in one transaction, and tries again as
long as the database can't be written. If the arena is killed in between, the next one finds the
records whose results aren't stored (`LadderRoom.open`). A database server that takes over from
another one may lack what that has stored last, so this is given again after each outage.

Several arenas may store the results of one ladder in a PostgreSQL database. Stored matches are
numbered in the order of their commits, so each arena learns from the numbers what is new, and takes
what isn't its own.
"""

import contextlib
import itertools
import math
from collections import deque
from collections.abc import Callable, Sequence

import attrs
import structlog
import trio

from lanista.errors import StoreError
from lanista.match.figures import Histogram
from lanista.results.database import Store
from lanista.results.engines import UnstorableError
from lanista.results.ladder_reading import CountedMatch
from lanista.results.match_result import MatchResult

AGAIN = 1.0
"""Seconds until results are stored again that couldn't be, twice as long each time."""
LONGEST_PAUSE = 10.0
"""The longest such pause, in seconds."""
LOOK_INTERVAL = 3.0
"""Seconds between two looks at what other arenas have stored."""
TAKEN_AT_ONCE = 20
"""Number of these matches that are taken in one pass of the event loop; each takes some 0.1 ms."""
MAX_WAITING = 10_000
"""Number of results that wait to be stored from which on no match begins."""
AT_ONCE = 500
"""Maximum number of results that are stored in one transaction."""
TIME_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the buckets for the times of transactions, in seconds."""

log = structlog.get_logger()


def store_possible(
    store: Store, ladder: str, results: Sequence[MatchResult]
) -> tuple[list[int], int]:
    """Store results in one transaction; if one of them can't be stored, all the others.

    Returns the numbers of those that are stored, and how many can't be. The log says which, and
    why; their records stay.

    Raises:
        StoreError: The database can't be written now. Some may have been stored; they may be given
            again.
    """
    try:
        return store.add_matches(results), 0
    except Exception as error:
        if isinstance(error, StoreError) and not isinstance(error, UnstorableError):
            raise
        if len(results) == 1:
            log.error(
                "a result can't be stored and doesn't count; its record stays",
                ladder=ladder,
                match=results[0].id,
                record=results[0].record,
                why=f"{type(error).__name__}: {error}",
            )
            return [], 1
    half = len(results) // 2
    numbers, refused = store_possible(store, ladder, results[:half])
    more_numbers, more_refused = store_possible(store, ladder, results[half:])
    return numbers + more_numbers, refused + more_refused


@attrs.define(eq=False)
class LadderResults:
    """Stores the results of a running ladder; `run` must run as long as there are any."""

    store: Store
    name: str
    on_stored: Callable[[], None] | None = None
    """Called when results are stored; None if nobody wants to know."""
    on_other: Callable[[CountedMatch], None] | None = None
    """Takes each match that another arena has stored; None if no other one uses the store."""
    seen: int = 0
    """The number of the last stored match that this arena knows, apart from its own later ones."""
    times: Histogram = attrs.field(factory=lambda: Histogram(TIME_BOUNDS), init=False)
    """Seconds that each transaction took."""
    refused: int = attrs.field(default=0, init=False)
    """Number of results that can't be stored, whenever it is tried."""
    _own: set[int] = attrs.field(factory=set, init=False)
    """The numbers of this arena's own matches above `seen`."""
    _waiting: list[MatchResult] = attrs.field(factory=list, init=False)
    _last: deque[MatchResult] = attrs.field(factory=lambda: deque(maxlen=AT_ONCE), init=False)
    """The results that were stored last."""
    _changed: trio.Event = attrs.field(factory=trio.Event, init=False)
    _done: trio.Event = attrs.field(factory=trio.Event, init=False)
    _counting: trio.CapacityLimiter = attrs.field(
        factory=lambda: trio.CapacityLimiter(1), init=False
    )
    """One thread asks how many matches are stored: a silent server would hold all of ours."""

    def add(self, result: MatchResult) -> None:
        """Have a result stored soon."""
        self._waiting.append(result)
        self._changed.set()

    @property
    def waiting(self) -> int:
        """Number of results that aren't stored yet."""
        return len(self._waiting)

    @property
    def has_room(self) -> bool:
        """Whether more matches may be played, as not too many results wait to be stored."""
        return len(self._waiting) < MAX_WAITING

    async def stored(self, deadline: float) -> int | None:
        """Return how many matches are stored; None if the database doesn't say so until then."""
        with trio.move_on_at(deadline), contextlib.suppress(StoreError):
            return await trio.to_thread.run_sync(
                self._count, abandon_on_cancel=True, limiter=self._counting
            )
        return None

    def _count(self) -> int:
        with self.store.ladder_reading() as now:
            return now.stored()

    async def settle(self) -> None:
        """Wait until all results are stored."""
        while self._waiting:
            await self._done.wait()

    async def run(self) -> None:
        """Store results until cancelled, and hear of those that other arenas store."""
        pause = AGAIN
        before: list[MatchResult] = []
        interval = math.inf if self.on_other is None else LOOK_INTERVAL
        while True:
            with trio.move_on_after(interval):
                await self._changed.wait()
            self._changed = trio.Event()
            waiting = len(self._waiting)
            try:
                await self._store_waiting()
                if self.on_other is not None:
                    await self._take_others(self.on_other)
            except StoreError as error:
                if pause == AGAIN:  # it hasn't failed before
                    log.error("results can't be stored yet", ladder=self.name, why=str(error))
                    before = list(self._last)
                await trio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                self._changed.set()
                continue
            if pause > AGAIN:
                log.info("results are stored again", ladder=self.name, results=waiting)
                # Those that are still there are left as they are.
                self._waiting[:0] = before
                self._changed.set()
            pause = AGAIN

    async def _store_waiting(self) -> None:
        while self._waiting:
            batch = self._waiting[:AT_ONCE]
            began = trio.current_time()
            # The arena's end doesn't wait for a silent server: what isn't stored is in the records.
            numbers, refused = await trio.to_thread.run_sync(
                store_possible, self.store, self.name, batch, abandon_on_cancel=True
            )
            self.times.add(trio.current_time() - began)
            self.refused += refused
            if self.on_other is not None:
                self._own.update(numbers)
            if not refused:
                self._last.extend(batch)
            del self._waiting[: len(batch)]
            if self.on_stored is not None:
                self.on_stored()
        self._done.set()
        self._done = trio.Event()

    async def _take_others(self, take: Callable[[CountedMatch], None]) -> None:
        """Take what other arenas have stored, a few matches in a pass of the event loop."""
        is_behind = True
        while is_behind:
            # Nothing of ours is stored meanwhile, so all of our own numbers are known.
            found, seen = await trio.to_thread.run_sync(self._newer, abandon_on_cancel=True)
            is_behind = len(found) == AT_ONCE
            for number, match in enumerate(found, 1):
                if match.number not in self._own:
                    take(match)
                if number % TAKEN_AT_ONCE == 0:
                    await trio.lowlevel.checkpoint()
            self.seen = seen
            self._own = {number for number in self._own if number > seen}

    def _newer(self) -> tuple[Sequence[CountedMatch], int]:
        """Return the next matches that count, and the number up to which these are all."""
        with self.store.ladder_reading() as now:
            last = now.last_number()
            found = list(itertools.islice(now.counted_matches(after=self.seen), AT_ONCE))
        return found, found[-1].number if len(found) == AT_ONCE else last
