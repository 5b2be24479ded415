"""Measuring what a bot and all it started use, and saying when a limit is broken.

Runs in the keeper: light modules of the standard library only. It never ends anything; the keeper
does that. How seldom it looks is told by `Watch.look`.
"""

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

    def look(self) -> "tuple[str | None, int]":
        """Look once.

        Returns:
            The limit that is broken, as `KIND LIMIT USED`, or None; and the milliseconds until
            the next look.
        """
        found = self._descendants()
        resident = ticks = count = 0
        for pid in found:
            fields = proctree.stat_fields(pid)
            if fields is None:
                continue
            count += 1
            # proc_pid_stat(5): utime, stime, cutime, cstime are 14 to 17, rss is 24.
            ticks += sum(map(int, fields[11:15]))
            resident += int(fields[21]) * PAGE
        pause = LONGEST
        if self.processes and count - self.beside > self.processes:
            return f"processes {self.processes} {count - self.beside}", SHORTEST
        if self.cpu:
            used = ticks / TICK + self._reaped()
            # A child that a bot leaves to the kernel to reap takes its time along.
            self.most_cpu = max(self.most_cpu, used)
            if self.most_cpu > self.cpu:
                return f"cpu {self.cpu} {int(self.most_cpu) or 1}", SHORTEST
            pause = min(pause, int((self.cpu - self.most_cpu) / CORES * 1000))
        if self.memory:
            if resident > self.memory:  # it may be less: mapped files are in this figure
                resident = memory_of(found, self.memory)
            if resident > self.memory:
                return f"memory {self.memory} {resident}", SHORTEST
            pause = min(pause, (self.memory - resident) * 1000 // GROWTH)
        return None, max(pause, SHORTEST)

    def _reaped(self) -> float:
        """Seconds of processor time of what the keeper has waited for, and of their children."""
        times = os.times()
        return times.children_user + times.children_system

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


def memory_of(pids: list[int], limit: int) -> int:
    """Bytes of memory that these processes use and that aren't a file's: what the limit is about.

    Mapped files (programs, libraries, a runtime's own archives) are in the page cache whether the
    bot runs or not, and would count once a process. What processes share (memory after a fork,
    shared segments) is counted once, in equal parts; where the kernel doesn't tell the parts, each
    counts it whole. That is asked for only if the cheaper sum is above the limit.
    """
    cheap = sum(_kib(f"{proctree.PROC}/{pid}/status", _OWN) or 0 for pid in pids)
    if cheap <= limit or len(pids) == 1:
        return cheap
    total = 0
    for pid in pids:
        exact = _kib(f"{proctree.PROC}/{pid}/smaps_rollup", _PARTS)
        if exact is None:
            exact = _kib(f"{proctree.PROC}/{pid}/status", _OWN) or 0
        total += exact
    return total


_OWN = (b"RssAnon:", b"RssShmem:")
_PARTS = (b"Pss_Anon:", b"Pss_Shmem:")


def _kib(path: str, keys: tuple[bytes, bytes]) -> int | None:
    """The sum of these lines of a file of /proc, in bytes; None if they aren't there."""
    values = [
        int(line.split()[1]) for line in proctree.read(path).splitlines() if line.startswith(keys)
    ]
    return sum(values) * 1024 if values else None
