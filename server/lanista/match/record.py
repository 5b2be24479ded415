"""The record of a match: a JSON-lines file, gzip once the match is over. Writing and reading.

First line: the header, all that decides the match. Then a line a turn: verdicts, raw answers,
times, logs, the digest of the position. Last line: the result. The positions aren't stored:
`replay` plays the match again. docs/records.md describes every key.
"""

import gzip
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import cattrs
import trio
from cattrs.preconf.json import make_converter

from lanista.rules.outcome import Outcome

FORMAT = 1
"""Grows when an older reader couldn't understand a newer record."""
ENDING = ".jsonl.gz"
PART = ".part"
"""Added to the name while the match goes on."""
MAX_LINE = 64 * 1024 * 1024
"""Characters of a line that a reader takes: a turn of four seats stays far below."""


class BadRecordError(Exception):
    """A file that is no record, or isn't whole; says which line."""


@attrs.frozen(kw_only=True)
class PlayerInfo:
    """Who had a seat."""

    name: str
    protocol: str
    """`1`, or `classic`."""
    command: tuple[str, ...] | None = None
    """The words it was started by, when the arena did."""


@attrs.frozen(kw_only=True)
class ClockInfo:
    """The limits of a match in seconds; 0 is none."""

    first: float
    turn: float
    late_limit: int


@attrs.frozen(kw_only=True)
class Header:
    """All that decides a match, and who played."""

    lanista_record: int
    software: str
    match: str
    started: str
    """ISO 8601, UTC."""
    game: str
    game_version: str
    settings: dict[str, int]
    board: str
    """As the ruleset writes it to a file."""
    generated: bool
    """Whether the seed made the board."""
    seed: int
    players: tuple[PlayerInfo, ...]
    clock: ClockInfo
    try_: int = 1
    """From 1; more when an earlier one was void."""


@attrs.frozen(kw_only=True)
class FaultInfo:
    """Why something of an answer didn't count."""

    turn: int
    seat: int
    code: str
    index: int | None
    words: str


@attrs.frozen(kw_only=True)
class TurnInfo:
    """One turn as it was judged."""

    turn: int
    verdicts: tuple[str, ...]
    """By seat: answer, late, malformed, missing or out."""
    raw: tuple[str | None, ...]
    """By seat: the answer's line as it came."""
    times: tuple[tuple[int, ...] | None, ...]
    """By seat, in microseconds: handed over since the turn began; then since the hand-over:
    arrived at the earliest, at the latest, read."""
    digest: str
    stall: float = 0.0
    """Seconds the host kept the loop waiting, when that was noticed."""
    status: tuple[float, ...] = ()
    """By seat, what the ruleset was told of clock use; empty when nobody was."""
    faults: tuple[FaultInfo, ...] = ()
    logs: dict[str, str] = attrs.field(factory=dict)
    """By seat that wrote any."""


@attrs.frozen(kw_only=True)
class BotInfo:
    """How a bot's process ended, when the arena had started it."""

    exit: str
    output: str
    """The last of what it wrote to stderr and stdout."""


@attrs.frozen(kw_only=True)
class ResultInfo:
    """How the match ended."""

    end: str
    reason: str
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    turns: int
    digest: str
    faults: tuple[FaultInfo, ...] = ()
    error: str | None = None
    """The arena's own error that aborted the match."""
    bots: tuple[BotInfo | None, ...] = ()
    ended: str = ""
    """ISO 8601, UTC."""

    def agrees_with(self, outcome: Outcome) -> bool:
        """Whether it tells this outcome."""
        return (self.end, self.reason, self.ranks, self.scores) == (
            outcome.termination.value,
            outcome.reason,
            outcome.ranks,
            outcome.scores,
        )


class RecordWriter:
    """Writes a match while it is played.

    Every line goes to the system at once, unbuffered: a crash of the arena loses nothing, and a
    write of some hundred bytes to the page cache takes microseconds.
    """

    def __init__(self, path: Path) -> None:
        """Open `path` + `.part`.

        Raises:
            OSError: The folder can't be made or written.
        """
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._part = path.with_name(path.name + PART)
        self._file = self._part.open("wb", buffering=0)

    def begin(self, header: Header) -> None:
        """Write the header."""
        self._line(_CONVERTER.unstructure(header))

    def turn(self, turn: Mapping[str, Any]) -> None:
        """Write a turn: a TurnInfo's attributes, those left out that have their default."""
        self._line(turn)

    def _line(self, value: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(value, separators=(",", ":")).encode() + b"\n")

    async def finish(self, result: ResultInfo) -> None:
        """Write the result; compress in a thread; the record has its name once it is on disk."""
        self._line({"result": _CONVERTER.unstructure(result)})
        self._file.close()
        await trio.to_thread.run_sync(self._compress)

    def _compress(self) -> None:
        packed = self.path.with_name(self.path.name + ".tmp")
        data = self._part.read_bytes()
        with packed.open("wb") as file:
            # A plain record where the name asks for one; gzip otherwise, without a time inside.
            file.write(gzip.compress(data, mtime=0) if self.path.suffix == ".gz" else data)
            file.flush()
            os.fsync(file.fileno())
        packed.replace(self.path)
        self._part.unlink()

    def close(self) -> None:
        """Close without a result: what was written stays in the `.part` file."""
        self._file.close()

    def discard(self) -> None:
        """Forget a match that never began."""
        self._part.unlink(missing_ok=True)


def _converter() -> cattrs.Converter:
    converter = make_converter(forbid_extra_keys=True)

    def strict(value: Any, kind: type) -> Any:
        # cattrs would make an int of "12" and a str of anything.
        if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
            raise TypeError(f"{value!r} is no {kind.__name__}")
        return value

    for kind in (bool, int, str):
        converter.register_structure_hook(kind, strict)
    converter.register_structure_hook(
        float,
        lambda value, _: float(
            strict(value, int) if isinstance(value, int) else strict(value, float)
        ),
    )
    return converter


_CONVERTER = _converter()


@attrs.frozen
class Record:
    """A record that was read."""

    header: Header
    turns: tuple[TurnInfo, ...]
    result: ResultInfo | None
    """None: the arena ended before the match did."""


def read_record(path: Path) -> Record:
    """Read a record, also a `.part` one that a crash left.

    Raises:
        BadRecordError: It is no record; says where.
        OSError: The file can't be read.
    """
    lines = list(_numbered_lines(path))
    if not lines:
        raise BadRecordError(f"{path}: empty; a record begins with its header")
    header = _structured(path, *lines[0], Header)
    if header.lanista_record != FORMAT:
        raise BadRecordError(
            f"{path}: line 1: record format {header.lanista_record}; this version reads {FORMAT}"
        )
    result = None
    if len(lines) > 1 and isinstance(lines[-1][1], dict) and set(lines[-1][1]) == {"result"}:
        number, value = lines.pop()
        result = _structured(path, number, value["result"], ResultInfo)
    turns = tuple(_structured(path, number, value, TurnInfo) for number, value in lines[1:])
    seats = len(header.players)
    for at, turn in enumerate(turns):
        counts = {len(turn.verdicts), len(turn.raw), len(turn.times)}
        if turn.turn != at or counts != {seats}:
            raise BadRecordError(
                f"{path}: line {at + 2}: expected turn {at} with {seats} seats in every list"
            )
    return Record(header, turns, result)


def _numbered_lines(path: Path) -> Iterator[tuple[int, Any]]:
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise BadRecordError(f"{path}: damaged gzip data ({error})") from None
    lines = data.split(b"\n")
    # What stands behind the last newline was never finished: a crash came between.
    for number, line in enumerate(lines[:-1], 1):
        try:
            yield number, json.loads(line)
        except ValueError as error:
            raise BadRecordError(f"{path}: line {number}: no JSON ({error})") from None


def _structured(path: Path, number: int, value: Any, kind: type[Any]) -> Any:
    try:
        return _CONVERTER.structure(value, kind)
    except (cattrs.BaseValidationError, TypeError, ValueError, KeyError) as error:
        problems = (
            "; ".join(cattrs.transform_error(error))
            if isinstance(error, cattrs.BaseValidationError)
            else str(error)
        )
        raise BadRecordError(f"{path}: line {number}: no {kind.__name__} ({problems})") from None


def outcome_info(
    outcome: Outcome,
    *,
    turns: int,
    digest: str,
    faults: Sequence[FaultInfo],
    error: str | None,
    ended: str,
) -> ResultInfo:
    """A result line from an outcome."""
    return ResultInfo(
        end=outcome.termination.value,
        reason=outcome.reason,
        ranks=outcome.ranks,
        scores=outcome.scores,
        turns=turns,
        digest=digest,
        faults=tuple(faults),
        error=error,
        ended=ended,
    )
