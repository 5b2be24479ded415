"""Odd but allowed: answers every turn twice, so that each answer but the first comes ahead."""

from wire import Arena

Arena().play(answer=b"\n\n")
