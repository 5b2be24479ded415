"""Measuring what a bot and all it started use, and finding out when a limit is broken.

This runs in the keeper, so it imports only light modules of the standard library. It only measures;
the keeper ends the bot.
"""

# Importing pathlib would double the time a keeper takes to start.
# ruff: noqa: PTH115, PTH116, PTH123, PTH208

import itertools
import os
import select
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING or __package__:
    from lanista.bots import proctree
else:  # in the keeper, which knows no packages
    import proctree

PAGE = os.sysconf("SC_PAGE_SIZE")
TICK = os.sysconf("SC_CLK_TCK")
CORES = os.cpu_count() or 1  # also those not usable now: a bot may ask the kernel for them

# Bounds for the milliseconds between two measurements. Within them, the time is as long as a bot
# needs at least to use up what is left, if it fills memory by GROWTH bytes a second or keeps all
# processors busy.
SHORTEST, LONGEST = 10, 250
GROWTH = 4 << 30

# How many times as long as the last search for memfds took there is no other. The search takes time
# in proportion to the number of open files, which the bot decides.
FILES_REST = 20

# How many descriptors a bot may watch by epoll while its user can watch no more. The kernel's limit
# is some thousand for each 100 MB of memory.
MOST_WATCHES = 10_000


class Watch:
    """Measures what the descendants of one keeper use."""

    def __init__(self, memory: int, cpu: int, processes: int, uncounted: int) -> None:
        """Set the limits, 0 for none: bytes, seconds of processor time, and processes.

        So many processes are `uncounted`, as they belong to the sandbox.
        """
        self.memory = memory
        self.cpu = cpu
        self.processes = processes
        self.uncounted = uncounted
        self.most_cpu = 0.0  # the largest number of seconds of processor time that was measured
        self._last: dict[tuple[int, bytes], tuple[int, int]] = {}  # see `_used`
        self._last_reaped = 0
        self._moving = self._lost = 0
        self._memfds = 0
        self._files_due = float("-inf")
        self._probe: tuple[select.epoll, select.epoll] | None = None
        if sys.platform == "linux":
            self._probe = select.epoll(), select.epoll()

    def look(self) -> "tuple[str | None, int]":
        """Return the limit that is broken, as `KIND LIMIT USED`, and the milliseconds to wait."""
        # If a bot starts processes without end, it has to be ended soon: no more than too many.
        most = self.processes + self.uncounted if self.processes else sys.maxsize - 1
        pids = list(itertools.islice(proctree.descendants(os.getpid()), most + 1))
        if len(pids) > most:
            return f"processes {self.processes} {len(pids) - self.uncounted}", SHORTEST
        times: dict[tuple[int, bytes], tuple[int, int]] = {}
        resident = 0
        for pid in pids:
            fields = proctree.stat_fields(pid)
            if fields is None:
                continue
            # proc_pid_stat(5): utime, stime, cutime and cstime are fields 14 to 17, starttime is
            # 22, rss is 24.
            user, system, child_user, child_system = map(int, fields[11:15])
            times[pid, fields[19]] = user + system, child_user + child_system
            resident += int(fields[21]) * PAGE
        pause = LONGEST
        if self.cpu:
            self.most_cpu = max(self.most_cpu, self._used(times) / TICK)
            if self.most_cpu > self.cpu:
                return f"cpu {self.cpu} {int(self.most_cpu) or 1}", SHORTEST
            pause = min(pause, int((self.cpu - self.most_cpu) / CORES * 1000))
        if self.memory:
            self._measure_memfds(pids)
            # This cheap sum is too large by mapped files and by memfds that are mapped. Only if it
            # is above the limit, the exact figure is needed.
            resident += self._memfds
            if resident > self.memory:
                resident = memory_of(pids, self.memory, self._memfds)
            if resident > self.memory:
                return f"memory {self.memory} {resident}", SHORTEST
            pause = min(pause, (self.memory - resident) * 1000 // GROWTH)
        if not self._can_watch() and hold_many_watches(pids):
            return f"watches {MOST_WATCHES} 0", SHORTEST
        return None, max(pause, SHORTEST)

    def _can_watch(self) -> bool:
        """Return whether our user, who may be the bot's too, can watch one more descriptor."""
        if self._probe is None:
            return True
        epoll, other = self._probe
        try:
            epoll.register(other)
        except OSError:
            return False
        epoll.unregister(other)
        return True

    def _used(self, times: "dict[tuple[int, bytes], tuple[int, int]]") -> int:
        """Return the clock ticks that these processes, and all those that are gone, have used.

        By pid and start time, `times` has the ticks of a process itself and of the children that it
        has waited for. When a process has ended, the kernel adds its time to the parent that waits
        for it; but to nobody if the parent ignores SIGCHLD, and then that time must be added here.
        So the time of each process that is gone is compared with what parents have gained. Parents
        are read before their children, so a gain may show up only at the next measurement: until
        then, the time counts as `_moving`. If it doesn't show up then, it is `_lost`.
        """
        for key in self._last.keys() - times.keys():
            # The kernel's lists of children may skip a process, so check that it is really gone.
            fields = proctree.stat_fields(key[0])
            if fields is not None and fields[19] == key[1]:
                times[key] = self._last[key]
        reaped = self._reaped()
        gone, waited_for = 0, reaped - self._last_reaped
        for key, (own, waited) in self._last.items():
            if key in times:
                waited_for += times[key][1] - waited
            else:
                gone += own + waited
        self._lost += max(0, self._moving - waited_for)
        self._moving = max(0, gone - max(0, waited_for - self._moving))
        self._last, self._last_reaped = times, reaped
        return sum(map(sum, times.values())) + reaped + self._moving + self._lost

    def _reaped(self) -> int:
        """Return the clock ticks of the processes that the keeper has waited for."""
        times = os.times()
        return round((times.children_user + times.children_system) * TICK)

    def _measure_memfds(self, pids: list[int]) -> None:
        """Measure memfds, unless the last time was too recent for how long it took."""
        begin = time.monotonic()
        if begin >= self._files_due:
            self._memfds = memfds_of(pids)
            end = time.monotonic()
            self._files_due = end + FILES_REST * (end - begin)


def memory_of(pids: list[int], limit: int, memfds: int = 0) -> int:
    """Return the bytes of memory that these processes use (docs/limits.md says what counts).

    Memory that processes share counts once, divided among them; if the kernel doesn't know the
    shares, it counts in full for each. The shares are read only if the cheaper sum is above the
    limit, so a result that isn't above it may be too large.

    The mapped part of a memfd is shared memory as well. How large that part is can't be found out
    cheaply, so the larger of the two counts: mapped shared memory, or all memfds (`memfds_of`).
    """
    own = [_kib(f"{proctree.PROC}/{pid}/status", _OWN) or (0, 0) for pid in pids]
    cheap = _sum(own, memfds)
    if cheap <= limit or len(pids) == 1:
        return cheap
    exact = [_kib(f"{proctree.PROC}/{pid}/smaps_rollup", _PARTS) for pid in pids]
    return _sum([parts or whole for parts, whole in zip(exact, own, strict=True)], memfds)


_OWN = (b"RssAnon:", b"RssShmem:")
_PARTS = (b"Pss_Anon:", b"Pss_Shmem:")


def _sum(figures: list[tuple[int, int]], memfds: int) -> int:
    return sum(own for own, _ in figures) + max(sum(shared for _, shared in figures), memfds)


def _kib(path: str, keys: tuple[bytes, bytes]) -> tuple[int, int] | None:
    """Return the values of two keys of a file of /proc, in bytes; None if it has neither."""
    lines = [line.split() for line in proctree.read(path).splitlines() if line.startswith(keys)]
    figures = {fields[0]: int(fields[1]) * 1024 for fields in lines}
    return (figures.get(keys[0], 0), figures.get(keys[1], 0)) if figures else None


def hold_many_watches(pids: list[int]) -> bool:
    """Return whether these processes watch more than MOST_WATCHES descriptors by epoll.

    They may if one of their sockets holds a descriptor in transit, since it may be that of an epoll
    instance with any number of watches.
    """
    watches = 0
    for pid in pids:
        folder = f"{proctree.PROC}/{pid}/fdinfo"
        try:
            names = os.listdir(folder)
        except OSError:  # gone
            continue
        for name in names:
            try:
                with open(f"{folder}/{name}", "rb") as file:
                    for line in file:  # proc_pid_fdinfo(5)
                        watches += line.startswith(b"tfd:")
                        in_transit = line.startswith(b"scm_fds:") and int(line.split()[1])
                        if watches > MOST_WATCHES or in_transit:
                            return True
            except OSError:  # closed meanwhile
                continue
    return False


def memfds_of(pids: list[int]) -> int:
    """Return the bytes in the memfds (memfd_create(2)) that these processes have open.

    Each memfd counts once. The kernel doesn't count them as a process's memory unless they are
    mapped.
    """
    sizes: dict[tuple[int, int], int] = {}
    for pid in pids:
        folder = f"{proctree.PROC}/{pid}/fd"
        try:
            names = os.listdir(folder)
        except OSError:  # gone, or another user's
            continue
        for name in names:
            try:
                if os.readlink(f"{folder}/{name}").startswith("/memfd:"):
                    status = os.stat(f"{folder}/{name}")
                    sizes[status.st_dev, status.st_ino] = status.st_blocks * 512
            except OSError:  # closed meanwhile
                continue
    return sum(sizes.values())
