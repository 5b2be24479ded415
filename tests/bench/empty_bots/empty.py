"""Answers every turn with nothing: what it takes is the client library's own time.

empty.py GAME
"""

import sys

from lanista_client import Arena

with Arena("Empty", game=sys.argv[1]) as arena:
    for _ in arena:
        arena.send([])
