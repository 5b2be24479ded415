"""Looking through SQLite's write-ahead log for transactions that can't be read any more.

SQLite reads such a log up to the first frame whose checksum is wrong, and forgets the rest without
a word: that is right behind a crash, and wrong behind damage. https://sqlite.org/walformat.html
"""

import struct
from pathlib import Path
from typing import IO

_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")
_MAGIC = 0x377F0682
"""With 1 added, checksums are of big-endian words."""
_TRIES = 3
"""Looks at a log in which something seems to be wrong: another program may be writing it."""


def unreadable(log: Path) -> int:
    """Return how many whole transactions SQLite would leave out; 2 or more: damage.

    One may also have been under way to the disk when the power was cut: it was never acknowledged.

    Raises:
        OSError: The log can't be read.
    """
    found = 0
    for _ in range(_TRIES):
        try:
            with log.open("rb") as file:
                found = _left_out(file)
        except FileNotFoundError:
            return 0
        if not found:
            break
    return found


def _left_out(file: IO[bytes]) -> int:
    header = file.read(_HEADER.size)
    if len(header) < _HEADER.size or not any(header):
        return 0
    magic, _, size, _, *salts, first, second = _HEADER.unpack(header)
    order = "<" if magic == _MAGIC else ">"
    sums = _added((0, 0), header[:24], order)
    if magic & ~1 != _MAGIC or sums != (first, second):
        return 2  # it is on the disk before the first frame: nothing but damage does that
    count = 0
    readable = True
    while len(frame := file.read(_FRAME.size + size)) == _FRAME.size + size:
        _, pages, *of, first, second = _FRAME.unpack_from(frame)
        if of != salts:  # of a log that was here before
            readable = False
            continue
        if readable:
            sums = _added(_added(sums, frame[:8], order), frame[_FRAME.size :], order)
            readable = sums == (first, second)
        # The last frame of a transaction says how many pages the database has then.
        count += not readable and pages > 0
    return count


def _added(sums: tuple[int, int], data: bytes, order: str) -> tuple[int, int]:
    one, two = sums
    for low, high in struct.iter_unpack(order + "2I", data):
        one = (one + low + two) & 0xFFFFFFFF
        two = (two + high + one) & 0xFFFFFFFF
    return one, two
