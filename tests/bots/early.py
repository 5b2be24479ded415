"""Odd but allowed: sends a hundred answers with its hello, then only reads."""

from wire import Arena

arena = Arena()
arena.say(b"\n" * 100)
while True:
    arena.turn()
