"""Ending the processes that a killed keeper leaves behind, in an arena that is a subreaper.

A keeper that exits by itself leaves nothing behind. If a keeper is killed, its bot dies with it (by
PR_SET_PDEATHSIG), but processes that the bot started become children of the nearest subreaper
above: the arena, if it has called `become_subreaper`. The arena then kills them.

Only those children are waited for here, never just any child, because `process` waits for keepers.
"""

import contextlib
import os

import trio

from lanista.bots.keeper import FIRST_PAUSE, LAST_PAUSE
from lanista.bots.keeper_process import own_children
from lanista.bots.proctree import freeze_and_kill, processes, with_descendants
from lanista.bots.syscalls import PR_SET_CHILD_SUBREAPER, prctl

_is_subreaper = False


def become_subreaper() -> bool:
    """Have orphaned descendants become children of this process, so that they can be ended.

    A program that runs an arena calls this once, before the first bot. From then on, when a keeper
    was killed, all children of this process that are younger than that keeper and aren't keepers
    themselves are assumed to come from its bot, and are killed. So a program that starts other
    processes while bots run must not call this.

    Returns:
        Whether it worked; always False on systems other than Linux.
    """
    global _is_subreaper  # noqa: PLW0603 -- a property of the process, as the kernel's own flag is
    _is_subreaper = prctl(PR_SET_CHILD_SUBREAPER, 1)
    return _is_subreaper


async def end_orphans(since: int) -> None:
    """Kill and reap the orphans of a killed keeper, with all their descendants.

    Returns when none is left; the caller sets a deadline. Does nothing unless `become_subreaper`
    was called.

    Args:
        since: When the keeper was started, in clock ticks since boot; older children are left
            alone.
    """
    if not _is_subreaper:
        return
    pause = FIRST_PAUSE
    while orphans := _adopted(since):
        freeze_and_kill(lambda: with_descendants(_adopted(since), processes()))
        for pid in orphans:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)  # noqa: ASYNC222 -- WNOHANG doesn't wait
        await trio.sleep(pause / 1000)
        pause = min(2 * pause, LAST_PAUSE)


def _adopted(since: int) -> list[int]:
    """Return the adopted children of this process that are young enough, zombies included."""
    this, ours = os.getpid(), own_children()
    return [
        pid
        for pid, (parent, start) in processes().items()
        if parent == this and start >= since and pid not in ours
    ]
