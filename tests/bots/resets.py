"""Misbehaves: plays two turns, then resets its connection in the middle of an answer."""

import socket
import struct

from wire import Arena

arena = Arena()
arena.play(turns=2)
arena.turn()
arena.say(b"0 0 1 ")
# To linger for no time is to close by a reset (socket(7)).
arena.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
arena.reader.close()
arena.sock.close()
