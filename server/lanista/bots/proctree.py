"""Process trees as /proc shows them: finding descendants, reading their statistics, killing them.

Shared by the keeper and the arena. It imports only light modules of the standard library, and
nothing of lanista, because every bot waits for its keeper to start.
"""

# Importing pathlib and contextlib would double the time a keeper takes to start.
# ruff: noqa: PTH110, PTH208, SIM105

import os

# `typing` and `signal` (for its enums) would take 10 ms each to import, for every bot.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
else:
    import _signal as signal  # the part in C that `signal` wraps

PROC = "/proc"

# How often to look, at most, for processes that were forked while others were being stopped. Each
# round scans /proc once; a quiet tree needs two. Processes that the last round misses become
# children of the keeper when their parents die, and are found when it starts over.
FREEZE_ROUNDS = 5


def read(path: str) -> bytes:
    """Return the first 16 KiB of a file of /proc; empty if its process is gone."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return os.read(file, 16384)
        finally:
            os.close(file)
    except OSError:  # ended before or while being read
        return b""


def stat_fields(pid: int) -> list[bytes] | None:
    """Return the fields of /proc/PID/stat from the third (the state) on; None if it is gone."""
    # proc_pid_stat(5): "pid (name) state ppid …". The name may hold spaces and brackets, so the
    # fields are counted from the last bracket: field N of the manual page is item N - 3 here.
    stat = read(f"{PROC}/{pid}/stat")
    return stat[stat.rindex(b")") + 2 :].split() if stat else None


def read_stat(pid: int) -> tuple[int, int] | None:
    """Return a process's parent and its start in clock ticks since boot; None if it is gone."""
    fields = stat_fields(pid)
    return None if fields is None else (int(fields[1]), int(fields[19]))


def runs(pid: int) -> bool:
    """Return whether a process exists and isn't a zombie."""
    fields = stat_fields(pid)
    return fields is not None and fields[0] not in {b"Z", b"X"}


def processes() -> dict[int, tuple[int, int]]:
    """Return the `read_stat` of every process by pid, zombies included; empty without /proc."""
    try:
        names = os.listdir(PROC)
    except OSError:
        return {}
    table = {}
    for name in names:
        if name.isdecimal() and (stat := read_stat(int(name))) is not None:
            table[int(name)] = stat
    return table


def with_descendants(roots: list[int], table: dict[int, tuple[int, int]]) -> list[int]:
    """Return the given processes and all their descendants, parents before children.

    Args:
        roots: Process ids.
        table: All processes, as `processes` returns them.
    """
    children: dict[int, list[int]] = {}
    for pid, (parent, _) in table.items():
        children.setdefault(parent, []).append(pid)
    tree = list(roots)
    for pid in tree:  # grows while it is iterated over
        # Removed from the table: if pids are reused while /proc is read, there may be a cycle.
        tree += children.pop(pid, ())
    return tree


def walk(root: int) -> list[int]:
    """Return the descendants of a process, from the kernel's lists of children.

    This takes time in proportion to the size of the tree, not to the number of processes on the
    machine. A child that is forked while a list is read may be missed: so this is for measuring,
    and `with_descendants` is for killing. It needs CONFIG_PROC_CHILDREN (see `has_walk`).
    """
    tree = [root]
    seen = {root}
    for pid in tree:  # grows while it is iterated over
        try:
            tasks = os.listdir(f"{PROC}/{pid}/task")
        except OSError:  # gone
            continue
        for task in tasks:
            for child in map(int, read(f"{PROC}/{pid}/task/{task}/children").split()):
                if child not in seen:
                    seen.add(child)
                    tree.append(child)
    return tree[1:]


def has_walk() -> bool:
    """Return whether this kernel has the lists of children that `walk` reads."""
    return os.path.exists(f"{PROC}/thread-self/children")


def freeze_and_kill(find: "Callable[[], list[int]]") -> None:
    """Stop all processes that `find` returns until it returns no new ones, then kill them.

    They are stopped first because a tree that is killed one process at a time could go on forking.
    Stopped processes don't reap their children either, so a pid can't be reused between the time it
    is found and the kill.

    Args:
        find: Returns the pids of the processes to kill, parents before children.
    """
    frozen: dict[int, None] = {}  # an ordered set
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
    """Send a signal to a process; do nothing if it is gone or another user's."""
    try:
        os.kill(pid, number)
    except OSError:
        pass
