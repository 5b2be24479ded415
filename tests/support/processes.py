"""Looks at the processes of this machine through /proc: what runs, where, and started by whom."""

import contextlib
import os
from pathlib import Path

from lanista.bots import keeper_process, syscalls


def adopt_no_orphans() -> None:
    """Undo `become_subreaper`: what a killed keeper leaves is no child of this process's."""
    syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 0)
    keeper_process._is_subreaper = False


def runs(pid: int) -> bool:
    """Return whether a process is there and is no zombie, which only its parent can remove."""
    # Killed, it may be a zombie while another of its threads still has its files open.
    states = set()
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                states.add((thread / "stat").read_bytes().rpartition(b") ")[2][:1])
    return not states <= {b"Z", b"X"}


def processor_time(pid: int) -> float:
    """Return the seconds of processor time that a process has used; 0 once it is gone."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def argv_of(pid: int) -> list[str]:
    """Return the command line of a process; an empty list once it is gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8").split("\0")[:-1]
    return []


def children_of(pid: int) -> list[int]:
    """Return the processes that a process started and that haven't been reaped."""
    found: list[int] = []
    with contextlib.suppress(OSError):  # it has ended
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):  # that thread has
                found += map(int, (thread / "children").read_text(encoding="ascii").split())
    return found


def children_with(pid: int, module: str) -> list[int]:
    """Return those of a process's children that run a module."""
    return [child for child in children_of(pid) if module in argv_of(child)]


def descendants(pid: int) -> list[int]:
    """Return the processes that a process started, each followed by those that it started."""
    found = []
    for child in children_of(pid):
        found += [child, *descendants(child)]
    return found


def open_files(pid: int | str = "self") -> dict[int, str]:
    """Return what each descriptor of a process leads to; a pipe's two ends look the same."""
    found = {}
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # the one that lists the folder
            found[int(link.name)] = str(link.readlink())
    return found


def processes_in(folder: Path) -> list[int]:
    """Return the running processes whose working directory is a folder or lies in it."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                cwd = (entry / "cwd").readlink()
            except OSError:  # it has ended, or belongs to another user
                continue
            if cwd.is_relative_to(folder) and runs(int(entry.name)):
                found.append(int(entry.name))
    return found
