"""The keeper: a small process beside each bot that ends the bot and everything it started.

A bot may start further processes, and these may detach themselves from it. To leave none behind,
even if the arena is killed, each bot is the child of a keeper. The keeper is a subreaper, so every
orphan among its descendants becomes its child, and a keeper without children has no descendants
left. It learns about the end of its bot from the *lifeline*, a pipe whose only write end the arena
holds: when the lifeline has something to read (the arena asks for the end) or is closed (the arena
has died, in whatever way), the keeper kills and reaps all its descendants and exits with code 0.

A process that `fork_server` has made does nothing but

    keeper.keep(LIFELINE, STATUS, [CWD, LIMITS, GROUP, UPLINK, PROGRAM, ARGUMENT, ...], ENVIRONMENT)

where LIFELINE is the read end of that pipe, CWD may be empty for its own folder, and ENVIRONMENT is
the bot's. The keeper writes lines about the bot to STATUS:

    started PID | failed TEXT     first: it was executed, or why it couldn't be
    limit KIND LIMIT USED         it broke a limit (memory, cpu, processes, watches) and is being
                                  ended
    gone                          everything of a bot that broke a limit has ended
    left N                        when it ended: how many processes that it started still run
    exited CODE | killed SIGNAL   when it ended

LIMITS is `BotLimits.encode`. GROUP is the folder of the bot's control group, empty if it has none.
The bot begins in it, and the keeper removes it in the end.

UPLINK is empty, or HOST:PORT of the arena if the command starts a sandbox. In that case the keeper
gives the sandbox a connection to the arena and a filter of system calls. When the `launcher` in it
reports that the sandbox is ready, the keeper limits the number of its files and then has the
launcher start the bot.

Between arena and keeper there is a pipe rather than PR_SET_PDEATHSIG, because that signal comes
when the *thread* that forked exits, which may be long before the arena ends. Between keeper and bot
PR_SET_PDEATHSIG is safe, since the keeper has only one thread.

Two cases can't be handled: processes that have become another user's can't be killed; and if the
arena and a keeper are killed by kill -9 at the same time, the bot dies but the processes it started
survive.
"""

# Importing contextlib and pathlib would take milliseconds for every bot.
# ruff: noqa: PTH106, PTH110, SIM105

import os
import select
import sys
import time

# `typing` and `signal` (for its enums) would take 10 ms each to import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Iterable, Mapping, Sequence
else:
    import _signal as signal  # the part in C that `signal` wraps
if TYPE_CHECKING or __package__:
    from lanista.bots import execute, proctree, syscalls, usage
else:  # in the keeper, which knows no packages
    import execute
    import proctree
    import syscalls
    import usage

# Milliseconds between two rounds of killing, doubled from the first to the last. Most processes die
# in the first round; those that can't die (in uninterruptible sleep, or of another user) must not
# keep a processor busy.
FIRST_PAUSE, LAST_PAUSE = 1, 1000

# Milliseconds that a sandbox or control group gets to be gone when the kernel kills it, before its
# processes are looked for one by one.
KERNEL_TIME = 500

# Priority of a keeper, where it may have it: the highest. Otherwise it would have to wait for its
# turn among the processes of a fork bomb before it could end them.
NICENESS = -20

# Processes in a sandbox that aren't the bot's: two of bubblewrap and the launcher.
SANDBOX_PROCESSES = 3

# Bytes of a launcher's final report that are read. It has a few dozen; a bot might write more.
MAX_REPORT = 65536


class Keeper:
    """One bot, from its fork to the end of the last process that it started."""

    def __init__(
        self,
        lifeline: int,
        status: int,
        arguments: "Sequence[str]",
        environment: "Mapping[str, str]",
    ) -> None:
        self.lifeline = lifeline
        self.status = status
        self.cwd, limits, self.group, self.uplink, *self.command = arguments
        self.limits = execute.Limits(limits)
        self.environment = environment
        self.joined = False  # whether the bot began in its control group
        self.bot = 0  # pid; 0 before the fork and after its end was reported
        self.niceness = gain_priority()
        self.launcher = -1  # read end of the pipe from a sandbox's launcher
        self.report_begun = b""  # the part of the launcher's report that came with IS_STARTED
        memory, cpu, processes = self.limits.memory, self.limits.cpu, self.limits.processes
        self.memory = memory
        self.watch: usage.Watch | None = None
        if self.group and os.path.exists(f"{self.group}/memory.max"):
            memory = 0  # the kernel limits it
        if memory or cpu or processes:
            uncounted = SANDBOX_PROCESSES if self.uplink else 0
            self.watch = usage.Watch(memory, cpu, processes, uncounted)
        self.wake = execute.woken_by_children()

    def run(self) -> None:
        """Start the bot, wait for the end of the lifeline, then kill everything that is left."""
        group = self.start()
        # Without children there is nothing to measure, and no descendant can appear any more.
        pause = self.check_limits() if self.reap() else None
        while self.lifeline not in self.wait(pause, self.lifeline):
            pause = self.check_limits() if self.reap() else None
        if self.reap():
            # A limit that was broken since the last look is the reason for the end.
            self.check_limits()
        if sys.platform != "linux" and group:
            # No subreaper and perhaps no /proc: only the bot's process group is known.
            try:
                os.killpg(group, signal.SIGKILL)
            except OSError:
                pass
        self.end_all()
        if self.group:
            try:
                os.rmdir(self.group)  # if the arena has died, nobody else removes it
            except OSError:
                pass

    def end_all(self) -> None:
        """Kill and reap every descendant; returns when there is none."""
        if self.kill_by_kernel() and not self.are_left_after(KERNEL_TIME):
            return
        pause = FIRST_PAUSE
        # Every orphan becomes a subreaper's child, so without children there are no descendants.
        while self.reap():
            proctree.freeze_and_kill(self.descendants)
            if not self.are_left_after(pause):
                return
            pause = min(2 * pause, LAST_PAUSE)

    def kill_by_kernel(self) -> bool:
        """Have the kernel kill all of a sandbox or control group; return whether there is one."""
        if self.uplink and self.bot:
            # The first process of the sandbox's namespace dies with its parent, which is this one,
            # and everything else in the namespace dies with the first process.
            proctree.send(self.bot, signal.SIGKILL)
            return True
        if self.group:
            try:
                proctree.write(f"{self.group}/cgroup.kill", b"1\n")
            except OSError:  # there is no such file before Linux 5.14
                return False
            return True
        return False

    def are_left_after(self, timeout: int) -> bool:
        """Reap children for so many milliseconds, or until none is left; return whether any is."""
        deadline = time.monotonic() + timeout / 1000
        while self.reap():
            left = deadline - time.monotonic()
            if left <= 0:
                return True
            self.wait(int(left * 1000) + 1)
        return False

    def descendants(self) -> "Iterable[int]":
        """Return the pids of all descendants of this process, zombies included."""
        return proctree.descendants(os.getpid())

    def check_limits(self) -> int | None:
        """End the bot if it has broken a limit; return milliseconds to the next check, if any."""
        if self.watch is None:
            return None
        broken, pause = self.watch.look()
        if broken is None:
            return pause
        self.report(f"limit {broken}")
        self.end_all()
        self.report("gone")
        return None

    def start(self) -> int:
        """Fork, execute the bot, and report it; return its pid, or 0 if the fork failed."""
        # A successful exec closes this pipe; a failed one writes an error message to it.
        trouble, trouble_in = os.pipe()
        wait, go = os.pipe()  # a launcher waits for a byte from it before it starts the bot
        keeper = os.getpid()
        try:
            pid = self.fork()
        except OSError as error:
            self.report(f"failed {error.strerror}")
            return 0
        if pid == 0:
            try:
                self.become_bot(keeper, trouble_in, wait)
            except ValueError as error:  # a word or variable that no program can be given
                os.write(trouble_in, str(error).encode())
            finally:
                os._exit(127)  # not sys.exit: the keeper's code must not run a second time
        os.close(trouble_in)
        os.close(wait)
        error_text = b""
        while data := os.read(trouble, 4096):
            error_text += data
            if self.uplink and error_text.endswith(execute.IS_READY):
                error_text = self.limit_files(pid)
                write(go, execute.DO_NOT if error_text else execute.GO)
            # If the bot ends at once, IS_STARTED and the launcher's report come in one read.
            _, is_started, self.report_begun = error_text.partition(execute.IS_STARTED)
            if self.uplink and is_started:
                os.set_blocking(trouble, False)
                self.launcher = trouble
                error_text = b""
                break
        else:
            os.close(trouble)
            if self.uplink and not error_text:
                error_text = b"its sandbox ended before the bot was started"
        if error_text:
            line = " ".join(error_text.decode("utf-8", "backslashreplace").split("\n")).strip()
            self.report(f"failed {line}")
        else:
            self.bot = pid
            self.report(f"started {pid}")
        os.close(go)
        return pid

    def fork(self) -> int:
        """Fork this process, the child beginning in the bot's control group if that is possible."""
        if self.group:
            try:
                self.joined = True
                return syscalls.fork_into_group(self.group)
            except OSError:
                self.joined = False  # the child does that
        return os.fork()

    def limit_files(self, pid: int) -> bytes:
        """Limit how many files a sandbox may hold whose launcher waits; return why that failed."""
        # The last descendant of bubblewrap is the launcher.
        [*_, launcher] = [pid, *proctree.descendants(pid)]
        child = os.fork()
        if child == 0:
            code = 255
            try:
                folders = [execute.SCRATCH, execute.SHARED]
                syscalls.limit_files(launcher, folders, execute.SCRATCH_FILES)
                code = 0
            except OSError as error:
                code = error.errno or code
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code == 0:
            return b""
        return f"the files of its sandbox can't be limited: {os.strerror(code)}".encode()

    def wait(self, timeout: int | None, lifeline: int | None = None) -> set[int]:
        """Wait until a child ends or the lifeline, if given, can be read; return what can be read.

        The timeout is in milliseconds; None for none.
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
        """Reap every child that has ended, adopted ones too; return whether any child is left."""
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
        """Report how the bot, or its sandbox, ended: by its exit code, or minus the signal."""
        if self.launcher == -1:
            left = sum(map(proctree.runs, self.descendants()))
        else:
            left, signal_number = self.read_launcher_report()
            code = -signal_number or code
        if code == -signal.SIGKILL and self.group and self.out_of_memory():
            self.report(f"limit memory {self.memory} 0")
        self.report(f"left {left}")
        self.report(f"exited {code}" if code >= 0 else f"killed {-code}")

    def read_launcher_report(self) -> tuple[int, int]:
        """Return how many processes are left, and the signal that killed the bot or 0."""
        reported = {b"left": 0, b"killed": 0}
        text = self.report_begun
        try:
            # The launcher ended before the sandbox did, so all that it wrote can be read now.
            while len(text) < MAX_REPORT and (data := os.read(self.launcher, 4096)):
                text += data
        except BlockingIOError:
            pass  # another process of the sandbox still has the other end open
        os.close(self.launcher)
        for line in text.split(b"\n"):
            keyword, _, number = line.partition(b" ")
            # The launcher runs as the bot's user, so the bot might forge this: only values that
            # do no harm are accepted.
            if keyword in reported and number.isdigit() and len(number) < 8:
                reported[keyword] = int(number)
        return reported[b"left"], min(reported[b"killed"], signal.NSIG - 1)

    def out_of_memory(self) -> bool:
        """Return whether the kernel killed the control group because it was out of memory."""
        for line in proctree.read(f"{self.group}/memory.events").splitlines():
            key, _, count = line.partition(b" ")
            if key == b"oom_kill" and int(count):
                return True
        return False

    def report(self, line: str) -> None:
        """Write one line to the arena, if it is still running."""
        write(self.status, line.encode("utf-8", "backslashreplace") + b"\n")

    def become_bot(self, keeper: int, trouble: int, wait: int) -> None:
        """Turn the forked child of a keeper into the bot; returns only if that failed.

        An error message is written to `trouble`; from `wait` a launcher reads that it may start.
        """
        os.setsid()
        if self.niceness is not None:
            os.setpriority(os.PRIO_PROCESS, 0, self.niceness)
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != keeper:
            return  # the keeper died before PR_SET_PDEATHSIG was set
        syscalls.join_session_keyring()
        # Descriptors needn't be closed, since all from 3 on are close-on-exec.
        if self.cwd:
            try:
                os.chdir(self.cwd)
            except OSError as error:
                os.write(trouble, execute.describe(error, self.cwd, " (its working directory)"))
                return
        if self.group and not self.joined:
            try:
                proctree.write(f"{self.group}/cgroup.procs", b"0\n")
            except OSError as error:
                os.write(trouble, execute.describe(error, self.group, " (its control group)"))
                return
        if not self.uplink:
            execute.set_limits(self.limits, execute.other_threads(self.limits.processes))
        elif not self.prepare_sandbox(trouble, wait):
            return
        execute.execute(self.command, self.environment, trouble)

    def prepare_sandbox(self, trouble: int, wait: int) -> bool:
        """Set up the descriptors that a sandbox needs, or write why not and return False."""
        import _socket  # noqa: PLC0415 -- the part in C of `socket`; only sandboxes need it

        host, _, port = self.uplink.rpartition(":")
        uplink = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        try:
            uplink.connect((host, int(port)))
        except OSError as error:
            os.write(trouble, execute.describe(error, self.uplink, " (the arena)"))
            return False
        uplink.setsockopt(_socket.IPPROTO_TCP, _socket.TCP_NODELAY, 1)
        rules, write = os.pipe()  # a pipe holds at least 4096 bytes; the filter has a few hundred
        os.write(write, syscalls.sandbox_filter(syscalls.machine()) or b"")
        os.dup2(rules, execute.FILTER_FD)
        os.dup2(uplink.fileno(), execute.UPLINK_FD)
        os.dup2(wait, execute.GO_FD)
        os.dup2(trouble, execute.LAUNCHER_FD)
        os.dup2(trouble, 2)  # for error messages of bubblewrap; the launcher restores it
        return True


def gain_priority() -> int | None:
    """Give this process the highest priority; return its niceness before, or None if it may not."""
    before = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        os.setpriority(os.PRIO_PROCESS, 0, NICENESS)
    except OSError:
        return None
    # Where the kernel shares out processors by session (sched(7), "autogroup"), what counts is the
    # niceness of the session. The bot begins one of its own.
    try:
        proctree.write(f"{proctree.PROC}/self/autogroup", b"%d\n" % NICENESS)
    except OSError:
        pass
    return before


def write(pipe: int, text: bytes) -> None:
    """Write to a pipe, if it still has a reader."""
    try:
        os.write(pipe, text)
    except BrokenPipeError:
        pass


def ignore_polite_signals() -> None:
    """Ignore the signals that ask a process to end: only the arena ends a keeper."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def keep(
    lifeline: int, status: int, arguments: "Sequence[str]", environment: "Mapping[str, str]"
) -> None:
    """Run one bot, then end this process; the top of this module describes the arguments."""
    syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    Keeper(lifeline, status, arguments, environment).run()
    os._exit(0)  # nothing is buffered, and a regular exit would take milliseconds
