"""Completes the records that an arena left in `.part` files when it was killed.

A match whose result is written gets its record. One without a result is recorded as aborted: the
arena ended before the match did. docs/records.md says what becomes of each kind of file.
"""

import enum
import fcntl
import os
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import attrs
import structlog
import trio

from lanista.match.record import (
    CHUNK,
    ENDING,
    MAX_LINE,
    PART,
    TMP,
    BadRecordError,
    Header,
    LineReader,
    ResultInfo,
    pack,
    result_line,
    whole_lines,
)
from lanista.rules.outcome import Termination

REASON = "arena-ended"
"""The reason of a match that was recorded as aborted after its arena had been killed."""
WHY = "the arena ended before the match did"
HEADER_BEGINS = b'{"lanista_record":'
YOUNG = 60.0
"""Seconds since its last change for which an empty `.part` file may be one that is being opened."""

log = structlog.get_logger()


class Fate(enum.Enum):
    """The ways in which a file that was left behind may end."""

    COMPLETED = "completed"
    """It had its result, and is the record now."""
    ABORTED = "aborted"
    """It is the record of an aborted match now."""
    REMOVED = "removed"
    """No match had begun in it."""
    DAMAGED = "damaged"
    """It stays as it is."""


@attrs.frozen
class Recovered:
    """A file that was left behind."""

    path: Path
    """The record; or the file itself, if none was made of it."""
    fate: Fate
    why: str = ""
    """Says what is wrong with a damaged file, for people."""


async def complete_records(records: Path, told: Callable[[str, Path], None]) -> None:
    """Complete what was left behind, beside whatever else the event loop does.

    Args:
        records: The folder of an arena's records by day; it needn't be there.
        told: Called with the id and the record of each match that has one now.
    """

    def work() -> None:
        counts = dict.fromkeys(Fate, 0)
        for found in recover(records):
            counts[found.fate] += 1
            if found.fate is Fate.DAMAGED:
                log.warning("a record can't be completed", path=str(found.path), why=found.why)
            elif found.fate is not Fate.REMOVED:
                match = found.path.name.removesuffix(ENDING)
                trio.from_thread.run_sync(told, match, found.path)
        if any(counts.values()):
            log.info(
                "completed the records that were left",
                **{fate.value: count for fate, count in counts.items()},
            )

    try:
        await trio.to_thread.run_sync(work)
    except OSError as error:
        log.error(  # noqa: TRY400 - the path and the reason are all there is to tell
            "can't look for records that were left", path=error.filename, why=error.strerror
        )
    except Exception:  # noqa: BLE001 - a fault of ours must not end the arena
        log.error(  # noqa: TRY400 - the trace is in the line
            "records that were left are not complete", trace=traceback.format_exc()
        )


def recover(records: Path) -> Iterator[Recovered]:
    """Complete the `.part` files below a folder of records by day, and remove `.tmp` files.

    Runs in a thread of trio's, and ends early when its call is cancelled. Whatever a running arena
    writes is locked and left alone.

    Raises:
        OSError: A folder can't be read.
    """
    with suppress(FileNotFoundError):
        for day in sorted(entry.path for entry in os.scandir(records) if entry.is_dir()):
            try:
                with os.scandir(day) as entries:
                    names = [
                        entry.name for entry in entries if entry.is_file(follow_symlinks=False)
                    ]
            except OSError as error:
                yield Recovered(Path(day), Fate.DAMAGED, error.strerror or str(error))
                continue
            for name in names:
                if name.endswith(ENDING + PART):
                    trio.from_thread.check_cancelled()
                    found = _recovered(Path(day, name))
                    if found is not None:
                        yield found
            for name in names:
                packed = Path(day, name)
                # Of a record that is being made there is a `.part` file.
                if name.endswith(ENDING + TMP) and not packed.with_suffix(PART).exists():
                    with suppress(OSError):
                        packed.unlink()


def _recovered(part: Path) -> Recovered | None:
    """Recover one file and tell what became of it; None: it is another's, or has gone."""
    try:
        with part.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Between opening and locking, another arena may have completed it.
            if os.path.samestat(os.fstat(file.fileno()), part.stat()):
                return _complete(part, file)
    except (BlockingIOError, FileNotFoundError):
        pass
    except BadRecordError as error:
        return Recovered(part, Fate.DAMAGED, str(error))
    except OSError as error:
        return Recovered(part, Fate.DAMAGED, error.strerror or str(error))
    return None


def _complete(part: Path, file: IO[bytes]) -> Recovered | None:
    """Make the record of a file whose lock is held.

    Raises:
        BadRecordError: The file is damaged.
        OSError: The record can't be written.
    """
    path = part.with_suffix("")
    header = file.readline(MAX_LINE)
    if not header.endswith(b"\n"):
        return _without_header(part, file, header)
    if path.exists():
        # The arena was killed after the record got its name, before this was removed.
        if next(whole_lines(path), b"") != header:
            raise BadRecordError(f"{part}: {path.name} is the record of another match")
        part.unlink()
        return Recovered(path, Fate.COMPLETED)
    reader = LineReader(part)
    told = reader.read(header)
    assert isinstance(told, Header)  # nothing else is taken in the first line
    count, start, end = _last_line(part, file)
    result = None
    turns = count - 1
    if turns:
        reader.skip(turns - 1)
        file.seek(start)
        last = reader.read(file.read(end - start))
        result = last if isinstance(last, ResultInfo) else None
    if result is None:
        result = _aborted(len(told.players), turns, os.fstat(file.fileno()).st_mtime)
        pack(part, path, end, result_line(result))
        return Recovered(path, Fate.ABORTED)
    if result.turns != turns - 1:
        raise BadRecordError(f"{part}: {turns - 1} turns; its result says {result.turns}")
    pack(part, path, end, b"")
    return Recovered(path, Fate.COMPLETED)


def _without_header(part: Path, file: IO[bytes], line: bytes) -> Recovered | None:
    """Remove a file in which no match has begun: its header is the first that is written."""
    if not line and time.time() - os.fstat(file.fileno()).st_mtime < YOUNG:
        return None  # another arena may be about to lock it
    if len(line) == MAX_LINE or line[: len(HEADER_BEGINS)] != HEADER_BEGINS[: len(line)]:
        raise BadRecordError(f"{part}: line 1: no header of a record")
    part.unlink()
    return Recovered(part, Fate.REMOVED)


def _last_line(part: Path, file: IO[bytes]) -> tuple[int, int, int]:
    """Return how many whole lines there are, and where the last of them begins and ends.

    Raises:
        BadRecordError: It is too long to be one of a record's.
    """
    file.seek(0)
    count = start = end = place = 0
    while chunk := file.read(CHUNK):
        trio.from_thread.check_cancelled()
        found = chunk.count(b"\n")
        if found:
            last = chunk.rfind(b"\n")
            start = end if found == 1 else place + chunk.rfind(b"\n", 0, last) + 1
            end = place + last + 1
            count += found
        place += len(chunk)
    if end - start > MAX_LINE:
        raise BadRecordError(f"{part}: line {count}: more than {MAX_LINE} bytes")
    return count, start, end


def _aborted(seats: int, turns: int, when: float) -> ResultInfo:
    """Return the result of a match whose arena was killed; it tells no position."""
    return ResultInfo(
        end=Termination.ABORTED.value,
        reason=REASON,
        ranks=(1,) * seats,
        scores=(0,) * seats,
        turns=turns,
        digest="",
        error=WHY,
        ended=datetime.fromtimestamp(when, UTC).isoformat(timespec="milliseconds"),
    )
