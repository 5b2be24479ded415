"""What workers of tests are asked to do. In a module of its own, as they import it by name."""

import os
import signal
import time
from pathlib import Path


def pid():
    """Whose process it is."""
    return os.getpid()


def echo(value):
    """Give it back."""
    return value


def cores():
    """Where it may run."""
    return sorted(os.sched_getaffinity(0))


def ignored():
    """Which of the signals that a terminal sends it ignores; and which are held back."""
    both = (signal.SIGINT, signal.SIGHUP)
    held = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    return [one for one in both if signal.getsignal(one) == signal.SIG_IGN], sorted(held)


def die():
    """End as after kill -9."""
    os.kill(os.getpid(), signal.SIGKILL)


def fail(words):
    """Raise."""
    raise ValueError(words)


def wait_for(path, beat):
    """Tell that it waits, by a file with its process's id, until another file is there."""
    Path(beat).write_text(str(os.getpid()), encoding="ascii")
    while not Path(path).exists():
        time.sleep(0.005)


def note_farewell(folder):
    """Leave a file named by the process."""
    (Path(folder) / str(os.getpid())).touch()
