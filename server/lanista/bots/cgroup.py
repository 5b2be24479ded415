"""Limits enforced by control groups (cgroup v2), where a part of their tree is delegated to us.

With control groups the kernel enforces a bot's memory limit exactly and at once, so nothing has to
be measured. docs/limits.md tells how an arena gets a part of the tree ("delegation"). Without one,
the keeper measures the bot's memory instead.
"""

import contextlib
import itertools
import os
from pathlib import Path

import attrs
import trio

from lanista.bots import execute
from lanista.bots.limits import BotLimits

# The group that the arena's own processes move to. They must not stay in a group that has groups
# with limits below it (cgroups(7), "no internal processes" rule).
_LEAF = "lanista-arena"

_CONTROLLERS = ("memory", "pids")

# Seconds between two attempts to remove a group whose last process is about to be reaped.
_PAUSE = 0.005

_base: Path | None = None
_numbers = itertools.count(1)


def use_cgroups(proc: Path = Path("/proc/self")) -> bool:
    """Use this process's control group for all bots started from now on, if it is delegated to us.

    A program that runs an arena calls this once, before the first bot. This process moves to a
    group of its own, below the one it was in.

    Args:
        proc: The folder of /proc that tells which group this process is in; tests pass a fake.

    Returns:
        Whether bots' memory is now limited by control groups; if not, the keeper measures it.
    """
    global _base  # noqa: PLW0603 -- a property of the process: which group it is in
    _base = _take_over(proc)
    return _base is not None


def _take_over(proc: Path) -> Path | None:
    """Prepare the group in which bots' groups are made, and return it; None if it isn't ours."""
    try:
        own = own_group(proc)
        if own is None:
            return None
        if own.name == _LEAF:  # moved there already
            own = own.parent
        available = (own / "cgroup.controllers").read_text().split()
        if not set(_CONTROLLERS) <= set(available):
            return None
        leaf = own / _LEAF
        leaf.mkdir(exist_ok=True)
        (leaf / "cgroup.procs").write_text(f"{os.getpid()}\n")
        # Fails with EBUSY while another process is in the group, such as the shell of a login
        # session: then the group wasn't made for us.
        try:
            control = own / "cgroup.subtree_control"
            control.write_text(" ".join(f"+{name}" for name in _CONTROLLERS) + "\n")
        except OSError:
            (own / "cgroup.procs").write_text(f"{os.getpid()}\n")
            leaf.rmdir()
            return None
    except OSError:
        return None
    return own


def own_group(proc: Path) -> Path | None:
    """Return the folder of this process's control group; None where version 2 isn't mounted.

    Raises:
        OSError: The files in `proc` can't be read.
    """
    name = None
    for line in (proc / "cgroup").read_text().splitlines():
        if line.startswith("0::/"):
            name = line.removeprefix("0::/")
    for line in (proc / "mountinfo").read_text().splitlines():
        # proc_pid_mountinfo(5): "id parent device ROOT MOUNTPOINT options … - TYPE source …"
        fields, _, kind = line.partition(" - ")
        if name is not None and kind.startswith("cgroup2 "):
            root, mounted = fields.split()[3:5]
            below = f"/{name}".removeprefix(root.rstrip("/"))
            return Path(mounted.encode().decode("unicode_escape")) / below.lstrip("/")
    return None


@attrs.frozen
class Group:
    """Control group of one bot."""

    path: Path
    """Its folder below /sys/fs/cgroup."""

    @classmethod
    def make(cls, limits: BotLimits) -> "Group | None":
        """Make a group with these limits; None if groups aren't used, or no limit needs one.

        Raises:
            OSError: The group can't be made.
        """
        if _base is None or not (limits.memory or limits.processes):
            return None
        path = _base / f"bot-{os.getpid()}-{next(_numbers)}"
        path.mkdir()
        group = cls(path)
        try:
            if limits.memory:
                group._set("memory.max", limits.memory)
                if (path / "memory.swap.max").exists():  # absent on systems without swap
                    group._set("memory.swap.max", 0)
                # Out of memory, the kernel kills all of the bot's processes, not just one.
                group._set("memory.oom.group", 1)
            if limits.processes:  # the kernel counts threads; the keeper counts processes
                group._set("pids.max", execute.threads(limits.processes))
        except OSError:
            path.rmdir()
            raise
        return group

    def _set(self, name: str, value: int) -> None:
        (self.path / name).write_text(f"{value}\n")

    async def remove(self) -> None:
        """Kill the processes left in the group and remove it.

        Waits until that is done, without a limit: the caller sets a deadline.
        """
        with contextlib.suppress(OSError):  # no such file before Linux 5.14
            (self.path / "cgroup.kill").write_text("1\n")
        while True:
            try:
                self.path.rmdir()
            except FileNotFoundError:
                return
            except OSError:  # a process in it isn't reaped yet
                await trio.sleep(_PAUSE)
            else:
                return
