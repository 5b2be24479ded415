"""FrameCache as the server hands them out: made by the projector's process, kept in files.

The arena's own process reads ready bytes and sends them; it plays nothing again and encodes
nothing. FrameCache that nobody looks at are forgotten, the oldest first.
"""

import contextlib
import fcntl
import itertools
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import structlog
import trio

from lanista.playback.frames import KEY_EVERY, encode

KEPT = 512 * 1024 * 1024
"""Bytes of films on disk above which those that nobody looks at are forgotten."""
CHUNK_FRAMES = 100
"""Frames of one answer at most."""
CHUNK_BYTES = 1024 * 1024
"""Bytes of frames above which an answer ends with the next whole one."""
FILMS_KEPT = 500
"""FrameCache above which those that nobody looks at are forgotten too."""
UNFINISHED_KEPT = 4
"""FrameCache still made that are kept though nobody looks."""
RESTART_PAUSE = 1.0
"""Seconds before a projector that ended is started again."""
ENDING_TIME = 0.5
"""Seconds that the projector has to end by itself."""
_FOLDER = re.compile(r"lanista-films-([1-9][0-9]{0,8})-[a-z0-9_]{8}")
"""The names of folders of films: by whose process, and what `tempfile` adds."""

log = structlog.get_logger()


class NoFramesError(Exception):
    """There is no such film; in words for people."""


@attrs.define(eq=False)
class Film:
    """A film, as far as it is made."""

    number: int
    path: Path
    """The record."""
    file: Path
    """Its frames."""
    logs: bool = True
    """Whether they tell what bots logged."""
    viewers: int = 0
    head: dict[str, Any] | None = None
    end: dict[str, Any] | None = None
    failed: str | None = None
    """Why there is no film."""
    _ends: "array[int]" = attrs.field(factory=lambda: array("Q"))  # of every frame, in the file
    _changed: trio.Event = attrs.field(factory=trio.Event)
    _cut: tuple[int, int, bytes] = (0, 0, b"")
    """What was asked for last: many look at the same frames at the same moment."""

    @property
    def count(self) -> int:
        """Frames made."""
        return len(self._ends)

    @property
    def over(self) -> bool:
        """Whether no frame will follow."""
        return self.end is not None or self.failed is not None

    @property
    def size(self) -> int:
        """Bytes."""
        return self._ends[-1] if self._ends else 0

    def add(self, told: dict[str, Any]) -> None:
        """What the projector told of it."""
        self.head = told.get("head", self.head)
        for size in told.get("frames", ()):
            self._ends.append(self.size + size)
        self.end = told.get("end", self.end)
        self.failed = told.get("failed", self.failed)
        self._changed.set()
        self._changed = trio.Event()

    async def begun(self) -> dict[str, Any]:
        """Its head, once that is there.

        Raises:
            NoFramesError: None can be made.
        """
        while self.head is None and not self.over:
            await self._changed.wait()
        if self.head is None:
            raise NoFramesError(self.failed or "there is no film of this match")
        return self.head

    def forget_cut(self) -> None:
        """Nobody asks for frames any more."""
        self._cut = (0, 0, b"")

    async def made(self) -> None:
        """Return when it is over."""
        while not self.over:
            await self._changed.wait()

    async def reach(self, place: int) -> None:
        """Return when this frame is there, or none will be; -1: when there is any."""
        while self.count <= max(place, 0) and not self.over:
            await self._changed.wait()

    def frames(self, place: int, *, known: bool) -> tuple[int, bytes]:
        """Frames in JSON, with commas between, at least one.

        Args:
            place: Of a frame that is there: they begin with it, or with the last whole one before.
            known: The one before it is known: no need for a whole one.

        Returns:
            The number of the first one, and the bytes.
        """
        first = place if known else place - place % KEY_EVERY
        start = self._ends[first - 1] if first else 0
        last = min(first + CHUNK_FRAMES, self.count)
        while last - 1 > place and self._ends[last - 1] - start > CHUNK_BYTES:
            last = max(place + 1, last - KEY_EVERY)
        if self._cut[:2] != (first, last):
            with self.file.open("rb") as file:
                data = os.pread(file.fileno(), self._ends[last - 1] - start - 1, start)
            self._cut = (first, last, data)
        return first, self._cut[2]


@attrs.define(eq=False)
class FrameCache:
    """All films there are; `run` beside the server."""

    at_once: bool = False
    """Start the projector before anybody looks: where bots may be ended, so that it is older."""
    _folder: Path | None = attrs.field(default=None, init=False)
    _lock: int = attrs.field(default=-1, init=False)
    _films: dict[str, Film] = attrs.field(factory=dict, init=False)  # by key; used last: last
    _numbered: dict[int, Film] = attrs.field(factory=dict, init=False)
    """Those that are looked at though another has taken their place, too."""
    _numbers: Iterator[int] = attrs.field(factory=lambda: itertools.count(1), init=False)
    _orders: trio.MemorySendChannel[dict[str, Any]] = attrs.field(init=False)
    _taken: trio.MemoryReceiveChannel[dict[str, Any]] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        # Without limit: an order is some words, and each comes from a viewer who waits for it.
        self._orders, self._taken = trio.open_memory_channel(math.inf)

    @property
    def folder(self) -> Path:
        """A folder of its own, which is removed at the end."""
        assert self._folder is not None
        return self._folder

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keep the projector going; started again, should it end."""
        self.prepare()
        try:
            process = await _start(self.folder) if self.at_once else None
            task_status.started()
            first = None if self.at_once else await self._taken.receive()
            while True:
                try:
                    process = process or await _start(self.folder)
                    await self._work(process, first)
                    log.error("the projector ended; films are made anew", how=process.returncode)
                except OSError as error:  # no room for a process: matches go on without films
                    log.error("no projector can be started", why=error.strerror)  # noqa: TRY400
                process = None
                for film in self._numbered.values():
                    if not film.over:
                        film.add({"failed": "the film broke off; open it again"})
                await trio.sleep(RESTART_PAUSE)
                first = await self._taken.receive()  # only when somebody wants to see something
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
            os.close(self._lock)

    async def _work(self, process: trio.Process, first: dict[str, Any] | None) -> None:
        """Have films made until the projector ends; `first` is an order that was taken already."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._pass_orders, process, first)
                await self._listen(process)
                nursery.cancel_scope.cancel()
        finally:
            await _end(process)

    def prepare(self) -> None:
        """Make the folder, if it isn't there, and remove those that killed arenas left.

        Raises:
            OSError: It can't be made.
        """
        if self._folder is None:
            _sweep()
            self._folder = Path(tempfile.mkdtemp(prefix=f"lanista-films-{os.getpid()}-"))
            # Who cleans up temporary folders leaves those alone that somebody holds.
            self._lock = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(self._lock, fcntl.LOCK_SH)

    def take(self, key: str, path: Path, *, live: bool, logs: bool = True) -> Film:
        """The film of a file, begun now if there is none; `leave` it when it isn't looked at.

        Args:
            key: The same for the same film: a match's id.
            path: A record, its `.part` while it is written, or a `.res` file.
            live: Whether it may still grow.
            logs: Whether to tell what bots logged. A film that doesn't isn't taken for one that
                does.
        """
        film = self._films.pop(key, None)
        if film is not None and (film.failed is not None or (logs and not film.logs)):
            if not film.viewers:
                self._forget(film)
            film = None
        if film is None:
            number = next(self._numbers)
            film = self._numbered[number] = Film(number, path, self.folder / str(number), logs)
            order = {"open": number, "path": str(path), "live": live, "logs": logs}
            self._orders.send_nowait(order)
        self._films[key] = film
        film.viewers += 1
        return film

    def finish(self, key: str) -> None:
        """The match of a film is over: what its record has now is all."""
        film = self._films.get(key)
        if film is not None and not film.over:
            self._orders.send_nowait({"finish": film.number})

    def leave(self, key: str, film: Film) -> None:
        """A viewer looks no more."""
        film.viewers -= 1
        if film.viewers:
            return
        film.forget_cut()
        if self._films.get(key) is not film:  # another has taken its place
            self._forget(film)
        size = sum(film.size for film in self._films.values())
        unseen = [(key, film) for key, film in self._films.items() if not film.viewers]
        # Those that are still made cost work: few of them are kept for who comes back.
        unfinished = sum(not film.over for _, film in unseen)
        for other, oldest in unseen:
            too_many = size > KEPT or len(self._films) > FILMS_KEPT
            if too_many or (unfinished > UNFINISHED_KEPT and not oldest.over):
                size -= oldest.size
                unfinished -= not oldest.over
                del self._films[other]
                self._forget(oldest)

    def _forget(self, film: Film) -> None:
        del self._numbered[film.number]
        self._orders.send_nowait({"close": film.number})

    def remove(self, folder: Path) -> None:
        """Remove a folder with a file that isn't shown any more."""
        self._orders.send_nowait({"remove": str(folder)})

    async def _pass_orders(self, process: trio.Process, first: dict[str, Any] | None) -> None:
        assert process.stdin is not None
        try:
            if first is not None:
                await process.stdin.send_all(encode(first) + b"\n")
            async for order in self._taken:
                await process.stdin.send_all(encode(order) + b"\n")
        except trio.BrokenResourceError:
            pass  # it has ended; `_listen` sees that too

    async def _listen(self, process: trio.Process) -> None:
        """Take in what the projector tells, until it ends."""
        assert process.stdout is not None
        held = b""
        while data := await process.stdout.receive_some(1 << 18):
            *lines, held = (held + data).split(b"\n")
            for line in lines:
                told = json.loads(line)
                film = self._numbered.get(told["film"])
                if film is not None:
                    film.add(told)


def _sweep() -> None:
    """Remove folders of films of this user's that no process has any more.

    The process that a folder is named by is gone, and nobody holds its lock: a number may be that
    of another process by now, and one of another container isn't seen here.
    """
    for path in Path(tempfile.gettempdir()).glob("lanista-films-*"):
        named = _FOLDER.fullmatch(path.name)
        if named is None or _is_other(int(named[1])):
            continue
        with contextlib.suppress(OSError):
            held = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if os.fstat(held).st_uid == os.geteuid():
                    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(held)


def _is_other(pid: int) -> bool:
    """Whether a process runs and isn't this one, whose number a killed arena may have had."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # another user's
    return pid != os.getpid()


async def _start(folder: Path) -> trio.Process:
    # -P: a folder that the arena is started in must not hide our modules.
    words = [sys.executable, "-P", "-m", "lanista.playback.replay_worker", str(folder)]
    return await trio.lowlevel.open_process(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )


async def _end(process: trio.Process) -> None:
    """Close its input, by which it ends; kill it if it doesn't."""
    with trio.CancelScope(shield=True):
        assert process.stdin is not None
        assert process.stdout is not None
        await process.stdin.aclose()
        with trio.move_on_after(ENDING_TIME):
            await process.wait()
        if process.returncode is None:
            process.kill()
            await process.wait()
        await process.stdout.aclose()
