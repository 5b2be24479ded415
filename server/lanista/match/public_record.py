"""Copies of records for others than the bots' owners: without what only these may see.

On a ladder that is what bots log, and what their processes wrote. All else stays, so that a copy
can be replayed and verified like the record.
"""

import io
import json
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from lanista.match.record import encode, whole_lines

_GZIP = 31
"""What zlib takes for the gzip format, with the largest window."""
_LEVEL = 6


def public_copy(record: Path, owned: Collection[int]) -> bytes:
    """Return a copy of a finished record, compressed as the record is. Blocks.

    Args:
        record: The path of the record.
        owned: The seats whose logs and output stay in the copy.

    Raises:
        OSError: The record can't be read.
        BadRecordError: It is damaged.
    """
    packed = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    copy = io.BytesIO()
    for line in _lines(record, owned):
        copy.write(packed.compress(line))
    copy.write(packed.flush())
    return copy.getvalue()


def _lines(record: Path, owned: Collection[int]) -> Iterator[bytes]:
    for line in whole_lines(record):
        # Most lines have neither, and needn't be parsed.
        if b'"logs"' in line or b'"bots"' in line:
            yield _without_evidence(line, owned)
        else:
            yield line


def _without_evidence(line: bytes, owned: Collection[int]) -> bytes:
    values: dict[str, Any] = json.loads(line)
    logs = values.pop("logs", {})
    kept = {seat: text for seat, text in logs.items() if int(seat) in owned}
    if kept:
        values["logs"] = kept
    bots = values.get("result", {}).get("bots", ())
    for seat, bot in enumerate(bots):
        if bot is not None and seat not in owned:
            bot["output"], bot["output_turns"] = "", []
    return encode(values).encode() + b"\n"
