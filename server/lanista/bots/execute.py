"""Becoming the bot: signals, limits and exec, and saying in words why it failed.

Shared by the keeper and the launcher, in their forked children: light modules of the standard
library only.
"""

# Importing pathlib and contextlib would double the time a keeper takes to start.
# ruff: noqa: PTH110, SIM105

import errno
import os
import resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
else:
    import _signal as signal  # the part in C that `signal` wraps

# The descriptors that a launcher finds (GO_FD, LAUNCHER_FD, UPLINK_FD) and that bubblewrap does
# (FILTER_FD). A keeper never has so many of its own.
LAUNCHER_FD, UPLINK_FD, GO_FD, FILTER_FD = 20, 21, 22, 23

# What a launcher writes to LAUNCHER_FD when the sandbox is there, and when it has started the bot;
# everything else before that is what the sandbox has to say about its failure. Between the two it
# waits for GO from GO_FD; anything else ends it.
IS_READY, IS_STARTED = b"\1", b"\0"
GO, DO_NOT = b".", b"!"

# The folders of a sandbox that its bot may write to, each a file system in memory, and how many
# files and folders each may hold. Empty ones take a kilobyte or two of the kernel's memory, which
# isn't counted as the bot's.
SCRATCH, SHARED = "/tmp", "/dev/shm"  # noqa: S108 -- the sandbox's own, seen by nobody else
SCRATCH_FILES = 32768

# The kernel's limit of a user counts threads, and a runtime has dozens of them: it is no limit of
# processes, but it stops a fork bomb between two looks of the keeper.
THREADS_EACH, THREADS_LEAST = 16, 1024


def decode(text: str) -> tuple[int, int, int, int, int]:
    """The limits of `BotLimits.encode`: memory, cpu, file size, open files, processes."""
    memory, cpu, file_size, open_files, processes = map(int, text.split(","))
    return memory, cpu, file_size, open_files, processes


def threads(processes: int) -> int:
    """How many threads in all go with a limit of processes."""
    return max(THREADS_LEAST, THREADS_EACH * processes)


def set_limits(text: str, *, own_user: bool) -> None:
    """Set the limits that the kernel holds for each process; nothing if there are no limits.

    Args:
        text: Of `BotLimits.encode`.
        own_user: Whether this process's user has no other processes than this bot's, so that its
            number of threads can be limited.
    """
    _, cpu, file_size, open_files, processes = limits = decode(text)
    if not any(limits):
        return
    _set(resource.RLIMIT_CORE, 0, 0)
    if cpu:
        # The keeper ends the bot when all its processes together have used this up. This holds
        # for one process alone, a little later, should the keeper not come to it. The first
        # second brings SIGXCPU, which a bot may ignore, the next SIGKILL.
        _set(resource.RLIMIT_CPU, cpu + 1, cpu + 2)
    if file_size:
        _set(resource.RLIMIT_FSIZE, file_size, file_size)
    if open_files:
        _set(resource.RLIMIT_NOFILE, open_files, open_files)
    if processes and own_user:
        _set(resource.RLIMIT_NPROC, threads(processes), threads(processes))


def _set(kind: int, soft: int, hard: int) -> None:
    """Set a limit, or leave it where it is lower already."""
    most = resource.getrlimit(kind)[1]
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    resource.setrlimit(kind, (soft, hard))


def execute(command: list[str], trouble: int, *, remark: str = "") -> None:
    """Replace this process; returns only if that failed, which then is written to `trouble`.

    Args:
        command: The words; the first is looked for along PATH.
        trouble: Where to write why it couldn't be executed.
        remark: What else may be the reason where a file may not be executed.
    """
    # A bot gets signals as a shell would hand them over. Python ignores SIGPIPE, the keeper some
    # more, and an arena in the background of a script ignores SIGINT.
    for number in range(1, signal.NSIG):
        try:
            signal.signal(number, signal.SIG_DFL)
        except (OSError, ValueError):  # SIGKILL, SIGSTOP, and those libc keeps to itself
            pass
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    try:
        os.execvp(command[0], command)  # noqa: S606 -- without a shell, on purpose
    except OSError as error:
        os.write(trouble, describe(error, command[0], hint(error, command[0], remark)))


def describe(error: OSError, path: str, remark: str) -> bytes:
    """One line that says what failed and where."""
    return f"{error.strerror}: {path!r}{remark}".encode("utf-8", "backslashreplace")


def printable(text: str) -> str:
    r"""A text that other programs had a part in, with control characters as Python writes them."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def hint(error: OSError, program: str, remark: str = "") -> str:
    """What would be right instead of a program that couldn't be executed."""
    there = os.path.exists(program)
    if error.errno == errno.ENOENT and "/" not in program:
        return f" (found in the working directory: call it './{program}')" if there else " on PATH"
    if error.errno == errno.ENOENT and there:
        return " (the file is there, the interpreter that its #! line names isn't)"
    if error.errno == errno.EACCES:
        return f" (a program must be an executable file: chmod +x{remark})"
    if error.errno == errno.ENOEXEC:
        return " (a script must begin with a #! line)"
    return ""
