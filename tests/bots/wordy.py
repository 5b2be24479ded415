"""Healthy, but at length: thousands of submoves a turn, each of one unit, to and fro.

Needs a map whose cell to the right of seat 0's base holds thousands of neutral units, and a match
in which nobody else moves.
"""

from wire import Arena

SUBMOVES = 6000  # of at most 8 bytes: below the 65,536 bytes of a line

arena = Arena()
arena.turn()
arena.say(b"0 0 1 0\n")  # recruits them
turn = 0
while True:
    arena.turn()
    arena.say((b"0 1 1 0 " if turn % 2 == 0 else b"0 2 1 2 ") * SUBMOVES + b"\n")
    turn += 1
