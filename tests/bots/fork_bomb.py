"""Misbehaves: in its first turn it doubles itself again and again, up to 256 processes.

All of them then wait for ever; a real one wouldn't stop.
"""

import os
import signal

from wire import Arena

arena = Arena()
arena.turn()
for _ in range(8):
    os.fork()
while True:
    signal.pause()
