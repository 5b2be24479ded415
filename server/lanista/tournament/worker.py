"""What a worker does: plays the blocks of a task, in a trio loop that its process keeps.

Called by any `concurrent.futures.Executor`, in this process, in one beside it or on another
machine; arguments and results are plain data. Nothing is stored and nothing decided here.
"""

import atexit
import contextlib
import math
import multiprocessing.util
import os
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

import attrs
import trio

from lanista.hosting.bot_pool import BotPool, Contestant, NotStartedError
from lanista.match.ending import FAILURES
from lanista.match.record import ENDING, read_record
from lanista.match.stalls import StallMonitor
from lanista.pairing.blocks import Seating
from lanista.rules import registry
from lanista.store.results import BlockResult
from lanista.tournament.block_player import MatchRun, Player
from lanista.tournament.setup import Draw, MatchSetup


@attrs.frozen(kw_only=True)
class Block:
    """A block to play."""

    id: str
    bots: tuple[str, ...]
    """By place."""
    draw: Draw
    seatings: tuple[Seating, ...]


@attrs.frozen(kw_only=True)
class Task:
    """Blocks to play one after the other."""

    match_setup: MatchSetup
    contestants: Mapping[str, Contestant]
    """By name, those who play."""
    blocks: tuple[Block, ...]
    playing: str | None
    """A folder of this machine, or shared with it, for records that are being written; None: the
    records come back as bytes."""


@attrs.frozen(kw_only=True)
class Finished:
    """A block that was played."""

    result: BlockResult
    records: Mapping[str, str | bytes]
    """By `MatchResult.record`: the file in the folder `Task.playing` that is to go there, or the
    file's bytes."""
    seconds: float
    """From its first start of a bot to its last record."""
    trouble: str = ""
    """Why it must not be counted: two void matches in a row; one line for people, then the result
    tells what was played."""


@attrs.frozen(kw_only=True)
class Measured:
    """What matches that don't count showed of the machine."""

    answers: tuple[float, ...]
    """Seconds from a hand-over to its answer, every one."""
    stall: float
    """Seconds of the longest stall of the loop."""


@attrs.frozen(kw_only=True)
class Trial:
    """A bot tried against itself."""

    bot: str
    words: str
    """What is wrong, one line; empty when all is well."""
    warning: str = ""
    """What works and will hurt, one line."""
    hello_after: float = 0.0
    """Seconds from its start to its hello."""
    seconds: float = 0.0
    """Of the match."""
    turns: int = 0
    slowest: float = 0.0
    """Seconds of the slowest answer behind the first."""
    output: str = ""
    """The last it wrote to stderr and stdout; may hold anything."""


class WorkError(Exception):
    """A block can't be played, by no bot's fault: no record can be written. One line."""


def play_blocks(task: Task) -> list[Finished]:
    """Play the blocks of a task, one after the other; bots are kept for later tasks.

    Raises:
        WorkError: A record can't be written.
    """
    return _in_loop(_play_blocks, task)


def measure(task: Task, seconds: float) -> Measured:
    """Play a task's first block for so long, again and again, and tell how it went; nothing stays.

    Raises:
        WorkError: A bot doesn't start, or a record can't be written.
    """
    return _in_loop(_measure, task, seconds)


def try_bot(match_setup: MatchSetup, contestant: Contestant, draw: Draw) -> Trial:
    """Start a bot and play one match of it against itself; nothing stays.

    Raises:
        WorkError: A record can't be written.
    """
    return _in_loop(_try_bot, match_setup, contestant, draw)


async def _play_blocks(player: Player, task: Task) -> list[Finished]:
    """One block after the other; while the next is played, the last one's records are completed."""
    finished: dict[int, Finished] = {}
    failures: list[OSError] = []

    async def play(number: int, over: trio.Event) -> None:
        try:
            finished[number] = await _play_block(player, task, task.blocks[number], folder, over)
        except OSError as error:
            failures.append(error)

    with _records(task.playing) as folder:
        async with trio.open_nursery() as nursery:
            for number in range(len(task.blocks)):
                over = trio.Event()
                nursery.start_soon(play, number, over)
                await over.wait()
                if failures:
                    break
        if failures:
            raise failures[0]
    return [finished[number] for number in range(len(task.blocks))]


async def _play_block(
    player: Player, task: Task, block: Block, folder: Path, over: trio.Event
) -> Finished:
    began = trio.current_time()
    seatings = [
        [task.contestants[block.bots[place]] for place in seating] for seating in block.seatings
    ]
    played, trouble = await player.play_block(task.match_setup, seatings, block.draw, folder, over)
    matches = []
    records: dict[str, str | bytes] = {}
    for one in played:
        if one.result is None:  # its trouble tells
            continue
        result = one.result
        if one.record is not None:
            name = f"{block.id[:2]}/{block.id}-{one.seating}"
            name += (f"-void{one.attempt}" if one.void else "") + ENDING
            result = attrs.evolve(result, record=name)
            records[name] = one.record.name
            if task.playing is None:
                records[name] = one.record.read_bytes()
                one.record.unlink()
        matches.append(result)
    return Finished(
        result=BlockResult(
            block=block.id,
            bots=block.bots,
            seed=block.draw.seed,
            map=block.draw.map,
            matches=tuple(matches),
        ),
        records=records,
        seconds=trio.current_time() - began,
        trouble=trouble,
    )


async def _measure(player: Player, task: Task, seconds: float) -> Measured:
    block = task.blocks[0]
    seats = [task.contestants[block.bots[place]] for place in block.seatings[0]]
    answers: list[float] = []
    stall = 0.0
    with _records(None, below=task.playing) as folder:
        # Starting bots isn't what is measured: once they are there, the time begins.
        try:
            await player.warm(task.match_setup, seats)
        except NotStartedError as error:
            raise WorkError(f"a bot didn't start: {error}") from None
        until = trio.current_time() + seconds
        while trio.current_time() < until:
            one = MatchRun(seats, block.draw)
            await _play_alone(player, task.match_setup, one, folder, until)
            if one.record is None:
                raise WorkError("a bot didn't start")
            times, worst = _times(one.record)
            answers += times
            stall = max(stall, worst)
    return Measured(answers=tuple(answers), stall=stall)


async def _try_bot(
    player: Player, match_setup: MatchSetup, contestant: Contestant, draw: Draw
) -> Trial:
    seats = [contestant] * registry.get(match_setup.game).seats
    with _records(None) as folder:
        for _ in range(match_setup.conditions.void_tries):
            one = MatchRun(seats, draw)
            await _play_alone(player, match_setup, one, folder, math.inf)
            if not one.void:
                break
        times = _times(one.record)[0] if one.record is not None else []
    await player.pool.close()
    result = one.result
    assert result is not None
    words = one.trouble
    if one.void:
        words = "this machine stalled, so nothing can be said of it; try again when it is idle"
    for seat in result.seats:
        if seat.ending in FAILURES and not words:
            words = f"{seat.ending}: {seat.words}"
    slowest = max(times, default=0.0)
    warning = ""
    if not words and not one.stays and not contestant.restart:
        warning = "does not stay for another match (keep=1), so it is started for each"
    limit = match_setup.conditions.clock.turn
    if not words and limit and slowest > limit / 2:
        warning = f"its slowest answer took {slowest:.3f} s of {limit:g} s"
    return Trial(
        bot=contestant.name,
        words=words,
        warning=warning,
        hello_after=one.hello_after,
        seconds=result.seconds,
        turns=result.turns,
        slowest=slowest,
        output=one.output if words else "",
    )


async def _play_alone(
    player: Player, match_setup: MatchSetup, one: MatchRun, folder: Path, until: float
) -> None:
    """Play one match, whole with its record.

    Raises:
        OSError: The record can't be written.
    """
    failure: OSError | None = None
    async with trio.open_nursery() as finishing:
        try:
            await player.play_match(match_setup, one, folder, finishing, until)
        except OSError as error:
            failure = error  # carried around the nursery, which would wrap it into a group
    for found in (failure, one.failure):
        if found is not None:
            raise found


def _times(record: Path) -> tuple[list[float], float]:
    """Of a match, in seconds: every answer but the first ones, and the longest stall."""
    turns = read_record(record).turns
    answers = [
        times[2] / 1e6
        for turn in turns[1:]
        for times in turn.times
        if times is not None and len(times) > 2
    ]
    return answers, max((turn.stall for turn in turns), default=0.0)


@contextlib.contextmanager
def _records(playing: str | None, *, below: str | None = None) -> Iterator[Path]:
    """The folder for records that are being written; without one, a temporary one.

    Args:
        playing: The folder.
        below: Where a temporary one is made: a killed worker leaves it behind, and there it is
            removed by the next run.

    Raises:
        WorkError: A record can't be written there.
    """
    try:
        if playing is not None:
            yield Path(playing)
            return
        with tempfile.TemporaryDirectory(prefix="lanista-", dir=below) as folder:
            yield Path(folder)
    except OSError as error:
        where = error.filename or playing or tempfile.gettempdir()
        raise WorkError(f"no record can be written, {where}: {error.strerror or error}") from None


_CLOSED = "the worker was closed while it played"
_P = ParamSpec("_P")
_T = TypeVar("_T")


class _Loop:
    """A trio loop in a thread of its own, for as long as the process lives; bots live in it."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.users = 0
        """Calls that are under way."""
        self._ready = threading.Event()
        self._working: dict[trio.CancelScope, trio.Event] = {}  # and when each has ended
        # A daemon: the end of the process must not wait for it. Bots end with their keepers.
        self._thread = threading.Thread(target=trio.run, args=(self._main,), daemon=True)
        self._thread.start()
        self._ready.wait()

    async def _main(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self._closing = trio.Event()
        stalls = StallMonitor()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(stalls.beat)
            pool = BotPool(nursery)
            self._player = Player(pool, stalls)
            self._ready.set()
            await self._closing.wait()
            for ended in list(self._working.values()):  # cancelled with it
                await ended.wait()
            await pool.close()
            nursery.cancel_scope.cancel()

    def run(
        self,
        work: Callable[Concatenate[Player, _P], Awaitable[_T]],
        *args: _P.args,
        **kwargs: _P.kwargs,
    ) -> _T:
        """Do some work in the loop, and wait for it; from any other thread.

        Raises:
            WorkError: The loop was closed meanwhile.
        """
        done: Future[_T] = Future()

        async def until_closed() -> None:
            try:
                with trio.CancelScope() as scope:
                    ended = self._working[scope] = trio.Event()
                    try:
                        done.set_result(await work(self._player, *args, **kwargs))
                    except Exception as error:  # noqa: BLE001 - for the one who waits
                        done.set_exception(error)
                    finally:
                        del self._working[scope]
                        ended.set()
            finally:
                if not done.done():
                    done.set_exception(WorkError(_CLOSED))

        # Not by `trio.from_thread`: in a process forked from one that runs trio, that takes our
        # thread for trio's.
        try:
            self._token.run_sync_soon(trio.lowlevel.spawn_system_task, until_closed)
        except trio.RunFinishedError:
            raise WorkError(_CLOSED) from None
        return done.result()

    def close(self) -> None:
        """Give up what is under way, end the bots that are kept, and the loop."""

        def close() -> None:
            for scope in self._working:
                scope.cancel()
            self._closing.set()

        with contextlib.suppress(trio.RunFinishedError):
            self._token.run_sync_soon(close)
        self._thread.join()


_the_loop: _Loop | None = None
_making = threading.Lock()


def _in_loop(
    work: Callable[Concatenate[Player, _P], Awaitable[_T]], *args: _P.args, **kwargs: _P.kwargs
) -> _T:
    """Do some work in the loop of this process, which is made when it is first wanted."""
    global _the_loop  # noqa: PLW0603 - one a process is the point
    with _making:
        if _the_loop is None or _the_loop.pid != os.getpid():  # a fork has its parent's
            _the_loop = _Loop()
            # Bots get their time to go: by the first where a pool's process ends, by the second
            # elsewhere.
            multiprocessing.util.Finalize(None, close, exitpriority=100)
            atexit.register(close)
        loop = _the_loop
        loop.users += 1
    try:
        return loop.run(work, *args, **kwargs)
    finally:
        with _making:
            loop.users -= 1


def rest() -> None:
    """End the bots that are kept in this process, unless something is being played here.

    Two tournaments of one process have one loop: the last one to end closes it.
    """
    with _making:
        if _the_loop is None or _the_loop.users:
            return
    close()


def close() -> None:
    """Give up what is played in this process, and end its bots; the next task starts them anew."""
    global _the_loop
    with _making:
        ended, _the_loop = _the_loop, None
    if ended is not None and ended.pid == os.getpid():
        ended.close()
