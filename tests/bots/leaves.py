"""Misbehaves: plays two turns and leaves."""

from wire import Arena

arena = Arena()
arena.play(turns=2)
arena.turn()
