"""Misbehaves: from the start of its match it sends answers as fast as it can, asked or not; reads
all that it is sent."""

import sys
import threading

from wire import Arena

arena = Arena()
for line in arena.reader:
    if line.startswith(b"start "):
        break


def read():
    """Read on, so that only the sending is at fault."""
    for _ in arena.reader:
        pass


threading.Thread(target=read, daemon=True).start()
try:
    while True:
        arena.sock.sendall(b"\n" * 10_000)
except ConnectionError:
    sys.exit(0)
