"""Misbehaves: has children of all kinds and plays; none of them goes by itself.

A child, one in a session of its own, and one that was orphaned on purpose. The first word of the
command line is a file for the pids of all four; the others go into the hello.
"""

import os
import signal
import sys
from pathlib import Path

from wire import Arena


def fork(*, session=False, orphan=False):
    """Start a process that waits for ever; its pid."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        if session:
            os.setsid()
        if orphan and os.fork() > 0:
            os._exit(0)
        os.write(write, str(os.getpid()).encode())
        while True:
            signal.pause()
    if orphan:
        os.waitpid(child, 0)
    return int(os.read(read, 20))


pids = [os.getpid(), fork(), fork(session=True), fork(session=True, orphan=True)]
temporary = Path(sys.argv[1] + ".tmp")
temporary.write_text("".join(f"{pid}\n" for pid in pids))
temporary.replace(sys.argv.pop(1))  # there all at once, for whoever waits for it
Arena().play()
