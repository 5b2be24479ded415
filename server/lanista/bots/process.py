"""One bot process: started, watched and ended, all in one `async with start_bot(…)`.

The bot's TCP connection isn't handled here, and no match clock runs here. The bot is a child of its
keeper (see `keeper`), a process of its own, so that it is ended even if the arena has died.
"""

import contextlib
import math
import os
import signal
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import attrs
import trio

from lanista.bots import proctree
from lanista.bots.cgroup import Group
from lanista.bots.command import HOST
from lanista.bots.keeper_process import KeeperProcess, end_orphans, start_keeper
from lanista.bots.last_words import last_words, uncaught
from lanista.bots.limits import NO_LIMITS, BotLimits, describe_broken, describe_signal
from lanista.errors import LanistaError, printable
from lanista.nurseries import helpers_nursery
from lanista.unwatched import patiently

if TYPE_CHECKING:
    from lanista.bots.sandbox import Sandbox

OUTPUT_LIMIT = 65536
"""Number of bytes of a bot's output that are kept: the last ones."""

TURNS_LIMIT = 4096
"""Number of turns, the last ones, for which it is known what the bot wrote in them."""

GRACE = 0.5
"""Seconds that a bot may take to exit by itself when it is ended; enough to flush a log."""

END_TIMEOUT = 10.0
"""Seconds until a killed bot must be gone and its output read to the end. It takes much less,
except for a process that the kernel itself can't end (because of a dead network disk), and for a
fork bomb of an ordinary user without a sandbox, which takes some seconds."""

LEAVING_TIME = 1.0
"""Seconds to wait, after a bot's connection was closed, for its process to end too."""

# Seconds between two reads of a bot's output. A bot that prints in an endless loop (a common
# mistake) fills a pipe thousands of times a second; the pause leaves the processor to the matches.
_READ_PAUSE = 0.002

# Keepers that outlived END_TIMEOUT. They go on killing, and are reaped when another bot starts.
_late_keepers: list[KeeperProcess] = []


@attrs.frozen(kw_only=True)
class Exit:
    """How a bot ended: exactly one of `code`, `signal` and `failure` is set.

    `str()` describes it as a phrase to follow the bot's name.
    """

    code: int | None = None

    signal: int | None = None

    failure: str | None = None
    """Why it has neither: it could not be started, or was lost. A phrase to follow its name."""

    by_arena: bool = False
    """Whether it was still running when it was to end, and the arena killed it."""

    limit: str | None = None
    """How it broke the limit for which it was ended, as a phrase to follow `it`. If it had exited
    by then, only the processes that it had started were ended."""

    @property
    def is_crash(self) -> bool:
        """Whether the process ended by a fault of its own."""
        return not self.by_arena and (self.code != 0 or self.limit is not None)

    def __str__(self) -> str:
        if self.failure is not None:
            return self.failure
        if self.limit is not None:
            cause = f"was ended: it {self.limit}"
            if self.code is None:
                return cause
            return f"exited with code {self.code}; what it had started {cause}"
        if self.by_arena:
            return "was still running and was ended by the arena"
        if self.signal is not None:
            return f"killed by {_signal_name(self.signal)}"
        return f"exited with code {self.code}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # most real-time signals have no name
        return f"signal {number}"


@attrs.define(eq=False)
class Bot:
    """A bot process; made by `start_bot`."""

    command: tuple[str, ...]

    pid: int | None = None
    """Its process id, which is also the id of its session and process group; in a sandbox, that of
    the sandbox; None if it didn't start."""

    keeper: int | None = None
    """Process id of its keeper, an ancestor of everything that it started; None if it has none."""

    exit: Exit | None = None
    """How it ended; None while it runs."""

    output_bytes: int = 0
    """Number of bytes that it has written to stdout and stderr in all, kept or not."""

    limits: BotLimits = NO_LIMITS

    left_behind: int = 0
    """How many processes that it had started were still running when it ended."""

    gone_at: float = math.inf
    """When it had been ended for a broken limit, with everything that it started, on trio's clock;
    infinite before."""

    ending: bool = False
    """Whether it is being ended: if it is killed from now on, the arena has done it."""

    started: trio.Event = attrs.field(factory=trio.Event, repr=False)
    """Set when it is executing, or has failed to start."""

    broken_limit: str | None = attrs.field(default=None, init=False, repr=False)
    """How it broke the limit for which it is being ended, as a phrase to follow `it`; None if it
    hasn't broken one, as far as its keeper has seen."""

    _output: bytearray = attrs.field(factory=bytearray, init=False, repr=False)
    # Returns the present turn of its match; None: it isn't in a match.
    _turn: Callable[[], int] | None = attrs.field(default=None, init=False, repr=False)
    # Turns in which output came, each with the number of bytes that had come before.
    _turns: list[tuple[int, int]] = attrs.field(factory=list, init=False, repr=False)
    _exited: trio.Event = attrs.field(factory=trio.Event, init=False, repr=False)

    async def exited(self) -> Exit:
        """Wait until the bot itself has ended; processes that it started may still be running."""
        await self._exited.wait()
        assert self.exit is not None
        return self.exit

    async def why_left(self) -> str | None:
        """Describe how a bot that closed its connection failed or ended; None if that isn't known.

        The connection is closed a moment before the end of the process is known, so this waits for
        up to LEAVING_TIME. A process may also go on after an exception, by its other threads.
        """
        with trio.move_on_after(LEAVING_TIME):
            await self._exited.wait()
        if self.exit is None:
            words = uncaught(self.output_tail())
            return f"closed its connection while its process goes on: {words}" if words else None
        for _ in range(5):  # its last output may still be in the pipe; it is read within a pause
            await trio.sleep(_READ_PAUSE)
        description = f"its process {self.exit}"
        crashed = self.exit.signal is not None or self.exit.code not in {0, None}
        if crashed and self.exit.limit is None:
            return self.with_last_words(description)
        return description

    def with_last_words(self, description: str) -> str:
        """Return a description of its end with the reason that its output gives, if any."""
        words = last_words(self.output_tail())
        return f"{description}: {words}" if words else description

    def output_tail(self, limit: int = OUTPUT_LIMIT) -> str:
        r"""Return the last part of what the bot has written so far to stdout and stderr.

        It has at most `limit` bytes; more than OUTPUT_LIMIT aren't kept. Bytes that aren't UTF-8
        become U+FFFD: to write each of them as `\xff` would hold the event loop for 6 ms.
        """
        kept = bytes(self._output[max(0, len(self._output) - limit) :])
        return kept.decode("utf-8", "replace")

    def place_output(self, turn: Callable[[], int] | None) -> None:
        """Note from now on in which turn each part of the output comes; with None, note nothing."""
        self._turn = turn
        self._turns.clear()

    def output_turns(self, limit: int = OUTPUT_LIMIT) -> list[tuple[int, int]]:
        """Return each turn in which output came, and where that begins in `output_tail(limit)`.

        A line belongs to the turn in which its end was read: that is a moment after the bot wrote
        it, and a bot that answers within a few milliseconds may be some turns further by then.
        """
        kept = bytes(self._output[max(0, len(self._output) - limit) :])
        before = self.output_bytes - len(kept)
        places: list[tuple[int, int]] = []
        done = characters = 0
        for turn, byte in self._turns if kept else ():
            start = kept.rfind(b"\n", 0, max(0, byte - before)) + 1
            characters += len(kept[done:start].decode("utf-8", "replace"))
            done = start
            if places and places[-1][1] == characters:
                places.pop()  # the lines of that turn ended in this one, or aren't kept
            places.append((turn, characters))
        return places

    def cpu_used(self) -> float:
        """Return the seconds of processor time that it and all it started have used so far.

        0 if that can't be known: it hasn't started or is gone, or there is no /proc.
        """
        if self.keeper is None:
            return 0.0
        # proc_pid_stat(5): utime and stime are fields 14 and 15; for waited-for children, fields 16
        # and 17. The keeper waits for all processes that its bot leaves behind, so the latter count
        # for the bot; the keeper's own time doesn't.
        own = proctree.stat_fields(self.keeper)
        ticks = 0 if own is None else int(own[13]) + int(own[14])
        for pid in proctree.descendants(self.keeper):
            fields = proctree.stat_fields(pid)
            if fields is not None:
                ticks += sum(map(int, fields[11:15]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def hear(self, line: str) -> None:
        """Process one line that its keeper reported (see `keeper`)."""
        keyword, _, rest = line.partition(" ")
        if keyword == "started":
            self.pid = int(rest)
            self.started.set()
        elif keyword == "failed":
            self.settle(Exit(failure=f"could not be started: {printable(rest)}"))
        elif keyword == "limit":
            kind, limit, used = rest.split()
            self.broken_limit = describe_broken(kind, int(limit), int(used))
            if self.exit is not None:
                self.exit = attrs.evolve(self.exit, limit=self.broken_limit)
        elif keyword == "gone":
            self.gone_at = trio.current_time()
        elif keyword == "left":
            self.left_behind = int(rest)
        elif keyword == "exited":
            self.settle(Exit(code=int(rest), limit=self.broken_limit))
        elif keyword == "killed":
            number = int(rest)
            broken = self.broken_limit or describe_signal(number, self.limits)
            by_arena = self.ending and number == signal.SIGKILL and broken is None
            self.settle(Exit(signal=number, by_arena=by_arena, limit=broken))
        else:
            raise AssertionError(f"the keeper reported {line!r}, which has no meaning")

    def keep(self, output: bytes) -> None:
        """Append to its output, of which the last OUTPUT_LIMIT bytes are kept."""
        turn = None if self._turn is None else self._turn()
        if turn is not None and (not self._turns or self._turns[-1][0] != turn):
            self._turns.append((turn, self.output_bytes))
            del self._turns[:-TURNS_LIMIT]
        self.output_bytes += len(output)
        self._output += output
        del self._output[:-OUTPUT_LIMIT]

    def settle(self, exit_: Exit) -> None:
        """Record how it ended; later calls are ignored."""
        if self.exit is None:
            self.exit = exit_
        self.started.set()
        self._exited.set()


@attrs.define(eq=False)
class _Link:
    """The arena's side of one keeper: its process and our ends of three pipes."""

    process: KeeperProcess
    lifeline: int
    status: trio.lowlevel.FdStream
    output: trio.lowlevel.FdStream
    since: int  # when the keeper was started, in clock ticks since boot; 0 if that is unknown
    group: Group | None
    ended: trio.Event = attrs.field(factory=trio.Event, init=False)
    listened: trio.Event = attrs.field(factory=trio.Event, init=False)
    listening: trio.CancelScope = attrs.field(
        factory=lambda: trio.CancelScope(shield=True), init=False
    )

    @classmethod
    async def open(
        cls,
        command: Sequence[str],
        env: Mapping[str, str],
        cwd: str,
        limits: BotLimits,
        sandbox: "Sandbox | None",
    ) -> "_Link":
        """Start a keeper, or raise OSError, ValueError or SandboxError."""
        uplink = ""
        if sandbox is not None:
            command, env = sandbox.wrap(command, env, cwd, limits)
            uplink = f"{HOST}:{sandbox.port}"
            await trio.lowlevel.checkpoint()  # that took milliseconds, and so does what follows
        group: Group | None = None
        pipes: list[int] = []
        try:
            group = Group.make(limits, sandboxed=sandbox is not None)
            for _ in range(3):
                pipes += os.pipe()
            lifeline, our_lifeline, our_status, status, our_output, output = pipes
            process = start_keeper(
                lifeline,
                status,
                output,
                [
                    *(cwd, limits.encode(), "" if group is None else str(group.path), uplink),
                    *command,
                ],
                env,
            )
        except BaseException:
            for fd in pipes:
                os.close(fd)
            if group is not None:
                group.path.rmdir()
            raise
        for fd in (lifeline, status, output):
            os.close(fd)
        stat = proctree.read_stat(process.pid)
        return cls(
            process=process,
            lifeline=our_lifeline,
            status=trio.lowlevel.FdStream(our_status),
            output=trio.lowlevel.FdStream(our_output),
            since=0 if stat is None else stat[1],
            group=group,
        )

    async def listen(self, bot: Bot) -> None:
        """Read the keeper's reports and the bot's output until both pipes end.

        This is shielded from cancellation, because the end of a bot must be known even when the
        arena is cancelled; `end` limits the time.
        """
        with self.listening:
            async with self.status, self.output, trio.open_nursery() as nursery:
                nursery.start_soon(self._listen_to_keeper, bot)
                nursery.start_soon(self._listen_to_output, bot)
        self.listened.set()

    async def _listen_to_keeper(self, bot: Bot) -> None:
        rest = b""
        while data := await patiently(self.status.receive_some):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                bot.hear(line.decode())
        # Only the keeper has the other end of this pipe, so the keeper has ended, or will have
        # within a moment.
        code = await self.process.wait()
        how = f"exited with code {code}" if code >= 0 else f"was killed by {_signal_name(-code)}"
        bot.settle(Exit(failure=f"was lost: its keeper {how}"))
        self.ended.set()

    async def _listen_to_output(self, bot: Bot) -> None:
        while data := await patiently(partial(self.output.receive_some, OUTPUT_LIMIT)):
            bot.keep(data)
            await trio.sleep(_READ_PAUSE)

    async def end(self, bot: Bot, grace: float) -> None:
        """End the bot and all it started, in at most `grace` plus END_TIMEOUT seconds."""
        with trio.move_on_after(grace):
            await bot.exited()
        bot.ending = True
        # Closing our end isn't enough: a process that was forked elsewhere in the arena without
        # exec (as by a multiprocessing pool) may hold a copy of it.
        with contextlib.suppress(BrokenPipeError):
            os.write(self.lifeline, b".")
        os.close(self.lifeline)
        with trio.move_on_after(END_TIMEOUT):
            await self.ended.wait()
            if self.process.code != 0:
                await end_orphans(self.since)
            if self.group is not None:  # it may still have processes that a killed keeper left
                await self.group.remove()
            await self.listened.wait()
        self.listening.cancel()
        if self.process.code is None:
            _late_keepers.append(self.process)
            what = "could not be ended"
            if bot.broken_limit is not None:
                what = f"was ended: it {bot.broken_limit}, and not all of it could be ended"
            bot.settle(Exit(failure=f"{what}: still there after {END_TIMEOUT:g} s"))


@contextlib.asynccontextmanager
async def start_bot(
    command: Sequence[str],
    env: Mapping[str, str],
    *,
    cwd: str | os.PathLike[str] | None = None,
    grace: float = GRACE,
    limits: BotLimits = NO_LIMITS,
    sandbox: "Sandbox | None" = None,
) -> AsyncIterator[Bot]:
    """Run a bot for as long as the block runs.

    The bot has a session and process group of its own, nothing to read on stdin, and one pipe for
    stdout and stderr, which is always read. No shell is involved. All else it inherits from this
    process, as that is now. The block is entered when the bot is executing, or has failed to start:
    `Bot.exit` then says why, and nothing is raised.

    Leaving the block, in whatever way, ends the bot **and all processes it started**, even those
    that have left its session: the bot has `grace` seconds to exit by itself, then all are killed.
    This is shielded from cancellation, and its time is limited. If the arena dies, even by kill -9,
    the bots are killed at once. (On systems other than Linux, only the process group is ended.)

    The program is a path or a name that is searched for along the PATH of `env`, which is the whole
    environment. A bot that breaks one of its limits is ended, with all it started, and `Exit.limit`
    says so. If a sandbox can't be made, the bot fails to start, so call `check_sandbox` first.
    """
    _late_keepers[:] = [late for late in _late_keepers if not late.poll()]
    bot = Bot(tuple(command), limits=limits)
    directory = "" if cwd is None else os.fspath(cwd)
    try:
        link = await _Link.open(bot.command, env, directory, bot.limits, sandbox)
    except (OSError, ValueError, LanistaError) as error:
        bot.settle(Exit(failure=f"could not be started: {error}"))
        yield bot
        return
    bot.keeper = link.process.pid
    async with helpers_nursery() as nursery:
        nursery.start_soon(link.listen, bot)
        try:
            await bot.started.wait()
            yield bot
        finally:
            with trio.CancelScope(shield=True):
                await link.end(bot, grace)
