"""Misbehaves: in its first turn it writes one file, up to 1 GiB, and says how far it came.

The first word of its command line is the file; the others go into the hello.
"""

import sys
from pathlib import Path

from wire import Arena

PIECE = b"x" * (1 << 20)

path = Path(sys.argv.pop(1))
arena = Arena()
arena.turn()
written = 0
try:
    with path.open("wb", buffering=0) as file:
        while written < 1 << 30:
            written += file.write(PIECE)
except OSError as error:
    print(error.strerror, written)
else:
    path.unlink()
    print("nobody stopped me")
