"""Frames made from files: a record, whole or still written, or an original game's `.res`.

`ReplayReader` follows a record that grows, in the replay worker; `reel` is for files that are
whole. Both give the dictionaries of docs/api.md, "Films".
"""

import gzip
import zlib
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

import attrs

from lanista.formats.originals import of_text
from lanista.formats.tokens import FormatError
from lanista.match.record import (
    PART,
    BadRecordError,
    Header,
    LineReader,
    ResultInfo,
    TurnInfo,
)
from lanista.match.replay import MismatchError, start_of, step
from lanista.playback import frames
from lanista.rules import registry
from lanista.rules.base import Game
from lanista.rules.outcome import Termination
from lanista.rules.registry import UnknownGameError

GZIP = b"\x1f\x8b"
MAX_RES = 8 * 1024 * 1024
"""Bytes of a match file; the originals' have about one million."""
LONGEST_LINE = 8 * 1024 * 1024
"""Bytes of a record's line: a turn in which four bots say as much as they may has five million."""


class UnreadableError(Exception):
    """A file of which no film can be made; in words for people."""


@attrs.define(eq=False)
class ReplayReader:
    """Plays a record again while it is read.

    `next` gives what comes next: a head, frames, an end; None while nothing more is written.
    """

    path: Path
    live: bool = False
    """Whether the file may still grow: then it ends with its result."""
    logs: bool = True
    """Whether to tell what bots logged."""
    over: bool = attrs.field(default=False, init=False)
    """Whether the end was given."""
    _followed: bool = attrs.field(init=False)  # whether it was live at first
    _file: IO[bytes] = attrs.field(init=False)
    _reader: LineReader = attrs.field(init=False)
    _held: bytes = attrs.field(default=b"", init=False)  # the beginning of a line
    _items: deque[Header | TurnInfo | ResultInfo] = attrs.field(factory=deque, init=False)
    _header: Header | None = attrs.field(default=None, init=False)
    _game: Game | None = attrs.field(default=None, init=False)
    _writer: frames.FrameWriter | None = attrs.field(default=None, init=False)
    _before: TurnInfo | None = attrs.field(default=None, init=False)
    _started: bool = attrs.field(default=False, init=False)  # whether frame 0 was given

    def __attrs_post_init__(self) -> None:
        self._followed = self.live
        self._reader = LineReader(Path(self.path.name))
        try:
            self._file = self._opened()
        except OSError as error:
            raise UnreadableError(f"can't read {self.path.name}: {error.strerror}") from None

    def _opened(self) -> IO[bytes]:
        try:
            return opened(self.path)
        except FileNotFoundError:
            if not self.live or self.path.suffix != PART:
                raise
            # The match has ended since somebody asked for it: its record has its name now.
            return opened(self.path.with_suffix(""))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def next(self) -> dict[str, Any] | None:
        """The next part, or None if there is none yet; not to be called when `over`.

        Raises:
            UnreadableError: The file is no record, or none that these rules can play.
        """
        if self._game is None:
            try:
                return self._begin()
            except (BadRecordError, UnknownGameError) as error:
                raise UnreadableError(str(error)) from None
        if not self._started:
            self._started = True
            return self._frame(None)
        try:
            return self._go_on()
        except (BadRecordError, MismatchError) as error:
            return self._end(None, f"the film stops here: {error}")
        except Exception as error:  # noqa: BLE001 - a ruleset's fault ends this film alone
            return self._end(None, f"the film stops here: {type(error).__name__} in the rules")

    def _begin(self) -> dict[str, Any] | None:
        header = self._peek(0)
        if header is None:
            if not self.live:
                raise UnreadableError(f"{self.path.name}: empty; a record begins with its header")
            return None
        self._items.popleft()
        assert isinstance(header, Header)  # LineReader takes nothing else in the first line
        ruleset = registry.get(header.game)
        self._header, self._game = header, start_of(header, ruleset)
        scene = self._game.scene()
        self._writer = frames.FrameWriter(scene)
        return frames.head(header, ruleset, scene, rounds=ruleset.max_turns(header.settings))

    def _go_on(self) -> dict[str, Any] | None:
        item = self._peek(0)
        if item is None:
            # Without a result: the arena was ended before the match.
            return None if self.live else self._end(None, None)
        is_void = False
        if isinstance(item, TurnInfo):
            if _may_be_void(item):
                # Only the next line tells whether this turn was carried out.
                after = self._peek(1)
                if after is None and self.live:
                    return None
                is_void = isinstance(after, ResultInfo) and after.end == Termination.VOID.value
            self._items.popleft()
            assert self._game is not None
            step(self._game, self._before, item, is_void=is_void)
            self._before = item
            return self.next() if is_void else self._frame(item)
        assert isinstance(item, ResultInfo)
        return self._end(item, None)

    def _frame(self, turn: TurnInfo | None) -> dict[str, Any]:
        assert self._game is not None
        assert self._header is not None
        assert self._writer is not None
        told = None
        if turn is not None:
            clock = self._header.clock
            told = frames.turn_json(turn, clock.turn if turn.turn else clock.first)
            if not self.logs:
                told.pop("logs", None)
        return self._writer.frame(self._game.frame(), self._game.scores(), told)

    def _end(self, result: ResultInfo | None, trouble: str | None) -> dict[str, Any]:
        assert self._header is not None
        self.over = True
        # A void match is played again with its seed: who follows it isn't told yet.
        is_secret = self._followed and result is not None and result.end == Termination.VOID.value
        return frames.end(result, None if is_secret else self._header.seed, trouble)

    def _peek(self, place: int) -> Header | TurnInfo | ResultInfo | None:
        """What stands so many lines ahead; None if that isn't there, or not yet."""
        while len(self._items) <= place:
            line = self._line()
            if line is None:
                return None
            self._items.append(self._reader.read(line))
        return self._items[place]

    def _line(self) -> bytes | None:
        try:
            self._held += self._file.readline(LONGEST_LINE)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise BadRecordError(f"{self.path.name}: damaged gzip data ({error})") from None
        if len(self._held) >= LONGEST_LINE:
            raise BadRecordError(f"{self.path.name}: a line of more than {LONGEST_LINE} bytes")
        if not self._held.endswith(b"\n"):
            return None
        line, self._held = self._held, b""
        return line


def _may_be_void(turn: TurnInfo) -> bool:
    return turn.stall > 0 and "late" in turn.verdicts


def opened(path: Path) -> IO[bytes]:
    """A record's file for reading, unpacked."""
    with path.open("rb") as file:
        is_packed = file.read(len(GZIP)) == GZIP
    return cast("IO[bytes]", gzip.open(path)) if is_packed else path.open("rb")


def reel(path: Path) -> Iterator[dict[str, Any]]:
    """The film of a whole file: a record, or a match file of an original game.

    Raises:
        UnreadableError: It is neither, or can't be read; also in the middle of a match file.
    """
    try:
        is_record = _is_record(path)
    except OSError as error:
        raise UnreadableError(f"can't read {path.name}: {error.strerror}") from None
    if not is_record:
        yield from _reel_of_res(path)
        return
    made = ReplayReader(path)
    try:
        while not made.over:
            part = made.next()
            assert part is not None  # the file doesn't grow
            yield part
    finally:
        made.close()


def _is_record(path: Path) -> bool:
    """Whether a file is meant as a record: lines of JSON, packed or not; or damaged as packed."""
    try:
        with opened(path) as file:
            is_packed = isinstance(file, gzip.GzipFile)
            first = file.read(1)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        return True
    return first == b"{" or (is_packed and not first)


def _reel_of_res(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with opened(path) as file:
            data = file.read(MAX_RES + 1)
        if len(data) > MAX_RES:
            raise UnreadableError(f"{path.name}: more than {MAX_RES} bytes are no match file")
        text = data.decode("utf-8-sig", "replace")
        shown = of_text(text).show(text)
        writer = frames.FrameWriter(shown.scene)
        yield frames.head_of_res(shown)
        for frame, scores in shown.frames:
            yield writer.frame(frame, scores, None)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UnreadableError(f"{path.name}: damaged gzip data ({error})") from None
    except OSError as error:
        raise UnreadableError(f"can't read {path.name}: {error.strerror}") from None
    except FormatError as error:
        raise UnreadableError(f"{path.name}: {error}") from None
    yield frames.end(None, shown.seed, None)
