"""What a record tells of its match at a glance: who played, how it ended.

Reads header and result, and of the turns only those with faults: an eighth of the time, or less,
that it takes to read all. Whether the rules bear it out is asked when somebody looks at the match;
nothing is played again here.
"""

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lanista.match.record import (
    MAX_LINE,
    BadRecordError,
    Header,
    LineReader,
    ResultInfo,
)


def summary(path: Path) -> dict[str, Any]:
    """What docs/api.md tells of a record's match, but the game's title.

    Raises:
        BadRecordError: It is no whole record, or of another match than its name says.
        OSError: It can't be read.
    """
    lines, reader = _lines(path), LineReader(path)
    header = reader.read(next(lines, b""))
    assert isinstance(header, Header)  # nothing else is taken in the first line
    faults, last = [0] * len(header.players), b""
    for line in lines:
        # A quote within what a bot said is escaped: only a key looks like this.
        if b'"faults"' in last:
            _count_faults(path, last, faults)
        last = line
    try:
        result = reader.read(last)
    except BadRecordError:
        result = None
    if not isinstance(result, ResultInfo):
        raise BadRecordError(f"{path}: its last line is no result")
    told = {
        "match": header.match,
        "game": header.game,
        "state": "over",
        "started": header.started,
        "ended": result.ended or None,
        "players": [player.name for player in header.players],
        "end": result.end,
        "reason": result.reason,
        "ranks": list(result.ranks),
        "scores": list(result.scores),
        "turns": result.turns,
        "seed": str(header.seed),
        "faults": faults,
    }
    try:
        json.dumps(told, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BadRecordError(f"{path}: half a character (a lone surrogate) in its words") from None
    return told


def _count_faults(path: Path, line: bytes, faults: list[int]) -> None:
    """Add the faults of a turn's line to those by seat."""
    try:
        told = json.loads(line)
        for fault in told["faults"]:
            faults[range(len(faults)).index(fault["seat"])] += 1  # -1 is no seat
        for seat, more in told.get("more_faults", {}).items():
            faults[range(len(faults)).index(int(seat))] += int(more)
    except (ValueError, RecursionError, KeyError, IndexError, TypeError, AttributeError):
        raise BadRecordError(f"{path}: a turn whose faults can't be read") from None


def _lines(path: Path) -> Iterator[bytes]:
    """The whole lines of a record."""
    with gzip.open(path) as file:
        while True:
            try:
                line = file.readline(MAX_LINE)
            except (gzip.BadGzipFile, EOFError, zlib.error) as error:
                raise BadRecordError(f"{path}: damaged gzip data ({error})") from None
            if not line.endswith(b"\n"):
                return
            yield line
