"""Misbehaves: says half of its hello and no more."""

from wire import dial, hello, tell_what_comes

sock = dial()
sock.sendall(hello("v=1").removesuffix(b"\n"))
tell_what_comes(sock)
