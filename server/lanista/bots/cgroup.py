"""Limits by control groups (cgroup v2), where the arena was given a part of the tree to manage.

The kernel then holds a bot's memory itself, to the byte and the moment, and nobody has to look.
Only files below `/sys/fs/cgroup` are read and written here; docs/limits.md tells how an arena gets
such a part ("delegation"). Where it has none, the keeper measures instead.
"""

import contextlib
import itertools
import os
from pathlib import Path

import attrs
import trio

from lanista.bots import execute
from lanista.bots.limits import BotLimits

# The arena's own processes must not be in a group that has groups with limits below it (cgroups(7),
# the rule of no internal processes): they move to this one.
_LEAF = "lanista-arena"

_CONTROLLERS = ("memory", "pids")

# Seconds between two tries to remove a group whose last process is just being reaped.
_PAUSE = 0.005

_base: Path | None = None
_numbers = itertools.count(1)


def use_cgroups(proc: Path = Path("/proc/self")) -> bool:
    """Take over this process's control group, if it was delegated, for all bots from here on.

    To be called once by a program that runs an arena, before the first bot. This process moves to
    a group of its own below.

    Args:
        proc: Where to read which group this is; a test gives an imitation.

    Returns:
        Whether bots' memory is now limited by control groups; if not, the keeper measures it.
    """
    global _base  # noqa: PLW0603 -- a property of the process: which group it is in
    _base = _take_over(proc)
    return _base is not None


def _take_over(proc: Path) -> Path | None:
    """The group to make bots' groups in, ready for it; None if it isn't ours to manage."""
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
        # Fails (EBUSY) while others than this process are in the group, such as the shell of a
        # session: that group wasn't made for us.
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
    """The folder of this process's control group; None where version 2 isn't mounted.

    Raises:
        OSError: No such folder as `proc`.
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
    """The control group of one bot."""

    path: Path

    @classmethod
    def make(cls, limits: BotLimits) -> "Group | None":
        """A group with these limits; None if groups aren't used or these need none.

        Raises:
            OSError: It can't be made.
        """
        if _base is None or not (limits.memory or limits.processes):
            return None
        path = _base / f"bot-{os.getpid()}-{next(_numbers)}"
        path.mkdir()
        group = cls(path)
        try:
            if limits.memory:
                group._set("memory.max", limits.memory)
                if (path / "memory.swap.max").exists():  # not there without swap
                    group._set("memory.swap.max", 0)
                group._set("memory.oom.group", 1)  # all of the bot ends, or nothing
            if limits.processes:  # the kernel counts threads; the keeper counts processes
                group._set("pids.max", execute.threads(limits.processes))
        except OSError:
            path.rmdir()
            raise
        return group

    def _set(self, name: str, value: int) -> None:
        (self.path / name).write_text(f"{value}\n")

    async def remove(self) -> None:
        """End what is left in it and remove it; waits until that is done: bound it."""
        with contextlib.suppress(OSError):  # before Linux 5.14; then the keeper alone has killed
            (self.path / "cgroup.kill").write_text("1\n")
        while True:
            try:
                self.path.rmdir()
            except FileNotFoundError:
                return
            except OSError:  # a process in it hasn't been reaped yet
                await trio.sleep(_PAUSE)
            else:
                return
