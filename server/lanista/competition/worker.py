"""The work of a worker: it plays the blocks of a task, in a trio loop that outlives the task.

Any `concurrent.futures.Executor` may call the functions here, on this machine or on another one. So
they block, and their arguments and results are plain data.

Starting a bot may take longer than its match, so bots that can play several matches stay in a pool
from task to task. Their connections belong to a trio loop. Therefore each process keeps one, as a
job: it is begun by the first task, and every call hands its work to it and waits. If the executor
has several threads, their tasks share the loop, the pool and the watch for stalls.

The loop ends when the worker cleans up (`end_idle_bots`), at the end of the process, or when what
is played here is given up (`close`). If the process dies otherwise, the bots' keepers end them.
"""

import contextlib
import os
import platform
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TypeVar

import attrs
import trio

from lanista.bots.keeper_process import starting_bots
from lanista.competition.block_player import MatchRun, PlayedTry, Player
from lanista.competition.setup import MatchSetup, Opening
from lanista.errors import LanistaError
from lanista.games import registry
from lanista.hosting.bot_pool import BotPool, Contestant, is_there
from lanista.jobs import Job
from lanista.match.record import read_record
from lanista.match.stalls import StallMonitor
from lanista.nurseries import helpers_nursery, ungrouped
from lanista.results.blocks import Seating
from lanista.results.match_result import BlockResult
from lanista.temporary import TemporaryFolder


@attrs.frozen(kw_only=True)
class Block:
    """A block to play."""

    id: str
    bots: tuple[str, ...]
    """The names of the bots, by place."""
    opening: Opening
    seatings: tuple[Seating, ...]
    """The seatings to play, in this order."""


@attrs.frozen(kw_only=True)
class Task:
    """Blocks to play one after another."""

    match_setup: MatchSetup
    contestants: Mapping[str, Contestant]
    blocks: tuple[Block, ...]
    playing: str | None
    """The folder to write records into, which the manager sees too; None if there is none, and the
    records are returned as bytes."""
    tells: bool = False
    """Whether all that the records' results say is wanted too (`Finished.tries`), and each record
    as a file. Else those of brief matches are returned as bytes in any case: that costs less than
    the files that they would be in until they are stored."""


@attrs.frozen(kw_only=True)
class Finished:
    """A block that was played."""

    result: BlockResult
    records: Mapping[str, str | bytes]
    """By `MatchResult.record`: the name of the file in `Task.playing` to be moved there, or the
    content of the file."""
    seconds: float = 0.0
    """The time for which it kept the worker from the next block, in seconds: until its last match
    was over, whose record may have been completed later."""
    trouble: str = ""
    """One line that says why the block must not count, otherwise empty. With trouble, the result
    holds only the matches that were played."""
    tries: tuple[PlayedTry, ...] = ()
    """By match of the result: what its record says, if the task asks for it."""

    @property
    def has_failure(self) -> bool:
        """Whether a bot failed in any match of the block."""
        return any(match.has_failure for match in self.result.matches)


@attrs.frozen(kw_only=True)
class Trial:
    """The outcome of a match that a bot played against itself."""

    bot: str
    trouble: str
    """One line that says what is wrong; empty if nothing is."""
    warning: str = ""
    """One line about something that works now and may do harm in a tournament, or empty."""
    hello_after: float = 0.0
    """Seconds from the start of the bot to its hello."""
    stays: bool = True
    """Whether it stays for further matches; otherwise it is started for each."""
    seconds: float = 0.0
    turns: int = 0
    slowest: float = 0.0
    """The time of the slowest answer in seconds, without the first one."""
    output: str = ""
    """The end of what the bot wrote to stderr and stdout, as it wrote it."""


class WorkError(LanistaError):
    """A block can't be played, by no fault of a bot, say because a record can't be written."""


def play_blocks(task: Task) -> list[Finished]:
    """Play the blocks of a task one after another; the bots are kept for later tasks.

    It is a WorkError if a record can't be written, or if a bot's folder or file isn't there.
    """
    # A machine of a cluster that lacks them would make its bots lose.
    for name, bot in task.contestants.items():
        if bot.folder is None:
            continue
        cant = f"{name} can't run on {platform.node()}"
        if not Path(bot.folder).is_dir():
            raise WorkError(f"{cant}: there is no folder {bot.folder}")
        for word in bot.needs:
            if not is_there(word, bot.folder):
                raise WorkError(
                    f"{cant}: in {bot.folder} there is no {word}, and no such program; copy it "
                    f"there, or remove the manager's if {name} doesn't need it"
                )
    return _in_loop(lambda player: _play_blocks(player, task))


def try_bot(match_setup: MatchSetup, contestant: Contestant, opening: Opening) -> Trial:
    """Play one match of a bot against itself, as `play_blocks` does; its record is removed."""
    return _in_loop(lambda player: _try_bot(player, match_setup, contestant, opening))


async def _play_blocks(player: Player, task: Task) -> list[Finished]:
    """Play one match after another; records are completed while the next ones are played."""
    played: list[tuple[Block, list[MatchRun], float]] = []
    all_runs: list[MatchRun] = []
    with _records_folder(task.playing) as folder:
        async with trio.open_nursery() as completing:
            for block in task.blocks:
                runs, began = [], trio.current_time()
                for number, seating in enumerate(block.seatings):
                    seats = [task.contestants[block.bots[place]] for place in seating]
                    run = MatchRun(seats, block.opening, number, block.id, holds=not task.tells)
                    all_runs.append(run)
                    runs.append(run)
                    await player.play(task.match_setup, run, folder, completing)
                    if run.trouble or run.failure is not None:
                        break
                played.append((block, runs, trio.current_time() - began))
                if any(run.failure is not None for run in all_runs):
                    break
        for run in all_runs:
            if run.failure is not None:
                raise run.failure
        return [_finished(task, block, runs, seconds) for block, runs, seconds in played]


def _finished(task: Task, block: Block, runs: Sequence[MatchRun], seconds: float) -> Finished:
    tries = [each for run in runs for each in run.tries]
    matches = tuple(each.result for each in tries)
    records: dict[str, str | bytes] = {}
    for each in tries:
        place = each.result.record
        if each.record is None or place is None:
            continue
        records[place] = each.record.name
        if each.content is not None:
            records[place] = each.content
        elif task.playing is None:
            records[place] = each.record.read_bytes()
            each.record.unlink()
    return Finished(
        result=BlockResult(block=block.id, bots=block.bots, matches=matches),
        records=records,
        seconds=seconds,
        trouble=runs[-1].trouble,
        tries=tuple(attrs.evolve(each, content=None) for each in tries) if task.tells else (),
    )


async def _try_bot(
    player: Player, match_setup: MatchSetup, contestant: Contestant, opening: Opening
) -> Trial:
    seats = [contestant] * registry.get(match_setup.game).seats
    run = MatchRun(seats, opening, seating=0, block="", holds=False)
    with _records_folder(None) as folder:
        async with trio.open_nursery() as completing:
            await player.play(match_setup, run, folder, completing)
        if run.failure is not None:
            raise run.failure
        played = run.tries[-1]
        times = [] if played.record is None else _times(played.record)
    await player.pool.close()
    result, trouble = played.result, run.trouble
    if not result.counted:
        trouble = "this machine stalled, so the bot can't be judged; try again when it is idle"
    for seat in result.seats:
        trouble = trouble or seat.failure
    slowest = max(times, default=0.0)
    warning = ""
    if not trouble and not played.stays and not contestant.restart:
        warning = "doesn't stay for another match (keep=1), so it is started anew for each"
    limit = match_setup.clock.time_move
    if not trouble and limit and slowest > limit / 2:
        warning = f"its slowest answer took {slowest:.3f} s of {limit:g} s"
    return Trial(
        bot=contestant.name,
        trouble=trouble,
        warning=warning,
        stays=played.stays,
        hello_after=run.hello_after,
        seconds=result.seconds,
        turns=result.turns,
        slowest=slowest,
        output=played.output if trouble else "",
    )


def _times(record: Path) -> list[float]:
    """Read the times of all answers but the first ones, in seconds."""
    return [
        times[2] / 1e6
        for turn in read_record(record).turns[1:]
        for times in turn.times
        if times is not None and len(times) > 2
    ]


@contextlib.contextmanager
def _records_folder(playing: str | None) -> Iterator[Path]:
    """Yield the folder for records that are being written, and turn its errors into WorkError.

    Without one it is a temporary folder, which the next worker removes if this one is killed.
    """
    try:
        if playing is not None:
            yield Path(playing)
            return
        with TemporaryFolder("lanista-records") as folder:
            yield folder.path
    except OSError as error:
        where = error.filename or playing or tempfile.gettempdir()
        raise WorkError(f"no record can be written, {where}: {error.strerror or error}") from None


_CLOSED = "the worker was closed while it played"
_T = TypeVar("_T")


class _Loop:
    """The trio loop of this process, with the player and the bots that it keeps; a lasting job."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.users = 0
        """The number of calls that are under way."""
        ready: Future[tuple[Player, trio.Nursery]] = Future()
        self._job: Job[None] = Job(partial(_keep_playing, ready))
        self._player, self._calls = ready.result()

    def run(self, work: Callable[[Player], Awaitable[_T]]) -> _T:
        """Run an async function in the loop and wait for its result, from any other thread."""
        done: Future[_T] = Future()

        async def until_closed() -> None:
            try:
                done.set_result(await work(self._player))
            except Exception as error:  # noqa: BLE001 - raised in the waiting thread
                # Out of the nurseries' groups: the manager knows some errors by their types.
                done.set_exception(ungrouped(error))
            finally:
                if not done.done():
                    done.set_exception(WorkError(_CLOSED))

        def begin() -> None:
            if self._calls.cancel_scope.cancel_called:
                done.set_exception(WorkError(_CLOSED))
            else:
                self._calls.start_soon(until_closed)

        # Not `trio.from_thread.run`: in a process that was forked from one that runs trio, it
        # mistakes this thread for trio's.
        if not self._job.call(begin):
            raise WorkError(_CLOSED)
        return done.result()

    def close(self) -> None:
        """Cancel what is under way, end the bots of the pool, then end the loop."""
        self._job.end()


async def _keep_playing(ready: "Future[tuple[Player, trio.Nursery]]", job: Job[None]) -> None:
    """Keep a player, and a nursery for calls, both given to `ready`, until the job is cancelled."""
    stalls = StallMonitor()
    with starting_bots():
        async with helpers_nursery() as helpers:
            helpers.start_soon(stalls.beat)
            pool = BotPool(helpers)
            async with trio.open_nursery() as calls:
                job.interrupt = calls.cancel_scope.cancel
                ready.set_result((Player(pool, stalls), calls))
                await trio.sleep_forever()
            await pool.close()


_the_loop: _Loop | None = None
_loop_lock = threading.Lock()


def _in_loop(work: Callable[[Player], Awaitable[_T]]) -> _T:
    """Run an async function in the loop of this process, which is made for the first call."""
    global _the_loop  # noqa: PLW0603 - there is one for each process
    with _loop_lock:
        # After a fork, the loop of the parent is here, but not its thread.
        if _the_loop is None or _the_loop.pid != os.getpid():
            _the_loop = _Loop()
        loop = _the_loop
        loop.users += 1
    try:
        return loop.run(work)
    finally:
        with _loop_lock:
            loop.users -= 1


def end_idle_bots() -> None:
    """End the bots that are kept in this process, unless something is being played here.

    If several tournaments of one process share the loop, the last one to end closes it.
    """
    with _loop_lock:
        if _the_loop is None or _the_loop.users:
            return
    close()


def close() -> None:
    """Cancel what is played in this process and end its bots; the next task starts them again."""
    global _the_loop
    with _loop_lock:
        loop, _the_loop = _the_loop, None
    if loop is not None and loop.pid == os.getpid():
        loop.close()
