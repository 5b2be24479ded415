"""What a process takes of the machine: descriptors, memory, threads; with all that it started."""

import re
from pathlib import Path

import attrs

from support.processes import descendants, processor_time


@attrs.frozen
class Figures:
    """What a daemon takes at a moment."""

    descriptors: int
    """Of the daemon itself."""
    threads: int
    """Likewise."""
    memory: float
    """MB of it, without pages of files."""
    others: float
    """MB of the processes that it started."""
    work: float
    """Seconds of processor time that those have used."""


def figures(pid: int) -> Figures:
    """Measure a daemon now."""
    proc = Path(f"/proc/{pid}")
    threads = re.search(r"Threads:\s+(\d+)", (proc / "status").read_text())
    assert threads is not None
    return Figures(
        descriptors=len(list((proc / "fd").iterdir())),
        threads=int(threads[1]),
        memory=_memory(pid),
        others=sum(map(_memory, descendants(pid))),
        work=sum(map(processor_time, descendants(pid))),
    )


def _memory(pid: int) -> float:
    """MB of a process, 0 when it has gone: its own and its part of what it shares by forking.

    Without pages of files: its part of libraries grows when some other Python here ends.
    """
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return sum(map(int, re.findall(r"(?m)^Pss_(?:Anon|Shmem):\s+(\d+) kB", lines))) / 1024
