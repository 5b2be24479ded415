"""Misbehaves: plays two turns, then moves from outside the map."""

from wire import Arena, tell_what_comes

arena = Arena()
arena.play(turns=2)
arena.turn()
arena.say(b"-1 0 1 0\n")
tell_what_comes(arena.sock)
