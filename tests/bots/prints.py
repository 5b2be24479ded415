"""Healthy: writes the number of each turn to standard error, and takes its time to answer."""

import os
import time

from wire import Arena

arena = Arena()
os.write(2, b"hello\n")
turn = 0
while True:
    arena.turn()
    os.write(2, b"turn %d\n" % turn)
    time.sleep(0.05)  # the arena reads it meanwhile
    arena.say(b"\n")
    turn += 1
