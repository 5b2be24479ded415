"""What a process takes of the machine: descriptors, memory, threads; with all that it started."""

import re
from pathlib import Path

import attrs


@attrs.frozen
class Figures:
    """What a daemon takes at a moment."""

    descriptors: int
    """Of the daemon itself."""
    threads: int
    """Likewise."""
    memory: float
    """MB of it: the proportional set size."""
    others: float
    """MB of the processes that it started."""


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
    )


def descendants(pid: int) -> list[int]:
    """The processes that a process started, and those that they started."""
    found = []
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            pids = [int(word) for word in children.read_text().split()]
        except OSError:  # the thread has ended
            continue
        for child in pids:
            found += [child, *descendants(child)]
    return found


def living_in(folder: Path) -> list[int]:
    """The processes whose working directory is this folder, or lies in it."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                cwd = (entry / "cwd").readlink()
            except OSError:  # gone, or not ours to see
                continue
            if cwd.is_relative_to(folder):
                found.append(int(entry.name))
    return found


def _memory(pid: int) -> float:
    """MB of a process; 0 when it has gone."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    size = re.search(r"(?m)^Pss:\s+(\d+) kB", lines)
    return 0.0 if size is None else int(size[1]) / 1024
