"""A match as JSON for viewers: a head, a frame for each turn, and an end (docs/api.md, "Frames").

A frame holds the differences from the frame before; every `KEY_EVERY` frames there is a key frame,
which is complete, so that a viewer can begin in the middle.
"""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import compress
from typing import Any

import attrs
import orjson

from lanista.games import registry
from lanista.games.base import Ruleset, Submove, submove_numbers
from lanista.games.originals import Shown
from lanista.games.picture import Event, Frame, Mark, Owners, Scene
from lanista.match.record import BotInfo, FaultInfo, Header, ResultInfo
from lanista.page.played_turn import PlayedTurn
from lanista.page.story import Chapter, LateTurns, Story

API = 1
"""Version of the page's JSON; grows when an older page couldn't read it."""
KEY_EVERY = 20
FAULTS_SHOWN = 100
"""Maximum number of a seat's faults in a turn for viewers."""
LONGEST = 20_000
"""Maximum length in characters of an answer or a turn's log for viewers; the record has all."""
NONE = -1
"""Stands for no seat, no unit or no health in the JSON."""

_ENCODE = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def encode(value: Mapping[str, Any]) -> bytes:
    """Return a value as compact JSON in UTF-8, with null for a number that isn't finite."""
    try:
        return orjson.dumps(value)
    except TypeError:
        # It contains a number of more than 64 bits, or a lone surrogate, which can't be UTF-8: the
        # page shows a question mark for it.
        return _ENCODE(value).encode("utf-8", "replace")


def head(header: Header, ruleset: Ruleset, scene: Scene, *, rounds: int | None) -> dict[str, Any]:
    """Return the head of a recorded match.

    Seed and command lines aren't in it: the seed must stay unknown until the match is over, and a
    command line may contain secrets.
    """
    players = [{"name": player.name, "protocol": player.protocol} for player in header.players]
    return _head(ruleset, scene, "record", players, header.settings) | {
        "match": header.match,
        "started": header.started,
        "clock": attrs.asdict(header.clock),
        "attempt": header.attempt,
        "ladder": None if header.ladder is None else header.ladder.name,
        "rounds": rounds,
    }


def head_of_res(shown: Shown) -> dict[str, Any]:
    """Return the head of an original game's match file."""
    ruleset = registry.get(shown.game)
    players = [{"name": name, "protocol": None} for name in shown.names]
    unknown = dict.fromkeys(("match", "started", "clock", "ladder", "rounds"))
    return _head(ruleset, shown.scene, "res", players, shown.settings) | unknown | {"attempt": 1}


def _head(
    ruleset: Ruleset,
    scene: Scene,
    source: str,
    players: Sequence[Mapping[str, str | None]],
    settings: Mapping[str, int],
) -> dict[str, Any]:
    return {
        "type": "head",
        "api": API,
        "source": source,
        "game": ruleset.name,
        "title": ruleset.title,
        "players": players,
        "settings": dict(settings),
        "numbers": submove_numbers(ruleset),
        "scene": scene_json(scene),
    }


def scene_json(scene: Scene) -> dict[str, Any]:
    """Return a scene as JSON."""
    return {
        "rows": scene.rows,
        "cols": scene.cols,
        "ground": ["".join(ground.value for ground in row) for row in scene.ground],
        "owners": [[row, col, seat] for (row, col), seat in sorted(scene.owners.items())],
        "levels": [attrs.asdict(level) for level in scene.parts],
        "signs": [list(sign) for sign in scene.signs],
        "kinds": [[shape.value, text, meaning] for shape, text, meaning in scene.kinds],
        "stats": list(scene.stats),
        "turn": scene.turn_word,
        "base": scene.free_base,
    }


@attrs.define
class FrameWriter:
    """Turns frames into JSON, one after another, and remembers the last for the differences."""

    scene: Scene
    _count: int = 0
    _owned: Mapping[tuple[int, int], int] = attrs.field(factory=dict)
    _marks: list[Mark] = attrs.field(factory=list)
    """The marks of the last frame, in the order in which a reader has them."""
    _keys: list[int] = attrs.field(factory=list)
    """The key of each of these marks, as by `_keys_of`."""

    def frame(
        self, frame: Frame, scores: Sequence[int], turn: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """Return the next frame as JSON, with scores by seat.

        `turn` is the one that led here, as by `turn_json`; None at the start.
        """
        fields: dict[str, Any] = {"n": self._count, "turn": frame.turn}
        if self._count % KEY_EVERY:
            fields["own"] = self._changes(frame.owned)
            fields["gone"], new = self._replace_marks(frame.marks)
        else:
            fields["key"] = True
            fields["own"] = self._flat(frame.owned)
            self._marks = new = list(frame.marks)
            self._keys = self._keys_of(new)
        fields["marks"] = list(map(_mark, new))
        is_fixed = isinstance(frame.owned, Owners)
        self._owned = frame.owned if is_fixed else dict(frame.owned)
        fields["scores"] = list(scores)
        fields["captions"] = list(frame.captions)
        optional = {
            "lit": _ranges(frame.lit),
            "stats": [list(values) for values in frame.stats],
            "arrows": [
                [*arrow.start, *arrow.end, arrow.seat, arrow.text] for arrow in frame.arrows
            ],
            "captured": self._flat(frame.captured),
            "events": [self._event(event) for event in frame.events],
            "play": turn,
        }
        self._count += 1
        return fields | {name: value for name, value in optional.items() if value}

    def _replace_marks(self, now: Sequence[Mark]) -> tuple[list[int], list[Mark]]:
        """Return the indices of the marks that are gone, and the marks that are new."""
        # If there are several marks of one key, some may be sent again although they were there.
        before = self._marks
        index_of = dict(zip(self._keys, range(len(before)), strict=True)).get
        is_kept = bytearray(len(before))
        new, new_keys = [], []
        for mark, key in zip(now, self._keys_of(now), strict=True):
            index = index_of(key)
            if index is not None and before[index] == mark and not is_kept[index]:
                is_kept[index] = 1
            else:
                new.append(mark)
                new_keys.append(key)
        # The reader appends new marks to those that stay; positions refer to that order.
        self._marks = [*compress(before, is_kept), *new]
        self._keys = [*compress(self._keys, is_kept), *new_keys]
        return [index for index, kept in enumerate(is_kept) if not kept], new

    def _keys_of(self, marks: Sequence[Mark]) -> list[int]:
        """Return by what each mark is found in another frame: its unit, or its cell without one."""
        cols = self.scene.cols
        return [
            row * cols + col if unit is None else ~unit for row, col, _, _, _, unit, _, _ in marks
        ]

    def _flat(self, owned: Mapping[tuple[int, int], int]) -> list[int]:
        cols = self.scene.cols
        return [number for (row, col), seat in owned.items() for number in (row * cols + col, seat)]

    def _event(self, event: Event) -> list[Any]:
        cells = [row * self.scene.cols + col for row, col in event.cells]
        about = [list(event.units), cells] if event.units or cells else []
        return [_seat(event.seat), event.text, *about]

    def _changes(self, owned: Mapping[tuple[int, int], int]) -> list[int]:
        """Return cell, seat, cell, seat …: the cells whose owner isn't that of the frame before."""
        cols, before = self.scene.cols, self._owned
        if isinstance(owned, Owners) and isinstance(before, Owners):
            return [
                number
                for (row, col), seat in owned.changes(before)
                for number in (row * cols + col, NONE if seat is None else seat)
            ]
        changed = self._flat(
            {cell: seat for cell, seat in owned.items() if before.get(cell) != seat}
        )
        for row, col in before.keys() - owned.keys():
            changed += (row * cols + col, NONE)
        return changed


def turn_json(
    played: PlayedTurn,
    limit: float,
    cols: int,
    idle: Mapping[int, str],
    logs: Collection[int] | None,
) -> dict[str, Any]:
    """Return a turn as JSON.

    The limit is the time for an answer in seconds, without lags, or 0. The scene has so many
    columns; idle units are those of the frame after the turn. The logs are those of some seats,
    None for all.
    """
    turn = played.info
    fields: dict[str, Any] = {
        "turn": turn.turn,
        "limit": limit,
        "verdicts": list(turn.verdicts),
        "raw": [None if raw is None else shortened(raw) for raw in turn.raw],
        "times": [None if times is None else list(times) for times in turn.times],
    }
    if played.answers is not None:
        fields["submoves"] = [
            None if submoves is None else [_submove(submove, idle, cols) for submove in submoves]
            for submoves in played.answers
        ]
    counts: Counter[int] = Counter()
    shown = []
    for fault in played.faults:
        counts[fault.seat] += 1
        if counts[fault.seat] <= FAULTS_SHOWN:
            shown.append(attrs.asdict(fault))
    optional = {
        "lags": dict(turn.lags),
        "round_trips": {seat: list(ways) for seat, ways in turn.round_trips.items()},
        "stall": turn.stall,
        "status": list(turn.status),
        "faults": shown,
        "more_faults": {
            seat: count - FAULTS_SHOWN for seat, count in counts.items() if count > FAULTS_SHOWN
        },
        "left": dict(turn.left),
        "rejoined": sorted(map(int, turn.rejoined)),
        "logs": {
            seat: shortened(text)
            for seat, text in turn.logs.items()
            if logs is None or int(seat) in logs
        },
    }
    return fields | {name: value for name, value in optional.items() if value}


def _submove(submove: Submove, idle: Mapping[int, str], cols: int) -> list[Any]:
    text, unit, places = submove
    cells = [row * cols + col for row, col in places]
    if unit is None:
        return [text, NONE, cells]
    return [text, unit, cells, idle[unit]] if unit in idle else [text, unit, cells]


def end(
    result: ResultInfo | None,
    seed: int | None,
    trouble: str | None,
    logs: Collection[int] | None = (),
    *,
    story: Story | None = None,
    late: Mapping[int, LateTurns] | None = None,
) -> dict[str, Any]:
    """Return the end of a match, which follows the last frame.

    There is no result if the record has none, no seed if viewers mustn't know it, and no story if
    it isn't complete. `trouble` says why the frames stop before the match did. Of the bots' output,
    that of the seats in `logs` is included, None for all. `late` are the late turns of seats that
    had any.
    """
    fields: dict[str, Any] = {
        "type": "end",
        # As text: a browser's numbers are exact to 53 bits only.
        "seed": None if seed is None else str(seed),
        "trouble": trouble,
        "result": None,
        "story": None if story is None else _story(story),
    }
    if result is not None:
        processes = {
            str(seat): bot
            for seat, bot in enumerate(result.bots)
            if bot is not None and (logs is None or seat in logs)
        }
        fields["result"] = {
            "end": result.end,
            "reason": result.reason,
            "ranks": list(result.ranks),
            "scores": list(result.scores),
            "turns": result.rounds,
            "error": None if result.error is None else shortened(result.error),
            "ended": result.ended,
            "endings": list(result.endings),
            "out": {
                str(seat): _out(fault, result.bot(seat), (late or {}).get(seat))
                for seat in range(len(result.endings))
                if (fault := result.fault_out(seat)) is not None
            },
            "exits": {seat: bot.exit for seat, bot in processes.items()},
            "outputs": {
                seat: last_part(bot.output) for seat, bot in processes.items() if bot.output
            },
            "output_turns": {
                seat: turns_of_last_part(bot) for seat, bot in processes.items() if bot.output_turns
            },
        }
    return fields


def _out(fault: FaultInfo, bot: BotInfo | None, late: LateTurns | None) -> dict[str, Any]:
    words = fault.words
    if fault.code == "late" and late is not None:
        words += late.told(bot)
    fields = {"turn": fault.turn, "code": fault.code, "words": shortened(words)}
    # A seat whose connection broke is out by another code, if its bot doesn't come back.
    if late is not None and late.first is not None and late.first < fault.turn:
        fields["since"] = late.first
    return fields


def _story(story: Story) -> dict[str, Any]:
    def chapters(told: Sequence[Chapter]) -> list[list[Any]]:
        return [
            [chapter.round, _seat(chapter.seat), shortened(chapter.text)]
            + ([] if chapter.last is None else [chapter.last])
            for chapter in told
        ]

    return {
        "chapters": chapters(story.chapters),
        "decided": story.decided,
        "best": list(story.best),
        "losses": {str(seat): chapters(told) for seat, told in story.losses.items()},
        # Again, as a browser puts the keys of `losses` in order of numbers.
        "losers": list(story.losses),
    }


def shortened(text: str) -> str:
    """Cut a text that is too long to be shown, and say how much was left out."""
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]} … and {len(text) - LONGEST} more characters"


def last_part(text: str) -> str:
    """Cut the beginning off a text that is too long to be shown, and say how much that was."""
    if len(text) <= LONGEST:
        return text
    return f"{len(text) - LONGEST} more characters before … {text[-LONGEST:]}"


def turns_of_last_part(bot: BotInfo) -> list[tuple[int, int]]:
    """Return `output_turns` of a bot whose output is shown by `last_part`."""
    moved = len(last_part(bot.output)) - len(bot.output)
    begins = max(0, moved + len(bot.output) - LONGEST)  # where the text that is left begins
    return [(turn, max(begins, start + moved)) for turn, start in bot.output_turns]


def _mark(mark: Mark) -> tuple[Any, ...]:
    row, col, seat, text, shape, unit, health, details = mark
    return (
        row,
        col,
        NONE if seat is None else seat,
        shape._value_,  # `value` is a property in Python, which takes as long as all the rest
        text,
        NONE if unit is None else unit,
        NONE if health is None else round(health, 2),
        *details,
    )


def _seat(seat: int | None) -> int:
    return NONE if seat is None else seat


def _ranges(columns: frozenset[int]) -> list[list[int]]:
    """Return the first column and the length of every run of columns."""
    ranges: list[list[int]] = []
    for column in sorted(columns):
        if ranges and sum(ranges[-1]) == column:
            ranges[-1][1] += 1
        else:
            ranges.append([column, 1])
    return ranges
