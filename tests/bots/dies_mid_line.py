"""Misbehaves: plays two turns and dies by a signal in the middle of its answer."""

import os
import signal

from wire import Arena

arena = Arena()
arena.play(turns=2)
arena.turn()
arena.say(b"0 0 1 ")
os.kill(os.getpid(), signal.SIGKILL)
