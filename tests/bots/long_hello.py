"""Misbehaves: a hello of 10 MB."""

import contextlib

from wire import BIG, dial, tell_what_comes

sock = dial()
with contextlib.suppress(ConnectionError):
    sock.sendall(b"x" * BIG)
tell_what_comes(sock)
