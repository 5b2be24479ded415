"""Healthy: a bare script that speaks the classic dialect (PROTOCOL.md 6), as bots of old do.

It can say its name and nothing else. One unit steps off the base and back again, for ever.
"""

import os
import sys

from wire import dial

WAYS = ((0, 1), (-1, 0), (0, -1), (1, 0))  # right, up, left, down

sock = dial()
lines = sock.makefile("r")
sock.sendall(" ".join([os.environ["LANISTA_NAME"], *sys.argv[1:], "\n"]).encode())
rows, cols = map(int, lines.readline().split())
field = [lines.readline().split() for _ in range(rows)]
((i, j),) = ((row, col) for row in range(rows) for col in range(cols) if field[row][col] == "A")
d, out = next(
    (d, (i + down, j + right))
    for d, (down, right) in enumerate(WAYS)
    if 0 <= i + down < rows and 0 <= j + right < cols and field[i + down][j + right] != "#"
)
steps = (f"{i} {j} 1 {d}\n", f"{out[0]} {out[1]} 1 {(d + 2) % 4}\n")
turn = 0
try:
    while True:
        sock.sendall(steps[turn % 2].encode())
        if not lines.readline():
            break
        turn += 1
except ConnectionError:
    pass
