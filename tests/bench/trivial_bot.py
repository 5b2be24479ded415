"""A bot that answers every turn with no submoves, as fast as Python can: for the benches."""

import os
import socket

with socket.create_connection(
    (os.environ["LANISTA_HOST"], int(os.environ["LANISTA_PORT"]))
) as arena:
    arena.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    arena.sendall(f"bench v=1 token={os.environ['LANISTA_TOKEN']}\n".encode())
    tail = b""
    while data := arena.recv(65536):
        tail = (tail + data)[-4:]
        if tail.endswith(b"\ngo\n"):
            arena.sendall(b"\n")
