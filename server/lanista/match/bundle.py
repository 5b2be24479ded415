"""Failure bundles: a folder beside the record for each bot that didn't end a match normally.

A bundle holds what the bot's author needs to find the reason; docs/bots/debugging.md describes
every file. No file name depends on what a bot sent.
"""

import contextlib
import io
import json
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import attrs

TURNS_KEPT = 2
"""How many of a seat's last turns a bundle contains."""
_ABOUT, _SCRIPT = "about.txt", "feed.sh"
_FEEDING = "To feed the bot the match up to that turn again, without a clock:"


@attrs.frozen
class Exchange:
    """What passed between the arena and one seat in one turn."""

    turn: int
    sent: bytes
    """All bytes sent to the bot since its previous answer: notes, opening, position, `go`."""
    answer: str | None
    """The bot's answer as it was received; None if none was."""
    log: str
    """The bot's log: its `#` lines."""
    times: tuple[int, ...] | None
    """The times of the turn in microseconds, as in the record (docs/records.md)."""
    limit: float
    """Time limit of the turn in seconds; infinite without a clock."""


@attrs.frozen(kw_only=True)
class Failure:
    """A seat that was eliminated, forfeited the match, or whose process failed."""

    seat: int
    name: str
    reasons: tuple[str, ...]
    """The reasons, one line each: a fault, the end of the connection, the end of the process."""
    turns: tuple[Exchange, ...]
    """The seat's last turns, at most TURNS_KEPT."""
    command: tuple[str, ...] | None = None
    """The command by which the arena started the bot; None if the arena didn't start it."""
    output: str | None = None
    """The last part of what the bot wrote to stderr and stdout; None if that isn't known."""


def folder_of(record: Path, seat: int) -> Path:
    """Return the folder for a seat's bundle."""
    stem = record.name.removesuffix(".gz").removesuffix(".jsonl")
    return record.with_name(f"{stem}.seat{seat}.failure")


def has_bundles(record: Path, seats: int) -> bool:
    """Tell whether there is a bundle beside a record, such as of an earlier match with its name."""
    return any(os.path.lexists(folder_of(record, seat)) for seat in range(seats))


def write_bundles(record: Path, title: str, seats: int, failures: Sequence[Failure]) -> list[Path]:
    """Write the bundles of a match, and remove those of an earlier match with the same record.

    `title` describes the match for people. Returns the folder of each failure. Raises OSError.
    """
    for seat in range(seats):
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(folder_of(record, seat))
    written = []
    for failure in failures:
        folder = folder_of(record, failure.seat)
        folder.mkdir()
        _write(folder, record, title, failure)
        written.append(folder)
    return written


def packed(folder: Path) -> bytes:
    """Return a bundle as a ZIP file for its bot's author, who may be elsewhere.

    What works only on the arena's machine is left out: the script, and how to call it. Raises
    OSError if the bundle can't be read.
    """
    import zipfile  # noqa: PLC0415 - only for authors who are elsewhere

    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.iterdir()):
            content = path.read_bytes()
            if path.name == _ABOUT:
                content = content.partition(_FEEDING.encode())[0].rstrip() + b"\n"
            if path.name != _SCRIPT:
                archive.writestr(path.name, content)
    return data.getvalue()


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
        about.append(f"{name}.sent: what the bot was sent, byte for byte")
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
    about.append("times.json: when each turn was sent, and when the answer came")
    if output is not None:
        files["output.txt"] = output.encode()
        about.append("output.txt: the last part of its standard error and standard output")
    if failure.turns:
        last = failure.turns[-1].turn
        feed = [sys.executable, "-P", "-m", "lanista", "replay", "feed", str(record.resolve())]
        feed += ["--seat", str(failure.seat), "--turn", str(last), "--"]
        # Without a known command, the author gives the bot's command to the script.
        script = f'exec {shlex.join(feed)} "$@"'
        if command is not None:
            script = f"cd {shlex.quote(str(Path.cwd()))} && exec {shlex.join([*feed, *command])}"
        # Paths and arguments may be bytes that aren't text; they are written as they were given.
        files[_SCRIPT] = os.fsencode(f"#!/bin/sh\n{script}\n")
        again = f"sh {shlex.quote(str((folder / _SCRIPT).resolve()))}"
        about += ["", _FEEDING]
        about.append(f"  {again}" + ("" if command is not None else " COMMAND OF THE BOT"))
    files[_ABOUT] = ("\n".join(about) + "\n").encode(errors="backslashreplace")
    for name, data in files.items():
        (folder / name).write_bytes(data)


def _times(exchange: Exchange) -> dict[str, int | float | None]:
    names = ("handed_us", "earliest_us", "latest_us", "read_us")
    values: tuple[int | None, ...] = exchange.times or ()
    values += (None,) * (len(names) - len(values))
    limit = exchange.limit if exchange.limit != float("inf") else None
    return {"turn": exchange.turn, "limit_s": limit, **dict(zip(names, values, strict=True))}
