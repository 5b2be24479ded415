"""The process that computes the standings of tournaments and ladders for the page of an arena.

**Standings are computed in a process of their own**, at low priority: for 100,000 matches that
takes seconds, and in the arena's process it would block other threads for up to 0.2 s at a time,
which would delay matches.

The process runs `python -m lanista.cli.standings`. It reads questions from stdin, each a JSON
object on a line, and answers each with a JSON object on a line. `{"tournament": PATH}`, the path of
a spec, is answered by `{"database", "standings", "race"}`; with `"matches": {…}`, the filters of
`match_list.page_of`, by `{"matches", "next"}`; `{"ladder", "do", …}` as `LadderTables.answer` says;
and what can't be answered by `{"problem", "why"}`. It ends when stdin does.
"""

import contextlib
import functools
import json
import os
import subprocess
import sys
import threading
import time
import tomllib
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from lanista.errors import BadInputError

if TYPE_CHECKING:
    from lanista.competition.setup import Setup
    from lanista.page.ladder_tables import LadderTables
    from lanista.page.tournament_matches import MatchSource
    from lanista.page.tournaments import Look
    from lanista.ratings.race import Races

NICENESS = 15
RACY = 1_000_000_000
"""Nanoseconds within which a file may change twice and have the same modification time."""


@attrs.frozen
class ShownTournaments:
    """The tables that the page shows of tournaments, by their names."""

    looks: "dict[str, Look]"
    matches: "dict[str, MatchSource]"


def shown_tournaments(
    paths: Sequence[Path], standings: "StandingsProcess", questions: "StandingsProcess"
) -> ShownTournaments:
    """Return what the page needs to show tournaments.

    Args:
        paths: The specs of the tournaments, and folders with specs.
        standings: Computes the standings, which may take long.
        questions: Answers questions about matches meanwhile.

    Raises:
        BadInputError: A spec can't be played, two have the same name, or there is none in a folder.
    """
    from lanista.page.tournament_matches import MatchSource

    shown = ShownTournaments({}, {})
    file_of: dict[str, Path] = {}
    for file in specs_in(paths):
        from lanista.cli.tournament_files import prepared

        setup, _ = prepared(file)
        name = setup.spec.name
        if name in file_of:
            raise BadInputError(
                f"--tournament: {file_of[name]} and {file} are both called {name!a}; "
                "show one of them, or give one another name"
            )
        file_of[name] = file
        shown.looks[name] = Results(file, setup, standings)
        shown.matches[name] = MatchSource(
            setup.records, functools.partial(_ask_matches, questions, file)
        )
    return shown


def specs_in(paths: Sequence[Path]) -> list[Path]:
    """Return the specs of tournaments that are meant by files and folders.

    Raises:
        BadInputError: A folder can't be read, or has no spec of a tournament.
    """
    files: list[Path] = []
    for path in paths:
        if not path.is_dir():
            files.append(path)
            continue
        found = [file for file in sorted(path.glob("*.toml")) if _is_spec(file)]
        if not found:
            raise BadInputError(
                f"--tournament: {path} has no tournament: no .toml file in it has the key format"
            )
        files += found
    return files


def _is_spec(file: Path) -> bool:
    """Return whether a file is meant as the spec of a tournament; other files may lie beside it."""
    try:
        return "format" in tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return True  # reading it as a spec will say what is wrong


def _ask_matches(
    process: "StandingsProcess", file: Path, filters: Mapping[str, Any]
) -> dict[str, Any]:
    return process.ask({"tournament": os.fspath(file), "matches": dict(filters)})


class Results:
    """Gets a tournament's standings when its spec or database has changed (`page.tournaments`).

    The spec is read anew each time, because bots and seeds may be added while the arena serves.
    """

    def __init__(self, file: Path, setup: "Setup", process: "StandingsProcess") -> None:
        """Remember which standings to get.

        Args:
            file: The spec.
            setup: The tournament that it describes now.
            process: Computes the standings.
        """
        self._file = file
        self._database = setup.database
        self._process = process
        self._seen: object = None

    def __call__(self) -> dict[str, Any] | None:
        """Return the standings, or None if no file changed since the last call that returned some.

        Raises:
            NoStandingsError: Nothing was played yet, or the results can't be read.
        """
        # Taken before the files are read, so that what is written meanwhile counts as a change.
        stamp = self._stamp()
        if stamp is not None and stamp == self._seen:
            return None
        self._seen = None
        answer = self._process.ask({"tournament": os.fspath(self._file)})
        database = answer["database"]
        self._database = "" if database is None else Path(database)
        self._seen = stamp
        standings: dict[str, Any] = answer["standings"]
        return {**standings, "race": answer["race"]}

    def _stamp(self) -> object:
        """Return when spec and database were written, or None if that doesn't show every change."""
        if not isinstance(self._database, Path):
            return None
        log = self._database.with_name(f"{self._database.name}-wal")
        stamp = tuple(_written(path) for path in (self._file, self._database, log))
        is_racy = time.time_ns() - max(written for written, _ in stamp) < RACY
        return None if is_racy else stamp


def _written(path: Path) -> tuple[int, int]:
    """Return a file's modification time, in nanoseconds, and size; zeros if there is no file."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


class StandingsProcess:
    """The process that computes standings; it can be asked from any thread."""

    def __init__(self) -> None:
        """Prepare the process without starting it."""
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False
        self._one_question = threading.Lock()

    def start(self) -> None:
        """Start the process, so that it is ready for the first question."""
        self._process = subprocess.Popen(
            # -P: files in the current folder must not shadow Lanista's modules.
            [sys.executable, "-P", "-m", "lanista.cli.standings"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C must reach only the arena, which ends this process
        )

    def ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Return the process's answer to a question; block until it is there.

        Raises:
            NoStandingsError: There is no answer, or the process has ended, and the next question
                starts a new one; or it was closed.
        """
        from lanista.page.tournaments import NoStandingsError

        with self._one_question:
            answer = self._answer(question)
        if "problem" in answer:
            raise NoStandingsError(answer["problem"], answer["why"])
        return answer

    def _answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        from lanista.page.tournaments import NoStandingsError

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
            process.stdin.write(json.dumps(question).encode() + b"\n")
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
        """End the process; a caller that waits for an answer gets `NoStandingsError`."""
        self._is_closed = True
        if self._process is not None:
            self._end(self._process)

    @staticmethod
    def _end(process: subprocess.Popen[bytes]) -> None:
        # Killed at once: it may be busy for seconds, and writes nothing that could be damaged.
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # closing flushes, and the reader is gone
                    pipe.close()


def main() -> None:
    """Answer questions until stdin ends."""
    # Imported now because it takes longer than most answers.
    from lanista.competition import standings  # noqa: F401 - only to load it
    from lanista.page.ladder_tables import LadderTables
    from lanista.ratings.race import Races

    os.nice(NICENESS)
    ladders, races = LadderTables(), Races()
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(_answer(json.loads(line), ladders, races) + b"\n")
        sys.stdout.buffer.flush()


def _answer(question: Mapping[str, Any], ladders: "LadderTables", races: "Races") -> bytes:
    from lanista.results.errors import StoreError
    from lanista.toml_spec import SpecError

    try:
        if "ladder" in question:
            answer = ladders.answer(**question)
        elif "matches" in question:
            answer = _matches(Path(question["tournament"]), question["matches"])
        else:
            answer = _standings(Path(question["tournament"]), races)
        return json.dumps(answer, allow_nan=False).encode()  # JSON has no NaN
    except SpecError as error:
        file = Path(question["tournament"]).name
        problem = f"{file} can't be used as it is now; the arena's log says why"
        why = str(error)
    except StoreError as error:
        problem, why = "the results can't be read; the arena's log says why", str(error)
    except Exception:  # noqa: BLE001 - an error in one question must not end the others
        problem = "the arena failed to compute the standings; its log says why"
        why = traceback.format_exc()
    return json.dumps({"problem": problem, "why": why}).encode()


def _standings(file: Path, races: "Races") -> dict[str, Any]:
    from lanista.competition.setup import load
    from lanista.competition.standings import moment_of, standings
    from lanista.ratings.race import MAX_LEADERS
    from lanista.ratings.text import as_json
    from lanista.results.database import Store

    setup = load(file, plays=False)
    database = setup.database
    if isinstance(database, Path) and not database.exists():
        return _nothing_played(file)
    with Store.open(database, create=False) as store:
        moment = moment_of(setup, store)
        table = standings(setup, store, moment)
    leaders = [row.bot for row in table.rows[:MAX_LEADERS]]
    return {
        "database": str(database) if isinstance(database, Path) else None,
        "standings": as_json(table),
        "race": races.race_of(leaders, moment.counted, moment.seated, setup.bots, setup.fillers),
    }


def _matches(file: Path, filters: Mapping[str, Any]) -> dict[str, Any]:
    from lanista.competition.match_list import page_of
    from lanista.competition.setup import load
    from lanista.results.database import Store

    setup = load(file, plays=False)
    if isinstance(setup.database, Path) and not setup.database.exists():
        return _nothing_played(file)
    # The process that computes the standings looks for damage.
    with Store.open(setup.database, create=False, check=False) as store:
        return page_of(setup, store, **filters)


def _nothing_played(file: Path) -> dict[str, Any]:
    return {"problem": f"no results yet: run lanista tournament run {file.name}", "why": ""}


if __name__ == "__main__":
    main()
