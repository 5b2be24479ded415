"""Misbehaves: has four hundred more connections to the arena than it needs, and plays well."""

import os
import socket

from wire import Arena

arena = Arena()
more = []
for _ in range(400):
    dialled = socket.socket()
    dialled.setblocking(False)
    dialled.connect_ex((os.environ["LANISTA_HOST"], int(os.environ["LANISTA_PORT"])))
    more.append(dialled)
arena.play()
