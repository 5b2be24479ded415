"""The scheduler: hands blocks out to workers and takes in what they have played.

A block is handed out, taken in and played again as a whole. In `play_many` it is a single match. A
scheduler is one trio task and plays nothing itself. Its loop is:

1. *Hand out* a task to each free slot; there are as many slots as tasks may run at the same time.
   Pickling, sending and recording a task costs something, so it is a list of blocks that takes
   about a second. Near the end tasks are smaller, so that all slots have something left to do.
2. *Wait* until a task ends.
3. *Take in* the results, which may change what is to be played next. Where they can't, the slots
   are filled before the results are recorded, so that no worker waits for the disk.

The blocks of a worker that dies are handed out again, each in a task of its own, so that a block
that kills workers is identified; then the run halts.

If the host stalls while a bot is late, its match is void. Where the workers share this machine,
that is a sign that more is played at the same time than it can hold: after each block with a void
match there is one slot less, down to one.
"""

import abc
import collections
import concurrent.futures
import functools
import math
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

import attrs
import trio

from lanista.competition import events, worker
from lanista.competition.executors import Workers, deliver, error_of
from lanista.competition.formats.base import Progress
from lanista.competition.setup import MatchSetup, Opening
from lanista.competition.worker import Block, Finished, Task, WorkError
from lanista.errors import one_line
from lanista.hosting.bot_pool import Contestant

MAX_DEATHS = 3
"""Number of workers that may die while playing the same block before the run halts."""
COUNT_INTERVAL = 2.0
"""Seconds between two counts of the workers, where they can come and go."""
MAX_PASSED_OVER = 16
"""Maximum number of blocks that wait for a bot on trial while later blocks are handed out."""
TASK_SECONDS = 1.0
"""Target duration of a task in seconds: far above the cost of dispatching it, short to wait for."""
MAX_BLOCKS = 64
"""Maximum number of blocks in a task."""
_SMOOTHING = 0.3
"""Weight of the latest task in the moving average of the seconds that a block takes."""


@attrs.define(eq=False)
class _Wanted:
    """A block that is to be played and isn't recorded yet."""

    block: Block
    deaths: int = 0
    """The number of workers that died while playing it."""


@attrs.frozen(eq=False)
class _Running:
    """A task that was submitted and hasn't ended."""

    wanted: tuple[_Wanted, ...]
    slots: int
    """The number of slots when it was handed out."""


class Scheduler(abc.ABC):
    """Has blocks played by workers; subclasses say which, and what becomes of the results."""

    def __init__(
        self,
        match_setup: MatchSetup,
        contestants: Mapping[str, Contestant],
        workers: Workers,
        *,
        play: Callable[[Task], list[Finished]] = worker.play_blocks,
        on_event: Callable[[events.Event], None] = lambda _: None,
    ) -> None:
        """Prepare a run; nothing is started.

        The `contestants` are the bots of all blocks, by name. The workers are started and ended
        here. `play` plays a task in a worker, so it is picklable; `on_event` is called in the trio
        thread, and must not block.
        """
        self._match_setup = match_setup
        # Here nothing is missing but what a bot itself removes, which is no reason to halt.
        self._contestants = {
            name: attrs.evolve(bot, needs=()) if workers.is_near else bot
            for name, bot in contestants.items()
        }
        self._workers = workers
        # The number of workers when they were last counted: with none, a cluster has one slot too.
        self._counted = 1
        self._play_task = play
        self._emit = on_event
        self._halted = ""
        self._wake = trio.Event()
        self._arrived: collections.deque[Future[Any]] = collections.deque()
        self._running: dict[Future[Any], _Running] = {}
        # By bot: its blocks that are being played.
        self._in_play: collections.Counter[str] = collections.Counter()
        # Blocks that were never handed out.
        self._waiting: collections.deque[_Wanted] = collections.deque()
        # Blocks lost with a worker.
        self._retries: collections.deque[_Wanted] = collections.deque()
        # The moving average of the seconds that a block takes; None until one was played.
        self._block_seconds: float | None = None

    # What subclasses say

    @abc.abstractmethod
    def _next(self) -> Block | None:
        """Return the next block to play, or None if there is none now."""

    @abc.abstractmethod
    def _record(self, finished: Sequence[Finished]) -> None:
        """Take the results of blocks; an error that is raised ends the run at once."""

    @property
    @abc.abstractmethod
    def progress(self) -> Progress:
        """The numbers of blocks that are played and planned."""

    @property
    @abc.abstractmethod
    def _playing(self) -> str | None:
        """The folder that workers write records into; None if they return them as bytes."""

    _is_planned = True
    """Whether what is played next never depends on results."""

    def _has_more_later(self) -> bool:
        """Return whether, though nothing is played, `wake` will be called when there are blocks."""
        return False

    def _room(self, _: Block, /) -> int | None:
        """Return how many blocks with these bots may be handed out now; None for any number."""
        return None

    # Running

    @property
    def running(self) -> int:
        """The number of blocks that workers have been given and not returned."""
        return sum(len(task.wanted) for task in self._running.values())

    def wake(self) -> None:
        """Have it look again for what there is to do; to be called in its trio thread."""
        self._wake.set()

    async def _play(self) -> None:
        """Start the workers, play, and end the workers, in whatever way this ends."""
        self._counted = self._workers.slots
        try:
            await trio.to_thread.run_sync(self._workers.start)
            self._resize(await trio.to_thread.run_sync(self._workers.count_threads))
            while True:
                self._hand_out()
                if not self._running and (self._halted or not self._has_more_later()):
                    break
                await self._wait()
                arrived = list(self._arrived)
                self._arrived.clear()
                self._take_in(arrived)
        except BaseException:
            await _end(self._workers.terminate)
            raise
        await _end(functools.partial(self._workers.close, worker.end_idle_bots))

    async def _wait(self) -> None:
        """Wait until a task has ended, `wake` was called, or the number of slots has changed."""
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
        if workers is None or workers == self._counted:
            return
        self._counted = workers
        slots = max(1, workers)
        self._workers.set_slots(slots)
        self._emit(events.Resized(slots=slots, workers=workers))
        self._wake.set()

    # Handing out

    def _hand_out(self) -> None:
        free = self._workers.slots - len(self._running)
        # Each in a task of its own: if the worker dies again, this block is to blame.
        while free > 0 and self._retries and not self._halted:
            self._submit([self._retries.popleft()])
            free -= 1
        if free <= 0 or self._halted:
            return
        size = self._task_size()
        blocks: list[_Wanted] = []
        passed_over: list[_Wanted] = []
        while free > 0 and len(blocks) < free * size and not self._halted:
            if not self._waiting and (block := self._next()) is not None:
                self._waiting.append(_Wanted(block))
            if not self._waiting or len(passed_over) == MAX_PASSED_OVER:
                break
            wanted = self._waiting.popleft()
            room = self._room(wanted.block)
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

    def _task_size(self) -> int:
        if self._block_seconds is None:
            return 1
        size = min(MAX_BLOCKS, int(TASK_SECONDS / max(self._block_seconds, 1e-6)))
        progress = self.progress
        if progress.planned is not None:
            left = progress.planned - progress.played - self.running
            size = min(size, math.ceil(left / self._workers.slots))
        return max(1, size)

    def _submit(self, wanted: Sequence[_Wanted]) -> None:
        task = self._task([each.block for each in wanted])
        try:
            future = self._workers.submit(self._play_task, task)
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
            match_setup=self._match_setup,
            contestants={name: self._contestants[name] for name in sorted(names)},
            blocks=tuple(blocks),
            playing=self._playing,
        )

    # Taking in

    def _deliver(self, future: Future[Any]) -> None:
        self._arrived.append(future)
        self._wake.set()

    def _take_in(self, futures: Sequence[Future[Any]]) -> None:
        """Record the results of tasks that have ended, and cope with those that failed."""
        finished: list[tuple[Finished, _Running]] = []
        for future in futures:
            task = self._running.pop(future)
            self._in_play.subtract(_bots_of(task.wanted))
            error = error_of(future)
            if error is not None:
                self._failed(task, error)
                continue
            results: list[Finished] = future.result()
            self._learn(results)
            finished += [(result, task) for result in results]
        # Workers needn't wait for our disk, unless these results may change what is played next.
        if self._is_planned and not any(
            block.trouble or block.has_failure for block, _ in finished
        ):
            self._hand_out()
        if finished:
            self._record([block for block, _ in finished])
        for block, task in finished:
            self._note_stalls(block, task)

    def _learn(self, finished: Sequence[Finished]) -> None:
        """Update the average duration of a block."""
        # A match that ended early, by a failure, says nothing about others.
        whole = [block.seconds for block in finished if not block.has_failure]
        if whole:
            seconds = sum(whole) / len(whole)
            if self._block_seconds is not None:
                seconds = (1 - _SMOOTHING) * self._block_seconds + _SMOOTHING * seconds
            self._block_seconds = seconds

    def _note_stalls(self, block: Finished, task: _Running) -> None:
        """Use one slot less if a match was void while local workers played."""
        slots = self._workers.slots
        voids = [match.stall for match in block.result.matches if not match.counted]
        # With more slots than now, a void match doesn't mean that the present ones are too many.
        is_steady = self._workers.is_local and task.slots <= slots
        if voids and is_steady and slots > 1 and not self._halted:
            self._workers.set_slots(slots - 1)
            description = (
                f"concurrency {slots - 1}: a match was void, as the host stalled for "
                f"{max(voids) * 1000:.0f} ms"
            )
            self._emit(events.Lowered(slots=slots - 1, words=description))

    # What goes wrong

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
                block = wanted.block
                name = described(block.id, block.bots, block.opening)
                self._halt(f"{name}: {MAX_DEATHS} workers died while playing it")

    def _halt(self, reason: str, trace: str = "") -> None:
        """Hand out nothing more, because of a failure that is no bot's."""
        if not self._halted:
            self._halted = reason
            self._emit(events.Halted(words=reason, trace=trace))


async def _end(end: Callable[[], None]) -> None:
    # Shielded, so that a cancelled run leaves no process behind; it takes a bounded time.
    with trio.CancelScope(shield=True):
        await trio.to_thread.run_sync(end)


def _bots_of(wanted: Sequence[_Wanted]) -> list[str]:
    """Return the bots of each block, once for each block that they are in."""
    return [bot for each in wanted for bot in set(each.block.bots)]


def described(block: str, bots: Sequence[str], opening: Opening) -> str:
    """Return the description of a block, given by its id, for messages."""
    where = f", {opening.map}" if opening.map else ""
    return f"block {block[:8]} ({' - '.join(bots)}, seed {opening.seed}{where})"
