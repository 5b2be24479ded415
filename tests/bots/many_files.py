"""Misbehaves: in its first turn it writes files of 1 MiB, up to 1000, and says how far it came.

The first word of its command line is the folder; the others go into the hello.
"""

import sys
from pathlib import Path

from wire import Arena

folder = Path(sys.argv.pop(1))
arena = Arena()
arena.turn()
count = 0
try:
    for count in range(1000):
        (folder / f"many{count}").write_bytes(b"x" * (1 << 20))
except OSError as error:
    print(error.strerror, count)
else:
    print("nobody stopped me")
