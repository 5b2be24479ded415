"""The director: hands blocks out to workers, takes results in, stores them, tells the format.

One trio task in the manager's process; it plays nothing itself. Who meets whom is the format's
business, what is stored and in which order the ledger's.
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
from lanista.standings.table import Standings
from lanista.store.database import Store
from lanista.store.errors import StoreError
from lanista.store.results import BlockResult
from lanista.tournament import events
from lanista.tournament.calibration import Bounds, NotMeasuredError, calibrate, measuring
from lanista.tournament.executors import Workers, nothing
from lanista.tournament.futures import deliver, error_of, one_line
from lanista.tournament.pace import Disturbances, Pace, eta, failed
from lanista.tournament.result_recorder import ResultRecorder
from lanista.tournament.setup import Setup
from lanista.tournament.worker import Block, Finished, Measured, Task, WorkError

MOST_DEATHS = 3
"""Workers that a block may take along before nobody is given it any more."""
LOOK_EVERY = 2.0
"""Seconds between looks at how many workers there are, where they come and go."""
PASSED_OVER = 16
"""Blocks at most that are passed over for later ones, since a bot on trial has enough in hand."""
TRIES = 3
"""Pairings whose bots are asked to play when the machine is measured, until some do."""


@attrs.frozen(kw_only=True)
class Report:
    """How a run ended."""

    standings: Standings
    over: bool
    """Whether all was played."""
    halted: str
    """Why it couldn't go on, one line; empty if it could."""
    interrupted: bool
    """Whether it was asked to end before all was played; run it again to go on."""
    decision: str = ""
    """The hypothesis that a version test has accepted, `H0` or `H1`; empty else."""


@attrs.define(eq=False)
class _Wanted:
    """A block that was handed out by the format and isn't stored yet."""

    pairing: Pairing
    block: Block
    deaths: int = 0
    """Workers that died with it."""


@attrs.frozen(eq=False)
class _Running:
    """A task in a worker's hands."""

    wanted: tuple[_Wanted, ...]
    slots: int
    """How many there were when it was handed out."""


class Director:
    """Runs one tournament, once."""

    def __init__(
        self,
        setup: Setup,
        store: Store,
        format_: Format,
        workers: Workers,
        *,
        play: Callable[[Task], list[Finished]],
        measure: Callable[[Task, float], Measured] | None = None,
        farewell: Callable[[], None] = nothing,
        on_event: Callable[[events.Event], None] | None = None,
    ) -> None:
        """Do nothing yet.

        Args:
            setup: What is played; its bots are agreed with the store, its base seed settled.
            store: Open, and locked by us.
            format_: New: it was told nothing.
            workers: Not started; they are ended by `run`.
            play: What workers call; as the others it must be picklable.
            measure: What measures the machine, where the workers want that.
            farewell: What each worker calls before it ends.
            on_event: Is told what happens, in our thread; must not block.
        """
        self.setup = setup
        self._recorder = ResultRecorder(setup, store, format_)
        self._format = format_
        self._workers = workers
        self._play = play
        self._measure = measure
        self._farewell = farewell
        self._tell = _nobody if on_event is None else on_event
        self._pace = Pace(math.inf)
        self._disturbances = Disturbances(setup.match_setup.conditions.stall_margin)
        self._scope = trio.CancelScope()
        self._wake = trio.Event()
        self._arrived: collections.deque[Future[Any]] = collections.deque()
        self._running: dict[Future[Any], _Running] = {}
        self._in_hand: collections.Counter[str] = collections.Counter()  # running blocks by bot
        self._ahead: collections.deque[_Wanted] = collections.deque()  # taken, never handed out
        self._again: collections.deque[_Wanted] = collections.deque()  # lost with a worker
        self._finishing = False
        self._halted = ""
        self._standings: Standings | None = None  # the last ones

    @property
    def running(self) -> int:
        """Blocks that are in workers' hands."""
        return sum(len(task.wanted) for task in self._running.values())

    @property
    def progress(self) -> Progress:
        """How far it is."""
        return self._format.progress()

    def finish(self) -> None:
        """Hand out nothing more, and end when what runs is stored. From our trio thread."""
        if not self._finishing:
            self._finishing = True
            self._tell(events.Finishing(running=self.running))
        self._wake.set()

    def stop(self) -> None:
        """End now; what runs is lost and will be played again. From our trio thread."""
        self._finishing = True
        self._scope.cancel()

    async def standings(self) -> Standings:
        """The standings of what is stored, computed in a thread: nothing waits for it.

        Raises:
            StoreError: The database can't be read.
        """
        self._standings = await self._recorder.standings()
        return self._standings

    async def run(self) -> Report:
        """Play until all is played, `finish`, `stop`, or something that can't be mended.

        Raises:
            SpecError: There are no such workers.
            StoreError: The database can't be read.
            OSError: The folder of records can't be made.
        """
        try:
            with self._scope:
                self._take_up()
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
            await self._end(functools.partial(self._workers.close, self._farewell))
        over = self._format.over()
        standings = await self._last_standings()
        report = Report(
            standings=standings,
            over=over,
            halted=self._halted,
            interrupted=self._finishing and not over and not self._halted,
            # A version test alone has one.
            decision=getattr(self._format, "decision", ""),
        )
        self._tell(
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
        """The standings in the end; where the database can't be read, those known before."""
        try:
            return await self.standings()
        except StoreError as error:
            self._halt(one_line(error))
        if self._standings is not None:
            return self._standings
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
        # Also when we are cancelled ourselves: it is bounded, and leaves no process behind.
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(end)

    def _take_up(self) -> None:
        """Go on where the last run ended."""
        benched = self._recorder.take_up()
        self._tell(
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
            words = self._recorder.last_words(bot)
            self._tell(events.Benched(bot=bot, failures=failures, words=words))

    # Measuring the machine

    @property
    def _is_measured(self) -> bool:
        return self._workers.is_auto and self._workers.is_local and self._measure is not None

    async def _calibrate(self) -> None:
        """Measure how many slots there should be, if the workers want that."""
        if self._measure is None or not self._is_measured:
            return
        self._fetch(max(self._workers.slots, TRIES))
        most = max(1, min(self._workers.slots, len(self._ahead)))
        conditions = self.setup.match_setup.conditions
        bounds = Bounds(turn=conditions.clock.turn, stall_margin=conditions.stall_margin)
        slots, words = most, "there is nothing to be played side by side"
        failures: tuple[type[BaseException], ...] = (WorkError, *self._workers.losses)
        for wanted in list(self._ahead)[:TRIES] if most > 1 else ():
            task = self._task([wanted.block])
            measure = measuring(self._workers, self._measure, task, lambda: self._finishing)
            try:
                found = await calibrate(most, measure, bounds)
            except NotMeasuredError:
                return
            except failures as error:  # these bots don't even start
                slots, words = max(1, most // 2), one_line(error)
            else:
                self._workers.settle(found.slots)
                self._tell(found)
                return
        self._workers.settle(slots)
        words = f"concurrency {slots}, not measured: {words}"
        self._tell(events.Calibrated(slots=slots, levels=(), words=words))

    # Handing out

    async def _direct(self) -> None:
        """Hand out and take in until there is nothing more to do."""
        self._pace.began = time.monotonic()
        while True:
            self._hand_out()
            if not self._running:
                break
            await self._news()
            arrived = list(self._arrived)
            self._arrived.clear()
            self._take_in(arrived)
        if not self._finishing and not self._halted and not self._format.over():
            self._halt("the format wants no block, and is not over: a fault in Lanista")

    async def _news(self) -> None:
        """Wait until a task has ended, or what we may do has changed."""
        while not self._wake.is_set():
            with trio.move_on_after(LOOK_EVERY):
                await self._wake.wait()
            if not self._wake.is_set() and not self._workers.is_local:
                with trio.move_on_after(LOOK_EVERY):
                    self._resize(
                        await trio.to_thread.run_sync(self._workers.look, abandon_on_cancel=True)
                    )
        self._wake = trio.Event()

    def _resize(self, workers: int | None) -> None:
        """Follow workers that come and go."""
        slots = None if workers is None else max(1, workers)
        if workers is not None and slots is not None and slots != self._workers.slots:
            self._workers.settle(slots)
            self._tell(events.Resized(slots=slots, workers=workers))
            self._wake.set()

    def _hand_out(self) -> None:
        """Give every free slot something to do."""
        self._give_back()
        # A version test that has decided wants no more, not even what was lost with a worker.
        if self._finishing or self._halted or self._format.over():
            return
        free = self._workers.slots - len(self._running)
        # Each alone: if its worker dies again, it is known which block it was.
        while free > 0 and self._again:
            self._submit([self._again.popleft()])
            free -= 1
        if free <= 0 or self._halted:
            return
        size = self._pace.task_size(self.progress, self.running, self._workers.slots)
        blocks: list[_Wanted] = []
        passed_over: list[_Wanted] = []
        while free > 0 and len(blocks) < free * size and not self._halted:
            self._fetch(1)
            if not self._ahead or len(passed_over) == PASSED_OVER:
                break
            wanted = self._ahead.popleft()
            room = self._room(wanted)
            if room is None:
                blocks.append(wanted)
            elif room <= 0:
                passed_over.append(wanted)
            elif blocks and free == 1:
                passed_over.append(wanted)
                break
            else:
                # Alone: the rest of a task would be played though the bot is benched meanwhile.
                self._submit([wanted])
                free -= 1
        self._ahead.extendleft(reversed(passed_over + blocks[free * size :]))
        del blocks[free * size :]
        for share in (blocks[at::free] for at in range(free)):
            if share:
                self._submit(share)

    def _room(self, wanted: _Wanted) -> int | None:
        """Return how many blocks more of a block's bots may be in hand; None for any number.

        A bot on trial has no more blocks in workers' hands than would bench it, so one that fails
        every match loses no more of them than it must.
        """
        rooms = [
            left - self._in_hand[bot]
            for bot in set(wanted.pairing.bots)
            if (left := self._recorder.trial(bot)) is not None
        ]
        return min(rooms, default=None)

    def _give_back(self) -> None:
        """Don't play what has a bot that was benched since it was taken from the format."""
        if not self._recorder.benched:
            return
        for queue in (self._ahead, self._again):
            taken = list(queue)
            queue.clear()
            for wanted in taken:
                if self._recorder.benched.keys().isdisjoint(wanted.pairing.bots):
                    queue.append(wanted)
                else:
                    self._format.give_back(wanted.pairing)

    def _fetch(self, blocks: int) -> None:
        """Take what is wanted from the format, up to so many blocks."""
        while len(self._ahead) < blocks:
            pairing = self._format.next()
            if pairing is None:
                return
            draw = self.setup.draw(pairing.draw)
            self._ahead.append(
                _Wanted(
                    pairing,
                    Block(
                        id=self.setup.block_id(pairing.bots, draw),
                        bots=pairing.bots,
                        draw=draw,
                        seatings=self._format.seated,
                    ),
                )
            )

    def _submit(self, wanted: Sequence[_Wanted]) -> None:
        task = self._task([one.block for one in wanted])
        try:
            future = self._workers.submit(self._play, task)
        except RuntimeError as error:  # a given executor that is broken, or was shut down
            self._again.extend(wanted)
            self._halt(f"the executor takes no more tasks: {one_line(error)}")
            return
        self._running[future] = _Running(tuple(wanted), self._workers.slots)
        self._in_hand.update(_bots_of(wanted))
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
        """Whether workers write into our folder of records.

        They do where they are on this machine, or where the spec names a folder by its whole path,
        which then is that of a shared one.
        """
        records = self.setup.spec.records
        return self._workers.is_near or (records is not None and records.startswith("/"))

    # Taking in

    def _deliver(self, future: Future[Any]) -> None:
        self._arrived.append(future)
        self._wake.set()

    def _take_in(self, futures: Sequence[Future[Any]]) -> None:
        """Store what came back."""
        finished: list[tuple[_Wanted, Finished, _Running]] = []
        for future in futures:
            task = self._running.pop(future)
            self._in_hand.subtract(_bots_of(task.wanted))
            error = error_of(future)
            if error is not None:
                self._failed(task, error)
                continue
            results: list[Finished] = future.result()
            self._pace.learn(results)
            finished += [
                (wanted, one, task) for wanted, one in zip(task.wanted, results, strict=True)
            ]
        # Workers needn't wait for our disk, unless what is stored may change what is played.
        if self.setup.spec.format.is_planned and not any(
            one.trouble or failed(one.result) for _, one, _ in finished
        ):
            self._hand_out()
        if finished:
            self._commit(finished)

    def _failed(self, task: _Running, error: BaseException) -> None:
        """A task ended by an error."""
        words = f"{type(error).__name__}: {one_line(error)}"
        if isinstance(error, self._workers.losses):
            self._lost(task, error)
        elif isinstance(error, concurrent.futures.CancelledError):
            self._halt("the executor gave its tasks back: its workers or scheduler ended")
        elif isinstance(error, WorkError | OSError):
            self._halt(one_line(error))
        elif isinstance(error, Exception):
            trace = "".join(traceback.format_exception(error))
            self._halt(f"a worker failed: {words}", trace)
        else:  # nobody's fault in the code: a signal, a loop that was closed
            self._halt(f"a worker was ended while it played: {words}")

    def _lost(self, task: _Running, error: BaseException) -> None:
        """A worker died: its blocks are played by another, each alone."""
        for wanted in task.wanted:
            wanted.deaths += 1
        self._again.extend(task.wanted)
        ids = tuple(wanted.block.id for wanted in task.wanted)
        self._tell(events.WorkerLost(words=one_line(error), blocks=ids))
        for wanted in task.wanted:
            if wanted.deaths >= MOST_DEATHS:
                self._halt(f"{_shown(wanted.block)}: {MOST_DEATHS} workers died over it")

    def _commit(self, finished: Sequence[tuple[_Wanted, Finished, _Running]]) -> None:
        """Enter what was played, in one go, and tell of it."""
        try:
            for wanted, one, _ in finished:
                if one.trouble:
                    self._halt(f"{_shown(wanted.block)}: {one_line(one.trouble)}")
                    self._recorder.set_aside(one)
            counting = [(wanted, one, task) for wanted, one, task in finished if not one.trouble]
            results, benched = self._recorder.commit(
                [(wanted.pairing, one) for wanted, one, _ in counting]
            )
        except (OSError, StoreError) as error:
            self._halt(one_line(error))
            return
        for result, (_, _, task) in zip(results, counting, strict=True):
            self._pace.count(len(self._format.seated), time.monotonic())
            self._tell_of(result)
            for fallen, words in benched:
                if fallen.block == result.block:
                    self._tell(
                        events.Benched(bot=fallen.bot, failures=fallen.failures, words=words)
                    )
            self._note_stalls(result, task)

    def _tell_of(self, result: BlockResult) -> None:
        progress = self.progress
        rate = self._pace.rate(time.monotonic())
        voids = [match for match in result.matches if not match.counted]
        if voids:
            self._tell(
                events.Voided(
                    block=result.block,
                    bots=result.bots,
                    count=len(voids),
                    stall=max(match.stall for match in voids),
                )
            )
        self._tell(
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
        """Play fewer blocks at the same time when stalls show: on this machine that helps."""
        slots = self._workers.slots
        # What was handed out when there were more slots says nothing of now.
        if not self._workers.is_local or slots == 1 or task.slots > slots:
            return
        if self._disturbances.too_many(result):
            worst = max(match.stall for match in result.matches)
            self._workers.settle(slots - 1)
            words = f"concurrency {slots - 1}: the host stalled for {worst * 1000:.0f} ms"
            self._tell(events.Lowered(slots=slots - 1, words=words))

    def _halt(self, words: str, trace: str = "") -> None:
        if not self._halted:
            self._halted = words
            self._tell(events.Halted(words=words, trace=trace))


def _bots_of(wanted: Sequence[_Wanted]) -> Iterator[str]:
    """Yield the bots of each block, each once a block."""
    for one in wanted:
        yield from set(one.pairing.bots)


def _shown(block: Block) -> str:
    """A block, for people."""
    where = f", {block.draw.map}" if block.draw.map else ""
    return f"block {block.id[:8]} ({' - '.join(block.bots)}, seed {block.draw.seed}{where})"


def _nobody(_: events.Event) -> None:
    """Who is told when nobody watches."""
