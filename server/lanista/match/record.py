"""The record of a match: a file of JSON lines, compressed when the match is over.

docs/records.md describes every key of its lines: the header, which has everything that decides the
match, a line for each turn, and the result. Positions and refusals follow from these (`replay`). A
reader takes `.part` files too, which `record_writer` writes during the match, and ignores a last
line without a newline.

**Records aren't trusted.** They may come from strangers, so a reader checks every key and type,
bounds the length of a line, and escapes and cuts what it quotes in messages.
"""

import contextlib
import functools
import gzip
import hashlib
import json
import math
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast, get_args

import attrs
import orjson

from lanista.errors import LanistaError, printable_line
from lanista.games.outcome import ENDINGS, FAILURES, Termination
from lanista.match.clock import ClockInfo
from lanista.match.conditions import LadderInfo

if TYPE_CHECKING:
    import cattrs

FORMAT = 4
"""Version of the format. Records of another one aren't read, so a new key has a default instead of
raising it."""
ENDING = ".jsonl.gz"
PART, TMP = ".part", ".tmp"
"""Suffixes that the name has: while the match goes on, while its record is compressed."""
GZIP = b"\x1f\x8b"
"""The first bytes of a gzip file."""
DAMAGED = (gzip.BadGzipFile, EOFError, zlib.error)
"""The errors of gzip data that can't be unpacked."""
MAX_LINE = 64 * 1024 * 1024
"""Maximum length of a line in bytes, for readers; a turn of four seats is far shorter."""
MAX_NUMBER = 2**53
"""Maximum of counts, versions and microseconds, for readers: every program can hold it."""


_by_name = functools.partial(attrs.asdict, recurse=False)
encode = json.JSONEncoder(separators=(",", ":"), default=_by_name).encode
"""Return a value as JSON, as in records: objects of attrs by the names of their attributes.

`json.dumps` would build an encoder for every line.
"""


class BadRecordError(LanistaError):
    """A file isn't a valid record; the message says where."""

    def __init__(self, message: str) -> None:
        super().__init__(printable_line(message))


@attrs.frozen(kw_only=True)
class PlayerInfo:
    """A player of a match."""

    name: str
    protocol: str
    """The dialect that the player spoke: `1` or `classic`."""
    command: tuple[str, ...] | None = None
    """The command by which the arena started the bot; None if the arena didn't start it."""
    notes: bool = False
    """Whether the bot asked for notes."""


@attrs.frozen(kw_only=True)
class Header:
    """The header of a record: everything that decides a match, and its players."""

    lanista_record: int
    software: str
    match: str
    started: str
    """When the match was started, as ISO 8601 in UTC."""
    game: str
    game_version: str
    settings: dict[str, int]
    board: str
    """The board, as the ruleset writes it to a file."""
    generated: bool
    """Whether the board was generated from the seed."""
    seed: int
    players: tuple[PlayerInfo, ...]
    clock: ClockInfo
    attempt: int = 1
    """The number of this attempt, from 1; it is higher after void matches."""
    ladder: LadderInfo | None = None
    """The ladder that the match was played on; None for any other match."""
    seat_seeds: tuple[int, ...] = ()
    """The seed that each seat was sent; empty: those of `encoder.seat_seed`."""


@attrs.frozen(kw_only=True)
class FaultInfo:
    """A fault: why an answer or a part of it didn't count, or why a seat is out."""

    turn: int
    seat: int
    code: str
    index: int | None
    words: str

    @property
    def place(self) -> str:
        """The turn and, if it is about one, the submove: `turn 12, submove 3`."""
        return f"turn {self.turn}" + ("" if self.index is None else f", submove {self.index}")


@attrs.frozen(kw_only=True)
class ShortenedInfo:
    """The size and hash of an answer of which a record keeps only the beginning."""

    size: int
    """Length of the received line in bytes."""
    sha256: str
    """SHA-256 hash of the same bytes, in hexadecimal digits."""


def whole_of(line: str) -> ShortenedInfo:
    """Return the size and hash of a line of which the record keeps only the beginning."""
    data = line.encode()
    return ShortenedInfo(size=len(data), sha256=hashlib.sha256(data).hexdigest())


def squeezed(line: str) -> str:
    """Return an answer as records keep it: with single spaces, and none at the ends.

    It has the same tokens (PROTOCOL.md 1), and 64 KiB of spaces take no room in the record.
    """
    while "  " in line:
        line = line.replace("  ", " ")
    return line.strip(" ")


@attrs.frozen(kw_only=True)
class RejoinInfo:
    """A bot that came back to its seat over another connection."""

    notes: bool = False
    """Whether it asks for notes on that connection."""


@attrs.frozen(kw_only=True)
class TurnInfo:
    """A turn of a match as it was judged."""

    turn: int
    verdicts: tuple[str, ...]
    """The verdicts by seat: answer, late, malformed, missing or out."""
    raw: tuple[str | None, ...]
    """The answers by seat, `squeezed`; of those in `shortened`, only the beginning."""
    times: tuple[tuple[int, ...] | None, ...]
    """The times by seat, in microseconds: the hand-over since the turn began; then, since the
    hand-over, the earliest and the latest possible arrival and the read."""
    digest: str
    stall: float = 0.0
    """Seconds for which the host stalled in this turn; 0 if no stall was noticed."""
    status: tuple[float, ...] = ()
    """The share of the time used by seat, if the ruleset was given it; empty if all are 0."""
    faults: tuple[FaultInfo, ...] = ()
    """The faults that a replay can't find out: why seats are out, and what was wrong with malformed
    answers that aren't in `raw` as they came. `replay.turn_faults` returns all faults."""
    logs: dict[str, str] = attrs.field(factory=dict)
    """The logs, by seat; only of seats that wrote any."""
    shortened: dict[str, ShortenedInfo] = attrs.field(factory=dict)
    """Size and hash of each refused answer of which `raw` has only the beginning, by seat."""
    left: dict[str, str] = attrs.field(factory=dict)
    """Why a seat whose bot could come back is absent since this turn, by seat."""
    rejoined: dict[str, RejoinInfo] = attrs.field(factory=dict)
    """The seats whose bots came back and were asked over another connection from this turn on."""
    round_trips: dict[str, tuple[int, int]] = attrs.field(factory=dict)
    """By seat, in microseconds: the recent mean of the round trip to its bot, and the least one. It
    is measured only in a few turns."""
    lags: dict[str, int] = attrs.field(factory=dict)
    """By seat, the microseconds by which this turn's time limit was extended for the round trip."""

    def lag(self, seat: int) -> float:
        """Return the seconds that were added to a seat's time limit."""
        return self.lags.get(str(seat), 0) / 1e6

    def seconds(self, seat: int) -> float | None:
        """Return the seconds that a seat's answer took, at most; None if none came."""
        times = self.times[seat]
        return None if times is None or len(times) == 1 else times[2] / 1e6

    def reason_gone(self, seat: int) -> FaultInfo | None:
        """Return the fault by which a seat is out since this turn, if it is."""
        if self.verdicts[seat] not in {"late", "missing"}:
            return None
        return next((fault for fault in self.faults if fault.seat == seat), None)

    def written(self, seat: int) -> int:
        """Return the number of characters of a seat's answer and log, or bytes of a long one."""
        shortened, raw = self.shortened.get(str(seat)), self.raw[seat] or ""
        answer = len(raw) if shortened is None else shortened.size
        return answer + len(self.logs.get(str(seat), ""))

    def was_absent(self, seat: int) -> bool:
        """Tell whether a seat gave no answer because it had no connection, but wasn't put out."""
        return self.verdicts[seat] == "missing" and self.reason_gone(seat) is None

    def was_answer(self, seat: int, line: str) -> bool:
        """Tell whether a line is what a seat answered in this turn."""
        shortened = self.shortened.get(str(seat))
        if shortened is None:
            return self.raw[seat] == squeezed(line)
        return shortened == whole_of(line)


@attrs.frozen(kw_only=True)
class BotInfo:
    """How the process of a bot that the arena had started ended."""

    exit: str
    output: str
    """The last part of what the bot wrote to stderr and stdout."""
    output_turns: tuple[tuple[int, int], ...] = ()
    """The turns in which parts of it were read, each with the character at which its part begins.
    What stands before the first was written before the match."""

    def written_in(self, turn: int) -> str:
        """Return the part of the output that was read in a turn."""
        ends = [start for _, start in self.output_turns[1:]] + [len(self.output)]
        parts = zip(self.output_turns, ends, strict=False)
        return "".join(self.output[start:end] for (of, start), end in parts if of == turn)


@attrs.frozen(kw_only=True)
class ResultInfo:
    """The result of a match."""

    end: str
    reason: str
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    turns: int
    digest: str
    faults: tuple[FaultInfo, ...] = ()
    """The first faults of each seat and the one by which it is out, in order of turns."""
    fault_counts: tuple[dict[str, int], ...] = ()
    """How often each fault code occurred, by seat; empty if the arena ended before the match did,
    so that nobody has counted."""
    endings: tuple[str, ...] = ()
    """How the match ended for each bot, by seat, as in `outcome.Ending`; empty as above."""
    error: str | None = None
    """The traceback of the error that aborted the match, if one did."""
    bots: tuple[BotInfo | None, ...] = ()
    """How the bots' processes ended, by seat; empty if the arena started none."""
    ended: str = ""
    """When the match ended, as ISO 8601 in UTC."""

    @property
    def is_decided(self) -> bool:
        """Whether the match was played to its end, by the rules or by forfeit."""
        return self.end in {Termination.FINISHED.value, Termination.FORFEIT.value}

    @property
    def rounds(self) -> int:
        """The number of turns that were carried out."""
        return rounds_of(self.end, self.turns)

    def fault_out(self, seat: int) -> FaultInfo | None:
        """Return the fault by which a bot is out or has lost; None if it played to the end."""
        if not self.endings or self.endings[seat] not in FAILURES:
            return None
        return next((fault for fault in reversed(self.faults) if fault.seat == seat), None)

    def bot(self, seat: int) -> BotInfo | None:
        """Return how a seat's process ended; None if the arena hadn't started one."""
        return self.bots[seat] if self.bots else None


def rounds_of(end: str, turns: int) -> int:
    """Return how many of a match's turns were carried out: all but the one that made it void."""
    return turns - (end == Termination.VOID.value)


def line_of(value: Header | Mapping[str, Any]) -> bytes:
    """Return a line of a record, with its newline; the first one is made of the header itself."""
    with contextlib.suppress(TypeError):  # orjson takes no number of more than 64 bits
        line = orjson.dumps(value, default=_by_name, option=orjson.OPT_APPEND_NEWLINE)
        # Only `encode`, which takes ten times as long, escapes all other characters.
        if line.isascii() and b"\x7f" not in line:
            return line
    return encode(value).encode() + b"\n"


def result_line(result: ResultInfo) -> bytes:
    """Return the last line of a record."""
    return line_of({"result": result})


@functools.cache
def _converter() -> "cattrs.Converter":
    """Return what makes the objects of a record."""
    # Slow to import, and of no use to those who only write records.
    from cattrs.cols import homogenous_tuple_structure_factory  # noqa: PLC0415 - see above
    from cattrs.preconf.json import make_converter  # noqa: PLC0415 - as above

    # Only the first mistake of a line is told: there may be one for each character of a long one.
    converter = make_converter(forbid_extra_keys=True, detailed_validation=False)

    def strict(value: Any, kind: type) -> Any:
        # Without this, cattrs converts "12" to an int and anything to a str.
        if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
            raise TypeError(f"{value!r} is not of type {kind.__name__}")
        return value

    for kind in (bool, int, str):
        converter.register_structure_hook(kind, strict)

    def number(value: Any, _: type) -> float:
        result = float(strict(value, int) if isinstance(value, int) else strict(value, float))
        if not math.isfinite(result):  # 1e999 is valid JSON, and infinite here; NaN isn't, but read
            raise ValueError(f"{result} is not a finite number")
        return result

    def listed(kind: Any, converter: "cattrs.Converter") -> Callable[[Any, Any], Any]:
        # cattrs by itself converts whatever has items, such as a string, to a tuple.
        of_items = homogenous_tuple_structure_factory(kind, converter)
        return lambda value, kind: of_items(strict(value, list), kind)

    converter.register_structure_hook(float, number)
    converter.register_structure_hook_factory(lambda kind: get_args(kind)[-1:] == (...,), listed)
    return converter


def prepare_reading() -> None:
    """Make now what the first record to be read would have to wait for."""
    converter = _converter()
    for kind in _NAMES:
        converter.get_structure_hook(kind)


@attrs.frozen
class Record:
    """The content of a record that was read."""

    header: Header
    turns: tuple[TurnInfo, ...]
    result: ResultInfo | None
    """The result; None if the arena ended before the match did."""


def read_record(path: Path) -> Record:
    """Read a record, or a `.part` file that a crash left behind.

    Raises BadRecordError if it isn't valid, which says where; or OSError.
    """
    reader = LineReader(path)
    turns: list[TurnInfo] = []
    result: ResultInfo | None = None
    lines = whole_lines(path)
    header = reader.header(next(lines, b""))
    for line in lines:
        info = reader.read(line)
        if isinstance(info, TurnInfo):
            turns.append(info)
        else:
            result = info
    return Record(header, tuple(turns), result)


def read_header(path: Path) -> Header:
    """Read the header of a record, and nothing else; the errors are those of `read_record`."""
    with contextlib.closing(whole_lines(path)) as lines:
        return LineReader(path).header(next(lines, b""))


def read_ends(path: Path) -> tuple[Header, ResultInfo]:
    """Read the header and the result of a record that is complete, and no turns.

    Raises BadRecordError if it isn't, and the errors of `read_record`.
    """
    reader = LineReader(path)
    lines = whole_lines(path)
    header = reader.header(next(lines, b""))
    last = b""
    for last in lines:  # noqa: B007 - used after the loop
        pass
    with contextlib.suppress(BadRecordError):
        result = reader.read(last)
        if isinstance(result, ResultInfo):
            return header, result
    raise BadRecordError(f"{path}: its last line isn't a result")


@attrs.define
class LineReader:
    """A parser for the lines of a record, which may be one that is still being written.

    A line that isn't what belongs there is a BadRecordError, which says which line and why.
    """

    path: Path
    _number: int = 0
    _seats: int = 0
    _turns: int = 0
    _over: bool = False

    def header(self, line: bytes) -> Header:
        """Parse and check the first line, which must be complete; empty if there is none."""
        if not line:
            raise BadRecordError(f"{self.path}: empty; a record begins with its header")
        value = self._parsed(line)
        version = value.get("lanista_record") if isinstance(value, dict) else None
        if type(version) is not int:
            raise self._bad(f"not the header of a record; this version reads format {FORMAT}")
        if version != FORMAT:
            raise self._bad(f"record format {version}; this version reads format {FORMAT}")
        header: Header = self._structured(value, Header)
        self._check_time("started", header.started)
        if not 1 <= header.attempt <= MAX_NUMBER:
            raise self._bad(f"attempt {header.attempt}; expected a number from 1")
        self._seats = len(header.players)
        if len(header.seat_seeds) not in {0, self._seats}:
            raise self._bad(
                f"seat_seeds has {len(header.seat_seeds)} seeds; "
                f"expected one for each of {self._seats} seats"
            )
        versions = () if header.ladder is None else header.ladder.versions
        numbers = [version for version in versions if version is not None]
        if len(versions) not in {0, self._seats} or any(not 1 <= n <= MAX_NUMBER for n in numbers):
            raise self._bad(
                f"the ladder's versions are {list(versions)}; expected null "
                f"or a number from 1 for each of {self._seats} seats"
            )
        return header

    def read(self, line: bytes) -> TurnInfo | ResultInfo:
        """Parse and check the next line, which must be complete, after the header."""
        value = self._parsed(line)
        if self._over:
            raise self._bad("a line after the result")
        if isinstance(value, dict) and set(value) == {"result"}:
            result: ResultInfo = self._structured(value["result"], ResultInfo)
            self._check_result(result)
            self._over = True
            return result
        turn: TurnInfo = self._structured(value, TurnInfo)
        self._check_turn(turn)
        self._turns += 1
        return turn

    def skip(self, turns: int) -> None:
        """Skip the lines of some turns; called after the header was read."""
        self._number += turns
        self._turns += turns

    def _bad(self, problem: str) -> BadRecordError:
        return BadRecordError(f"{self.path}: line {self._number}: {problem}")

    def _parsed(self, line: bytes) -> Any:
        self._number += 1
        try:
            return json.loads(line.decode("utf-8", "surrogatepass"))
        except (ValueError, RecursionError) as error:
            hint = "; this file isn't a record of a match" if self._number == 1 else ""
            raise self._bad(f"not JSON ({error}){hint}") from None

    def _check_turn(self, turn: TurnInfo) -> None:
        seats = self._seats
        counts = {len(turn.verdicts), len(turn.raw), len(turn.times), len(turn.status) or seats}
        if turn.turn != self._turns or counts != {seats}:
            raise self._bad(f"expected turn {self._turns} with {seats} seats in every list")
        for times in turn.times:
            if times is None:
                continue
            if len(times) not in {1, 4} or max(map(abs, times)) > MAX_NUMBER:
                raise self._bad("expected times of 1 or 4 microseconds")
        lengths = [*turn.lags.values(), *chain.from_iterable(turn.round_trips.values())]
        if any(not 0 <= length <= MAX_NUMBER for length in lengths):
            raise self._bad("expected ways of 0 microseconds or more")
        named = [*turn.logs, *turn.shortened, *turn.left, *turn.rejoined]
        self._check_seats(turn.faults, [*named, *turn.round_trips, *turn.lags])

    def _check_result(self, result: ResultInfo) -> None:
        seats, counts = self._seats, result.fault_counts
        is_counted = bool(counts) or result.end != Termination.ABORTED.value
        lengths = {len(result.ranks), len(result.scores)}
        lengths |= {len(given) for given in (result.bots, result.endings) if given}
        if lengths | {len(counts) if is_counted else seats} != {seats}:
            raise self._bad(f"expected {seats} seats in every list")
        if any(not 1 <= count <= MAX_NUMBER for of_seat in counts for count in of_seat.values()):
            raise self._bad("a count of faults that isn't one")
        if not 0 <= result.turns <= MAX_NUMBER:
            raise self._bad(f"a number of turns that isn't one: {result.turns}")
        if result.end not in _ENDS:
            raise self._bad(f"no end {result.end!a}; they are {', '.join(_ENDS)}")
        for ending in result.endings:
            if ending not in ENDINGS:
                raise self._bad(f"no ending {ending!a}; they are {', '.join(ENDINGS)}")
        if result.ended or result.endings:
            self._check_time("ended", result.ended)
        self._check_seats(result.faults)

    def _check_time(self, key: str, text: str) -> None:
        with contextlib.suppress(ValueError):
            if datetime.fromisoformat(text).tzinfo is not None:
                return
        raise self._bad(f"{key} is {text!a}; expected a time as ISO 8601 with its zone")

    def _check_seats(self, faults: Sequence[FaultInfo], named: Iterable[str] = ()) -> None:
        seats = {*named, *[str(fault.seat) for fault in faults]}
        unknown = seats.difference(map(str, range(self._seats)))
        if unknown:
            raise self._bad(f"no seat {min(unknown)!a}; they are 0 to {self._seats - 1}")

    def _structured(self, value: Any, kind: type[Any]) -> Any:
        problem = "it is not a JSON object"
        if isinstance(value, dict):
            try:
                return _converter().structure(value, kind)
            except KeyError as error:
                problem = f"without {error}"
            except Exception as error:  # noqa: BLE001 - cattrs raises many types of errors
                problem = str(error)
        raise self._bad(f"not a valid {_NAMES[kind]} ({problem})")


def opened(path: Path) -> IO[bytes]:
    """Open a file that may be compressed by gzip, for reading what is in it.

    Raises BadRecordError if it is a named pipe, and OSError.
    """
    if path.is_fifo():  # opening it would wait for a writer, for ever
        raise BadRecordError(f"{path}: a named pipe; a record is a file")
    with path.open("rb") as file:
        is_packed = file.read(len(GZIP)) == GZIP
    return cast("IO[bytes]", gzip.open(path)) if is_packed else path.open("rb")


def lines_so_far(file: IO[bytes], name: object, longest: int) -> Iterator[bytes | None]:
    """Yield the complete lines of an open record, and None whenever the next one isn't there yet.

    Only one of them is in memory. Raises BadRecordError, in which the file has the name, if its
    compressed data is damaged or a line has so many bytes, and OSError.
    """
    line, number = b"", 1
    while True:
        try:
            line += file.readline(longest)
        except DAMAGED as error:
            raise BadRecordError(f"{name}: damaged gzip data ({error})") from None
        if len(line) >= longest:
            raise BadRecordError(f"{name}: line {number}: more than {longest} bytes")
        if line.endswith(b"\n"):
            yield line
            line, number = b"", number + 1
        else:
            yield None


def whole_lines(path: Path) -> Generator[bytes, None, None]:
    """Yield the complete lines of a record, compressed or not, with only one in memory.

    A last line that a crash left incomplete isn't one. The errors are those of `opened` and
    `lines_so_far`.
    """
    with opened(path) as file:
        yield from iter(lines_so_far(file, path, MAX_LINE).__next__, None)


_ENDS = tuple(end.value for end in Termination)
_NAMES = {Header: "header", TurnInfo: "turn", ResultInfo: "result"}
