"""Misbehaves: from its first turn on it keeps two processors busy, for ever."""

import os

from wire import Arena

arena = Arena()
arena.turn()
os.fork()
while True:
    pass
