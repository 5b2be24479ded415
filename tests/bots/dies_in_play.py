"""Misbehaves: answers three turns, then fails with a traceback."""

from wire import Arena

Arena().play(turns=3)
raise RuntimeError("out of ideas")
