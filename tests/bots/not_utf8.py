"""Misbehaves: plays two turns, then answers with bytes that are no text."""

from wire import Arena, tell_what_comes

arena = Arena()
arena.play(turns=2)
arena.turn()
arena.say(b"\xff\xfe\x80\n")
tell_what_comes(arena.sock)
