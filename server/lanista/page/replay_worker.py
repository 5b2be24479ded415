"""The replay worker: the process that plays records again and writes their frames into files.

Started by `frame_cache` as `python -m lanista.page.replay_worker FOLDER`. Playing a record
again takes as long as playing the match: in a process of its own, at the lowest priority, it
doesn't hold up running matches. A file that a viewer sent can harm at most this process, whose
memory is limited. It opens no socket.

It reads orders from stdin, one JSON object a line:

- `{"open": JOB, "path": PATH, "live": bool, "logs": [SEAT] or null}` begins a job;
- `{"finish": JOB}` says that the job's source won't grow any more;
- `{"close": JOB}` ends a job and removes its file;
- `{"remove": FOLDER}` removes a folder.

The frames of a job go into the file FOLDER/JOB, each followed by a comma. Reports go to stdout,
one JSON object a line: `{"job": JOB}` with `head`, `frames` (the size of each new frame in bytes,
with its comma), `end` or `failed`. The process ends when stdin is closed.
"""

import json
import os
import resource
import select
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import attrs

from lanista.memory import return_large_blocks
from lanista.page import frames
from lanista.page.replay_reader import ReplayReader, UnreadableError, read_frames

LOOK_EVERY = 0.03
"""Seconds between two looks at records that are still being written."""
AT_ONCE = 8
"""Maximum number of frames of one job before the next job has its turn."""
MAX_FRAMES_SIZE = 256 * 1024 * 1024
"""Maximum size of a job's frames in bytes: some hundred thousand turns of Angry Mob."""
MAX_MEMORY = 1024**3
"""Limit of the process's address space in bytes: a hostile file could fill the memory."""
NICENESS = 15
"""Amount by which the process lowers its priority."""


@attrs.define(eq=False)
class ReplayJob:
    """One source whose frames are being made."""

    number: int
    path: Path
    """The source: a record, or an original game's match file."""
    live: bool
    logs: Sequence[int] | None
    """The seats whose bots' logs are included; None for all."""
    file: IO[bytes]
    """The file that the frames are written into."""
    size: int = 0
    """Bytes of frames written so far."""
    waiting: bool = False
    """Whether the source had nothing more when it was last looked at."""
    _live_reader: ReplayReader | None = None
    _parts: Iterator[dict[str, Any]] | None = None

    def next_part(self) -> dict[str, Any] | None:
        """Return the head, the next frame or the end; None if it isn't written yet."""
        if self.live:
            if self._live_reader is None:
                self._live_reader = ReplayReader(self.path, live=True, logs=self.logs)
            return self._live_reader.next()
        if self._parts is None:
            self._parts = read_frames(self.path, self.logs)
        return next(self._parts)

    def finish(self) -> None:
        """Note that the source won't grow any more."""
        if self._live_reader is not None:
            self._live_reader.live = False

    def close(self) -> None:
        """Close its files."""
        self.file.close()
        if self._live_reader is not None:
            self._live_reader.close()
        if self._parts is not None:
            self._parts.close()  # type: ignore[attr-defined] # it is a generator


class ReplayWorker:
    """Works on all open jobs, a few frames of each in turn."""

    def __init__(self, folder: Path, reports: IO[bytes]) -> None:
        self.folder = folder
        self._reports = reports
        self._jobs: dict[int, ReplayJob] = {}

    @property
    def pause(self) -> float | None:
        """Seconds until there may be something to do; None: until the next order."""
        if not self._jobs:
            return None
        return LOOK_EVERY if all(job.waiting for job in self._jobs.values()) else 0

    def do(self, order: dict[str, Any]) -> None:
        """Carry out an order."""
        if "open" in order:
            self._open(order)
        elif "finish" in order:
            if order["finish"] in self._jobs:
                self._jobs[order["finish"]].finish()
        elif "remove" in order:
            shutil.rmtree(order["remove"], ignore_errors=True)
        else:
            self._drop(order["close"])
            # Removed here, as removing a large file takes longer than matches should wait.
            (self.folder / str(order["close"])).unlink(missing_ok=True)

    def _open(self, order: dict[str, Any]) -> None:
        number = order["open"]
        try:
            self.folder.mkdir(exist_ok=True)  # a clean-up of temporary files may have removed it
            file = (self.folder / str(number)).open("wb", buffering=0)
        except OSError as error:
            self._report(number, failed=f"no room for the frames: {error.strerror}")
            return
        self._jobs[number] = ReplayJob(
            number, Path(order["path"]), order["live"], order["logs"], file
        )

    def work(self) -> None:
        """Make a few frames of every job."""
        for job in list(self._jobs.values()):
            self._work_on(job)

    def _work_on(self, job: ReplayJob) -> None:
        sizes: list[int] = []
        last: dict[str, Any] = {}
        job.waiting = False
        try:
            while len(sizes) < AT_ONCE and not last:
                part = job.next_part()
                if part is None:
                    job.waiting = True
                    break
                kind = part.get("type")
                if kind == "head":
                    self._report(job.number, head=part)
                elif kind == "end":
                    last = {"end": part}
                elif job.size > MAX_FRAMES_SIZE:
                    trouble = "the replay stops here: the match is too long to be shown"
                    last = {"end": frames.end(None, None, trouble)}
                else:
                    sizes.append(self._write(job, part))
        except UnreadableError as error:
            last = {"failed": str(error)}
        except MemoryError:
            last = {"failed": f"{job.path.name}: too large to be shown"}
        except OSError as error:
            last = {"failed": f"no room for the frames: {error.strerror}"}
        except Exception as error:  # noqa: BLE001 - whatever a file brings about ends its job alone
            last = {"failed": f"{job.path.name}: can't be shown ({type(error).__name__})"}
        if sizes or last:
            self._report(job.number, frames=sizes, **last)
        if last:
            self._drop(job.number)

    def _write(self, job: ReplayJob, frame: dict[str, Any]) -> int:
        """Write a frame, and return its size in bytes."""
        rest = memoryview(frames.encode(frame) + b",")
        size = len(rest)
        while rest:
            rest = rest[job.file.write(rest) :]
        job.size += size
        return size

    def _drop(self, number: int) -> None:
        job = self._jobs.pop(number, None)
        if job is not None:
            job.close()

    def _report(self, number: int, **fields: Any) -> None:
        self._reports.write(frames.encode({"job": number, **fields}) + b"\n")
        self._reports.flush()


def main() -> None:
    """Make frames until stdin ends."""
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    return_large_blocks()
    worker = ReplayWorker(Path(sys.argv[1]), sys.stdout.buffer)
    orders = b""
    while True:
        ready, _, _ = select.select([0], [], [], worker.pause)
        if ready:
            data = os.read(0, 65_536)
            if not data:
                # An arena that was killed can't remove the folder itself.
                shutil.rmtree(worker.folder, ignore_errors=True)
                return
            *lines, orders = (orders + data).split(b"\n")
            for line in lines:
                worker.do(json.loads(line))
        worker.work()


if __name__ == "__main__":
    main()
