"""The frames of matches as the page's server hands them out, kept in files.

The replay worker (`replay_worker`) writes the frames of each match into a file, which all of its
viewers share; the arena's process only learns where each frame ends, and later reads ready bytes.
When there are too many files, those without a viewer are removed, the least recently used first.

If the worker dies, unfinished files are marked as failed, and the next one that is opened starts
another worker: the record gives the same frames again.
"""

import contextlib
import itertools
import json
import math
import os
import shutil
import zlib
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import structlog
import trio

from lanista.errors import BadInputError
from lanista.helper_processes import HelperDiedError, HelperProcess
from lanista.page.frames import KEY_EVERY
from lanista.page.replay_worker import INTERRUPTED, Order, ReplayWorker, Report, work
from lanista.temporary import TemporaryFolder

KEPT = 512 * 1024 * 1024
"""Bytes of frames on disk above which files without a viewer are removed; fewer where the frames
take more room than they leave, as a folder for temporary files may be a small one in memory."""
CHUNK_FRAMES = 100
"""Maximum number of frames in one answer."""
CHUNK_BYTES = 1024 * 1024
"""Bytes of frames above which an answer ends before the next key frame."""
FILES_KEPT = 500
"""Number of files above which those without a viewer are removed."""
UNFINISHED_KEPT = 4
"""Number of unfinished files that are kept although they have no viewer."""
AT_WORK = 8
"""Number of an address's files, the oldest unfinished ones, whose frames are made in turn."""
MAX_MEMORY = 1024**3
"""Limit of the replay worker's address space in bytes: a hostile file could fill the memory."""

log = structlog.get_logger()


Seats = frozenset[int] | None
"""Seats of a match; None for all of them."""


class NoFramesError(BadInputError):
    """The frames of a match can't be had; the message is shown to the viewer."""


@attrs.define(eq=False)
class FrameFile:
    """The frames of one match, as far as they are made."""

    number: int
    key: str
    """The match's id, or the path of a file that a viewer sent."""
    source: Path
    """The record, or the original game's match file."""
    file: Path
    logs: Seats = None
    """The seats whose bots' logs are included."""
    live: bool = False
    """Whether the match was running when the file was made."""
    addresses: set[str] = attrs.field(factory=set)
    """The addresses of the viewers that have waited for its frames, if it isn't `live`."""
    turn: int = 0
    """When frames of it were made last, in the order of turns; 0 if never."""
    viewers: int = 0
    failed: str | None = None
    """Why the frames can't be had."""
    _head: bytes | None = None
    _end: bytes | None = None
    """What precedes and follows the frames, as compressed JSON: there are hundreds of files, and
    the objects of a head take ten times more memory than a file's other attributes."""
    _expected: int = 0
    """The number of frames that a finished record will have; 0 if nobody knows."""
    _ends: "array[int]" = attrs.field(factory=lambda: array("Q"))
    """The position in the file at which each frame ends, with its comma."""
    _changed: trio.Event = attrs.field(factory=trio.Event)

    @property
    def count(self) -> int:
        """The number of frames made so far."""
        return len(self._ends)

    @property
    def total(self) -> int | None:
        """The number of frames that there will be; None if nobody knows yet."""
        return self.count if self.over else self._expected or None

    @property
    def end(self) -> dict[str, Any] | None:
        """What follows the frames; None as long as it isn't there."""
        return None if self._end is None else _unpack(self._end)

    @property
    def over(self) -> bool:
        """Whether no frame will follow."""
        return self._end is not None or self.failed is not None

    @property
    def size(self) -> int:
        """The size of the frames made so far, in bytes."""
        return self._ends[-1] if self._ends else 0

    def update(self, report: Report) -> None:
        """Take in a report of the replay worker, and wake up whoever waits."""
        self._head = report.head or self._head
        self._expected = report.expected or self._expected
        for size in report.frames:
            self._ends.append(self.size + size)
        self._end = report.end or self._end
        self.failed = self.failed or report.failed
        self._changed.set()
        self._changed = trio.Event()

    def fail(self, why: str) -> None:
        """Note that no more frames can be had."""
        self.update(Report(job=self.number, failed=why))

    async def wait_head(self) -> dict[str, Any]:
        """Return the head as soon as it is there; raise NoFramesError if it can't be made."""
        while self._head is None and not self.over:
            await self._changed.wait()
        if self._head is None:
            raise NoFramesError(self.failed or "there are no frames of this match")
        return _unpack(self._head)

    async def wait_over(self) -> None:
        """Return when no more frames will follow."""
        while not self.over:
            await self._changed.wait()

    async def wait_frame(self, position: int) -> None:
        """Return when this frame is made, or never will be; -1: when any frame is made."""
        while self.count <= max(position, 0) and not self.over:
            await self._changed.wait()

    def chunk(self, position: int, *, known: bool) -> tuple[int, bytes]:
        """Read frames from the file, at least one; return the first one's number, and their JSON.

        They begin with the one at a position, which is made, if the reader is known to have the one
        before it; otherwise with the last key frame before it. Commas separate them.
        """
        first = position if known else position - position % KEY_EVERY
        start = self._ends[first - 1] if first else 0
        last = min(first + CHUNK_FRAMES, self.count)
        while last - 1 > position and self._ends[last - 1] - start > CHUNK_BYTES:
            last = max(position + 1, last - KEY_EVERY)
        with self.file.open("rb") as file:
            return first, os.pread(file.fileno(), self._ends[last - 1] - start - 1, start)


@attrs.define(eq=False)
class FrameCache:
    """All files of frames, and the replay worker that writes them; `run` it beside the server."""

    at_once: bool = False
    """Whether to start the replay worker before there is a viewer. A process that also starts bots
    does so: `keeper_process` kills children that are younger than the bot they may come from."""
    _folder: TemporaryFolder | None = attrs.field(default=None, init=False)
    _files: dict[tuple[str, Seats], FrameFile] = attrs.field(factory=dict, init=False)
    """The files that can be acquired, by key and the seats whose logs are included, the least
    recently used first."""
    _by_number: dict[int, FrameFile] = attrs.field(factory=dict, init=False)
    """All files that have viewers or can be acquired, by number, even if another replaced them."""
    _numbers: Iterator[int] = attrs.field(factory=lambda: itertools.count(1), init=False)
    _turns: Iterator[int] = attrs.field(factory=lambda: itertools.count(1), init=False)
    _helper: HelperProcess = attrs.field(
        factory=lambda: HelperProcess(max_memory=MAX_MEMORY), init=False
    )
    _is_warm: bool = attrs.field(default=False, init=False)
    _send_order: trio.MemorySendChannel[Order] = attrs.field(init=False)
    _orders: trio.MemoryReceiveChannel[Order] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        # Unbounded: an order is small, and each comes from a viewer that waits for its answer.
        self._send_order, self._orders = trio.open_memory_channel(math.inf)

    @property
    def folder(self) -> Path:
        """The temporary folder of the frames, which is removed at the end."""
        assert self._folder is not None
        return self._folder.path

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Have frames made until cancelled."""
        self.prepare()
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._helper.run)
                if self.at_once:
                    await self._helper.call(work, self.folder, [], [])
                task_status.started()
                await self._make_frames()
        finally:
            assert self._folder is not None
            self._folder.close()

    async def _make_frames(self) -> None:
        while True:
            orders = [] if self._unfinished() else [await self._orders.receive()]
            with contextlib.suppress(trio.WouldBlock):
                while True:
                    orders.append(self._orders.receive_nowait())
            unfinished = self._unfinished()
            jobs = self._jobs(unfinished)
            try:
                reports = await self._helper.call(work, self.folder, orders, jobs)
            except (HelperDiedError, OSError, RuntimeError) as error:
                # The last if no thread can start. Matches go on without frames.
                log.error("the replay worker failed", why=str(error))
                reports = [Report(job=file.number, failed=INTERRUPTED) for file in unfinished]
            for report in reports:
                if report.job in self._by_number:
                    self._by_number[report.job].update(report)

    def _unfinished(self) -> list[FrameFile]:
        return [file for file in self._by_number.values() if not file.over]  # the oldest first

    def _jobs(self, unfinished: Sequence[FrameFile]) -> list[int]:
        """Return the files of which frames are made now, of those that are given by age.

        They are those of running matches, and one for each address: so whoever opens hundreds
        delays mostly themselves.
        """
        jobs = {file.number for file in unfinished if file.live}
        by_address: dict[str, list[FrameFile]] = defaultdict(list)
        for file in unfinished:
            for address in file.addresses:
                by_address[address].append(file)
        for files in by_address.values():
            file = min(files[:AT_WORK], key=lambda file: file.turn)
            file.turn = next(self._turns)
            jobs.add(file.number)
        return sorted(jobs)

    def prepare(self) -> None:
        """Make the folder if it isn't there, and remove those that killed arenas left behind.

        Raises:
            OSError: The folder can't be made.
        """
        if self._folder is None:
            self._folder = TemporaryFolder("lanista-frames")

    def warm_up(self) -> None:
        """Have the replay worker started: that takes longer than making the first frames does."""
        if not self._is_warm:
            self._is_warm = True
            self._send_order.send_nowait(ReplayWorker.prepare)

    def acquire(
        self, key: str, source: Path, *, live: bool, logs: Seats = None, address: str = ""
    ) -> FrameFile:
        """Return the frames of a file for a viewer at an address; `release` them.

        They are begun if they aren't there. The source is a record, its `.part` while it is
        written, or a `.res` file; it may grow if it is `live`. Each set of seats whose bots' `logs`
        are included has frames of its own.
        """
        file = self._files.pop((key, logs), None)
        # Another file is being written for the same match if it is played again, say because a
        # tournament was ended before it was stored.
        is_played_again = live and file is not None and file.source != source
        if file is not None and (file.failed is not None or is_played_again):
            if not file.viewers:
                self._forget(file)
            file = None
        if file is None:
            number = next(self._numbers)
            file = FrameFile(number, key, source, self.folder / str(number), logs, live)
            self._by_number[number] = file
            self._send_order.send_nowait(
                partial(ReplayWorker.open, number=number, path=source, live=live, logs=logs)
            )
        self._files[key, logs] = file
        if not (file.live or file.over):
            file.addresses.add(address)
        file.viewers += 1
        return file

    def finish(self, key: str) -> None:
        """Tell the worker that a match is over: its record won't grow any more."""
        for file in self._files.values():
            if not file.over and file.key == key:
                self._send_order.send_nowait(partial(ReplayWorker.finish, number=file.number))

    def release(self, file: FrameFile) -> None:
        """Count one viewer less, and remove files without a viewer if there are too many."""
        file.viewers -= 1
        if file.viewers:
            return
        if self._files.get((file.key, file.logs)) is not file:  # another file has replaced it
            self._forget(file)
        size = sum(file.size for file in self._files.values())
        most = KEPT
        with contextlib.suppress(OSError):  # the folder for temporary files may be gone
            most = min(KEPT, (size + shutil.disk_usage(self.folder.parent).free) // 2)
        unseen = [file for file in self._files.values() if not file.viewers]
        # Unfinished ones still cost work: only a few are kept for viewers that come back.
        unfinished = sum(not file.over for file in unseen)
        for oldest in unseen:
            too_many = size > most or len(self._files) > FILES_KEPT
            if too_many or (unfinished > UNFINISHED_KEPT and not oldest.over):
                size -= oldest.size
                unfinished -= not oldest.over
                del self._files[oldest.key, oldest.logs]
                self._forget(oldest)

    def _forget(self, file: FrameFile) -> None:
        del self._by_number[file.number]
        self._send_order.send_nowait(partial(ReplayWorker.close, number=file.number))

    def remove(self, folder: Path) -> None:
        """Have the worker remove the folder of a file: a large one would hold up the loop."""
        self._send_order.send_nowait(partial(ReplayWorker.remove, folder=folder))


def _unpack(packed: bytes) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(zlib.decompress(packed))
    return value
