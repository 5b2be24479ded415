"""Ending what a killed keeper leaves behind, in an arena that is a subreaper.

A keeper that ends by itself leaves nothing. One that is killed takes its bot along (by
PR_SET_PDEATHSIG); what the bot had started goes to the nearest subreaper above: the arena, if
`become_subreaper` was called. Never waits for just any child: keepers belong to `process`.
"""

import contextlib
import os

import trio

from lanista.bots.keeper import FIRST_PAUSE, LAST_PAUSE
from lanista.bots.proctree import (
    PR_SET_CHILD_SUBREAPER,
    freeze_and_kill,
    prctl,
    processes,
    read_stat,
    with_descendants,
)

# Pids of the keepers that this process started and that haven't been reaped yet.
keepers: set[int] = set()

_is_subreaper = False


def become_subreaper() -> bool:
    """Have orphans among this process's descendants come to it, to be ended with their bot.

    To be called once by a program that runs an arena, before the first bot. From then on, when a
    keeper has been killed, children of this process that are younger than that keeper and no
    keepers themselves are taken for what its bot left behind and are killed: a program that starts
    other processes while bots run must not call this.

    Returns:
        Whether it worked; False on systems other than Linux.
    """
    global _is_subreaper  # noqa: PLW0603 -- a property of the process, as the kernel's own flag is
    _is_subreaper = prctl(PR_SET_CHILD_SUBREAPER, 1)
    return _is_subreaper


def start_of(keeper: int) -> int:
    """When a keeper that wasn't reaped yet was started, in clock ticks since boot; 0 if unknown."""
    stat = read_stat(keeper)
    return 0 if stat is None else stat[1]


async def end_orphans(since: int) -> None:
    """Kill and reap what came to this process from a killed keeper, with all its descendants.

    Returns when none is left, which the caller should bound. Does nothing unless
    `become_subreaper` was called.

    Args:
        since: `start_of` the keeper; older children can't come from it and are left alone.
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
    """Children of this process, zombies too, that no one here started and are young enough."""
    this = os.getpid()
    return [
        pid
        for pid, (parent, start) in processes().items()
        if parent == this and start >= since and pid not in keepers
    ]
