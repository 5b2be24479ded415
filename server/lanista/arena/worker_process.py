"""Processes that work for an arena at the other end of a link: starting, ending, their log.

Such a process is started with the number of its link's socket. It ends with the arena, whatever it
is doing then, and everything that it logs goes to the arena, which has the one log.
"""

import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, MutableMapping
from typing import Any

import structlog
import trio

from lanista.arena.link import Link
from lanista.signals import STOPPING

ENDING_TIME = 0.5
"""Seconds that such a process has to exit by itself."""

log = structlog.get_logger()


# -- in the arena --------------------------------------------------------------------------------


async def start(module: str, theirs: socket.socket, *arguments: str) -> trio.Process:
    """Start a process of a module, which is given its socket's number and the arguments.

    Raises:
        OSError: It can't be started.
    """
    # -P: modules in the arena's working directory must not hide ours.
    argv = [sys.executable, "-P", "-m", module, str(theirs.fileno()), *arguments]
    return await trio.lowlevel.open_process(
        argv, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], start_new_session=True
    )


async def stop(link: Link, process: trio.Process) -> None:
    """Close a process's link, and have the process gone."""
    link.close()
    with trio.CancelScope(shield=True):
        with trio.move_on_after(ENDING_TIME):
            await process.wait()
        if process.returncode is None:
            process.kill()
            await process.wait()


def log_for(content: Mapping[str, Any], **more: Any) -> None:
    """Log what a process has logged, as it came over the link (`forward_log`)."""
    getattr(log, content["level"])(content["event"], **(content["fields"] | more))


# -- in the process ------------------------------------------------------------------------------


def end_of_link() -> socket.socket:
    """Return this process's end of its link; the process exits as soon as the arena's is closed.

    What stops an arena is often sent to all its processes; here it is ignored, since the arena
    decides what follows. What is printed goes to stderr.
    """
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)
    os.dup2(2, 1)
    ours = socket.socket(fileno=int(sys.argv[1]))
    threading.Thread(target=_exit_with, args=[os.dup(ours.fileno())], daemon=True).start()
    return ours


def forward_log(link: Link) -> None:
    """Have what this process logs sent to the arena."""

    def to_front(_: Any, level: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
        link.post({"kind": "log", "level": level, "event": event.pop("event"), "fields": event})
        raise structlog.DropEvent

    structlog.configure(processors=[to_front], cache_logger_on_first_use=True)


def _exit_with(descriptor: int) -> None:
    """Wait in a thread until the other end of the link is closed, then end this process at once.

    The event loop would notice the end too, but not while it is stuck, in a ruleset say.
    """
    hangup = select.poll()
    hangup.register(descriptor, 0)  # hanging up is always reported
    hangup.poll()
    os._exit(1)
