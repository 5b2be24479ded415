"""Failure bundles: a folder beside the record for each bot that didn't end a match normally.

Holds what its author needs to see why: what it was sent in its last turns, byte for byte, what it
answered, when, how its process ended, and the command that feeds it the same turn again.
docs/bots/debugging.md tells of every file. What a bot sent gets into files of fixed names only.
"""

import json
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import attrs

TURNS_KEPT = 2
"""Turns of each seat that a bundle tells of, its last ones."""


@attrs.frozen
class Exchange:
    """One turn of one seat."""

    turn: int
    sent: bytes
    """All that it was sent since its answer before: notes, the opening, the position, `go`."""
    answer: str | None
    """Its line as it came; None: none did."""
    log: str
    """Its `#` lines."""
    times: tuple[int, ...] | None
    """As in the record (docs/records.md), in microseconds."""
    limit: float
    """Seconds that it had; infinite without a clock."""


@attrs.frozen(kw_only=True)
class Failure:
    """A seat that was put out, forfeited the match, or whose process failed."""

    seat: int
    name: str
    reasons: tuple[str, ...]
    """Each a line: the fault, the end of the connection, the end of the process."""
    turns: tuple[Exchange, ...]
    """Its last ones, at most TURNS_KEPT."""
    command: tuple[str, ...] | None = None
    """The words that it was started by, when the arena did."""
    output: str | None = None
    """The last of what it wrote to stderr and stdout, when that is known."""


def folder_of(record: Path, seat: int) -> Path:
    """Where the bundle of a seat goes."""
    stem = record.name.removesuffix(".gz").removesuffix(".jsonl")
    return record.with_name(f"{stem}.seat{seat}.failure")


def write_bundles(record: Path, title: str, seats: int, failures: Sequence[Failure]) -> list[Path]:
    """Write the bundles of a match; those that an earlier match left under this name are removed.

    Args:
        record: The match's record.
        title: The match, for people.
        seats: How many there are.
        failures: One a seat that failed.

    Returns:
        The folders.

    Raises:
        OSError: One can't be written.
    """
    for seat in range(seats):
        folder = folder_of(record, seat)
        if folder.is_symlink() or folder.is_file():
            folder.unlink()
        elif folder.exists():
            shutil.rmtree(folder)
    written = []
    for failure in failures:
        folder = folder_of(record, failure.seat)
        folder.mkdir()
        _write(folder, record, title, failure)
        written.append(folder)
    return written


def _write(folder: Path, record: Path, title: str, failure: Failure) -> None:
    command, output = failure.command, failure.output
    files: dict[str, bytes] = {}
    about = [
        f"{failure.name}, seat {failure.seat} of {title}",
        *[f"  {reason}" for reason in failure.reasons],
        "",
    ]
    for exchange in failure.turns:
        name = f"turn-{exchange.turn}"
        files[f"{name}.sent"] = exchange.sent
        about.append(f"{name}.sent: what it was sent, byte for byte")
        if exchange.answer is not None:
            files[f"{name}.answer"] = exchange.answer.encode() + b"\n"
            about.append(f"{name}.answer: its answer")
        else:
            about.append(f"no {name}.answer: none came")
        if exchange.log:
            files[f"{name}.log"] = exchange.log.encode()
            about.append(f"{name}.log: its log lines")
    times = [_times(exchange) for exchange in failure.turns]
    files["times.json"] = (json.dumps(times, indent=1) + "\n").encode()
    about.append("times.json: when it was handed each turn, and when its answer came")
    if output is not None:
        files["output.txt"] = output.encode()
        about.append("output.txt: the last that it wrote to standard error and standard output")
    if failure.turns:
        last = failure.turns[-1].turn
        feed = [sys.executable, "-P", "-m", "lanista.cli", "replay", "feed", str(record.resolve())]
        feed += ["--seat", str(failure.seat), "--turn", str(last), "--"]
        script = f'exec {shlex.join(feed)} "$@"'  # the command, where only its author knows it
        if command is not None:
            script = f"cd {shlex.quote(str(Path.cwd()))} && exec {shlex.join([*feed, *command])}"
        # A path or a word may be no text: it is given back as it came.
        files["feed.sh"] = os.fsencode(f"#!/bin/sh\n{script}\n")
        again = f"sh {shlex.quote(str((folder / 'feed.sh').resolve()))}"
        about += ["", "Feed it the match up to that turn again, without a clock:"]
        about.append(f"  {again}" + ("" if command is not None else " COMMAND OF THE BOT"))
    files["about.txt"] = ("\n".join(about) + "\n").encode(errors="backslashreplace")
    for name, data in files.items():
        (folder / name).write_bytes(data)


def _times(exchange: Exchange) -> dict[str, int | float | None]:
    names = ("handed_us", "earliest_us", "latest_us", "read_us")
    values: tuple[int | None, ...] = exchange.times or ()
    values += (None,) * (len(names) - len(values))
    limit = exchange.limit if exchange.limit != float("inf") else None
    return {"turn": exchange.turn, "limit_s": limit, **dict(zip(names, values, strict=True))}
