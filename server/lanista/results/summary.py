"""The summary of a match, read from its record: who played, and how it ended.

Only the header and the result are parsed. The match isn't played again here; whether the rules
confirm the record is checked when its replay is shown.
"""

import json
from pathlib import Path
from typing import Any

from lanista.match.record import BadRecordError, Header, ResultInfo, read_ends


def summary(path: Path) -> dict[str, Any]:
    """Return a match as in docs/api.md, without the game's title.

    Raises:
        BadRecordError: The record isn't complete, or is of another match than its name says.
        OSError: The file can't be read.
    """
    header, result = read_whole(path)
    return {
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


def read_whole(path: Path) -> tuple[Header, ResultInfo]:
    """Return the header and the result of a record whose text can be shown.

    Raises:
        BadRecordError: The record isn't complete, or has half a character in its text.
        OSError: The file can't be read.
    """
    header, result = read_ends(path)
    text = [header.game, header.match, result.reason, *(player.name for player in header.players)]
    try:
        json.dumps(text, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BadRecordError(f"{path}: half a character (a lone surrogate) in its text") from None
    return header, result
