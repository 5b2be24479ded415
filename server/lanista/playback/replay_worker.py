"""The process that makes films, beside the arena: `python -m lanista.playback.replay_worker DIR`.

Playing records again takes as long as playing them: here it keeps no match waiting, at the lowest
priority. Reads one JSON object a line from stdin:
`{"open": FILM, "path": P, "live": bool, "logs": bool}`, `{"finish": FILM}` when its file won't grow
any more, `{"close": FILM}`, `{"remove": FOLDER}`. Writes frames into the file FOLDER/FILM, each
followed by a comma; what is where it tells by lines of JSON on stdout. Ends with stdin. No socket.
"""

import json
import os
import resource
import select
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import attrs

from lanista.playback import frames
from lanista.playback.replay_reader import ReplayReader, UnreadableError, reel

LOOK_EVERY = 0.03
"""Seconds between two looks at records that are still written."""
AT_ONCE = 8
"""Frames of one film before the next film has its turn."""
MAX_FILM = 256 * 1024 * 1024
"""Bytes of a film: some hundred thousand turns of Angry Mob."""
MAX_MEMORY = 1024**3
"""Bytes of address space: what a hostile file could make it take."""
NICENESS = 15


@attrs.define(eq=False)
class ReplayJob:
    """A film that is made."""

    number: int
    path: Path
    live: bool
    logs: bool
    file: IO[bytes]
    size: int = 0
    waiting: bool = False
    """Whether the last look found nothing more."""
    _live_reel: ReplayReader | None = None
    _parts: Iterator[dict[str, Any]] | None = None

    def part(self) -> dict[str, Any] | None:
        """The next part; None: not yet."""
        if self.live:
            if self._live_reel is None:
                self._live_reel = ReplayReader(self.path, live=True, logs=self.logs)
            return self._live_reel.next()
        if self._parts is None:
            self._parts = reel(self.path)
        return next(self._parts)

    def finish(self) -> None:
        """The file won't grow any more."""
        if self._live_reel is not None:
            self._live_reel.live = False

    def close(self) -> None:
        """Close its files."""
        self.file.close()
        if self._live_reel is not None:
            self._live_reel.close()
        if self._parts is not None:
            self._parts.close()  # type: ignore[attr-defined] # it is a generator


class ReplayWorker:
    """Makes all films that are open, a few frames of each in turn."""

    def __init__(self, folder: Path, tell: IO[bytes]) -> None:
        self.folder = folder
        self._tell = tell
        self._films: dict[int, ReplayJob] = {}

    @property
    def pause(self) -> float | None:
        """Seconds until there may be something to do; None: only when told."""
        if not self._films:
            return None
        return LOOK_EVERY if all(film.waiting for film in self._films.values()) else 0

    def do(self, order: dict[str, Any]) -> None:
        """Begin a film, or forget one."""
        if "open" in order:
            number = order["open"]
            path = self.folder / str(number)
            try:
                self.folder.mkdir(exist_ok=True)  # somebody may have cleaned up
                file = path.open("wb", buffering=0)
            except OSError as error:
                self._say(number, failed=f"no room for the film: {error.strerror}")
                return
            self._films[number] = ReplayJob(
                number, Path(order["path"]), order["live"], order["logs"], file
            )
        elif "finish" in order:
            if order["finish"] in self._films:
                self._films[order["finish"]].finish()
        elif "remove" in order:
            shutil.rmtree(order["remove"], ignore_errors=True)
        else:
            self._drop(order["close"])
            # Here, since removing a large file takes longer than matches should wait.
            (self.folder / str(order["close"])).unlink(missing_ok=True)

    def work(self) -> None:
        """A few frames of every film."""
        for shooting in list(self._films.values()):
            self._shoot(shooting)

    def _shoot(self, shooting: ReplayJob) -> None:
        sizes: list[int] = []
        last: dict[str, Any] = {}
        shooting.waiting = False
        try:
            while len(sizes) < AT_ONCE and not last:
                part = shooting.part()
                if part is None:
                    shooting.waiting = True
                    break
                kind = part.get("type")
                if kind == "head":
                    self._say(shooting.number, head=part)
                elif kind == "end":
                    last = {"end": part}
                elif shooting.size > MAX_FILM:
                    trouble = "the film stops here: the match is too long to be shown"
                    last = {
                        "end": {"type": "end", "seed": None, "trouble": trouble, "result": None}
                    }
                else:
                    sizes.append(self._write(shooting, part))
        except UnreadableError as error:
            last = {"failed": str(error)}
        except MemoryError:
            last = {"failed": f"{shooting.path.name}: too large to be shown"}
        except OSError as error:
            last = {"failed": f"no room for the film: {error.strerror}"}
        except Exception as error:  # noqa: BLE001 - what a file brings about ends its film alone
            name = shooting.path.name
            last = {"failed": f"{name}: can't be shown ({type(error).__name__})"}
        if sizes or last:
            self._say(shooting.number, frames=sizes, **last)
        if last:
            self._drop(shooting.number)

    def _write(self, shooting: ReplayJob, frame: dict[str, Any]) -> int:
        rest = memoryview(frames.encode(frame) + b",")
        size = len(rest)
        while rest:
            rest = rest[shooting.file.write(rest) :]
        shooting.size += size
        return size

    def _drop(self, number: int) -> None:
        shooting = self._films.pop(number, None)
        if shooting is not None:
            shooting.close()

    def _say(self, number: int, **what: Any) -> None:
        self._tell.write(frames.encode({"film": number, **what}) + b"\n")
        self._tell.flush()


def main() -> None:
    """Make films until stdin ends."""
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    projector = ReplayWorker(Path(sys.argv[1]), sys.stdout.buffer)
    orders = b""
    while True:
        ready, _, _ = select.select([0], [], [], projector.pause)
        if ready:
            data = os.read(0, 65_536)
            if not data:
                # Of an arena that was killed nobody else would remove it.
                shutil.rmtree(projector.folder, ignore_errors=True)
                return
            *lines, orders = (orders + data).split(b"\n")
            for line in lines:
                projector.do(json.loads(line))
        projector.work()


if __name__ == "__main__":
    main()
