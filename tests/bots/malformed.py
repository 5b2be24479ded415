"""Misbehaves: plays two turns, then answers with words where numbers belong."""

from wire import Arena, tell_what_comes

arena = Arena()
arena.play(turns=2)
arena.turn()
arena.say(b"go north please\n")
tell_what_comes(arena.sock)
