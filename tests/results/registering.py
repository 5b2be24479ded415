"""Registers names until it is stopped: `registering.py TARGET WHO COUNT`. Says which it got.

A line a name, after it is stored: its number, and whether it was the first. When its input ends it
begins, so that several can begin at once.
"""

import sys

from lanista.results.base import Database
from lanista.results.names import NameStore, Registrar

target, who, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Database.open(target) as database:
    store = NameStore(database)
    print("ready", flush=True)
    sys.stdin.read()
    for number in range(count):
        stored = store.register(f"Bot {number}", f"hash of {who}", Registrar.ITSELF)
        print(number, stored.token_hash == f"hash of {who}", flush=True)
