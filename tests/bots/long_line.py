"""Misbehaves: plays two turns, then answers with a line of 10 MB."""

from wire import BIG, Arena, tell_what_comes

arena = Arena()
arena.play(turns=2)
arena.turn()
arena.say(b"1 " * (BIG // 2) + b"\n")
tell_what_comes(arena.sock)
