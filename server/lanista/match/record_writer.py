"""Writes a match's record while the match is played.

**No crash loses a match.** While a match runs, its lines go to a `.part` file, unbuffered, one
after each turn. The result is written there too, before any bot is sent it. Then the file is
compressed to a `.tmp` file, which is synced to disk and renamed to the record's name; only after
that is the `.part` file removed. So under the record's name there is either a complete record or
nothing, and after a crash at any moment the `.part` file has every completed line.
`results.recovery` completes it; a lock on the file shows whether its writer is still alive.

A tournament plays a match again that a crash has lost. Where its matches are very short, it has the
lines held in memory, since files cost more than all turns of such a match.
"""

import errno
import fcntl
import io
import json
import os
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import trio

from lanista.match.record import PART, TMP, Header, ResultInfo, line_of, result_line, whole_lines
from lanista.system import write_whole

CHUNK = 256 * 1024
"""How many bytes are compressed between two checks for cancellation."""
_LEVEL = 6
"""Compression level; 9 takes several times as long for hardly smaller records."""
_GZIP = 31
"""The number by which zlib writes the gzip format, with the largest window."""
_HELD = 64 * 1024
"""Maximum number of bytes of a record that are held in memory instead of the `.part` file."""


class RecordWriter:
    """The writer of a record, whose `.part` file stays locked until it has become the record."""

    def __init__(self, path: Path, *, holds: bool = False) -> None:
        """Open the `.part` file of the record `path`, and lock it.

        If it `holds` lines, they are in memory until `show` is called or they are too many; a crash
        may lose the match meanwhile. If it is over before, no file is written at all, and `content`
        has the record. Raises OSError also if another program writes this record.
        """
        if os.path.lexists(path):
            if path.exists() and not path.is_file():
                raise FileExistsError(errno.EEXIST, "not a regular file", str(path))
            # The record replaces a link's target, not the link.
            path = path.resolve() if path.is_symlink() else path
        self.path = path
        self.part = path.with_name(path.name + PART)
        self.content: bytes | None = None
        """The content of a complete record that was held in memory to the end."""
        self._file: io.FileIO | None = None
        self._held = bytearray()  # the lines, until the file is opened
        self._holds = holds
        if not holds:
            self._file = self._open()
        self._written = 0  # bytes of complete lines
        self._before_result: int | None = None  # bytes before the result, once that is written
        # The number and the words of the error that a record without a header has in the end.
        self._no_header: tuple[int | None, str | None] = errno.EIO, "the record has no header"

    def _open(self) -> io.FileIO:
        try:
            return _open_locked(self.part)
        except FileNotFoundError:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return _open_locked(self.part)

    def begin(self, header: Header) -> None:
        """Write the header."""
        try:
            self._write(line_of(header))
        except OSError as error:
            # Not the error itself, whose traceback has frames that refer to this.
            self._no_header = error.errno, error.strerror
            raise

    def turn(self, turn: Mapping[str, Any]) -> None:
        """Write a turn: the attributes of a TurnInfo, without those that have their defaults."""
        self._write(line_of(turn))

    def end(self, result: ResultInfo) -> None:
        """Write the result to the `.part` file, after which no crash of the arena can lose it."""
        if not self._written:
            raise OSError(*self._no_header, str(self.part))
        before = self._written
        self._write(result_line(result))
        self._before_result = before

    def _write(self, line: bytes) -> None:
        if self._holds and len(self._held) + len(line) <= _HELD:
            self._held += line
        else:
            self._stop_holding()
            assert self._file is not None
            _append(self._file, line, self._written)
        self._written += len(line)

    def show(self) -> None:
        """Stop holding lines: write those that are held, for those who watch the `.part` file.

        If that fails, they stay in memory, and the next line to be written tells the error.
        """
        with suppress(OSError):
            self._stop_holding()

    def _stop_holding(self) -> None:
        self._holds = False
        if self._file is not None:
            return
        file = self._open()
        try:
            _append(file, self._held, 0)
        except OSError:
            file.close()  # the lines stay in memory
            raise
        self._file = file
        self._held.clear()

    async def finish(self, result: ResultInfo) -> None:
        """Complete the record with the final result, compressing it in a thread.

        The result may contain more than the one that `end` wrote. The record gets its name once it
        is on disk. If this is cancelled, the lines stay in the `.part` file, with the result that
        `end` wrote. Raises OSError if the record can't be written.
        """
        try:
            if self._before_result is None:
                self.end(result)
            assert self._before_result is not None
            last = result_line(result)
            if self._file is None:
                lines = bytes(self._held[: self._before_result]) + last
                self.content = b"".join(_content(self.path, [lines]))
            else:
                await trio.to_thread.run_sync(pack, self.part, self.path, self._before_result, last)
        finally:
            self.close()

    def close(self) -> None:
        """Close the file without a result; the `.part` file stays if anything was written to it."""
        if self._file is not None and not self._file.closed:
            self._file.close()
            if not self._written:  # the match never began
                self.part.unlink(missing_ok=True)


def _append(file: io.FileIO, lines: bytes | bytearray, before: int) -> None:
    """Write lines to the end of a file that has `before` bytes, all of them or none."""
    written = 0
    try:
        while written < len(lines):  # a disk that is nearly full may take only a part
            written += file.write(lines[written:])
    except OSError:
        # If a later line can be written, it must not follow half a line.
        with suppress(OSError):
            file.seek(before)
            file.truncate()
        raise


def _open_locked(part: Path) -> io.FileIO:
    """Open a `.part` file for writing, lock it, and empty it.

    The lock ends when the file is closed or this process ends. OSError is raised also if another
    program has locked it.
    """
    # Emptied only when it is certain that no other program writes it.
    file = io.FileIO(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666), "w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.close()
        raise BlockingIOError(error.errno, "another program is writing it", str(part)) from None
    except OSError:
        pass  # The file system has no locks.
    file.truncate()
    return file


def pack(part: Path, path: Path, length: int, last: bytes) -> None:
    """Turn a `.part` file, whose lock the caller holds, into a record, and remove it.

    The record has the first `length` bytes of the file, and then the line `last`. This runs in a
    thread of trio's, and ends early when the call is cancelled. If the record can't be written, the
    `.part` file is left as it was.
    """
    # Most records are short, so it is the calls to the system that cost time: at each of them this
    # thread and the event loop's take turns. Opened like this, files take the fewest.
    with part.open("rb", buffering=0) as lines:
        content = _content(path, _chunks(lines, length, last))
        write_whole(path, content, path.with_name(path.name + TMP))
    part.unlink()


def _content(path: Path, chunks: Iterable[bytes]) -> Iterable[bytes]:
    """Return the content of a record, which is compressed if the record's name says so."""
    return _compressed(chunks) if path.suffix == ".gz" else chunks


def _compressed(chunks: Iterable[bytes]) -> Iterator[bytes]:
    # The header that zlib makes has neither a name nor a time in it, so that the same lines give
    # the same file.
    zipped = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    for chunk in chunks:
        yield zipped.compress(chunk)
    yield zipped.flush()


def _chunks(source: io.FileIO, length: int, last: bytes) -> Iterator[bytes]:
    """Yield the beginning of a file, `length` bytes, and then `last`."""
    while length:
        trio.from_thread.check_cancelled()
        chunk = source.read(min(length, CHUNK))
        if not chunk:
            raise OSError(errno.EIO, "the file became shorter while it was read", source.name)
        yield chunk
        length -= len(chunk)
    yield last


def public_copy(record: Path, owned: Collection[int]) -> bytes:
    """Return a copy, compressed, of a finished record, for the owners of some seats. Blocks.

    The logs and output of the other seats are left out; all else stays, so that the copy can be
    replayed and verified. The errors are those of `whole_lines`.
    """
    return b"".join(_compressed(_lines(record, owned)))


def _lines(record: Path, owned: Collection[int]) -> Iterator[bytes]:
    for line in whole_lines(record):
        # Most lines have neither, and needn't be parsed.
        if b'"logs"' in line or b'"bots"' in line:
            yield _without_evidence(line, owned)
        else:
            yield line


def _without_evidence(line: bytes, owned: Collection[int]) -> bytes:
    values: dict[str, Any] = json.loads(line)
    logs = values.pop("logs", {})
    kept = {seat: text for seat, text in logs.items() if int(seat) in owned}
    if kept:
        values["logs"] = kept
    bots = values.get("result", {}).get("bots", ())
    for seat, bot in enumerate(bots):
        if bot is not None and seat not in owned:
            bot["output"], bot["output_turns"] = "", []
    return line_of(values)
