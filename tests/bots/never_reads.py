"""Misbehaves: says hello and then answers for ever, without reading a byte."""

from wire import dial, hello

sock = dial(receive_buffer=2048)
sock.sendall(hello("v=1"))
try:
    while True:
        sock.sendall(b"\n" * 1000)
except ConnectionError:
    pass
