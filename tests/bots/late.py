"""Misbehaves: plays two turns, and answers the third only when it has heard that it is late."""

from wire import Arena, tell_what_comes

arena = Arena()
arena.play(turns=2)
arena.turn()
line = arena.reader.readline()
print(line.decode(), end="")
arena.say(b"\n")
tell_what_comes(arena.sock)
