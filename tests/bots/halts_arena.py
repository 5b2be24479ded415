"""Misbehaves: when it is asked it halts its arena for half a second, and it never answers."""

import os
import signal
import time
from pathlib import Path

from wire import Arena


def parent(pid):
    """The process that started another one, by proc(5)."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


arena = Arena()
arena.turn()
runs_us = parent(os.getppid())  # our parent is the keeper
os.kill(runs_us, signal.SIGSTOP)
time.sleep(0.5)  # the stall itself
os.kill(runs_us, signal.SIGCONT)
arena.turn()
