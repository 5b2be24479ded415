"""The record of a match: a JSON-lines file, gzip once the match is over. Writing and reading.

First line: the header, all that decides the match. Then a line a turn: verdicts, raw answers,
times, logs, the digest of the position. Last line: the result. The positions aren't stored:
`replay` plays the match again. docs/records.md describes every key.
"""

import errno
import gzip
import json
import os
import shutil
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
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
"""Bytes of a line that a reader takes: a turn of four seats stays far below."""
_ENCODE = json.JSONEncoder(separators=(",", ":")).encode
"""Made once: `json.dumps` would make an encoder a line."""
_LEVEL = 6
"""Of compression: 9 takes several times as long for records hardly smaller."""


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
    notes: bool = False
    """Whether it asked to be told of everything that is refused."""


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
    """The last of each seat, by turn; every one is in its turn's line."""
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
        if path.exists() and not path.is_file():
            raise FileExistsError(errno.EEXIST, "not a regular file", str(path))
        if path.is_symlink():
            path = path.resolve()  # the record goes where the link leads
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.part = path.with_name(path.name + PART)
        self._file = self.part.open("wb", buffering=0)
        self._whole = 0  # bytes of whole lines

    @property
    def begun(self) -> bool:
        """Whether anything was written: then it is kept, whatever happens."""
        return self._whole > 0

    def begin(self, header: Header) -> None:
        """Write the header."""
        self._line(_CONVERTER.unstructure(header))

    def turn(self, turn: Mapping[str, Any]) -> None:
        """Write a turn: a TurnInfo's attributes, those left out that have their default."""
        self._line(turn)

    def _line(self, value: Mapping[str, Any]) -> None:
        line = _ENCODE(value).encode() + b"\n"
        rest = memoryview(line)
        try:
            while rest:  # a disk that is nearly full takes a part
                rest = rest[self._file.write(rest) :]
        except OSError:
            # What is written next, if anything can be, must not stand behind half a line.
            with suppress(OSError):
                self._file.seek(self._whole)
                self._file.truncate()
            raise
        self._whole += len(line)

    async def finish(self, result: ResultInfo) -> None:
        """Write the result; compress in a thread; the record has its name once it is on disk."""
        try:
            self._line({"result": _CONVERTER.unstructure(result)})
        finally:
            self._file.close()
        await trio.to_thread.run_sync(self._compress)

    def _compress(self) -> None:
        packed = self.path.with_name(self.path.name + ".tmp")
        try:
            with self.part.open("rb") as lines, packed.open("wb") as file:
                if self.path.suffix == ".gz":
                    # Without a name or a time inside: the same lines give the same file.
                    with gzip.GzipFile("", "wb", _LEVEL, file, mtime=0) as zipped:
                        shutil.copyfileobj(lines, zipped)
                else:  # a plain record where the name asks for one
                    shutil.copyfileobj(lines, file)
                file.flush()
                os.fsync(file.fileno())
            packed.replace(self.path)
        except OSError:
            packed.unlink(missing_ok=True)  # the lines are still in the `.part` file
            raise
        self.part.unlink()

    def close(self) -> None:
        """Close without a result: what was written stays in the `.part` file."""
        self._file.close()

    def discard(self) -> None:
        """Forget a match that never began."""
        self.part.unlink(missing_ok=True)


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
    reader = LineReader(path)
    turns: list[TurnInfo] = []
    header: Header | None = None
    result: ResultInfo | None = None
    for line in _lines(path):
        read = reader.read(line)
        if isinstance(read, TurnInfo):
            turns.append(read)
        elif isinstance(read, ResultInfo):
            result = read
        else:
            header = read
    if header is None:
        raise BadRecordError(f"{path}: empty; a record begins with its header")
    return Record(header, tuple(turns), result)


@attrs.define
class LineReader:
    """Reads a record line by line, also one that is still written."""

    path: Path
    """For messages."""
    _number: int = 0
    _seats: int = 0
    _turns: int = 0
    _over: bool = False

    def read(self, line: bytes) -> Header | TurnInfo | ResultInfo:
        """The next whole line.

        Raises:
            BadRecordError: It isn't what belongs there; says which line and why.
        """
        self._number += 1
        path, number = self.path, self._number
        try:
            value = json.loads(line, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise BadRecordError(f"{path}: line {number}: no JSON ({error})") from None
        if number == 1:
            return self._header(value)
        if self._over:
            raise BadRecordError(f"{path}: line {number}: a line behind the result")
        if isinstance(value, dict) and set(value) == {"result"}:
            result: ResultInfo = _structured(path, number, value["result"], ResultInfo)
            _check_result(path, number, result, self._seats)
            self._over = True
            return result
        turn: TurnInfo = _structured(path, number, value, TurnInfo)
        _check_turn(path, number, turn, self._turns, self._seats)
        self._turns += 1
        return turn

    def _header(self, value: Any) -> Header:
        found = value.get("lanista_record") if isinstance(value, dict) else None
        if type(found) is not int or found != FORMAT:
            what = f"record format {found}" if type(found) is int else "no header of a record"
            raise BadRecordError(f"{self.path}: line 1: {what}; this version reads format {FORMAT}")
        header: Header = _structured(self.path, 1, value, Header)
        self._seats = len(header.players)
        return header


def _check_turn(path: Path, number: int, turn: TurnInfo, expected: int, seats: int) -> None:
    counts = {len(turn.verdicts), len(turn.raw), len(turn.times), len(turn.status) or seats}
    if turn.turn != expected or counts != {seats}:
        raise BadRecordError(
            f"{path}: line {number}: expected turn {expected} with {seats} seats in every list"
        )
    named = [str(fault.seat) for fault in turn.faults] + list(turn.logs)
    _check_seats(path, number, named, seats)


def _check_result(path: Path, number: int, result: ResultInfo, seats: int) -> None:
    if {len(result.ranks), len(result.scores), len(result.bots) or seats} != {seats}:
        raise BadRecordError(f"{path}: line {number}: expected {seats} seats in every list")
    _check_seats(path, number, [str(fault.seat) for fault in result.faults], seats)


def _check_seats(path: Path, number: int, named: Sequence[str], seats: int) -> None:
    known = {str(seat) for seat in range(seats)}
    for seat in named:
        if seat not in known:
            raise BadRecordError(
                f"{path}: line {number}: no seat {seat!a}; they are 0 to {seats - 1}"
            )


def _lines(path: Path) -> Iterator[bytes]:
    """Every whole line, one at a time in memory."""
    with path.open("rb") as plain:
        is_packed = plain.read(2) == b"\x1f\x8b"
        plain.seek(0)
        file = gzip.GzipFile(fileobj=plain) if is_packed else plain
        number = 0
        while True:
            try:
                line = file.readline(MAX_LINE)
            except (gzip.BadGzipFile, EOFError, zlib.error) as error:
                raise BadRecordError(f"{path}: damaged gzip data ({error})") from None
            number += 1
            if len(line) == MAX_LINE:
                raise BadRecordError(f"{path}: line {number}: more than {MAX_LINE} bytes")
            if not line.endswith(b"\n"):
                return  # the end; or a line that was never finished: a crash came between
            yield line


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _structured(path: Path, number: int, value: Any, kind: type[Any]) -> Any:
    try:
        if not isinstance(value, dict):
            raise TypeError("it is no object of keys")  # noqa: TRY301 - told as all else is
        return _CONVERTER.structure(value, kind)
    except (cattrs.BaseValidationError, TypeError, ValueError, KeyError) as error:
        problems = (
            "; ".join(cattrs.transform_error(error))
            if isinstance(error, cattrs.BaseValidationError)
            else str(error)
        )
        # Names of keys come from the file: they must stay within this one line.
        shown = problems.encode("unicode_escape").decode("ascii")
        raise BadRecordError(f"{path}: line {number}: no {kind.__name__} ({shown})") from None


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
