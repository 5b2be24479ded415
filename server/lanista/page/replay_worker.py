"""The replay worker: plays records again and writes their frames into files.

`frame_cache` calls `work` in a helper process of low priority, which keeps its jobs between two
calls. A file that a viewer sent can harm at most that process, whose memory is limited.

The frames of a job go into the file FOLDER/JOB, each followed by a comma.
"""

import gc
import shutil
import time
import zlib
from collections.abc import Callable, Collection, Generator, Sequence
from pathlib import Path
from typing import Any

import attrs

from lanista.games import registry
from lanista.match.record import BadRecordError, prepare_reading, read_ends
from lanista.page import frames
from lanista.page.replay_reader import ReplayReader, UnreadableError

LOOK_EVERY = 0.03
"""Seconds between two looks at records that are still being written."""
AT_ONCE = 32
"""Maximum number of frames of one job before the next job has its turn."""
MAKING = 0.03
"""Seconds after which a call that makes frames ends: each call costs the arena's loop 0.3 ms."""
WAITING = 0.1
"""Seconds after which a call ends that has found nothing to do: orders wait until then."""
INTERRUPTED = "the replay was interrupted; open the match again"
"""The message about a job whose process has died."""
MAX_FRAMES_SIZE = 256 * 1024 * 1024
"""Maximum size of a job's frames in bytes: some hundred thousand turns of Angry Mob."""


@attrs.frozen(kw_only=True)
class Report:
    """What was made of a job in one call."""

    job: int
    frames: Sequence[int] = ()
    """The size of each new frame in bytes, with its comma."""
    head: bytes | None = None
    end: bytes | None = None
    """What precedes and follows the frames, as compressed JSON; None if it isn't there yet."""
    expected: int = 0
    """The number of frames that a finished record will have; 0 if nobody knows."""
    failed: str | None = None
    """Why no more frames can be made."""


def packed(part: dict[str, Any]) -> bytes:
    """Return a head or an end as compressed JSON."""
    return zlib.compress(frames.encode(part), 1)


def work(folder: Path, orders: "Sequence[Order]", jobs: Sequence[int]) -> Sequence[Report]:
    """Carry out orders, and make some frames of every job; wait for a moment if there are none.

    The jobs are those that aren't over; one that was begun by another process, which has died,
    fails.
    """
    global _worker  # noqa: PLW0603 - what a process keeps from call to call
    if _worker is None:
        _worker = ReplayWorker(folder)
        # Frames are many objects that live shortly, without cycles: looking for those so often
        # takes a tenth of the time.
        gc.freeze()
        gc.set_threshold(100_000)
    for order in orders:
        order(_worker)
    return _worker.work(jobs)


@attrs.define(eq=False)
class ReplayJob:
    """One source whose frames are being made."""

    number: int
    reader: ReplayReader
    file: Path
    """The file of its frames, which is made with the first of them."""
    size: int = 0
    """Bytes of frames made so far."""
    waiting: bool = False
    """Whether the source had nothing more when it was last looked at."""
    parts: Generator[dict[str, Any] | None, None, None] = attrs.field(init=False)
    """The rest of what is made of the source (`ReplayReader.parts`)."""

    def __attrs_post_init__(self) -> None:
        self.parts = self.reader.parts()

    def expected(self) -> int:
        """Return how many frames a finished record will have; 0 if nobody knows."""
        if self.reader.live:
            return 0
        try:
            _, result = read_ends(self.reader.path)
        except (BadRecordError, OSError):  # cut off, or an original game's match file
            return 0
        return result.rounds + 1

    def write(self, made: Sequence[bytes]) -> None:
        """Write the frames that were made last into its file."""
        begin = self.size - sum(map(len, made))
        if not begin:
            self.file.parent.mkdir(exist_ok=True)  # a clean-up may have removed it
        with self.file.open("r+b" if begin else "wb") as file:
            file.seek(begin)
            file.writelines(made)


class ReplayWorker:
    """Works on all open jobs, a few frames of each in turn."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._jobs: dict[int, ReplayJob] = {}

    def prepare(self) -> None:
        """Import and make what every record needs, for which the first job would have to wait."""
        prepare_reading()
        for game in registry.ours():
            registry.get(game)

    def open(self, number: int, path: Path, *, live: bool, logs: Collection[int] | None) -> None:
        """Begin a job; the other arguments are the attributes of its `ReplayReader`."""
        reader = ReplayReader(path, live, logs)
        self._jobs[number] = ReplayJob(number, reader, self.folder / str(number))

    def finish(self, number: int) -> None:
        """Note that the source of a job won't grow any more."""
        if number in self._jobs:
            self._jobs[number].reader.live = False

    def close(self, number: int) -> None:
        """End a job, and remove its file, which takes longer than matches should wait."""
        self._drop(number)
        (self.folder / str(number)).unlink(missing_ok=True)

    def remove(self, folder: Path) -> None:
        """Remove a folder."""
        shutil.rmtree(folder, ignore_errors=True)

    def work(self, jobs: Sequence[int]) -> Sequence[Report]:
        """Make some frames of every job (`work`)."""
        lost = [number for number in jobs if number not in self._jobs]
        reports = [Report(job=number, failed=INTERRUPTED) for number in lost]
        began = time.monotonic()
        while left := [self._jobs[number] for number in jobs if number in self._jobs]:
            made = list(filter(None, map(self._work_on, left)))
            reports += made
            took = time.monotonic() - began
            if (took > MAKING and reports) or any(report.head for report in made):
                break
            if all(job.waiting for job in left):
                if reports or took > WAITING:
                    break
                time.sleep(LOOK_EVERY)
        return reports

    def _work_on(self, job: ReplayJob) -> Report | None:
        """Make a few frames of a job; return None if there is nothing new."""
        made: list[bytes] = []
        head: bytes | None = None
        expected = 0
        last: dict[str, Any] = {}
        job.waiting = False
        try:
            while len(made) < AT_ONCE and not last:
                part = next(job.parts)
                if part is None:
                    job.waiting = True
                    break
                kind = part.get("type")
                if kind == "head":
                    head, expected = packed(part), job.expected()
                elif kind == "end":
                    last = {"end": packed(part)}
                elif job.size > MAX_FRAMES_SIZE:
                    trouble = "the replay stops here: the match is too long to be shown"
                    last = {"end": packed(frames.end(None, None, trouble))}
                else:
                    made.append(frames.encode(part) + b",")
                    job.size += len(made[-1])
                    if head is not None:
                        break  # somebody waits for both
        except UnreadableError as error:
            last = {"failed": str(error)}
        except MemoryError:
            # Others' records may be what takes the room.
            words = "there is too little memory to show it now; open it again later"
            last = {"failed": f"{job.reader.path.name}: {words}"}
        except (Exception, SystemExit) as error:  # noqa: BLE001 - ends only this job
            last = {"failed": f"{job.reader.path.name}: can't be shown ({type(error).__name__})"}
        if made:
            try:
                job.write(made)
            except OSError as error:
                words = f"can't write the frames: {error.strerror}; open the match again"
                made, last = [], {"failed": words}
        if last:
            self._drop(job.number)
        if not (made or head or last):
            return None
        sizes = list(map(len, made))
        return Report(job=job.number, frames=sizes, head=head, expected=expected, **last)

    def _drop(self, number: int) -> None:
        job = self._jobs.pop(number, None)
        if job is not None:
            job.parts.close()
            # Nearly nothing is garbage here. But this also empties the interpreter's lists of freed
            # tuples, which otherwise hold ever more of the memory that jobs have used.
            gc.collect()


Order = Callable[[ReplayWorker], None]
"""Calls one of the worker's methods; it is pickled."""
_worker: ReplayWorker | None = None
