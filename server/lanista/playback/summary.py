"""The summary of a match, read from its record: who played, and how it ended.

Only the header and the result are parsed. The match isn't played again here; whether the rules
confirm the record is checked when its replay is shown.
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
        last = b""
        for last in lines:  # noqa: B007 - used after the loop
            pass
    try:
        result = reader.read(last)
    except BadRecordError:
        result = None
    if not isinstance(result, ResultInfo):
        raise BadRecordError(f"{path}: its last line isn't a result")
    match = {
        "match": header.match,
        "game": header.game,
        "ladder": None if header.ladder is None else header.ladder.name,
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
        "faults": [sum(counts.values()) for counts in result.fault_counts] or None,
    }
    try:
        json.dumps(match, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BadRecordError(f"{path}: half a character (a lone surrogate) in its text") from None
    return match
