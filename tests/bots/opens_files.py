"""Misbehaves: in its first turn it opens files, up to 5000, and says how many it got."""

import os

from wire import Arena

arena = Arena()
arena.turn()
count = 0
try:
    while count < 5000:
        os.open("/dev/null", os.O_RDONLY)
        count += 1
except OSError as error:
    print(error.strerror, count)
else:
    print("nobody stopped me")
