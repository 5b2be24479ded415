"""The keeper: a small process beside each bot that ends the bot and all it started.

    keeper.main([LIFELINE, STATUS, CWD, WORD, ...])

in an interpreter that has nothing else to do (`process` tells how). LIFELINE is the read end of a
pipe whose only write end the arena holds. When it has something to read or ends (the arena said
so, or died in whatever way, kill -9 too), every descendant is killed and reaped, then the keeper
exits with code 0. To STATUS go lines about the bot:

    started PID | failed TEXT     first: it was executed, or why it couldn't be
    exited CODE | killed SIGNAL   when it ended

A pipe rather than PR_SET_PDEATHSIG between arena and keeper, because that signal comes when the
*thread* that forked exits, which needn't be the arena's end. Between keeper and bot it is safe:
the keeper has one thread.

It must start fast and alone: only light modules of the standard library, nothing of lanista. The
arena imports its look at the process tree for `strays`. What can't be caught: processes that have
become another user's, and a kill -9 of the arena and a keeper at once (the bot dies then, what it
had started doesn't).
"""

# ruff: noqa: SIM105 -- importing contextlib would take milliseconds for every bot

import ctypes
import errno
import os
import select
import sys

# `typing` and `signal` (for its enums) would take 10 ms each to import, for every bot.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
else:
    import _signal as signal  # the part in C that `signal` wraps

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

# Rounds of looking for processes that were forked while the others were being stopped. Each is
# one look at /proc; a quiet tree needs two. It is a bound, not a goal: what the last round misses
# comes to the keeper as an orphan and is found when everything starts over.
FREEZE_ROUNDS = 5

# Milliseconds between two rounds of killing: most die within the first, and what doesn't die
# (uninterruptible sleep, another user's process) must not cost a processor.
FIRST_PAUSE, LAST_PAUSE = 1, 1000


def prctl(option: int, value: int) -> bool:
    """Set a property of this process, on Linux; False elsewhere, or when the kernel refuses."""
    if sys.platform != "linux":
        return False
    refused: int = ctypes.CDLL(None).prctl(option, *map(ctypes.c_ulong, (value, 0, 0, 0)))
    return refused == 0


def read_stat(pid: int) -> tuple[int, int] | None:
    """The parent of a process and its start in clock ticks since boot; None if it is gone."""
    try:
        file = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
        try:
            stat = os.read(file, 4096)
        finally:
            os.close(file)
    except OSError:  # ended before or while being read
        return None
    # proc_pid_stat(5): "pid (name) state ppid …", the start is field 22. The name may hold spaces
    # and brackets, so that fields are counted from its last bracket.
    fields = stat[stat.rindex(b")") + 2 :].split()
    return int(fields[1]), int(fields[19])


def processes() -> dict[int, tuple[int, int]]:
    """Every process with its `read_stat`, zombies too; empty where there is no /proc."""
    try:
        names = os.listdir("/proc")  # noqa: PTH208 -- pathlib would double the time to start
    except OSError:
        return {}
    found = {}
    for name in names:
        if name.isdecimal() and (stat := read_stat(int(name))) is not None:
            found[int(name)] = stat
    return found


def with_descendants(roots: list[int], table: dict[int, tuple[int, int]]) -> list[int]:
    """These processes of `processes` and all that come from them, parents before children."""
    children: dict[int, list[int]] = {}
    for pid, (parent, _) in table.items():
        children.setdefault(parent, []).append(pid)
    found = list(roots)
    for pid in found:  # grows as it is walked
        # Taken out, not read: pids that change hands while /proc is read may look like a ring.
        found += children.pop(pid, ())
    return found


def freeze_and_kill(find: "Callable[[], list[int]]") -> None:
    """Stop all that `find` names until it names nothing new, then kill it.

    Stopped first: a tree that is killed leaf by leaf could fork anew meanwhile. What is stopped
    doesn't reap either, so that a pid stays its own between the look at it and the kill.

    Args:
        find: Looks for the processes to kill, parents before children.
    """
    frozen: dict[int, None] = {}  # a set in order
    for _ in range(FREEZE_ROUNDS):
        fresh = [pid for pid in find() if pid not in frozen]
        if not fresh:
            break
        for pid in fresh:
            send(pid, signal.SIGSTOP)
        frozen.update(dict.fromkeys(fresh))
    for pid in frozen:
        send(pid, signal.SIGKILL)


def send(pid: int, number: int) -> None:
    """Send a signal to a process that may be gone, or not ours to signal."""
    try:
        os.kill(pid, number)
    except OSError:  # gone, or of another user (a setuid program): then there is nothing to do
        pass


class Keeper:
    """One bot, from its fork to the end of the last process it started."""

    def __init__(self, lifeline: int, status: int) -> None:
        self.lifeline = lifeline
        self.status = status
        self.bot = 0  # pid; 0 before the fork and when there is nothing more to tell about it
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
        while self.lifeline not in self.wait(None):
            self.reap()
        if sys.platform != "linux" and group:
            # No subreaper and perhaps no /proc: the bot's process group is all that is known.
            try:
                os.killpg(group, signal.SIGKILL)
            except OSError:
                pass
        pause = FIRST_PAUSE
        # Every orphan comes to a subreaper, so no child left means no descendant left.
        while self.reap():
            freeze_and_kill(lambda: with_descendants([os.getpid()], processes())[1:])
            self.wait(pause)
            pause = min(2 * pause, LAST_PAUSE)

    def start(self, cwd: str, command: list[str]) -> int:
        """Fork and execute the bot and report it; its pid, 0 if there was no fork."""
        trouble, write = os.pipe()  # closed by a successful exec; text in it tells of a failed one
        keeper = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            self.report(f"failed {error.strerror}")
            return 0
        if pid == 0:
            become_bot(keeper, write, cwd, command)
        os.close(write)
        text = b""
        while more := os.read(trouble, 4096):
            text += more
        os.close(trouble)
        if text:
            self.report("failed " + text.decode("utf-8", "backslashreplace"))
        else:
            self.bot = pid
            self.report(f"started {pid}")
        return pid

    def wait(self, timeout: int | None) -> set[int]:
        """Wait for a child's end, or the lifeline's; at most `timeout` ms, None without limit.

        With a timeout the lifeline is known to have ended, and isn't looked at.

        Returns:
            The file descriptors that can be read.
        """
        poll = select.poll()
        poll.register(self.wake, select.POLLIN)
        if timeout is None:
            poll.register(self.lifeline, select.POLLIN)
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
                code = os.waitstatus_to_exitcode(status)
                self.report(f"exited {code}" if code >= 0 else f"killed {-code}")

    def report(self, line: str) -> None:
        """Write one line to the arena, if it is still there."""
        try:
            os.write(self.status, line.encode("utf-8", "backslashreplace") + b"\n")
        except BrokenPipeError:
            pass


def become_bot(keeper: int, trouble: int, cwd: str, command: list[str]) -> None:
    """In the forked child: become the bot. Never returns.

    Args:
        keeper: Pid of the keeper.
        trouble: Where to write why it couldn't be executed.
        cwd: Directory to run it in, empty for the arena's own.
        command: The words of its command line.
    """
    try:
        os.setsid()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != keeper:
            return  # the keeper died before the line above could bind us to it
        # A bot gets signals as a shell would hand them over. Python ignores SIGPIPE, the keeper
        # some more, and an arena in the background of a script ignores SIGINT.
        for number in range(1, signal.NSIG):
            try:
                signal.signal(number, signal.SIG_DFL)
            except (OSError, ValueError):  # SIGKILL, SIGSTOP, and those libc keeps to itself
                pass
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        # Every descriptor from 3 on is close-on-exec: those the arena passed by `main`, the
        # others by Python's habit.
        if cwd:
            try:
                os.chdir(cwd)
            except OSError as error:
                os.write(trouble, describe(error, cwd, " (its working directory)"))
                return
        try:
            os.execvp(command[0], command)  # noqa: S606 -- without a shell, on purpose
        except OSError as error:
            os.write(trouble, describe(error, command[0], hint(error, command[0])))
    finally:
        os._exit(127)  # not sys.exit: the keeper's code must not run a second time


def describe(error: OSError, path: str, remark: str) -> bytes:
    """One line that says what failed and where."""
    return f"{error.strerror}: {path!r}{remark}".encode("utf-8", "backslashreplace")


def hint(error: OSError, program: str) -> str:
    """What would be right instead of a program that couldn't be executed."""
    there = os.path.exists(program)  # noqa: PTH110 -- pathlib as above
    if error.errno == errno.ENOENT and "/" not in program:
        return f" (found in the working directory: call it './{program}')" if there else " on PATH"
    if error.errno == errno.ENOENT and there:
        return " (the file is there, the interpreter that its #! line names isn't)"
    if error.errno == errno.EACCES:
        return " (a program must be an executable file: chmod +x)"
    if error.errno == errno.ENOEXEC:
        return " (a script must begin with a #! line)"
    return ""


def main(arguments: list[str]) -> None:
    """Keep one bot, then end this process; the arguments are told at the top of this module."""
    lifeline, status = int(arguments[0]), int(arguments[1])
    for fd in (lifeline, status):
        os.set_inheritable(fd, False)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # only the arena ends a keeper, by the lifeline
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    Keeper(lifeline, status).run(cwd=arguments[2], command=arguments[3:])
    os._exit(0)  # nothing is buffered; the interpreter's own farewell would take milliseconds
