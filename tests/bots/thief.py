"""Misbehaves: has its seat, then dials again without a token, to take another one too.

The first word of its command line is a file in which it notes what it was told.
"""

import sys
from pathlib import Path

from wire import Arena, dial, tell_what_comes

mark = Path(sys.argv.pop(1))
arena = Arena()
while arena.reader.readline()[:5] != b"wait ":
    pass
try:
    second = dial()
    second.sendall(b"Thief v=1\n")
    heard = second.makefile("rb").readline()
except OSError as error:
    heard = str(error).encode()
mark.with_suffix(".new").write_bytes(heard)
mark.with_suffix(".new").rename(mark)
tell_what_comes(arena.sock)
