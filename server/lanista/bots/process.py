"""One bot process: started, listened to and ended, all in one `async with`.

What the bot says over TCP is not seen here, and no clock of a match runs here. The dirty work is
done by the bot's keeper (`keeper`), a process of its own, so that it is done even when the arena
has died.
"""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import attrs
import trio

from lanista.bots import keeper, orphans, proctree
from lanista.bots.cgroup import Group
from lanista.bots.execute import printable
from lanista.bots.limits import NO_LIMITS, BotLimits, broken_words, signal_words
from lanista.bots.sandbox import Sandbox, SandboxError

OUTPUT_LIMIT = 65536
"""Bytes of a bot's output that are kept, the last ones."""

GRACE = 0.5
"""Seconds in which a bot may exit by itself once the block is left; enough to flush a log."""

END_TIMEOUT = 5.0
"""Seconds in which a killed bot must be gone and its output read to the end. Much more than it
ever takes, except for a process that the kernel itself can't end (a dead network disk)."""

LEAVING_TIME = 1.0
"""Seconds between the end of a bot's connection and the news of its process's end, if it ended."""

LAST_LINE = 200
"""Bytes of the last line that a crashed bot wrote that are told with its end."""

# Seconds between two reads of a bot's output. A bot that prints in an endless loop (a common
# mistake) fills a pipe thousands of times a second; this leaves the processor to the matches.
_READ_PAUSE = 0.002

# The keeper is imported, not run as a script, since only what is imported is kept compiled: 4 of
# 24 ms. Appended to the path, not put before it, so that no module here hides one of Python's.
_KEEPER_DIRECTORY = str(Path(keeper.__file__).parent)
_KEEPER_CODE = "import sys; sys.path.append(sys.argv[1]); import keeper; keeper.main(sys.argv[2:])"

# Keepers that outlived END_TIMEOUT; they go on killing and are reaped at the next start.
_late_keepers: list[subprocess.Popen[bytes]] = []


@attrs.frozen(kw_only=True)
class Exit:
    """How a bot ended: exactly one of `code`, `signal` and `failure` is there. `str()` tells it."""

    code: int | None = None
    """Exit code, 0 to 255."""

    signal: int | None = None
    """Number of the signal that killed it."""

    failure: str | None = None
    """Why there is neither: it could not be started, or was lost. A phrase to follow its name."""

    by_arena: bool = False
    """It was still running when its time was over, and the arena killed it."""

    limit: str | None = None
    """What it did that a limit forbids, a phrase to follow `it`: for that it, or if it had exited
    what it had started, was ended."""

    def __str__(self) -> str:
        if self.failure is not None:
            return self.failure
        if self.limit is not None:
            words = f"was ended: it {self.limit}"
            if self.code is None:
                return words
            return f"exited with code {self.code}; what it had started {words}"
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
    """The words of its command line."""

    pid: int | None = None
    """Its process id, which is its session's and process group's too; in a sandbox, that of the
    sandbox; None if it didn't start."""

    keeper: int | None = None
    """Process id of its keeper, below which is all that it started; None if there is none."""

    exit: Exit | None = None
    """How it ended; None while it runs."""

    output_bytes: int = 0
    """Bytes it has written to stdout and stderr in all, kept or not."""

    limits: BotLimits = NO_LIMITS
    """What it may use."""

    left_behind: int = 0
    """How many other processes that it had started were running when it had ended itself."""

    ending: bool = False
    """Its time is over: from here on it is the arena that kills it."""

    started: trio.Event = attrs.field(factory=trio.Event, repr=False)
    """Set when it is executing, or it is known that it won't."""

    _limit: str | None = attrs.field(default=None, init=False, repr=False)
    _output: bytearray = attrs.field(factory=bytearray, init=False, repr=False)
    _exited: trio.Event = attrs.field(factory=trio.Event, init=False, repr=False)

    async def exited(self) -> Exit:
        """Wait until the bot itself has ended; what it started may still be running."""
        await self._exited.wait()
        assert self.exit is not None
        return self.exit

    async def why_left(self) -> str | None:
        """Why the bot has closed its connection, in words; None if its process goes on.

        The connection of a process that ends is closed a moment before its end is known: waits
        LEAVING_TIME for that.
        """
        with trio.move_on_after(LEAVING_TIME):
            await self._exited.wait()
        if self.exit is None:
            return None
        for _ in range(5):  # what it wrote last is in the pipe, and read within a pause or two
            await trio.sleep(_READ_PAUSE)
        words = f"its process {self.exit}"
        crashed = self.exit.signal is not None or self.exit.code not in {0, None}
        if crashed and self.exit.limit is None:
            written = self.output_tail(LAST_LINE).strip().split("\n")[-1].strip()
            if written:
                words += f": {printable(written)}"
        return words

    def output_tail(self, limit: int = OUTPUT_LIMIT) -> str:
        r"""The last of what the bot has written so far to stdout and stderr, as they came.

        Args:
            limit: Bytes at most; more than OUTPUT_LIMIT aren't kept.

        Returns:
            The text; bytes that aren't UTF-8 are written as `\xff`.
        """
        kept = bytes(self._output[max(0, len(self._output) - limit) :])
        return kept.decode("utf-8", "backslashreplace")

    def cpu_used(self) -> float:
        """Seconds of processor time that it and all it started have used so far.

        0 where that can't be known: it hasn't started or is gone, or there is no /proc.
        """
        if self.keeper is None:
            return 0.0
        # proc_pid_stat(5): utime and stime are 14 and 15, of waited-for children 16 and 17. The
        # keeper waits for all that its bot leaves behind; its own time isn't the bot's.
        own = proctree.stat_fields(self.keeper)
        ticks = 0 if own is None else int(own[13]) + int(own[14])
        for pid in proctree.walk(self.keeper):
            fields = proctree.stat_fields(pid)
            if fields is not None:
                ticks += sum(map(int, fields[11:15]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def hear(self, line: str) -> None:
        """Take note of one line of its keeper's (see `keeper`); nobody else calls this."""
        keyword, _, rest = line.partition(" ")
        if keyword == "started":
            self.pid = int(rest)
            self.started.set()
        elif keyword == "failed":
            self.settle(Exit(failure=f"could not be started: {rest}"))
        elif keyword == "limit":
            kind, limit, used = rest.split()
            self._limit = broken_words(kind, int(limit), int(used))
            if self.exit is not None:
                self.exit = attrs.evolve(self.exit, limit=self._limit)
        elif keyword == "left":
            self.left_behind = int(rest)
        elif keyword == "exited":
            self.settle(Exit(code=int(rest), limit=self._limit))
        elif keyword == "killed":
            number = int(rest)
            limit_ = self._limit or signal_words(number, self.limits)
            by_arena = self.ending and number == signal.SIGKILL and limit_ is None
            self.settle(Exit(signal=number, by_arena=by_arena, limit=limit_))
        else:
            raise AssertionError(f"keeper said {line!r}, which is no line of its language")

    def keep(self, output: bytes) -> None:
        """Keep what it has written, as far as OUTPUT_LIMIT allows."""
        self.output_bytes += len(output)
        self._output += output
        del self._output[:-OUTPUT_LIMIT]

    def settle(self, how: Exit) -> None:
        """Take note that it has ended; only the first call tells how."""
        if self.exit is None:
            self.exit = how
        self.started.set()
        self._exited.set()


@attrs.define(eq=False)
class _Link:
    """What the arena holds of one keeper: its process and our ends of three pipes."""

    process: subprocess.Popen[bytes]
    lifeline: int
    status: trio.lowlevel.FdStream
    output: trio.lowlevel.FdStream
    since: int
    group: Group | None
    ended: trio.Event = attrs.field(factory=trio.Event, init=False)
    listened: trio.Event = attrs.field(factory=trio.Event, init=False)
    listening: trio.CancelScope = attrs.field(
        factory=lambda: trio.CancelScope(shield=True), init=False
    )

    @classmethod
    def open(
        cls,
        command: Sequence[str],
        env: Mapping[str, str],
        cwd: str,
        limits: BotLimits,
        sandbox: Sandbox | None,
    ) -> "_Link":
        """Start a keeper.

        Raises:
            OSError: No file descriptor or process to be had, or the command is too long.
            ValueError: No word at all, or a word or variable that no program can be given.
            SandboxError: A sandbox can't be made.
        """
        if not command:
            raise ValueError("the command is empty")
        uplink = ""
        if sandbox is not None:
            command, env = sandbox.wrap(command, env, cwd, limits)
            uplink = f"{sandbox.host}:{sandbox.port}"
        group: Group | None = None
        pipes: list[int] = []
        try:
            group = Group.make(limits)
            for _ in range(3):
                pipes += os.pipe()
            lifeline, our_lifeline, our_status, status, our_output, output = pipes
            # -I -S: nothing of the bot's environment or directory may reach into the keeper, and
            # it starts a third faster. -B: its compiled code is the arena's to write, or not.
            # Popen closes all descriptors but the two named, so that no keeper holds another's
            # lifeline. In a C locale, Python adds LC_CTYPE=C.UTF-8 to its environment, which the
            # bot inherits.
            process = subprocess.Popen(
                [
                    *(sys.executable, "-I", "-S", "-B", "-c", _KEEPER_CODE, _KEEPER_DIRECTORY),
                    *(str(lifeline), str(status), cwd, limits.encode()),
                    *("" if group is None else str(group.path), uplink),
                    *command,
                ],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=env,
                pass_fds=(lifeline, status),
                start_new_session=True,
            )
        except BaseException:
            for fd in pipes:
                os.close(fd)
            if group is not None:
                group.path.rmdir()
            raise
        for fd in (lifeline, status, output):
            os.close(fd)
        orphans.keepers.add(process.pid)
        return cls(
            process=process,
            lifeline=our_lifeline,
            status=trio.lowlevel.FdStream(our_status),
            output=trio.lowlevel.FdStream(our_output),
            since=orphans.start_of(process.pid),
            group=group,
        )

    async def listen(self, bot: Bot) -> None:
        """Tell the bot what its keeper reports and what it prints, until both pipes end.

        Shielded, since the end of a bot is news too when the arena is cancelled; `end` bounds it.
        """
        with self.listening:
            async with self.status, self.output, trio.open_nursery() as nursery:
                nursery.start_soon(self._listen_to_keeper, bot)
                nursery.start_soon(self._listen_to_output, bot)
        self.listened.set()

    async def _listen_to_keeper(self, bot: Bot) -> None:
        rest = b""
        while more := await self.status.receive_some():
            *lines, rest = (rest + more).split(b"\n")
            for line in lines:
                bot.hear(line.decode())
        # The end of this pipe is the keeper's: nobody else has its other end. All that can remain
        # is the moment until the kernel hands over its exit code.
        code = await trio.to_thread.run_sync(self.process.wait, abandon_on_cancel=True)
        orphans.keepers.discard(self.process.pid)
        how = f"exited with code {code}" if code >= 0 else f"was killed by {_signal_name(-code)}"
        bot.settle(Exit(failure=f"was lost: its keeper {how}"))
        self.ended.set()

    async def _listen_to_output(self, bot: Bot) -> None:
        while more := await self.output.receive_some(OUTPUT_LIMIT):
            bot.keep(more)
            await trio.sleep(_READ_PAUSE)

    async def end(self, bot: Bot, grace: float) -> None:
        """End the bot and all it started, in at most `grace` and END_TIMEOUT seconds."""
        with trio.move_on_after(grace):
            await bot.exited()
        bot.ending = True
        # A word, not only the end of the pipe: a process forked elsewhere in the arena without
        # exec (a multiprocessing pool) may hold a copy of our end.
        with contextlib.suppress(BrokenPipeError):
            os.write(self.lifeline, b".")
        os.close(self.lifeline)
        with trio.move_on_after(END_TIMEOUT):
            await self.ended.wait()
            if self.process.returncode != 0:
                await orphans.end_orphans(self.since)
            if self.group is not None:  # holds what a killed keeper left, if anything
                await self.group.remove()
            await self.listened.wait()
        self.listening.cancel()
        if self.process.returncode is None:
            _late_keepers.append(self.process)
            bot.settle(Exit(failure=f"could not be ended: not gone after {END_TIMEOUT:g} s"))


@contextlib.asynccontextmanager
async def start_bot(
    command: Sequence[str],
    env: Mapping[str, str],
    *,
    cwd: str | os.PathLike[str] | None = None,
    grace: float = GRACE,
    limits: BotLimits | None = None,
    sandbox: Sandbox | None = None,
) -> AsyncIterator[Bot]:
    """Run a bot for as long as the block runs.

    The bot has a session and process group of its own, nothing to read on stdin, and one pipe for
    stdout and stderr, which is always read. No shell is involved. The block is entered when the
    bot is executing or it is known why it can't be: that is told by `Bot.exit`, never raised.

    Leaving the block, in whatever way, ends the bot **and all it started**, also what has left its
    session: the bot has `grace` to go by itself, then all are killed. This is shielded from
    cancellation, and bounded. If the arena dies, even by kill -9, the bots are killed at once.
    That much holds on Linux; elsewhere only the bot's process group is ended.

    Args:
        command: Words, the first a path or a program to be looked for along the PATH of `env`.
        env: The whole environment of the bot; see `lanista.bots.environment`.
        cwd: Directory to run it in, None for the arena's own.
        grace: Seconds the bot may take to exit by itself once the block is left.
        limits: What it may use; None is without limits. One that breaks them is ended, with all
            it started, which `Exit.limit` tells.
        sandbox: Shut it off from this machine; None runs it as an ordinary process. That a sandbox
            can't be made is a failure of the bot, so `check_sandbox` first.

    Yields:
        The bot, started or failed.
    """
    _late_keepers[:] = [late for late in _late_keepers if _is_late(late)]
    bot = Bot(tuple(command), limits=limits or NO_LIMITS)
    directory = "" if cwd is None else os.fspath(cwd)
    try:
        link = _Link.open(bot.command, env, directory, bot.limits, sandbox)
    except (OSError, ValueError, SandboxError) as error:
        bot.settle(Exit(failure=f"could not be started: {error}"))
        yield bot
        return
    bot.keeper = link.process.pid
    # What the block raises is carried around the nursery, which would wrap it into a group.
    raised: BaseException | None = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(link.listen, bot)
        try:
            await bot.started.wait()
            yield bot
        except BaseException as error:  # noqa: BLE001 -- raised again below
            raised = error
        with trio.CancelScope(shield=True):
            await link.end(bot, grace)
    if raised is not None:
        try:
            raise raised
        finally:
            raised = None  # it refers to this frame, which refers to it


def _is_late(process: subprocess.Popen[bytes]) -> bool:
    """Whether a keeper that wasn't waited for is still running; if not, it is reaped."""
    if process.poll() is None:
        return True
    orphans.keepers.discard(process.pid)
    return False
