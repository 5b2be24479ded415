"""The keeper: a small process beside each bot that ends the bot and all it started.

    keeper.main([LIFELINE, STATUS, CWD, LIMITS, GROUP, UPLINK, WORD, ...])

in an interpreter that has nothing else to do (`process` tells how). LIFELINE is the read end of a
pipe whose only write end the arena holds. When it has something to read or ends (the arena said
so, or died in whatever way, kill -9 too), every descendant is killed and reaped, then the keeper
exits with code 0. To STATUS go lines about the bot:

    started PID | failed TEXT     first: it was executed, or why it couldn't be
    limit KIND LIMIT USED         it has broken a limit (memory, cpu, processes) and is being ended
    left N                        when it ended: how many others that it had started were running
    exited CODE | killed SIGNAL   when it ended

LIMITS is `BotLimits.encode`. What the kernel holds for each process is set in the bot; what all of
them use together is looked at from here (`usage`), unless GROUP, the folder of a control group,
holds it. UPLINK, HOST:PORT of the arena, says that WORDs start a sandbox: it is given a connection
to there and a filter of system calls. When the `launcher` in it says that the sandbox is there, the
number of its files is limited from here; then the launcher starts the bot, and says so.

A pipe rather than PR_SET_PDEATHSIG between arena and keeper, because that signal comes when the
*thread* that forked exits, which needn't be the arena's end. Between keeper and bot it is safe:
the keeper has one thread.

It must start fast and alone: only light modules of the standard library, nothing of lanista but
its neighbours that keep to the same. What can't be caught: processes that have become another
user's, and a kill -9 of the arena and a keeper at once (the bot dies then, what it had started
doesn't).
"""

# ruff: noqa: SIM105 -- importing contextlib would take milliseconds for every bot

import os
import select
import sys

# `typing` and `signal` (for its enums) would take 10 ms each to import, for every bot.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
else:
    import _signal as signal  # the part in C that `signal` wraps
if TYPE_CHECKING or __package__:
    from lanista.bots import execute, proctree, syscalls, usage
else:  # in the keeper, which knows no packages
    import execute
    import proctree
    import syscalls
    import usage

# Milliseconds between two rounds of killing: most die within the first, and what doesn't die
# (uninterruptible sleep, another user's process) must not cost a processor.
FIRST_PAUSE, LAST_PAUSE = 1, 1000

# Processes in a sandbox that aren't the bot's: two of bubblewrap and the launcher.
BESIDE = 3

# Bytes of a launcher's last words that are read; they are some dozen.
MOST_HEARD = 65536


class Keeper:
    """One bot, from its fork to the end of the last process it started."""

    def __init__(self, lifeline: int, status: int, limits: str, group: str, uplink: str) -> None:
        self.lifeline = lifeline
        self.status = status
        self.limits = limits
        self.group = group
        self.uplink = uplink
        self.bot = 0  # pid; 0 before the fork and when there is nothing more to tell about it
        self.launcher = -1  # where the launcher of a sandbox writes
        self.heard = b""  # what it wrote together with IS_STARTED
        memory, cpu, _, _, self.processes = execute.decode(limits)
        self.memory = memory
        self.watch: usage.Watch | None = None
        if group:
            memory = 0  # the kernel holds it
        if memory or cpu or self.processes:
            self.watch = usage.Watch(memory, cpu, self.processes, BESIDE if uplink else 0)
        # A signal may come just before poll() begins to wait; its byte in this pipe then ends the
        # wait, which the mere handler would not.
        self.wake, write = os.pipe()
        os.set_blocking(self.wake, False)
        os.set_blocking(write, False)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)

    def run(self, cwd: str, command: list[str]) -> None:
        """Start the bot, wait for the end of the lifeline, leave nothing behind."""
        group = self.start(cwd, command)
        pause = self.look() if self.reap() else None
        while self.lifeline not in self.wait(pause, self.lifeline):
            # Without children there is nobody to look at, and none can come.
            pause = self.look() if self.reap() else None
        if sys.platform != "linux" and group:
            # No subreaper and perhaps no /proc: the bot's process group is all that is known.
            try:
                os.killpg(group, signal.SIGKILL)
            except OSError:
                pass
        self.end_all()

    def end_all(self) -> None:
        """Kill and reap every descendant; returns when there is none."""
        pause = FIRST_PAUSE
        # Every orphan comes to a subreaper, so no child left means no descendant left.
        while self.reap():
            proctree.freeze_and_kill(self.descendants)
            self.wait(pause)
            pause = min(2 * pause, LAST_PAUSE)

    def descendants(self) -> list[int]:
        """All that comes from this process, zombies too."""
        return proctree.with_descendants([os.getpid()], proctree.processes())[1:]

    def look(self) -> int | None:
        """See to the limits; milliseconds until the next look, None for none."""
        if self.watch is None:
            return None
        broken, pause = self.watch.look()
        if broken is None:
            return pause
        self.report(f"limit {broken}")
        self.end_all()
        return None

    def start(self, cwd: str, command: list[str]) -> int:
        """Fork and execute the bot and report it; its pid, 0 if there was no fork."""
        # Closed by a successful exec; text in it tells of a failed one.
        trouble, trouble_in = os.pipe()
        wait, go = os.pipe()  # what a launcher waits for before it starts the bot
        keeper = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            self.report(f"failed {error.strerror}")
            return 0
        if pid == 0:
            try:
                self.become_bot(keeper, trouble_in, wait, cwd, command)
            finally:
                os._exit(127)  # not sys.exit: the keeper's code must not run a second time
        os.close(trouble_in)
        os.close(wait)
        text = b""
        while more := os.read(trouble, 4096):
            text += more
            if self.uplink and text.endswith(execute.IS_READY):
                text = self.limit_files(pid)
                write(go, execute.DO_NOT if text else execute.GO)
            # A bot that ends at once may have been told about by then: all comes in one read.
            _, is_started, self.heard = text.partition(execute.IS_STARTED)
            if self.uplink and is_started:
                os.set_blocking(trouble, False)
                self.launcher = trouble
                text = b""
                break
        else:
            os.close(trouble)
            if self.uplink and not text:
                text = b"its sandbox ended before the bot was started"
        if text:
            words = " ".join(text.decode("utf-8", "backslashreplace").split("\n")).strip()
            self.report("failed " + execute.printable(words))
        else:
            self.bot = pid
            self.report(f"started {pid}")
        os.close(go)
        return pid

    def limit_files(self, pid: int) -> bytes:
        """Limit how many files a sandbox that waits may hold; why that can't be, or nothing.

        Args:
            pid: Of bubblewrap, whose last descendant is the launcher.
        """
        found = proctree.walk(pid) or proctree.with_descendants([pid], proctree.processes())
        child = os.fork()
        if child == 0:
            number = 255
            try:
                folders = [execute.SCRATCH, execute.SHARED]
                syscalls.limit_files(found[-1], folders, execute.SCRATCH_FILES)
                number = 0
            except OSError as error:
                number = error.errno or number
            finally:
                os._exit(number)
        number = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if number == 0:
            return b""
        return f"the files of its sandbox can't be limited: {os.strerror(number)}".encode()

    def wait(self, timeout: int | None, lifeline: int | None = None) -> set[int]:
        """Wait for a child's end, or the lifeline's; at most `timeout` ms, None without limit.

        Without `lifeline` it isn't looked at: it is known to have ended, or has to wait.

        Returns:
            The file descriptors that can be read.
        """
        poll = select.poll()
        poll.register(self.wake, select.POLLIN)
        if lifeline is not None:
            poll.register(lifeline, select.POLLIN)
        ready = {fd for fd, _ in poll.poll(timeout)}
        if self.wake in ready:
            os.read(self.wake, 4096)
        return ready

    def reap(self) -> bool:
        """Reap every child that has ended, adopted ones too; False when there is none left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self.bot:
                self.bot = 0
                self.report_end(os.waitstatus_to_exitcode(status))

    def report_end(self, code: int) -> None:
        """Tell how the bot ended.

        Args:
            code: The exit code of what this process forked, or the signal that killed it, negative.
        """
        if self.launcher == -1:
            left = sum(map(proctree.runs, self.descendants()))
        else:
            left, signalled = self.heard_from_launcher()
            code = -signalled or code
        if code == -signal.SIGKILL and self.group and self.out_of_memory():
            self.report(f"limit memory {self.memory} 0")
        self.report(f"left {left}")
        self.report(f"exited {code}" if code >= 0 else f"killed {-code}")

    def heard_from_launcher(self) -> tuple[int, int]:
        """What the launcher said last: processes left, and the signal that killed the bot or 0."""
        told = {b"left": 0, b"killed": 0}
        text = self.heard
        try:
            # It ended before the sandbox did: all that it wrote is there.
            while len(text) < MOST_HEARD and (more := os.read(self.launcher, 4096)):
                text += more
        except BlockingIOError:
            pass  # another process of the sandbox holds the other end still
        os.close(self.launcher)
        for line in text.split(b"\n"):
            keyword, _, number = line.partition(b" ")
            # It runs beside the bot, as the bot's own user: it is believed, as far as it goes.
            if keyword in told and number.isdigit() and len(number) < 8:
                told[keyword] = int(number)
        return told[b"left"], min(told[b"killed"], signal.NSIG - 1)

    def out_of_memory(self) -> bool:
        """Whether the control group was ended because its memory was used up."""
        for line in proctree.read(f"{self.group}/memory.events").splitlines():
            key, _, count = line.partition(b" ")
            if key == b"oom_kill" and int(count):
                return True
        return False

    def report(self, line: str) -> None:
        """Write one line to the arena, if it is still there."""
        write(self.status, line.encode("utf-8", "backslashreplace") + b"\n")

    def become_bot(
        self, keeper: int, trouble: int, wait: int, cwd: str, command: list[str]
    ) -> None:
        """In the forked child: become the bot. Returns only when that failed.

        Args:
            keeper: Pid of the keeper.
            trouble: Where to write why it couldn't be executed.
            wait: Where a launcher hears when it may start the bot.
            cwd: Directory to run it in, empty for the arena's own.
            command: The words of its command line.
        """
        os.setsid()
        proctree.prctl(proctree.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != keeper:
            return  # the keeper died before the line above could bind us to it
        syscalls.join_session_keyring()
        # Every descriptor from 3 on is close-on-exec: those the arena passed by `main`, the
        # others by Python's habit.
        if cwd:
            try:
                os.chdir(cwd)
            except OSError as error:
                os.write(trouble, execute.describe(error, cwd, " (its working directory)"))
                return
        if self.group:
            try:
                file = os.open(f"{self.group}/cgroup.procs", os.O_WRONLY)
                os.write(file, b"0\n")
                os.close(file)
            except OSError as error:
                os.write(trouble, execute.describe(error, self.group, " (its control group)"))
                return
        if not self.uplink:
            execute.set_limits(self.limits, own_user=False)
        elif not self.prepare_sandbox(trouble, wait):
            return
        execute.execute(command, trouble)

    def prepare_sandbox(self, trouble: int, wait: int) -> bool:
        """In the forked child: what a sandbox and its launcher need; False when it can't be had."""
        import _socket  # noqa: PLC0415 -- the part in C of `socket`; only sandboxes need it

        host, _, port = self.uplink.rpartition(":")
        uplink = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        try:
            uplink.connect((host, int(port)))
        except OSError as error:
            os.write(trouble, execute.describe(error, self.uplink, " (the arena)"))
            return False
        uplink.setsockopt(_socket.IPPROTO_TCP, _socket.TCP_NODELAY, 1)
        rules, write = os.pipe()  # which holds 4096 bytes at least; the filter has some hundreds
        os.write(write, syscalls.sandbox_filter(syscalls.machine()) or b"")
        os.dup2(rules, execute.FILTER_FD)
        os.dup2(uplink.fileno(), execute.UPLINK_FD)
        os.dup2(wait, execute.GO_FD)
        os.dup2(trouble, execute.LAUNCHER_FD)
        os.dup2(trouble, 2)  # what the sandbox itself complains of; the launcher undoes it
        return True


def write(pipe: int, text: bytes) -> None:
    """Write to a pipe whose reader may be gone."""
    try:
        os.write(pipe, text)
    except BrokenPipeError:
        pass


def main(arguments: list[str]) -> None:
    """Keep one bot, then end this process; the arguments are told at the top of this module."""
    lifeline, status = int(arguments[0]), int(arguments[1])
    for fd in (lifeline, status):
        os.set_inheritable(fd, False)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # only the arena ends a keeper, by the lifeline
    proctree.prctl(proctree.PR_SET_CHILD_SUBREAPER, 1)
    cwd, limits, group, uplink, *command = arguments[2:]
    Keeper(lifeline, status, limits, group, uplink).run(cwd, command)
    os._exit(0)  # nothing is buffered; the interpreter's own farewell would take milliseconds
