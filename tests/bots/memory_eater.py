"""Misbehaves: from its first turn on it takes memory and uses it, up to 3 GiB; then it exits."""

import sys

from wire import Arena

STEP = 4 << 20

arena = Arena()
arena.turn()
eaten = [b"x" * STEP for _ in range((3 << 30) // STEP)]
sys.exit("nobody stopped me")
