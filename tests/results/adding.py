"""Adds blocks until it is stopped: `adding.py TARGET FIRST COUNT`. Says what is stored, by id.

A line a transaction, after it; transactions of 1, 2, 3, 4, 1, … blocks. When its input ends it
begins, so that several can begin at once.
"""

import sys

from samples import drawn

from lanista.results.database import Store

target, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with Store.open(target) as store:
    print("ready", flush=True)
    sys.stdin.read()
    at, size = first, 1
    while at < first + count:
        ids = store.add([drawn(number) for number in range(at, min(at + size, first + count))])
        print(*ids, flush=True)
        at, size = at + size, size % 4 + 1
