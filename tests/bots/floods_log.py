"""Misbehaves: writes 200,000 bytes of log each turn before it answers."""

from wire import Arena

Arena().play(answer=b"# nothing to say, at length\n" * 7_000 + b"\n")
