"""Misbehaves: fails before it says hello, with a traceback as a bot's author would see it."""

raise RuntimeError("no brain found")
