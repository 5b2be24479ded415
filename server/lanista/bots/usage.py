"""Measuring what a bot and all it started use, and saying when a limit is broken.

Runs in the keeper: light modules of the standard library only. It never ends anything; the keeper
does that. How seldom it looks is told by `Watch.look`.
"""

# Importing pathlib would double the time a keeper takes to start.
# ruff: noqa: PTH115, PTH116, PTH208

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING or __package__:
    from lanista.bots import proctree
else:  # in the keeper, which knows no packages
    import proctree

PAGE = os.sysconf("SC_PAGE_SIZE")
TICK = os.sysconf("SC_CLK_TCK")
CORES = os.cpu_count() or 1

# Milliseconds between two looks: so many that what is still free can't be used up meanwhile, by a
# bot that fills memory at 4 GiB a second or keeps all processors busy, within these bounds.
SHORTEST, LONGEST = 10, 250
GROWTH = 4 << 30

# Seconds after which all of /proc is read again, even when no process seems to have been made.
RESCAN = 1.0

# Looking through descriptors takes a bot's own number of them: so many times as long as it took,
# it isn't done again.
FILES_REST = 20


class Watch:
    """The use of one keeper's descendants.

    Attributes:
        most_cpu: The most seconds of processor time that were seen.
    """

    def __init__(self, memory: int, cpu: int, processes: int, beside: int) -> None:
        """The limits, 0 where there is none.

        Args:
            memory: Bytes in all.
            cpu: Seconds in all.
            processes: How many.
            beside: How many processes of the sandbox's own aren't counted among them.
        """
        self.memory = memory
        self.cpu = cpu
        self.processes = processes
        self.beside = beside
        self.most_cpu = 0.0
        self._walks = proctree.has_walk()
        self._newest = b""
        self._scanned = float("-inf")
        self._known: list[int] = []
        self._last: dict[tuple[int, bytes], tuple[int, int]] = {}  # see `_used`
        self._last_reaped = 0
        self._moving = self._lost = 0
        self._memfds = 0
        self._files_due = float("-inf")

    def look(self) -> "tuple[str | None, int]":
        """Look once.

        Returns:
            The limit that is broken, as `KIND LIMIT USED`, or None; and the milliseconds until
            the next look.
        """
        found = self._descendants()
        times: dict[tuple[int, bytes], tuple[int, int]] = {}
        resident = count = 0
        for pid in found:
            fields = proctree.stat_fields(pid)
            if fields is None:
                continue
            count += 1
            # proc_pid_stat(5): utime, stime, cutime, cstime are 14 to 17, start is 22, rss is 24.
            user, system, child_user, child_system = map(int, fields[11:15])
            times[pid, fields[19]] = user + system, child_user + child_system
            resident += int(fields[21]) * PAGE
        pause = LONGEST
        if self.processes and count - self.beside > self.processes:
            return f"processes {self.processes} {count - self.beside}", SHORTEST
        if self.cpu:
            self.most_cpu = max(self.most_cpu, self._used(times) / TICK)
            if self.most_cpu > self.cpu:
                return f"cpu {self.cpu} {int(self.most_cpu) or 1}", SHORTEST
            pause = min(pause, int((self.cpu - self.most_cpu) / CORES * 1000))
        if self.memory:
            self._look_at_files(found)
            # It may be less: mapped files are in this figure, and mapped memfds twice.
            resident += self._memfds
            if resident > self.memory:
                resident = memory_of(found, self.memory, self._memfds)
            if resident > self.memory:
                return f"memory {self.memory} {resident}", SHORTEST
            pause = min(pause, (self.memory - resident) * 1000 // GROWTH)
        return None, max(pause, SHORTEST)

    def _used(self, times: "dict[tuple[int, bytes], tuple[int, int]]") -> int:
        """Clock ticks that all these processes, and all that are gone, have used.

        The time of a process that has ended goes to whoever waits for it, but to nobody where
        SIGCHLD is ignored. So what is gone and doesn't turn up as waited for is added: until the
        next look it may be on its way, since parents are read before their children; after that
        it is lost.

        Args:
            times: By pid and start: a process's own ticks, and those of what it has waited for.
        """
        for key in self._last.keys() - times.keys():
            # Lists of children may skip one; what runs isn't gone.
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
        """Clock ticks of what the keeper has waited for, and of their children."""
        times = os.times()
        return round((times.children_user + times.children_system) * TICK)

    def _look_at_files(self, pids: list[int]) -> None:
        """Measure memfds, unless that was just done and took long."""
        begin = time.monotonic()
        if begin >= self._files_due:
            self._memfds = memfds_of(pids)
            end = time.monotonic()
            self._files_due = end + FILES_REST * (end - begin)

    def _descendants(self) -> list[int]:
        """The keeper's descendants, zombies too; some that are gone may be among them."""
        if self._walks:
            return proctree.walk(os.getpid())
        # To read all of /proc costs a millisecond for a hundred processes. Without a process that
        # is newer than the last scan it can't tell anything new: the last field of proc_loadavg(5)
        # is the newest pid.
        newest = proctree.read(f"{proctree.PROC}/loadavg").rpartition(b" ")[2]
        now = time.monotonic()
        if newest != self._newest or now - self._scanned > RESCAN:
            self._newest, self._scanned = newest, now
            table = proctree.processes()
            self._known = proctree.with_descendants([os.getpid()], table)[1:]
        return self._known


def memory_of(pids: list[int], limit: int, memfds: int = 0) -> int:
    """Bytes of memory that these processes use and that aren't a file's: what the limit is about.

    Mapped files (programs, libraries, a runtime's own archives) are in the page cache whether the
    bot runs or not, and would count once a process. What processes share (memory after a fork,
    shared segments) is counted once, in equal parts; where the kernel doesn't tell the parts, each
    counts it whole. That is asked for only if the cheaper sum is above the limit.

    What is mapped of a memfd is shared memory too. Which part that is can't be told cheaply: the
    larger figure counts, of shared memory that is mapped and of memfds.

    Args:
        pids: Of the processes.
        limit: Bytes; below it the result may be too large, but isn't above the limit.
        memfds: Bytes of `memfds_of`.
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
    """Two lines of a file of /proc, in bytes; None if they aren't there."""
    lines = [line.split() for line in proctree.read(path).splitlines() if line.startswith(keys)]
    figures = {words[0]: int(words[1]) * 1024 for words in lines}
    return (figures.get(keys[0], 0), figures.get(keys[1], 0)) if figures else None


def memfds_of(pids: list[int]) -> int:
    """Bytes in the memfds (memfd_create(2)) that these processes have open, each counted once.

    They aren't in a process's own figures as long as they aren't mapped.
    """
    sizes: dict[tuple[int, int], int] = {}
    for pid in pids:
        folder = f"{proctree.PROC}/{pid}/fd"
        try:
            names = os.listdir(folder)
        except OSError:  # gone, or not ours to look into
            continue
        for name in names:
            try:
                if os.readlink(f"{folder}/{name}").startswith("/memfd:"):
                    found = os.stat(f"{folder}/{name}")
                    sizes[found.st_dev, found.st_ino] = found.st_blocks * 512
            except OSError:  # closed meanwhile
                continue
    return sum(sizes.values())
