"""Misbehaves: says hello and more answers than any match needs, and never reads a byte."""

import select

from wire import dial, hello

sock = dial(receive_buffer=2048)
sock.sendall(hello("v=1"))
sock.sendall(b"\n" * 10_000)
gone = select.poll()
gone.register(sock, select.POLLRDHUP)
gone.poll()
