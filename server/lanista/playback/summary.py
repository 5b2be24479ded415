"""The summary of a match, read from its record: who played, and how it ended.

Only the header, the result and the turns with faults are parsed, which takes an eighth of the time
of parsing all, or less. The match isn't played again here; whether the rules confirm the record is
checked when its replay is shown.
"""

import contextlib
import json
from pathlib import Path
from typing import Any

from lanista.match.record import (
    BadRecordError,
    Header,
    LineReader,
    ResultInfo,
    whole_lines,
)


def summary(path: Path) -> dict[str, Any]:
    """Return a match as in docs/api.md, without the game's title.

    Raises:
        BadRecordError: The record isn't complete, or is of another match than its name says.
        OSError: The file can't be read.
    """
    reader = LineReader(path)
    with contextlib.closing(whole_lines(path)) as lines:
        header = reader.read(next(lines, b""))
        assert isinstance(header, Header)  # LineReader accepts nothing else in the first line
        faults, last = [0] * len(header.players), b""
        for line in lines:
            # Quotes within strings are escaped, so only a key looks like this.
            if b'"faults"' in last:
                _count_faults(path, last, faults)
            last = line
    try:
        result = reader.read(last)
    except BadRecordError:
        result = None
    if not isinstance(result, ResultInfo):
        raise BadRecordError(f"{path}: its last line isn't a result")
    match = {
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
        json.dumps(match, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BadRecordError(f"{path}: half a character (a lone surrogate) in its text") from None
    return match


def _count_faults(path: Path, line: bytes, faults: list[int]) -> None:
    """Add the faults in a turn's line to the numbers of faults, by seat."""
    try:
        turn = json.loads(line)
        for fault in turn["faults"]:
            faults[range(len(faults)).index(fault["seat"])] += 1  # a negative number isn't a seat
        for seat, more in turn.get("more_faults", {}).items():
            faults[range(len(faults)).index(int(seat))] += int(more)
    except (ValueError, RecursionError, KeyError, IndexError, TypeError, AttributeError):
        raise BadRecordError(f"{path}: a turn whose faults can't be read") from None
