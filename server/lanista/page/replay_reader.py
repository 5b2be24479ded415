"""Make frames from files: records, finished or still being written, and original games' `.res`.

A record is played again while it is read, and may grow meanwhile. The frames are the dictionaries
of docs/api.md, "Frames".
"""

import gzip
from collections import deque
from collections.abc import Collection, Generator, Iterator
from pathlib import Path
from typing import IO, Any

import attrs

from lanista.errors import BadInputError, LanistaError, file_errors
from lanista.games import registry
from lanista.games.base import FormatError, Game, complete_settings
from lanista.games.originals import Shown, of_text
from lanista.games.outcome import Termination
from lanista.match.record import (
    DAMAGED,
    PART,
    BadRecordError,
    Header,
    LineReader,
    ResultInfo,
    TurnInfo,
    lines_so_far,
    opened,
)
from lanista.match.replay import MismatchError, carry_out, judge, start
from lanista.page import frames
from lanista.page.played_turn import PlayedTurn, play
from lanista.page.story import Storyteller

MAX_RES = 64 * 1024 * 1024
"""Maximum size of a match file in bytes; those of the original games have about one million."""
MAX_SHOWN_RES = 8 * 1024 * 1024
"""The same for frames, which a viewer may ask for."""
LONGEST_LINE = 8 * 1024 * 1024
"""Maximum length of a record's line in bytes: a turn in which four bots send as much as they may
has five million."""


class UnreadableError(LanistaError):
    """A file that no frames can be made of; the message is shown to the user."""


@attrs.define(eq=False)
class ReplayReader:
    """Makes the frames of a file while reading it."""

    path: Path
    live: bool = False
    """Whether it is a record that may still grow."""
    logs: Collection[int] | None = None
    """The seats whose bots' logs are included; None for all."""
    _was_live: bool = attrs.field(init=False)
    _lines: Iterator[bytes | None] = attrs.field(init=False)
    _reader: LineReader = attrs.field(init=False)
    _items: deque[TurnInfo | ResultInfo] = attrs.field(factory=deque, init=False)
    _header: Header = attrs.field(init=False)
    _game: Game = attrs.field(init=False)
    _writer: frames.FrameWriter = attrs.field(init=False)
    _storyteller: Storyteller = attrs.field(init=False)
    _before: TurnInfo | None = attrs.field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self._was_live = self.live
        self._reader = LineReader(Path(self.path.name))

    def parts(self) -> Generator[dict[str, Any] | None, None, None]:
        """Yield the head, each frame, then the end; None whenever the next one isn't written yet.

        Raises:
            UnreadableError: The file is neither a record that the installed rules can play nor a
                match file, or it can't be read. May come after some frames of a match file.
        """
        try:
            if self._was_live or is_record(self.path):
                yield from self._of_record()
            else:
                yield from _of_res(self.path)
        except FormatError as error:
            raise UnreadableError(f"{self.path.name}: {error}") from None
        except LanistaError as error:
            raise UnreadableError(str(error).replace(str(self.path), self.path.name)) from None
        except OSError as error:
            raise UnreadableError(f"can't read {self.path.name}: {error.strerror}") from None

    def _of_record(self) -> Iterator[dict[str, Any] | None]:
        with self._opened() as file:
            self._lines = lines_so_far(file, self.path.name, LONGEST_LINE)
            while (head := self._begin()) is None:
                yield None
            yield head
            part: dict[str, Any] | None = self._frame()
            while part is None or part.get("type") != "end":
                yield part
                part = self._next()
            yield part

    def _opened(self) -> IO[bytes]:
        try:
            return opened(self.path)
        except FileNotFoundError:
            if not self._was_live or self.path.suffix != PART:
                raise
            # The match has ended since it was asked for, and its record was renamed.
            return opened(self.path.with_suffix(""))

    def _next(self) -> dict[str, Any] | None:
        try:
            return self._go_on()
        except (BadRecordError, MismatchError) as error:
            return self._end(None, f"the replay stops here: {error}")
        except MemoryError:
            raise  # of no rules' making
        except (Exception, SystemExit) as error:  # noqa: BLE001 - of the rules
            return self._end(None, f"the replay stops here: {type(error).__name__} in the rules")

    def _begin(self) -> dict[str, Any] | None:
        line = next(self._lines)
        if line is None and self.live:
            return None
        header = self._reader.header(line or b"")
        try:
            ruleset = registry.get(header.game)
            self._header, self._game = header, start(header, ruleset)
        except (registry.UnknownGameError, BadRecordError) as error:
            raise UnreadableError(f"{self.path.name}: {error}") from None
        scene = self._game.scene()
        self._storyteller = Storyteller(scene, header.clock.time_move)
        self._writer = frames.FrameWriter(scene)
        # A record may lack a setting: the default is meant, as when it is played again.
        rounds = ruleset.max_turns(complete_settings(ruleset, header.settings))
        return frames.head(header, ruleset, scene, rounds=rounds)

    def _go_on(self) -> dict[str, Any] | None:
        item = self._peek(0)
        if item is None:
            # A record without a result: the arena was ended before the match was.
            return None if self.live else self._end(None, None)
        is_void = False
        if isinstance(item, TurnInfo):
            if item.stall > 0 and "late" in item.verdicts:
                # Only the next line shows whether this turn was carried out.
                after = self._peek(1)
                if after is None and self.live:
                    return None
                is_void = isinstance(after, ResultInfo) and after.end == Termination.VOID.value
            self._items.popleft()
            judged = judge(self._game, self._before, item)
            self._before = item
            if is_void:
                carry_out(self._game, judged, is_void=True)
                return self._go_on()
            return self._frame(play(self._header, self._game, judged))
        return self._end(item, None)

    def _frame(self, turn: PlayedTurn | None = None) -> dict[str, Any]:
        frame, scores = self._game.frame(), self._game.scores()
        turn_json = None
        if turn is not None:
            clock, cols = self._header.clock, self._writer.scene.cols
            limit = clock.time_move if turn.info.turn else clock.time_init
            turn_json = frames.turn_json(turn, limit, cols, frame.idle, self.logs)
        self._storyteller.take(frame, scores, turn)
        return self._writer.frame(frame, scores, turn_json)

    def _end(self, result: ResultInfo | None, trouble: str | None) -> dict[str, Any]:
        # A void match is played again with its seed, which those who watched mustn't know yet.
        is_void = result is not None and result.end == Termination.VOID.value
        is_secret = self._was_live and is_void
        story = None
        if result is not None and result.is_decided:
            story = self._storyteller.story(registry.get(self._header.game), result)
        seed = None if is_secret else self._header.seed
        late = self._storyteller.late
        return frames.end(result, seed, trouble, self.logs, story=story, late=late)

    def _peek(self, ahead: int) -> TurnInfo | ResultInfo | None:
        """Return the content of the line so many lines ahead; None if it isn't there yet."""
        while len(self._items) <= ahead:
            line = next(self._lines)
            if line is None:
                return None
            self._items.append(self._reader.read(line))
        return self._items[ahead]


def read_frames(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the head, the frames and the end of a file that doesn't grow, as `ReplayReader`."""
    for part in ReplayReader(path).parts():
        assert part is not None  # there is no more to come
        yield part


def is_record(path: Path) -> bool:
    """Return whether a file is to be read as a record: lines of JSON, compressed or not.

    A file whose gzip data is damaged or empty counts as a record, too; one that can't be read is a
    `FileError`.
    """
    with file_errors("can't read", path), opened(path) as file:
        is_packed = isinstance(file, gzip.GzipFile)
        try:
            first = file.read(1)
        except DAMAGED:
            return True
    return first == b"{" or (is_packed and not first)


def read_unpacked(path: Path, most: int = MAX_RES) -> bytes:
    """Return the content of a file of an original game, which may be compressed by gzip.

    Raises:
        LanistaError: It can't be read, or has more than `most` bytes.
    """
    with file_errors("can't read", path), opened(path) as file:
        try:
            data = file.read(most + 1)
        except DAMAGED as error:
            raise BadInputError(f"{path}: damaged gzip data ({error})") from None
    if len(data) > most:
        raise BadInputError(f"{path}: longer than {most >> 20} MiB, as no match file is")
    return data


def shown_of(path: Path, most: int = MAX_RES) -> Shown:
    """Return the match in a match file (.res) of an original game of at most so many bytes.

    Raises:
        FormatError: It isn't one; the frames may raise it, too.
        LanistaError: It can't be read.
    """
    text = read_unpacked(path, most).decode("utf-8-sig", "replace")
    return of_text(text).show(text)


def _of_res(path: Path) -> Iterator[dict[str, Any]]:
    shown = shown_of(path, MAX_SHOWN_RES)
    writer, storyteller = frames.FrameWriter(shown.scene), Storyteller(shown.scene)
    yield frames.head_of_res(shown)
    for frame, scores in shown.frames:
        storyteller.take(frame, scores)
        yield writer.frame(frame, scores, None)
    story = storyteller.story(registry.get(shown.game), None)
    yield frames.end(None, shown.seed, None, story=story)
