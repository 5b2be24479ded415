"""Limits enforced by control groups (cgroup v2), where a part of their tree is delegated to us.

The kernel then enforces a bot's memory limit exactly and at once, and bounds the number of its
threads; docs/limits.md says how an arena gets such a part ("delegation"). Without one, the keeper
measures the bot's memory instead.

If the arena may only make groups below its own, but not limit them (most often as root), bots have
groups as well: by these the kernel can kill a bot and everything it started at once, however fast
that forks. A sandbox can be killed like that without a group.
"""

import contextlib
import os
from pathlib import Path

import attrs
import trio

from lanista.bots import execute, proctree
from lanista.bots.limits import BotLimits
from lanista.system import HELPERS_GROUP, control_group

# The group that the arena's own processes move to. They must not stay in a group that has groups
# with limits below it (cgroups(7), "no internal processes" rule).
_LEAF = "lanista-arena"

_BOTS = "lanista-bot-"  # how the names of bots' groups begin

_CONTROLLERS = ("memory", "pids")

# Used too where it is there: the kernel then shares out the processors between groups. Otherwise a
# bot with hundreds of busy threads, which breaks no limit, may hold up the arena for a second.
_SHARES = "cpu"

# The shares of the arena's own processes and of its helpers, beside 100 of each bot: the arena must
# answer many bots that compute, and niceness counts only within a group.
_WEIGHTS = {_LEAF: 1000, HELPERS_GROUP: 4}

# Seconds between two attempts to remove a group whose last process is about to be reaped.
_PAUSE = 0.005

_base: Path | None = None  # where bots' groups are made; None: nowhere
_limits = False  # whether these can have limits


def use_cgroups(proc: Path = Path("/proc/self")) -> bool:
    """Make control groups for all bots from now on, and return whether the system lets us.

    A program that runs an arena calls this once, before the first bot. If our control group was
    delegated to us, this process moves to a group of its own, below the one it was in. `proc` is
    the folder of /proc that says which group this process is in.
    """
    global _base, _limits  # noqa: PLW0603 -- a property of the process: which group it is in
    own = control_group(proc)
    _base = own and _take_over(own)
    _limits = _base is not None
    if own is not None and _base is None and _can_make_groups(own):
        _base = own
    if _base is not None:
        _remove_abandoned(_base)
    return _base is not None


def _remove_abandoned(base: Path) -> None:
    """Remove the empty groups of processes that were killed together with their bots' keepers."""
    for path in base.glob(f"{_BOTS}*"):
        owner = path.name.removeprefix(_BOTS).partition("-")[0]
        if owner.isdecimal() and proctree.read_stat(int(owner)) is None:
            with contextlib.suppress(OSError):  # a process is in it, whose keeper will end it
                path.rmdir()


def can_have_groups() -> bool:
    """Return whether bots have control groups, or would have after `use_cgroups`."""
    own = control_group()
    return _base is not None or (own is not None and _can_make_groups(own))


def _can_make_groups(own: Path) -> bool:
    """Return whether groups can be made and killed below our control group."""
    try:
        probe = own / _name()
        probe.mkdir()
        can_kill = (probe / "cgroup.kill").exists()
        probe.rmdir()
    except OSError:
        return False
    return can_kill


def _name() -> str:
    # A killed process leaves its groups, and another one may have its id by now.
    return f"{_BOTS}{os.getpid()}-{os.urandom(8).hex()}"


def _take_over(own: Path) -> Path | None:
    """Prepare the group in which bots' groups are made, and return it; None if it isn't ours."""
    if own.name == _LEAF:  # moved there already
        own = own.parent
    try:
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
        if _SHARES in available:
            with contextlib.suppress(OSError):  # the limits hold without shares, too
                control.write_text(f"+{_SHARES}\n")
                for name, weight in _WEIGHTS.items():
                    (own / name).mkdir(exist_ok=True)
                    (own / name / "cpu.weight").write_text(f"{weight}\n")
    except OSError:
        return None
    return own


@attrs.frozen
class Group:
    """Control group of one bot."""

    path: Path
    """Its folder below /sys/fs/cgroup."""

    @classmethod
    def make(cls, limits: BotLimits, *, sandboxed: bool) -> "Group | None":
        """Make a group with these limits; None if groups aren't used, or none is needed.

        Raises OSError if it can't be made.
        """
        if _base is None or not (limits.memory or limits.processes):
            return None
        if sandboxed and not _limits:
            return None
        path = _base / _name()
        path.mkdir()
        group = cls(path)
        if not _limits:
            return group
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
        """Kill the processes left in the group and remove it; the caller sets a deadline."""
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
