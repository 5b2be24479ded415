"""Process trees as /proc shows them: finding descendants, reading their statistics, killing them.

Shared by the keeper and the arena. It imports only light modules of the standard library, and
nothing of lanista, because every bot waits for its keeper to start.
"""

# Importing pathlib and contextlib would double the time a keeper takes to start.
# ruff: noqa: PTH110, PTH116, PTH208, SIM105

import os

# `typing` and `signal` (for its enums) would take 10 ms each to import, for every bot.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Iterable, Iterator
else:
    import _signal as signal  # the part in C that `signal` wraps

PROC = "/proc"

# The inode number of the namespace of processes that a machine starts with (<linux/proc_ns.h>).
INITIAL_NAMESPACE = 0xEFFFFFFC

# How often to look, at most, for processes that were forked while others were being stopped. A
# quiet tree needs two rounds. Processes that the last round misses become children of the keeper
# when their parents die, and are found when it starts over.
FREEZE_ROUNDS = 20


def read(path: str) -> bytes:
    """Return the content of a file of /proc; empty if its process is gone."""
    content = b""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            while piece := os.read(file, 16384):  # a page at most
                content += piece
        finally:
            os.close(file)
    except OSError:  # ended before or while being read
        return b""
    return content


def write(path: str, text: bytes) -> None:
    """Write to a file of /proc or of a control group; raise OSError if that can't be done."""
    file = os.open(path, os.O_WRONLY)
    try:
        os.write(file, text)
    finally:
        os.close(file)


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
    """Return processes and all their descendants among those of a table, parents first."""
    children: dict[int, list[int]] = {}
    for pid, (parent, _) in table.items():
        children.setdefault(parent, []).append(pid)
    tree = list(roots)
    for pid in tree:  # grows while it is iterated over
        # Removed from the table: if pids are reused while /proc is read, there may be a cycle.
        tree += children.pop(pid, ())
    return tree


def descendants(root: int) -> "Iterator[int]":
    """Yield the descendants of a process, zombies included, parents before their children."""
    if has_children_lists():
        yield from _walk(root)
    else:
        yield from with_descendants([root], processes())[1:]


def has_children_lists() -> bool:
    """Return whether this kernel lists the children of a thread (CONFIG_PROC_CHILDREN)."""
    return os.path.exists(f"{PROC}/thread-self/children")


def _walk(root: int) -> "Iterator[int]":
    """Yield the descendants of a process, from the kernel's lists of children.

    This takes time in proportion to the size of the tree, not to the number of processes on the
    machine. A process is yielded before its own list is read: if it is stopped first, the list is
    complete. Otherwise a child that is forked meanwhile may be missed.
    """
    tree = [root]
    seen = {root}
    for pid in tree:  # grows while it is iterated over
        if pid != root:
            yield pid
        try:
            tasks = os.listdir(f"{PROC}/{pid}/task")
        except OSError:  # gone
            continue
        for task in tasks:
            for child in map(int, read(f"{PROC}/{pid}/task/{task}/children").split()):
                if child not in seen:
                    seen.add(child)
                    tree.append(child)


def sees_all() -> bool:
    """Return whether /proc is that of the whole machine: not so in containers and sandboxes."""
    try:
        return os.stat(f"{PROC}/self/ns/pid").st_ino == INITIAL_NAMESPACE
    except OSError:
        return False


def threads_of(user: int) -> int:
    """Return how many threads a user has, as far as /proc shows whose they are; 0 without /proc."""
    threads = 0
    try:
        names = os.listdir(PROC)
    except OSError:
        return 0
    for name in names:
        try:
            is_theirs = name.isdecimal() and os.stat(f"{PROC}/{name}").st_uid == user
        except OSError:  # ended meanwhile
            continue
        if is_theirs and (fields := stat_fields(int(name))) is not None:
            threads += int(fields[17])  # proc_pid_stat(5): num_threads is field 20
    return threads


def freeze_and_kill(find: "Callable[[], Iterable[int]]") -> None:
    """Stop all processes that `find` finds, parents first, until there are no new ones; kill them.

    They are stopped first because a tree that is killed one process at a time could go on forking.
    Stopped processes don't reap their children either, so a pid can't be reused between the time it
    is found and the kill. And they go on counting among the threads that a bot may have, so others
    find no room.

    Signals go to whole process groups, since the kernel lets no process of a group slip through
    while it sends one. All processes in a group of a bot belong to that bot, because a bot has a
    session of its own.
    """
    own_group = os.getpgrp()
    frozen: dict[int, None] = {}  # an ordered set
    groups: set[int] = set()
    for _ in range(FREEZE_ROUNDS):
        before = len(frozen)
        for pid in find():
            if pid in frozen:
                continue
            frozen[pid] = None
            send(pid, signal.SIGSTOP)
            group = group_of(pid)
            if group and group != own_group and group not in groups:
                groups.add(group)
                send(-group, signal.SIGSTOP)
        if len(frozen) == before:
            break
    for pid in [*(-group for group in groups), *frozen]:
        send(pid, signal.SIGKILL)


def group_of(pid: int) -> int:
    """Return the process group of a process; 0 if it is gone."""
    try:
        return os.getpgid(pid)
    except OSError:
        return 0


def send(pid: int, number: int) -> None:
    """Send a signal to a process or to the group -pid, unless it is gone or another user's."""
    try:
        os.kill(pid, number)
    except OSError:
        pass
