"""Completing the records that an arena has left in `.part` files when it was killed.

docs/records.md#when-the-arena-is-killed says what becomes of each file. If the record exists
already, the arena was killed just before removing the `.part` file.

The writer of a `.part` file holds a lock on it (flock) for as long as it lives, so several arenas
may use the same folder. There is one gap, between making the file and locking it, so an empty file
that is younger than YOUNG is left alone as well, and isn't even locked: its writer, which may be
about to lock it, must not find that done.

All this happens in a thread while the arena already serves, since there may be thousands of files;
before that too if it has ladders, which look for results in the records.
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

from lanista.games.outcome import Termination
from lanista.match.record import (
    ENDING,
    MAX_LINE,
    PART,
    TMP,
    BadRecordError,
    LineReader,
    ResultInfo,
    result_line,
    whole_lines,
)
from lanista.match.record_writer import pack

REASON = "arena-ended"
"""The `reason` in the record of a match that was aborted because its arena was killed."""
WHY = "the arena ended before the match did"
"""The `error` in the record of such a match, unless it was one process of the arena that died."""
HEADER_BEGINS = b'{"lanista_record":'
YOUNG = 60.0
"""Seconds after its last change for which an empty `.part` file isn't touched."""

log = structlog.get_logger()


class Fate(enum.Enum):
    """The fate of a file that was left behind."""

    COMPLETED = "completed"
    """The file had a result, and is a record now."""
    ABORTED = "aborted"
    """The file had no result, and is the record of an aborted match now."""
    REMOVED = "removed"
    """No match had begun in the file, and it was removed."""
    DAMAGED = "damaged"
    """The file is damaged, and was left as it is."""


@attrs.frozen
class Recovered:
    """A file that was left behind, and what became of it."""

    path: Path
    """The record; or the file itself, if it isn't a record now."""
    fate: Fate
    why: str = ""
    """What is wrong with a damaged file, for people to read; otherwise empty."""


def complete_records(
    records: Path, on_record: Callable[[str, Path], None] = lambda *_: None
) -> None:
    """Complete the records that were left behind, as `recover`, and report that in the log.

    The folder of records needn't exist. `on_record` is called, in trio's thread, with the id and
    the record of each match that has a record now.
    """
    counts = dict.fromkeys(Fate, 0)
    try:
        for recovered in recover(records):
            counts[recovered.fate] += 1
            if recovered.fate is Fate.DAMAGED:
                log.warning(
                    "a record can't be completed", path=str(recovered.path), why=recovered.why
                )
            elif recovered.fate is not Fate.REMOVED:
                match = recovered.path.name.removesuffix(ENDING)
                trio.from_thread.run_sync(on_record, match, recovered.path)
    except Exception:  # noqa: BLE001 - neither a folder nor a fault of ours may end the arena
        log.error(
            "records that an earlier run has left are still unfinished",
            trace=traceback.format_exc(),
        )
    if any(counts.values()):
        log.info(
            "completed records that were left unfinished",
            **{fate.value: count for fate, count in counts.items()},
        )


def recover(records: Path) -> Iterator[Recovered]:
    """Complete the `.part` files in a folder of records by day, and remove `.tmp` files.

    This must run in a thread started by trio, and ends early when that call is cancelled. Files
    that a running arena writes are locked, and left alone. Yields each file after dealing with it.
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
                    recovered = _recovered(Path(day, name))
                    if recovered is not None:
                        yield recovered
            for name in names:
                packed = Path(day, name)
                # While its `.part` file exists, the record may still be being written.
                if name.endswith(ENDING + TMP) and not packed.with_suffix(PART).exists():
                    with suppress(OSError):
                        packed.unlink()


def complete_part(part: Path, why: str) -> None:
    """Complete the record of a match whose process of this arena has died, and say in it `why`.

    This must run in a thread started by trio.
    """
    with suppress(FileNotFoundError):
        if _recovered(part, why) is None and not part.stat().st_size:
            part.unlink()


def _recovered(part: Path, why: str = WHY) -> Recovered | None:
    """Deal with one file; return None if a running match is using it, or it is gone."""
    try:
        with part.open("r+b") as file:
            found = os.fstat(file.fileno())
            if not found.st_size and time.time() - found.st_mtime < YOUNG:
                return None
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Between opening and locking, another arena may have completed it.
            if os.path.samestat(found, part.stat()):
                return _complete(part, file, why)
    except (BlockingIOError, FileNotFoundError):
        pass
    except BadRecordError as error:
        return Recovered(part, Fate.DAMAGED, str(error))
    except OSError as error:
        return Recovered(part, Fate.DAMAGED, error.strerror or str(error))
    return None


def _complete(part: Path, file: IO[bytes], why: str) -> Recovered:
    """Make a record of a file on which we hold the lock; a damaged one is a `BadRecordError`."""
    path = part.with_suffix("")
    first_line = file.readline(MAX_LINE)
    if not first_line.endswith(b"\n"):
        return _without_header(part, first_line)
    if path.exists():
        # The arena was killed after the record got its name, before this file was removed.
        if next(whole_lines(path), b"") != first_line:
            raise BadRecordError(f"{part}: {path.name} is the record of another match")
        part.unlink()
        return Recovered(path, Fate.COMPLETED)
    reader = LineReader(part)
    header = reader.header(first_line)
    count, start, end = _last_line(part, file)
    result = None
    turns = count - 1
    if turns:
        reader.skip(turns - 1)
        file.seek(start)
        last = reader.read(file.read(end - start))
        result = last if isinstance(last, ResultInfo) else None
    if result is None:
        result = _aborted(len(header.players), turns, os.fstat(file.fileno()).st_mtime, why)
        pack(part, path, end, result_line(result))
        return Recovered(path, Fate.ABORTED)
    if result.turns != turns - 1:
        raise BadRecordError(f"{part}: {turns - 1} turns; its result says {result.turns}")
    pack(part, path, end, b"")
    return Recovered(path, Fate.COMPLETED)


def _without_header(part: Path, line: bytes) -> Recovered:
    """Remove a file without a whole header line, in which no match has begun."""
    if len(line) == MAX_LINE or line[: len(HEADER_BEGINS)] != HEADER_BEGINS[: len(line)]:
        raise BadRecordError(f"{part}: line 1: not the header of a record")
    part.unlink()
    return Recovered(part, Fate.REMOVED)


def _last_line(part: Path, file: IO[bytes]) -> tuple[int, int, int]:
    """Return the number of whole lines, and the offsets of the last one's beginning and end."""
    file.seek(0)
    count = start = end = 0
    while (line := file.readline(MAX_LINE)).endswith(b"\n"):
        trio.from_thread.check_cancelled()
        count, start, end = count + 1, end, end + len(line)
    if len(line) == MAX_LINE:
        raise BadRecordError(f"{part}: line {count + 1}: more than {MAX_LINE} bytes")
    return count, start, end


def _aborted(seats: int, turns: int, when: float, why: str) -> ResultInfo:
    """Return the result of a match whose last turn was written at `when`, in seconds since 1970."""
    return ResultInfo(
        end=Termination.ABORTED.value,
        reason=REASON,
        ranks=(1,) * seats,
        scores=(0,) * seats,
        turns=turns,
        digest="",
        error=why,
        ended=datetime.fromtimestamp(when, UTC).isoformat(timespec="milliseconds"),
    )
