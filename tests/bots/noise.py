"""Misbehaves: sends 100,000 random bytes for a hello. The same ones each time."""

import contextlib
import random

from wire import dial, tell_what_comes

sock = dial()
with contextlib.suppress(ConnectionError):  # what was said to us before is still there to read
    sock.sendall(b"\xff\x00" + random.Random(1).randbytes(100_000))
tell_what_comes(sock)
