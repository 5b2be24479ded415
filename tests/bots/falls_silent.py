"""Misbehaves: says hello, then reads on and never answers."""

from wire import Arena

for _ in Arena().reader:
    pass
