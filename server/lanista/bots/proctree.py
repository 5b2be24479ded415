"""Processes as /proc shows them: who descends from whom, what they use, and ending whole trees.

Shared by the keeper and the arena. The keeper starts fast and alone, so only light modules of the
standard library come in here, and nothing of lanista.
"""

# Importing pathlib and contextlib would double the time a keeper takes to start.
# ruff: noqa: PTH110, PTH208, SIM105

import os
import sys

# `typing` and `signal` (for its enums) would take 10 ms each to import, for every bot.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
else:
    import _signal as signal  # the part in C that `signal` wraps

PROC = "/proc"

# Rounds of looking for processes that were forked while the others were being stopped. Each is
# one look at /proc; a quiet tree needs two. It is a bound, not a goal: what the last round misses
# comes to the keeper as an orphan and is found when everything starts over.
FREEZE_ROUNDS = 5

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36


def prctl(option: int, value: int) -> bool:
    """Set a property of this process, on Linux; False elsewhere, or when the kernel refuses."""
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415 -- only who needs it pays for it

    refused: int = ctypes.CDLL(None).prctl(option, *map(ctypes.c_ulong, (value, 0, 0, 0)))
    return refused == 0


def read(path: str) -> bytes:
    """The beginning of a file of /proc, where they are short; empty if it is gone."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return os.read(file, 16384)
        finally:
            os.close(file)
    except OSError:  # ended before or while being read
        return b""


def stat_fields(pid: int) -> list[bytes] | None:
    """The fields of /proc/PID/stat from the third (the state) on; None if it is gone."""
    # proc_pid_stat(5): "pid (name) state ppid …". The name may hold spaces and brackets, so that
    # fields are counted from its last bracket: field N of the page is item N - 3 here.
    stat = read(f"{PROC}/{pid}/stat")
    return stat[stat.rindex(b")") + 2 :].split() if stat else None


def read_stat(pid: int) -> tuple[int, int] | None:
    """The parent of a process and its start in clock ticks since boot; None if it is gone."""
    fields = stat_fields(pid)
    return None if fields is None else (int(fields[1]), int(fields[19]))


def runs(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    fields = stat_fields(pid)
    return fields is not None and fields[0] not in {b"Z", b"X"}


def processes() -> dict[int, tuple[int, int]]:
    """Every process with its `read_stat`, zombies too; empty where there is no /proc."""
    try:
        names = os.listdir(PROC)
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


def walk(root: int) -> list[int]:
    """The descendants of a process by the kernel's own lists of children (CONFIG_PROC_CHILDREN).

    It costs what the tree is large, not what the machine is. A child that comes while the list is
    read may be missed: this is for measuring; for killing there is `with_descendants`.
    """
    found = [root]
    seen = {root}
    for pid in found:  # grows as it is walked
        try:
            tasks = os.listdir(f"{PROC}/{pid}/task")
        except OSError:  # gone
            continue
        for task in tasks:
            for child in map(int, read(f"{PROC}/{pid}/task/{task}/children").split()):
                if child not in seen:
                    seen.add(child)
                    found.append(child)
    return found[1:]


def has_walk() -> bool:
    """Whether this kernel keeps the lists of `walk`."""
    return os.path.exists(f"{PROC}/thread-self/children")


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
