"""The record of a match: a JSON-lines file, gzip once the match is over. Writing and reading.

First line: the header, all that decides the match. Then a line a turn: verdicts, raw answers,
times, logs, the digest of the position. Last line: the result. The positions aren't stored:
`replay` plays the match again. docs/records.md describes every key.
"""

import errno
import fcntl
import gzip
import hashlib
import io
import json
import math
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

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
TMP = ".tmp"
"""Added to the name while the finished record is being compressed."""
CHUNK = 256 * 1024
"""Bytes that are compressed between two looks at whether to go on."""
MAX_LINE = 64 * 1024 * 1024
"""Bytes of a line that a reader takes: a turn of four seats stays far below."""
MAX_WORDS = 900
"""Characters of what is told of a bad record."""
DETAILED = 16 * 1024
"""Bytes of a line up to which every fault in it is told: to find them all may take minutes."""
encode = json.JSONEncoder(separators=(",", ":")).encode
"""Return a value as a record writes it. Made once: `json.dumps` would make an encoder a line."""
_LEVEL = 6
"""Of compression: 9 takes several times as long for records hardly smaller."""


class BadRecordError(Exception):
    """A file that is no record, or isn't whole; says which line."""

    def __init__(self, words: str) -> None:
        super().__init__(one_line(words))


def one_line(words: str) -> str:
    """Return words that quote a record as one printable line, cut where it gets too long."""
    if not words.isprintable():
        words = words.encode("unicode_escape").decode("ascii")
    return words if len(words) <= MAX_WORDS else words[:MAX_WORDS] + "…"


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
class ShortenedInfo:
    """An answer of which a record keeps only the beginning."""

    size: int
    """Bytes of the line as it came."""
    sha256: str
    """Hash of the same bytes, in hexadecimal digits."""


def whole_of(line: str) -> ShortenedInfo:
    """Return what a record tells of a line that it keeps only in part."""
    data = line.encode()
    return ShortenedInfo(size=len(data), sha256=hashlib.sha256(data).hexdigest())


def squeezed(line: str) -> str:
    """Return an answer as records keep it: runs of spaces are one space, and none are at the ends.

    It has the same tokens (PROTOCOL.md 1), and 64 KiB of blanks cost nothing.
    """
    while "  " in line:
        line = line.replace("  ", " ")
    return line.strip(" ")


@attrs.frozen(kw_only=True)
class TurnInfo:
    """One turn as it was judged."""

    turn: int
    verdicts: tuple[str, ...]
    """By seat: answer, late, malformed, missing or out."""
    raw: tuple[str | None, ...]
    """By seat: the answer's line, `squeezed`; the beginning of one that is `shortened`."""
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
    shortened: dict[str, ShortenedInfo] = attrs.field(factory=dict)
    """By seat, the whole of a refused answer of which `raw` has only the beginning."""
    more_faults: dict[str, int] = attrs.field(factory=dict)
    """By seat, how many faults of this turn are left out of `faults`."""

    def was_answer(self, seat: int, line: str) -> bool:
        """Tell whether a line is what a seat answered in this turn."""
        whole = self.shortened.get(str(seat))
        return self.raw[seat] == squeezed(line) if whole is None else whole == whole_of(line)


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
    write of some hundred bytes to the page cache takes microseconds. The `.part` file is locked
    until it has become the record, so that whoever completes records that were left behind
    (`arena.recovery`) can tell a live one from a dead one.
    """

    def __init__(self, path: Path) -> None:
        """Open `path` + `.part`.

        Raises:
            OSError: The folder can't be made or written, or another program writes this record.
        """
        if path.exists() and not path.is_file():
            raise FileExistsError(errno.EEXIST, "not a regular file", str(path))
        if path.is_symlink():
            path = path.resolve()  # the record goes where the link leads
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.part = path.with_name(path.name + PART)
        self._file = _open_locked(self.part)
        self._whole = 0  # bytes of whole lines
        self._played: int | None = None  # bytes of the lines before the result, once it is written
        self._no_header = OSError(errno.EIO, "the record has no header", str(self.part))

    @property
    def begun(self) -> bool:
        """Whether anything was written: then it is kept, whatever happens."""
        return self._whole > 0

    def begin(self, header: Header) -> None:
        """Write the header."""
        try:
            self._write(_line_of(_CONVERTER.unstructure(header)))
        except OSError as error:
            self._no_header = error
            raise

    def turn(self, turn: Mapping[str, Any]) -> None:
        """Write a turn: a TurnInfo's attributes, those left out that have their default."""
        self._write(_line_of(turn))

    def end(self, result: ResultInfo) -> None:
        """Write the result to the `.part` file: from now on no crash of the arena loses it.

        Raises:
            OSError: It can't be written.
        """
        if not self.begun:
            raise self._no_header
        before = self._whole
        self._write(result_line(result))
        self._played = before

    def _write(self, line: bytes) -> None:
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
        """Compress the record in a thread, with this result; it has its name once it is on disk.

        Cancelled, it leaves the lines in the `.part` file, with the result as it was first written.

        Args:
            result: May tell more than the one that `end` wrote, if that was called.

        Raises:
            OSError: The record can't be written.
        """
        try:
            if self._played is None:
                self.end(result)
            assert self._played is not None
            last = result_line(result)
            await trio.to_thread.run_sync(pack, self.part, self.path, self._played, last)
        finally:
            self._file.close()

    def close(self) -> None:
        """Close without a result: what was written stays in the `.part` file."""
        self._file.close()

    def discard(self) -> None:
        """Forget a match that never began."""
        self.part.unlink(missing_ok=True)


def _open_locked(part: Path) -> io.FileIO:
    """Open a `.part` file for writing, empty, and lock it; the lock ends with the file or with us.

    Raises:
        OSError: It can't be opened, or another program has locked it.
    """

    def opened(name: str, flags: int) -> int:
        # Emptied only when it is known that nobody else writes it.
        return os.open(name, flags & ~os.O_TRUNC, 0o666)

    file = io.FileIO(part, "w", opener=opened)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.close()
        raise BlockingIOError(error.errno, "another program is writing it", str(part)) from None
    except OSError:
        pass  # a file system without locks
    file.truncate()
    return file


def pack(part: Path, path: Path, length: int, last: bytes) -> None:
    """Make a record of a `.part` file and remove that; whoever calls holds its lock.

    Runs in a thread of trio's, and ends early when its call is cancelled.

    Args:
        part: The file.
        path: The record's.
        length: Bytes of the file that go into the record.
        last: The line after these.

    Raises:
        OSError: It can't be written; the `.part` file is as it was.
    """
    packed = path.with_name(path.name + TMP)
    try:
        with part.open("rb") as lines, packed.open("wb") as file:
            if path.suffix == ".gz":
                # Without a name or a time inside: the same lines give the same file.
                with gzip.GzipFile("", "wb", _LEVEL, file, mtime=0) as zipped:
                    _copy(lines, zipped, length)
                    zipped.write(last)
            else:  # a plain record where the name asks for one
                _copy(lines, file, length)
                file.write(last)
            file.flush()
            os.fsync(file.fileno())
        packed.replace(path)
    except BaseException:
        packed.unlink(missing_ok=True)  # the lines are still in the `.part` file
        raise
    part.unlink()


def _copy(source: IO[bytes], target: Any, length: int) -> None:
    while length:
        trio.from_thread.check_cancelled()
        chunk = source.read(min(length, CHUNK))
        if not chunk:
            raise OSError(errno.EIO, "it has become shorter", source.name)
        target.write(chunk)
        length -= len(chunk)


def _line_of(value: Mapping[str, Any]) -> bytes:
    return encode(value).encode() + b"\n"


def result_line(result: ResultInfo) -> bytes:
    """Return the last line of a record."""
    return _line_of({"result": _CONVERTER.unstructure(result)})


def _converter(*, detailed: bool) -> cattrs.Converter:
    converter = make_converter(forbid_extra_keys=True, detailed_validation=detailed)

    def strict(value: Any, kind: type) -> Any:
        # cattrs would make an int of "12" and a str of anything.
        if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
            raise TypeError(f"{value!r} is no {kind.__name__}")
        return value

    for kind in (bool, int, str):
        converter.register_structure_hook(kind, strict)

    def number(value: Any, _: type) -> float:
        found = float(strict(value, int) if isinstance(value, int) else strict(value, float))
        if not math.isfinite(found):  # JSON has such as 1e999, but no word for what that is
            raise ValueError(f"{found} is no number")
        return found

    converter.register_structure_hook(float, number)
    return converter


_CONVERTER = _converter(detailed=False)
_DETAILED = _converter(detailed=True)
"""Finds every fault, and takes long when there are many."""


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
    for line in whole_lines(path):
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
            return self._header(line, value)
        if self._over:
            raise BadRecordError(f"{path}: line {number}: a line behind the result")
        if isinstance(value, dict) and set(value) == {"result"}:
            result: ResultInfo = _structured(path, number, line, value["result"], ResultInfo)
            _check_result(path, number, result, self._seats)
            self._over = True
            return result
        turn: TurnInfo = _structured(path, number, line, value, TurnInfo)
        _check_turn(path, number, turn, self._turns, self._seats)
        self._turns += 1
        return turn

    def skip(self, turns: int) -> None:
        """Take so many turns for read, after the header."""
        self._number += turns
        self._turns += turns

    def _header(self, line: bytes, value: Any) -> Header:
        found = value.get("lanista_record") if isinstance(value, dict) else None
        if type(found) is not int or found != FORMAT:
            what = f"record format {found}" if type(found) is int else "no header of a record"
            raise BadRecordError(f"{self.path}: line 1: {what}; this version reads format {FORMAT}")
        header: Header = _structured(self.path, 1, line, value, Header)
        self._seats = len(header.players)
        return header


def _check_turn(path: Path, number: int, turn: TurnInfo, expected: int, seats: int) -> None:
    counts = {len(turn.verdicts), len(turn.raw), len(turn.times), len(turn.status) or seats}
    if turn.turn != expected or counts != {seats}:
        raise BadRecordError(
            f"{path}: line {number}: expected turn {expected} with {seats} seats in every list"
        )
    named = [str(fault.seat) for fault in turn.faults]
    named += [*turn.logs, *turn.shortened, *turn.more_faults]
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


def whole_lines(path: Path) -> Iterator[bytes]:
    """Yield the whole lines of a record, packed or not, one at a time in memory.

    Raises:
        BadRecordError: It is damaged.
        OSError: It can't be read.
    """
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


def _structured(path: Path, number: int, line: bytes, value: Any, kind: type[Any]) -> Any:
    problems = "it is no object of keys"
    if isinstance(value, dict):
        try:
            return _CONVERTER.structure(value, kind)
        except Exception as error:  # noqa: BLE001 - each wrong value has an error of its own
            problems = str(error)
        if len(line) <= DETAILED:
            try:
                _DETAILED.structure(value, kind)
            except cattrs.BaseValidationError as error:
                problems = "; ".join(cattrs.transform_error(error))
    raise BadRecordError(f"{path}: line {number}: no {kind.__name__} ({problems})")


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
