"""Turning a forked child into the bot: signals, limits, exec, and a message if that fails.

The keeper and the launcher use this in their forked children. It imports only light modules of the
standard library, because every bot pays for their import.
"""

# Importing pathlib and contextlib would double the time a keeper takes to start.
# ruff: noqa: PTH110, PTH113, PTH123, SIM105

import errno
import os
import resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Mapping
else:
    import _signal as signal  # the part in C that `signal` wraps
if TYPE_CHECKING or __package__:
    from lanista.bots import proctree
else:  # in the keeper and the launcher, which know no packages
    import proctree

# The descriptors that the keeper passes to a launcher (LAUNCHER_FD, UPLINK_FD, GO_FD) and to
# bubblewrap (FILTER_FD). The numbers are above any descriptor that a keeper has of its own.
LAUNCHER_FD, UPLINK_FD, GO_FD, FILTER_FD = 20, 21, 22, 23

# A launcher writes IS_READY to LAUNCHER_FD when the sandbox is set up, waits for GO from GO_FD
# (anything else ends it), and writes IS_STARTED when it has started the bot. Anything else that
# comes before IS_STARTED is an error message of the sandbox.
IS_READY, IS_STARTED = b"\1", b"\0"
GO, DO_NOT = b".", b"!"

# The folders of a sandbox that its bot may write to, each a file system in memory, and how many
# files and folders each may hold. That number is limited because even empty ones take a kilobyte or
# two of the kernel's memory, which isn't counted as the bot's.
SCRATCH, SHARED = "/tmp", "/dev/shm"  # noqa: S108 -- the sandbox's own, seen by nobody else
SCRATCH_FILES = 32768

# Threads that the kernel allows for each allowed process; and at least, in all and for each
# processor, since language runtimes start some threads for every processor. The kernel counts
# threads and not processes, so it can't enforce the limit of processes itself, but it bounds what a
# fork bomb starts between two looks of the keeper, and so how much there is to kill.
THREADS_EACH, THREADS_LEAST, THREADS_PER_CORE = 16, 256, 4


class Limits:
    """The limits of one bot, as `BotLimits` describes and encodes them; 0 for no limit."""

    def __init__(self, text: str) -> None:
        values = {name: int(value) for name, value in (part.split("=") for part in text.split(","))}
        self.memory = values["memory"]
        self.cpu = values["cpu"]
        self.file_size = values["file_size"]
        self.open_files = values["open_files"]
        self.processes = values["processes"]
        self.any = any(values.values())


def woken_by_children() -> int:
    """Return a descriptor that can be read whenever a child of this process has ended.

    If the signal comes just before poll() begins to wait, its handler doesn't end the wait, but its
    byte in this pipe does.
    """
    wake, write = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    return wake


def threads(processes: int) -> int:
    """Return how many threads in all a bot with this limit of processes may have."""
    cores = os.cpu_count() or 1
    return max(THREADS_EACH * processes, THREADS_LEAST, THREADS_PER_CORE * cores)


def other_threads(processes: int) -> int | None:
    """Return how many threads this process's user may have beside those of one bot.

    The kernel counts all threads of a user, also those of other bots, which may be started later.
    So this leaves room for one bot, with its limit of processes, on each other processor. It is
    None for root, whose threads the kernel doesn't limit, and where not all threads of the user can
    be counted, as in a container.
    """
    user = os.geteuid()
    if not (user and processes and proctree.sees_all()):
        return None
    return proctree.threads_of(user) + ((os.cpu_count() or 1) - 1) * threads(processes)


def set_limits(limits: Limits, others: int | None) -> None:
    """Set the limits that the kernel enforces for each process; do nothing without limits.

    `others` is how many threads the bot's user may have beside the bot's own; None: any number.
    """
    if not limits.any:
        return
    _set(resource.RLIMIT_CORE, 0, 0)
    if limits.cpu:
        # The keeper ends the bot when all its processes together have used this up. In case the
        # keeper is too slow, the kernel ends a single process a little later: by SIGXCPU after
        # one second, which a bot may ignore, and by SIGKILL after two.
        _set(resource.RLIMIT_CPU, limits.cpu + 1, limits.cpu + 2)
    if limits.file_size:
        _set(resource.RLIMIT_FSIZE, limits.file_size, limits.file_size)
    if limits.open_files:
        _set(resource.RLIMIT_NOFILE, limits.open_files, limits.open_files)
    if limits.processes and others is not None:
        most = others + threads(limits.processes)
        _set(resource.RLIMIT_NPROC, most, most)


def _set(kind: int, soft: int, hard: int) -> None:
    """Set a limit, but never above the present hard limit."""
    present = resource.getrlimit(kind)[1]
    if present != resource.RLIM_INFINITY:
        soft, hard = min(soft, present), min(hard, present)
    resource.setrlimit(kind, (soft, hard))


def execute(
    command: list[str], environment: "Mapping[str, str]", trouble: int, *, remark: str = ""
) -> None:
    """Replace this process by a program; if that fails, write why to `trouble` and return.

    The program is searched for along the PATH of its environment. `remark` is another possible
    reason, added to the message if the file may not be executed.
    """
    # A bot gets signals as a shell would hand them over. Python ignores SIGPIPE, the keeper some
    # more, and an arena in the background of a script ignores SIGINT.
    for number in range(1, signal.NSIG):
        try:
            signal.signal(number, signal.SIG_DFL)
        except (OSError, ValueError):  # SIGKILL, SIGSTOP, and those that libc reserves
            pass
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    try:
        path = _path_of(command[0], environment)
        os.execve(path, command, environment)  # noqa: S606 -- without a shell, on purpose
    except OSError as error:
        os.write(trouble, describe(error, command[0], hint(error, command[0], remark)))


def _path_of(program: str, environment: "Mapping[str, str]") -> str:
    """Return the path of a program that is searched for along the PATH, or raise FileNotFoundError.

    `os.execvpe` reports a folder of the PATH that this user may not enter, as one of root's after
    `runuser`, as a program that may not be executed, though the program is nowhere.
    """
    if "/" in program:
        return program
    paths = [f"{folder or '.'}/{program}" for folder in os.get_exec_path(environment)]
    there = [path for path in paths if os.path.exists(path)]
    if not there:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    files = (path for path in there if os.path.isfile(path) and os.access(path, os.X_OK))
    return next(files, there[0])


def describe(error: OSError, path: str, remark: str) -> bytes:
    """Return one line that says what failed and where."""
    return f"{error.strerror}: {path!r}{remark}".encode("utf-8", "backslashreplace")


def _has_windows_line(script: str) -> bool:
    """Return whether the first line of a file ends with CR LF, which the kernel doesn't take."""
    try:
        with open(script, "rb") as file:
            return file.readline(256).endswith(b"\r\n")
    except OSError:  # it may be executed, but not read
        return False


def hint(error: OSError, program: str, remark: str = "") -> str:
    """Return what to do about a program that couldn't be executed; empty if that is unknown."""
    exists = os.path.exists(program)
    if error.errno == errno.ENOENT and "/" not in program:
        return f" (found in the working directory: call it './{program}')" if exists else " on PATH"
    if error.errno == errno.ENOENT and exists:
        if _has_windows_line(program):
            return " (its #! line ends as on Windows, with CR LF: save it with LF alone)"
        return " (the file is there, but the interpreter that its #! line names isn't)"
    if error.errno == errno.EACCES:
        return f" (a program must be an executable file: chmod +x{remark})"
    if error.errno == errno.ENOEXEC:
        return " (a script must begin with a #! line)"
    return ""
