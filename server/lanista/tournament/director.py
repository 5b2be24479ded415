"""The director of a tournament: hands blocks out to workers and has their results recorded.

A tournament is played in *blocks*: the same bots on the same seed and map, once in each seating.
The block is the unit of everything: it is handed out, committed, played again and counted as a
whole, because only all its seatings together are fair to its bots. Its id is a hash of all that
decides its matches, so a later run recognises what was played.

The director is one trio task in the manager's process; it plays nothing itself. Its loop is:

1. *Hand out.* It takes blocks from the format and gives a task to each free slot; there are as many
   slots as tasks may run at the same time. A task is a list of blocks that takes about a second, so
   that the cost of dispatching it doesn't matter (`pace`).
2. *Wait* until a task ends. Tasks end in threads of an executor; `deliver` brings their futures
   into the trio thread.
3. *Take in.* The `ResultRecorder` commits the results and reports them to the format, which may
   want other blocks because of them. Where it can't (its plan is fixed), the slots are filled
   before the commit, so that no worker waits for the disk.

A worker that dies takes its task with it. The blocks of such a task are handed out again, each in a
task of its own, so that a block that kills workers is identified; then the tournament halts.

A bot that fails too many matches in a row is *benched*. If many blocks of a broken bot were with
workers at the same time, it would lose far more matches than it takes to bench it, as a gift to its
opponents. So a bot is *on trial* until a block with it is stored, and again while its last match
was a failure: no more of its blocks are handed out than would bench it, and later blocks of other
bots go first.

Who meets whom is decided by the format (`lanista.pairing`); what is stored, and in which order, by
the recorder.
"""

import collections
import concurrent.futures
import functools
import math
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any

import attrs
import trio

from lanista.pairing.base import Format, Progress
from lanista.pairing.blocks import Pairing
from lanista.results.match_result import BlockResult
from lanista.standings.table import Standings
from lanista.store.database import Store
from lanista.store.errors import StoreError
from lanista.tournament import events
from lanista.tournament.calibration import Bounds, NotMeasuredError, calibrate, make_measure
from lanista.tournament.executors import Workers, no_cleanup
from lanista.tournament.futures import deliver, error_of, one_line
from lanista.tournament.pace import Disturbances, Pace, eta, failed
from lanista.tournament.result_recorder import ResultRecorder
from lanista.tournament.rows import Row, match_rows
from lanista.tournament.setup import Setup
from lanista.tournament.worker import Block, Finished, Measured, Task, WorkError

MAX_DEATHS = 3
"""Number of workers that may die while playing the same block before the tournament halts."""
COUNT_INTERVAL = 2.0
"""Seconds between two counts of the workers, where they can come and go."""
MAX_PASSED_OVER = 16
"""Maximum number of blocks that wait for a bot on trial while later blocks are handed out."""
MAX_CALIBRATIONS = 3
"""Maximum number of pairings to calibrate with: bots that don't start are replaced by the next."""


@attrs.frozen(kw_only=True)
class Report:
    """The outcome of a run."""

    standings: Standings
    over: bool
    """Whether the whole tournament was played."""
    halted: str
    """One line that says why the tournament can't go on; empty if it can."""
    interrupted: bool
    """Whether the run was asked to end before all was played; another run goes on from there."""
    decision: str = ""
    """The hypothesis that a version test has accepted, `H0` or `H1`; otherwise empty."""
    setup: Setup = attrs.field(repr=False, eq=False)
    """The tournament that was run."""

    def matches(self) -> list[Row]:
        """Return a row of plain values for each bot of each stored match, the oldest first.

        `polars.DataFrame` and `pandas.DataFrame` take them as they are.

        Raises:
            StoreError: The database can't be read.
        """
        return match_rows(self.setup)


@attrs.define(eq=False)
class _Wanted:
    """A block that the format has asked for and that isn't stored yet."""

    pairing: Pairing
    block: Block
    deaths: int = 0
    """The number of workers that died while playing it."""


@attrs.frozen(eq=False)
class _Running:
    """A task that was submitted and hasn't ended."""

    wanted: tuple[_Wanted, ...]
    slots: int
    """The number of slots when it was handed out."""


class Director:
    """The director of one run of a tournament."""

    def __init__(
        self,
        setup: Setup,
        store: Store,
        format_: Format,
        workers: Workers,
        *,
        play: Callable[[Task], list[Finished]],
        measure: Callable[[Task, float], Measured] | None = None,
        cleanup: Callable[[], None] = no_cleanup,
        on_event: Callable[[events.Event], None] | None = None,
    ) -> None:
        """Prepare a run; nothing is read or started before `run`.

        Args:
            setup: The tournament, after `check_identities` and `settle_seed` with this store.
            store: The open database, locked by the caller.
            format_: A new format, to which no result was reported.
            workers: The workers, not started; `run` starts and ends them.
            play: The function that plays a task in a worker; picklable, like the two below.
            measure: The function that measures the machine in a worker, to calibrate `slots`.
            cleanup: The function that each worker calls before it ends.
            on_event: Called with each event, in the trio thread; must not block.
        """
        self.setup = setup
        self._recorder = ResultRecorder(setup, store, format_)
        self._format = format_
        self._workers = workers
        self._play = play
        self._measure = measure
        self._cleanup = cleanup
        self._emit = _ignore if on_event is None else on_event
        self._pace = Pace(math.inf)
        self._disturbances = Disturbances(setup.match_setup.conditions.stall_margin)
        self._scope = trio.CancelScope()
        self._wake = trio.Event()
        self._arrived: collections.deque[Future[Any]] = collections.deque()
        self._running: dict[Future[Any], _Running] = {}
        # By bot: its blocks that are being played.
        self._in_play: collections.Counter[str] = collections.Counter()
        # Blocks taken from the format that were never handed out.
        self._waiting: collections.deque[_Wanted] = collections.deque()
        # Blocks lost with a worker.
        self._retries: collections.deque[_Wanted] = collections.deque()
        self._finishing = False
        self._halted = ""
        self._latest_standings: Standings | None = None

    @property
    def running(self) -> int:
        """The number of blocks that workers have been given and not returned."""
        return sum(len(task.wanted) for task in self._running.values())

    @property
    def progress(self) -> Progress:
        """The numbers of blocks that are played and planned."""
        return self._format.progress()

    def finish(self) -> None:
        """Hand out nothing more, and end when what runs is stored.

        To be called from the trio thread of `run`.
        """
        if not self._finishing:
            self._finishing = True
            self._emit(events.Finishing(running=self.running))
        self._wake.set()

    def stop(self) -> None:
        """End now; what runs is lost and will be played again by the next run.

        To be called from the trio thread of `run`.
        """
        self._finishing = True
        self._scope.cancel()

    async def standings(self) -> Standings:
        """Return the standings of what is stored; they are computed in a thread.

        Raises:
            StoreError: The database can't be read.
        """
        self._latest_standings = await self._recorder.standings()
        return self._latest_standings

    async def run(self) -> Report:
        """Play until the tournament is over, can't go on, or is ended by `finish` or `stop`.

        Raises:
            SpecError: The workers can't be started.
            StoreError: The database can't be read.
            OSError: The folder of records can't be made.
        """
        try:
            with self._scope:
                self._resume()
                if not self._format.over():
                    await trio.to_thread.run_sync(self._workers.start)
                    await self._calibrate()
                    await self._direct()
        except BaseException:
            await self._end(self._workers.terminate)
            raise
        if self._scope.cancelled_caught:
            await self._end(self._workers.terminate)
        else:
            await self._end(functools.partial(self._workers.close, self._cleanup))
        over = self._format.over()
        standings = await self._last_standings()
        report = Report(
            setup=self.setup,
            standings=standings,
            over=over,
            halted=self._halted,
            interrupted=self._finishing and not over and not self._halted,
            # Only a version test has this attribute.
            decision=getattr(self._format, "decision", ""),
        )
        self._emit(
            events.Ended(
                over=over,
                halted=report.halted,
                interrupted=report.interrupted,
                progress=self.progress,
                verdict=self._format.verdict() if over else "",
            )
        )
        return report

    async def _last_standings(self) -> Standings:
        """Return the final standings, or the last known ones if the database can't be read."""
        try:
            return await self.standings()
        except StoreError as error:
            self._halt(one_line(error))
        if self._latest_standings is not None:
            return self._latest_standings
        spec, progress = self.setup.spec, self.progress
        return Standings(
            name=spec.name,
            game=self.setup.ruleset.name,
            format=spec.format.value,
            seats=self.setup.ruleset.seats,
            rows=(),
            head_to_head=(),
            seat_advantage=(),
            blocks=progress.played,
            planned=progress.planned,
            matches=self._recorder.matches,
            voids=0,
            uncounted=0,
            over=self._format.over(),
            words=progress.words,
        )

    @staticmethod
    async def _end(end: Callable[[], None]) -> None:
        # Shielded, so that a cancelled run leaves no process behind; it takes a bounded time.
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(end)

    def _resume(self) -> None:
        """Go on where the last run ended."""
        benched = self._recorder.resume()
        self._emit(
            events.Begun(
                name=self.setup.spec.name,
                game=self.setup.ruleset.name,
                format=self.setup.spec.format.value,
                bots=self.setup.bots,
                seats=self.setup.ruleset.seats,
                progress=self.progress,
                matches=self._recorder.matches,
                slots=None if self._is_measured else self._workers.slots,
            )
        )
        for bot, failures in benched.items():
            reason = self._recorder.last_failure(bot)
            self._emit(events.Benched(bot=bot, failures=failures, words=reason))

    # Measuring the machine

    @property
    def _is_measured(self) -> bool:
        return self._workers.is_auto and self._workers.is_local and self._measure is not None

    async def _calibrate(self) -> None:
        """Measure how many slots there should be, unless their number is given."""
        if self._measure is None or not self._is_measured:
            return
        self._fetch(max(self._workers.slots, MAX_CALIBRATIONS))
        max_slots = max(1, min(self._workers.slots, len(self._waiting)))
        conditions = self.setup.match_setup.conditions
        bounds = Bounds(turn=conditions.clock.turn, stall_margin=conditions.stall_margin)
        slots, reason = max_slots, "there is nothing to be played side by side"
        failures: tuple[type[BaseException], ...] = (WorkError, *self._workers.losses)
        for wanted in list(self._waiting)[:MAX_CALIBRATIONS] if max_slots > 1 else ():
            task = self._task([wanted.block])
            measure = make_measure(self._workers, self._measure, task, lambda: self._finishing)
            try:
                calibrated = await calibrate(max_slots, measure, bounds)
            except NotMeasuredError:
                return
            except failures as error:  # these bots don't even start: try others
                slots, reason = max(1, max_slots // 2), one_line(error)
            else:
                self._workers.set_slots(calibrated.slots)
                self._emit(calibrated)
                return
        self._workers.set_slots(slots)
        description = f"concurrency {slots}, not measured: {reason}"
        self._emit(events.Calibrated(slots=slots, levels=(), words=description))

    # Handing out

    async def _direct(self) -> None:
        """Hand out blocks and take in results until there is nothing more to do."""
        self._pace.began = time.monotonic()
        while True:
            self._hand_out()
            if not self._running:
                break
            await self._wait()
            arrived = list(self._arrived)
            self._arrived.clear()
            self._take_in(arrived)
        if not self._finishing and not self._halted and not self._format.over():
            self._halt("the format wants no block, and is not over: a fault in Lanista")

    async def _wait(self) -> None:
        """Wait until a task has ended, `finish` was called, or the number of slots has changed."""
        while not self._wake.is_set():
            with trio.move_on_after(COUNT_INTERVAL):
                await self._wake.wait()
            if not self._wake.is_set() and not self._workers.is_local:
                with trio.move_on_after(COUNT_INTERVAL):
                    self._resize(
                        await trio.to_thread.run_sync(
                            self._workers.count_threads, abandon_on_cancel=True
                        )
                    )
        self._wake = trio.Event()

    def _resize(self, workers: int | None) -> None:
        """Adapt the slots to the number of workers, if it is known."""
        if workers is None:
            return
        slots = max(1, workers)
        if slots != self._workers.slots:
            self._workers.set_slots(slots)
            self._emit(events.Resized(slots=slots, workers=workers))
            self._wake.set()

    def _hand_out(self) -> None:
        """Give every free slot a task."""
        self._give_back()
        # A version test that has decided wants no block any more, not even one that was lost.
        if self._finishing or self._halted or self._format.over():
            return
        free = self._workers.slots - len(self._running)
        # Each in a task of its own: if the worker dies again, this block is to blame.
        while free > 0 and self._retries:
            self._submit([self._retries.popleft()])
            free -= 1
        if free <= 0 or self._halted:
            return
        size = self._pace.task_size(self.progress, self.running, self._workers.slots)
        blocks: list[_Wanted] = []
        passed_over: list[_Wanted] = []
        while free > 0 and len(blocks) < free * size and not self._halted:
            self._fetch(1)
            if not self._waiting or len(passed_over) == MAX_PASSED_OVER:
                break
            wanted = self._waiting.popleft()
            room = self._room(wanted)
            if room is None:
                blocks.append(wanted)
            elif room <= 0:
                passed_over.append(wanted)
            elif blocks and free == 1:  # the last free slot is for the blocks found so far
                passed_over.append(wanted)
                break
            else:
                # In a task of its own: a longer task would be played to its end even if the bot is
                # benched meanwhile.
                self._submit([wanted])
                free -= 1
        self._waiting.extendleft(reversed(passed_over + blocks[free * size :]))
        del blocks[free * size :]
        for index in range(free):
            if share := blocks[index::free]:
                self._submit(share)

    def _room(self, wanted: _Wanted) -> int | None:
        """Return how many blocks may be handed out with this one's bots; None for any number.

        A bot on trial has no more blocks with workers than would bench it, so that a bot that fails
        every match loses no more of them than it must.
        """
        rooms = [
            left - self._in_play[bot]
            for bot in set(wanted.pairing.bots)
            if (left := self._recorder.blocks_until_benched(bot)) is not None
        ]
        return min(rooms, default=None)

    def _give_back(self) -> None:
        """Return to the format the waiting blocks whose bots were benched meanwhile."""
        if not self._recorder.benched:
            return
        for queue in (self._waiting, self._retries):
            waiting = list(queue)
            queue.clear()
            for wanted in waiting:
                if self._recorder.benched.keys().isdisjoint(wanted.pairing.bots):
                    queue.append(wanted)
                else:
                    self._format.give_back(wanted.pairing)

    def _fetch(self, blocks: int) -> None:
        """Take blocks from the format until so many wait to be handed out, if it wants as many."""
        while len(self._waiting) < blocks:
            pairing = self._format.next()
            if pairing is None:
                return
            opening = self.setup.opening(pairing.opening)
            self._waiting.append(
                _Wanted(
                    pairing,
                    Block(
                        id=self.setup.block_id(pairing.bots, opening),
                        bots=pairing.bots,
                        opening=opening,
                        seatings=self._format.seated,
                    ),
                )
            )

    def _submit(self, wanted: Sequence[_Wanted]) -> None:
        task = self._task([each.block for each in wanted])
        try:
            future = self._workers.submit(self._play, task)
        except RuntimeError as error:  # a given executor that is broken, or was shut down
            self._retries.extend(wanted)
            self._halt(f"the executor takes no more tasks: {one_line(error)}")
            return
        self._running[future] = _Running(tuple(wanted), self._workers.slots)
        self._in_play.update(_bots_of(wanted))
        deliver(future, self._deliver)

    def _task(self, blocks: Sequence[Block]) -> Task:
        names = {bot for block in blocks for bot in block.bots}
        return Task(
            match_setup=self.setup.match_setup,
            contestants={name: self.setup.contestants[name] for name in sorted(names)},
            blocks=tuple(blocks),
            playing=self._recorder.playing if self._shares_folder else None,
        )

    @property
    def _shares_folder(self) -> bool:
        """Whether workers write directly into the folder of records.

        They do if they run on this machine, or if the spec gives the folder as an absolute path: a
        cluster must share that folder.
        """
        records = self.setup.spec.records
        return self._workers.is_near or (records is not None and records.startswith("/"))

    # Taking in

    def _deliver(self, future: Future[Any]) -> None:
        self._arrived.append(future)
        self._wake.set()

    def _take_in(self, futures: Sequence[Future[Any]]) -> None:
        """Record the results of tasks that have ended, and cope with those that failed."""
        finished: list[tuple[_Wanted, Finished, _Running]] = []
        for future in futures:
            task = self._running.pop(future)
            self._in_play.subtract(_bots_of(task.wanted))
            error = error_of(future)
            if error is not None:
                self._failed(task, error)
                continue
            results: list[Finished] = future.result()
            self._pace.learn(results)
            finished += [
                (wanted, result, task) for wanted, result in zip(task.wanted, results, strict=True)
            ]
        # Workers needn't wait for our disk, unless these results may change what is played next.
        if self.setup.spec.format.is_planned and not any(
            block.trouble or failed(block.result) for _, block, _ in finished
        ):
            self._hand_out()
        if finished:
            self._commit(finished)

    def _failed(self, task: _Running, error: BaseException) -> None:
        """Handle a task that ended by an error: hand its blocks out again, or halt."""
        message = f"{type(error).__name__}: {one_line(error)}"
        if isinstance(error, self._workers.losses):
            self._lost(task, error)
        elif isinstance(error, concurrent.futures.CancelledError):
            self._halt("the executor gave its tasks back: its workers or scheduler ended")
        elif isinstance(error, WorkError | OSError):
            self._halt(one_line(error))
        elif isinstance(error, Exception):
            trace = "".join(traceback.format_exception(error))
            self._halt(f"a worker failed: {message}", trace)
        else:  # no fault of the code: a signal, or a loop that was closed
            self._halt(f"a worker was ended while it played: {message}")

    def _lost(self, task: _Running, error: BaseException) -> None:
        """Have the blocks of a worker that died played again, each in a task of its own."""
        for wanted in task.wanted:
            wanted.deaths += 1
        self._retries.extend(task.wanted)
        ids = tuple(wanted.block.id for wanted in task.wanted)
        self._emit(events.WorkerLost(words=one_line(error), blocks=ids))
        for wanted in task.wanted:
            if wanted.deaths >= MAX_DEATHS:
                self._halt(f"{_shown(wanted.block)}: {MAX_DEATHS} workers died while playing it")

    def _commit(self, finished: Sequence[tuple[_Wanted, Finished, _Running]]) -> None:
        """Record blocks that were played, in one transaction, and emit the events about them."""
        try:
            for wanted, block, _ in finished:
                if block.trouble:
                    self._halt(f"{_shown(wanted.block)}: {one_line(block.trouble)}")
                    self._recorder.set_aside(block)
            counting = [entry for entry in finished if not entry[1].trouble]
            results, benched = self._recorder.commit(
                [(wanted.pairing, block) for wanted, block, _ in counting]
            )
        except (OSError, StoreError) as error:
            self._halt(one_line(error))
            return
        for result, (_, _, task) in zip(results, counting, strict=True):
            self._pace.count(len(self._format.seated), time.monotonic())
            self._report(result)
            for benching, reason in benched:
                if benching.block == result.block:
                    self._emit(
                        events.Benched(bot=benching.bot, failures=benching.failures, words=reason)
                    )
            self._note_stalls(result, task)

    def _report(self, result: BlockResult) -> None:
        progress = self.progress
        rate = self._pace.rate(time.monotonic())
        voids = [match for match in result.matches if not match.counted]
        if voids:
            self._emit(
                events.Voided(
                    block=result.block,
                    bots=result.bots,
                    count=len(voids),
                    stall=max(match.stall for match in voids),
                )
            )
        self._emit(
            events.BlockDone(
                block=result.block,
                bots=result.bots,
                seed=result.seed,
                map=result.map,
                matches=result.matches,
                progress=progress,
                running=self.running,
                slots=self._workers.slots,
                rate=rate,
                eta=eta(progress, len(self._format.seated), rate),
            )
        )

    def _note_stalls(self, result: BlockResult, task: _Running) -> None:
        """Use one slot less if the host stalls too often while local workers play."""
        slots = self._workers.slots
        # A stall while there were more slots doesn't mean that the present ones are too many.
        if not self._workers.is_local or slots == 1 or task.slots > slots:
            return
        if self._disturbances.too_many(result):
            worst = max(match.stall for match in result.matches)
            self._workers.set_slots(slots - 1)
            description = f"concurrency {slots - 1}: the host stalled for {worst * 1000:.0f} ms"
            self._emit(events.Lowered(slots=slots - 1, words=description))

    def _halt(self, reason: str, trace: str = "") -> None:
        """Hand out nothing more, because of a failure that is no bot's."""
        if not self._halted:
            self._halted = reason
            self._emit(events.Halted(words=reason, trace=trace))


def _bots_of(wanted: Sequence[_Wanted]) -> Iterator[str]:
    """Yield the bots of each block, once for each block that they are in."""
    for each in wanted:
        yield from set(each.pairing.bots)


def _shown(block: Block) -> str:
    """Return the description of a block for messages."""
    where = f", {block.opening.map}" if block.opening.map else ""
    return f"block {block.id[:8]} ({' - '.join(block.bots)}, seed {block.opening.seed}{where})"


def _ignore(_: events.Event) -> None:
    pass
