"""The tournaments' standings for the page of `lanista serve`, and the process that computes them:
`python -m lanista.cli.standings`.

For 100,000 matches that takes seconds, and keeps other threads of its process waiting for up to
0.2 s at a time, which matches would feel. So it is done in a process of its own, at low priority.
It reads the path of a spec from stdin, a JSON string a line; answers each by a line of JSON,
`{"database", "standings"}` or `{"problem", "why"}`; ends with stdin. Nothing is played or shown
here.
"""

import contextlib
import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lanista.cli import BadInputError

if TYPE_CHECKING:
    from lanista.tournament.setup import Setup
    from lanista.web.tournaments import Look

NICENESS = 15
RACY = 1_000_000_000
"""Nanoseconds within which a file may change twice without a new time of change."""


def looks_at(files: Sequence[Path], clerk: "StandingsProcess") -> "dict[str, Look]":
    """Return what finds the standings of tournaments, by the tournaments' names.

    Args:
        files: Their specs; no two of one name, and all of them such as can be played.
        clerk: Who computes.
    """
    looks: dict[str, Look] = {}
    of: dict[str, Path] = {}
    for file in files:
        from lanista.cli.tournament import prepared

        setup, _ = prepared(file)
        name = setup.spec.name
        if name in looks:
            raise BadInputError(
                f"--tournament: {of[name]} and {file} are both called {name!a}; "
                "show one of them, or give one another name"
            )
        of[name], looks[name] = file, Results(file, setup, clerk)
    return looks


class Results:
    """Reads a tournament's standings when its database has changed (`web.tournaments.Look`).

    What its spec says is read each time anew: bots and seeds may be added while the arena serves.
    """

    def __init__(self, file: Path, setup: "Setup", clerk: "StandingsProcess") -> None:
        """What to look at.

        Args:
            file: The spec.
            setup: What it says now.
            clerk: Who computes.
        """
        self._file = file
        self._database = setup.database
        self._clerk = clerk
        self._seen: object = None

    def __call__(self) -> dict[str, Any] | None:
        """Return the standings; None if nothing was written since the last call that gave some.

        Raises:
            NoStandingsError: Nothing was played yet, or it can't be read.
        """
        from lanista.web.tournaments import NoStandingsError

        # Before it is read: what is written meanwhile is another look's.
        stamp = self._stamp()
        if stamp is not None and stamp == self._seen:
            return None
        self._seen = None
        answer = self._clerk.ask(self._file)
        if "problem" in answer:
            raise NoStandingsError(answer["problem"], answer["why"])
        database = answer["database"]
        self._database = "" if database is None else Path(database)
        self._seen = stamp
        standings: dict[str, Any] = answer["standings"]
        return standings

    def _stamp(self) -> object:
        """Return when spec and database files were written; None where that is uncertain."""
        if not isinstance(self._database, Path):
            return None
        log = self._database.with_name(f"{self._database.name}-wal")
        stamp = tuple(_written(path) for path in (self._file, self._database, log))
        is_racy = time.time_ns() - max(written for written, _ in stamp) < RACY
        return None if is_racy else stamp


def _written(path: Path) -> tuple[int, int]:
    """Return a file's time of change, in nanoseconds, and its size; zeros if it isn't there."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


class StandingsProcess:
    """The process that computes standings: one question at a time, from any thread."""

    def __init__(self) -> None:
        """Nothing is started yet."""
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False

    def start(self) -> None:
        """Start the process, so that it is ready when it is asked."""
        self._process = subprocess.Popen(
            # -P: a folder that the arena is started in must not hide our modules.
            [sys.executable, "-P", "-m", "lanista.cli.standings"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the arena, which ends it
        )

    def ask(self, file: Path) -> dict[str, Any]:
        """Return its answer about the tournament of a spec. Blocks.

        Raises:
            NoStandingsError: It has ended: it is started anew for the next question; or is closed.
        """
        from lanista.web.tournaments import NoStandingsError

        if self._is_closed:
            raise NoStandingsError("the arena ends")
        if self._process is None:
            self.start()
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        line = b""
        with contextlib.suppress(OSError, ValueError):  # it ended, or was closed meanwhile
            process.stdin.write(json.dumps(os.fspath(file)).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        if line.endswith(b"\n"):
            answer: dict[str, Any] = json.loads(line)
            return answer
        if self._is_closed:
            raise NoStandingsError("the arena ends")
        self._end(process)
        self._process = None
        raise NoStandingsError(
            "the standings can't be computed now", f"the process ended ({process.returncode})"
        )

    def close(self) -> None:
        """End the process; a caller that waits for an answer gets none."""
        self._is_closed = True
        if self._process is not None:
            self._end(self._process)

    @staticmethod
    def _end(process: subprocess.Popen[bytes]) -> None:
        # By force first: it may be busy for seconds, and holds nothing that could be damaged.
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # what couldn't be written any more
                    pipe.close()


def main() -> None:
    """Answer questions until stdin ends."""
    # What is loaded once takes longer than most answers.
    from lanista.tournament import looking  # noqa: F401 - only to be there

    os.nice(NICENESS)
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(_answer(Path(json.loads(line))) + b"\n")
        sys.stdout.buffer.flush()


def _answer(file: Path) -> bytes:
    from lanista.store.errors import StoreError
    from lanista.tournament.spec import SpecError

    try:
        # JSON has no word for a number that is none.
        return json.dumps(_standings(file), allow_nan=False).encode()
    except SpecError as error:
        words = f"{file.name} can't be used as it is now; the arena's log says why"
        why = str(error)
    except StoreError as error:
        words, why = "the results can't be read; the arena's log says why", str(error)
    except Exception:  # noqa: BLE001 - a fault of one tournament must not end the others
        words = "the arena failed to compute the standings; its log says why"
        why = traceback.format_exc()
    return json.dumps({"problem": words, "why": why}).encode()


def _standings(file: Path) -> dict[str, Any]:
    from lanista.standings.text import as_json
    from lanista.store.database import Store
    from lanista.tournament.looking import load, standings_of

    setup = load(file, plays=False)
    database = setup.database
    if isinstance(database, Path) and not database.exists():
        return {
            "problem": f"no results yet: run lanista tournament run {file.name}",
            "why": "",
        }
    with Store.open(database, create=False) as store:
        return {
            "database": str(database) if isinstance(database, Path) else None,
            "standings": as_json(standings_of(setup, store)),
        }


if __name__ == "__main__":
    main()
