"""Misbehaves: a hello of options without a name."""

from wire import dial, tell_what_comes

sock = dial()
sock.sendall(b"v=1 game=angrymob\n")
tell_what_comes(sock)
