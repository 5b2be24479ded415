"""Misbehaves: from its first turn on it starts processes that start processes, all of which detach.

    detaching_bomb.py KIND FORKS

KIND is how they are started: `sessions`, each in a session of its own; `orphans`, by double forks
in sessions of their own. A process that may not fork tries again.

There are FORKS forks in all, and every process ends after a minute: so a machine survives it even
if nobody ends it.
"""

import os
import signal
import sys

from wire import Arena

LIFETIME = 60

kind, forks = sys.argv.pop(1), int(sys.argv.pop(1))

# Whoever wants to fork takes a byte out of this pipe first.
take, put = os.pipe()
os.set_blocking(take, False)
os.set_blocking(put, False)


def fork():
    """Fork as soon as that is possible; True in the child, which begins as its kind does."""
    while True:
        try:
            if os.fork() == 0:
                signal.alarm(LIFETIME)
                os.setsid()
                return True
        except BlockingIOError:
            continue
        else:
            return False


def bomb():
    """Start processes until there are no more forks."""
    while True:
        try:
            os.read(take, 1)
        except BlockingIOError:
            signal.pause()
        if fork() and kind == "orphans" and not fork():
            os._exit(0)


os.write(put, bytes(forks))
arena = Arena()
arena.turn()
signal.alarm(LIFETIME)
bomb()
