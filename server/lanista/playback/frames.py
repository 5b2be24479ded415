"""A match as a viewer gets it: a head, a frame a turn, an end (docs/api.md, "Films").

Made of a record, which is played again while it is read, also while it is still written. Frames
are told as differences from the one before, with a whole one every `KEY_EVERY`. No socket, no
clock, no process.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from lanista.formats.originals import Shown
from lanista.match.record import FaultInfo, Header, ResultInfo, TurnInfo
from lanista.rules import registry
from lanista.rules.base import Ruleset
from lanista.rules.picture import Frame, Ground, Level, Mark, Scene

API = 1
"""The version of all JSON; grows when an older page couldn't read it."""
KEY_EVERY = 20
"""Frames from one that is whole to the next."""
LONGEST = 20_000
"""Characters of an answer, or of a turn's log, that a viewer is shown; the record has all."""
GROUNDS = {Ground.FLOOR: ".", Ground.WALL: "#", Ground.BASE: "="}
NOBODY = -1

_ENCODE = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def encode(value: Mapping[str, Any]) -> bytes:
    """JSON as it goes over the wire.

    Raises:
        ValueError: A number in it is infinite or none: JSON has no word for it.
    """
    # A lone surrogate can't be UTF-8; the page shows a question mark for it.
    return _ENCODE(value).encode("utf-8", "replace")


def head(header: Header, ruleset: Ruleset, scene: Scene, *, rounds: int | None) -> dict[str, Any]:
    """What is told of a match before its first frame, from a record's header.

    Not the seed, nor the bots' command lines: a seed is told when the match is over, a command
    line may hold secrets.
    """
    return {
        "type": "head",
        "api": API,
        "match": header.match,
        "source": "record",
        "game": header.game,
        "title": ruleset.title,
        "started": header.started,
        "players": [
            {"name": player.name, "protocol": player.protocol} for player in header.players
        ],
        "settings": dict(header.settings),
        "clock": attrs.asdict(header.clock),
        "attempt": header.try_,
        "rounds": rounds,
        "scene": scene_json(scene),
    }


def head_of_res(shown: Shown) -> dict[str, Any]:
    """What is told before the first frame of an original game's match file."""
    return {
        "type": "head",
        "api": API,
        "match": None,
        "source": "res",
        "game": shown.game,
        "title": registry.get(shown.game).title,
        "started": None,
        "players": [{"name": name, "protocol": None} for name in shown.names],
        "settings": dict(shown.settings),
        "clock": None,
        "attempt": 1,
        "rounds": None,
        "scene": scene_json(shown.scene),
    }


def scene_json(scene: Scene) -> dict[str, Any]:
    """A scene."""
    levels = scene.levels or (Level(title="", col=0, cols=scene.cols),)
    return {
        "rows": scene.rows,
        "cols": scene.cols,
        "ground": ["".join(GROUNDS[ground] for ground in row) for row in scene.ground],
        "owners": [[row, col, seat] for (row, col), seat in sorted(scene.owners.items())],
        "levels": [attrs.asdict(level) for level in levels],
        "signs": [list(sign) for sign in scene.signs],
        "kinds": [[shape.value, text, meaning] for shape, text, meaning in scene.kinds],
        "stats": list(scene.stats),
    }


@attrs.define
class FrameWriter:
    """Makes frames into JSON, one after the other."""

    scene: Scene
    _count: int = 0
    _owned: Mapping[tuple[int, int], int] = attrs.field(factory=dict)
    _marks: list[tuple[Any, ...]] = attrs.field(factory=list)

    def frame(
        self, frame: Frame, scores: Sequence[int], turn: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """The next frame.

        Args:
            frame: What stands where.
            scores: By seat.
            turn: What `turn_json` tells of the turn that led here; None at the start.
        """
        marks = [_mark(mark) for mark in frame.marks]
        told: dict[str, Any] = {"n": self._count, "turn": frame.turn}
        if self._count % KEY_EVERY:
            told["own"] = self._changes(frame.owned)
            told["gone"], told["marks"] = _differences(self._marks, marks)
            # As the reader has them now: its order is that of the differences.
            gone = set(told["gone"])
            kept = [mark for at, mark in enumerate(self._marks) if at not in gone]
            self._marks = kept + told["marks"]
        else:
            told["key"] = True
            told["own"] = self._flat(frame.owned)
            told["marks"] = self._marks = marks
        self._owned = dict(frame.owned)
        if frame.lit:
            told["lit"] = _ranges(frame.lit)
        told["scores"] = list(scores)
        told["captions"] = list(frame.captions)
        if frame.stats:
            told["stats"] = [list(values) for values in frame.stats]
        if frame.arrows:
            told["arrows"] = [
                [*arrow.start, *arrow.end, arrow.seat, arrow.text] for arrow in frame.arrows
            ]
        if frame.captured:
            told["captured"] = self._flat(frame.captured)
        if frame.events:
            told["events"] = [[_seat(event.seat), event.words] for event in frame.events]
        if turn is not None:
            told["play"] = dict(turn)
        self._count += 1
        return told

    def _flat(self, owned: Mapping[tuple[int, int], int]) -> list[int]:
        cols = self.scene.cols
        return [number for (row, col), seat in owned.items() for number in (row * cols + col, seat)]

    def _changes(self, owned: Mapping[tuple[int, int], int]) -> list[int]:
        """Cell, seat, cell, seat …: those that differ from the frame before."""
        cols, before = self.scene.cols, self._owned
        changed = self._flat({at: seat for at, seat in owned.items() if before.get(at) != seat})
        for row, col in before.keys() - owned.keys():
            changed += (row * cols + col, NOBODY)
        return changed


def turn_json(turn: TurnInfo, limit: float) -> dict[str, Any]:
    """What a record tells of a turn; `limit` in seconds, 0: none."""
    told: dict[str, Any] = {
        "turn": turn.turn,
        "limit": limit,
        "verdicts": list(turn.verdicts),
        "raw": [None if raw is None else shortened(raw) for raw in turn.raw],
        "times": [None if times is None else list(times) for times in turn.times],
    }
    if turn.stall:
        told["stall"] = turn.stall
    if turn.status:
        told["status"] = list(turn.status)
    if turn.faults:
        told["faults"] = [fault_json(fault) for fault in turn.faults]
    if turn.logs:
        told["logs"] = {seat: shortened(text) for seat, text in turn.logs.items()}
    return told


def fault_json(fault: FaultInfo) -> dict[str, Any]:
    """Something of an answer that didn't count."""
    return attrs.asdict(fault)


def end(result: ResultInfo | None, seed: int | None, trouble: str | None) -> dict[str, Any]:
    """What is told behind the last frame.

    Args:
        result: None: the record has none.
        seed: The match's; None: not to be told.
        trouble: Why there are no more frames although the match went on; None: there is no more.
    """
    told: dict[str, Any] = {
        "type": "end",
        # As text: a browser's numbers are exact to 53 bits only.
        "seed": None if seed is None else str(seed),
        "trouble": trouble,
        "result": None,
    }
    if result is not None:
        told["result"] = {
            "end": result.end,
            "reason": result.reason,
            "ranks": list(result.ranks),
            "scores": list(result.scores),
            "turns": result.turns,
            "error": None if result.error is None else shortened(result.error),
            "ended": result.ended,
        }
    return told


def shortened(text: str) -> str:
    """Text that a page can show without effort; says how much was left out."""
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]} … and {len(text) - LONGEST} more characters"


def _mark(mark: Mark) -> tuple[Any, ...]:
    health = NOBODY if mark.health is None else round(mark.health, 2)
    unit = NOBODY if mark.unit is None else mark.unit
    told = (mark.row, mark.col, _seat(mark.seat), mark.shape.value, mark.text, unit, health)
    return (*told, *mark.details)


def _seat(seat: int | None) -> int:
    return NOBODY if seat is None else seat


def _differences(
    before: Sequence[tuple[Any, ...]], now: Iterable[tuple[Any, ...]]
) -> tuple[list[int], list[tuple[Any, ...]]]:
    """Places in `before` of the marks that are gone, and the marks that are new."""
    left: dict[tuple[Any, ...], list[int]] = {}
    for at, mark in enumerate(before):
        left.setdefault(mark, []).append(at)
    new = []
    for mark in now:
        same = left.get(mark)
        if same:
            same.pop()
        else:
            new.append(mark)
    return sorted(at for places in left.values() for at in places), new


def _ranges(columns: frozenset[int]) -> list[list[int]]:
    """First and count of every run of columns."""
    ranges: list[list[int]] = []
    for column in sorted(columns):
        if ranges and sum(ranges[-1]) == column:
            ranges[-1][1] += 1
        else:
            ranges.append([column, 1])
    return ranges
