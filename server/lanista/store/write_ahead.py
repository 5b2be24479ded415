"""Finding transactions in SQLite's write-ahead log that SQLite would silently leave out.

SQLite reads such a log up to the first frame whose checksum is wrong, and ignores the rest without
an error. That is right after a crash, and wrong after damage. https://sqlite.org/walformat.html
"""

import struct
from pathlib import Path
from typing import IO

_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")
_MAGIC = 0x377F0682
"""The log's magic number; it is 1 more if checksums are of big-endian words."""
_TRIES = 3
"""How often to look at a log that seems damaged, since another program may be writing it."""


def unreadable(log: Path) -> int:
    """Return how many whole transactions SQLite would leave out; 2 or more mean damage.

    A single one may have been on its way to the disk when the power was cut, and never
    acknowledged.

    Raises:
        OSError: The log can't be read.
    """
    count = 0
    for _ in range(_TRIES):
        try:
            with log.open("rb") as file:
                count = _left_out(file)
        except FileNotFoundError:
            return 0
        if not count:
            break
    return count


def _left_out(file: IO[bytes]) -> int:
    header = file.read(_HEADER.size)
    if len(header) < _HEADER.size or not any(header):
        return 0
    magic, _, size, _, *salts, first, second = _HEADER.unpack(header)
    order = "<" if magic == _MAGIC else ">"
    sums = _checksums((0, 0), header[:24], order)
    if magic & ~1 != _MAGIC or sums != (first, second):
        return 2  # the header was on the disk before the first frame, so this can only be damage
    count = 0
    readable = True
    while len(frame := file.read(_FRAME.size + size)) == _FRAME.size + size:
        _, pages, *of, first, second = _FRAME.unpack_from(frame)
        if of != salts:  # a frame that is left of an earlier log
            readable = False
            continue
        if readable:
            sums = _checksums(_checksums(sums, frame[:8], order), frame[_FRAME.size :], order)
            readable = sums == (first, second)
        # Only the last frame of a transaction has a page count.
        count += not readable and pages > 0
    return count


def _checksums(sums: tuple[int, int], data: bytes, order: str) -> tuple[int, int]:
    first, second = sums
    for low, high in struct.iter_unpack(order + "2I", data):
        first = (first + low + second) & 0xFFFFFFFF
        second = (second + high + first) & 0xFFFFFFFF
    return first, second
