"""Refusals of programs that are handed in: of requests, and by the check of a built program.

The check is `lanista check`, in a process of low priority and in sandboxes.
"""

import json
import math
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from typing import Any

import structlog
import trio

from lanista.bots.builder import FILE_NAME
from lanista.bots.building import MAY_BE_ANOTHERS_FAULT, command_of
from lanista.bots.command import environment
from lanista.bots.process import start_bot
from lanista.errors import RefusedError, printable
from lanista.match.conditions import Clock
from lanista.results.submissions import Author
from lanista.temporary import TemporaryFolder
from lanista_protocol import shown

CANNOT_CHECK = 2
"""The exit code of `lanista check` if it can't be carried out by no fault of the bot."""
CHECK_TIME = 180.0
"""Seconds that a check may take; a good bot needs about ten."""
REQUIRED = frozenset({"name", "answers"})
"""The items of `lanista check` that a version must pass; the others are only told to its author."""
MAX_FINDINGS, MAX_FINDING = 40, 600
"""Maximum number of lines of a check's findings, and of characters of each."""
MAX_FILE_NAME = 80

log = structlog.get_logger()


def check_file_name(file: str, endings: Sequence[str]) -> None:
    """Refuse a file whose name can't be one, or has none of the endings that are taken here."""
    is_name = len(file) <= MAX_FILE_NAME and FILE_NAME.fullmatch(file)
    if not is_name or Path(file).suffix.lower() not in endings:
        raise RefusedError(
            HTTPStatus.BAD_REQUEST,
            f"the file's name {shown(file, 100)}; expected NAME.ENDING, with one of "
            f"{' '.join(endings)}, which this arena can build; it is at most {MAX_FILE_NAME} of "
            "A-Z a-z 0-9 _ . - and begins with a letter, a digit or _",
        )


def check_size(file: str, size: int, most: int) -> None:
    """Refuse a file that is empty or has more bytes than are taken."""
    if not size:
        raise RefusedError(HTTPStatus.BAD_REQUEST, f"{file} is empty")
    if size > most:
        raise RefusedError(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"{file} has {size} bytes; at most {most} are taken",
        )


def check_rate(author: Author, now: datetime, per_hour: int) -> None:
    """Refuse another version of a name that has handed in so many within an hour."""
    begin = now - timedelta(hours=1)
    # Not those that are later than now: the clock was ahead then.
    times = map(datetime.fromisoformat, author.times)
    within = [time for time in times if begin < time <= now]
    if len(within) >= per_hour:
        wait = math.ceil((within[-per_hour] - begin).total_seconds())
        raise RefusedError(
            HTTPStatus.TOO_MANY_REQUESTS,
            f"{author.name} has handed in {len(within)} versions within an hour; at most "
            f"{per_hour} are taken; try again in {wait} s",
        )


def no_disk(error: OSError) -> RefusedError:
    """Return the refusal of what can't be stored, having logged why."""
    log.error("a submission can't be stored", path=error.filename, why=error.strerror)
    return RefusedError(
        HTTPStatus.INSUFFICIENT_STORAGE,
        f"the arena can't store it ({error.strerror}); try again later",
    )


class CheckFailedError(Exception):
    """A version failed its check; the message is one line."""

    def __init__(self, why: str, findings: Sequence[str] = ()) -> None:
        super().__init__(why)
        self.findings = findings


async def check_program(
    program: Path, command: Sequence[str], *, game: str, clock: Clock, limits: str | None
) -> Sequence[str]:
    """Let a packed program play the matches of `lanista check`; return the findings, a line each.

    Raises:
        CheckFailedError: It doesn't answer its turns.
        OSError: It can't be checked.
    """
    with TemporaryFolder("lanista-submission") as folder:
        # A copy, as sandboxes show the folder of a program too. For root they show it to some
        # other user, but the folder around it keeps the users of this machine out.
        visible = folder.path / "visible"
        visible.mkdir()
        visible.chmod(0o755)
        own = visible / "program"
        await trio.to_thread.run_sync(shutil.copyfile, program, own)
        own.chmod(0o644)
        words = [
            *(sys.executable, "-P", "-m", "lanista", "check", game),
            shlex.join(command_of(own, command)),
            *("--sandbox", "bwrap", "--json"),
            *_options(clock, limits),
        ]
        if (nice := shutil.which("nice")) is not None:
            words = [nice, "-n", "10", *words]
        env = environment(host="", port=0, name="check")
        async with start_bot(words, env, cwd=visible, grace=1.0) as bot:
            if bot.pid is None:
                raise OSError(f"the check {bot.exit}")
            with trio.move_on_after(CHECK_TIME):
                await bot.exited()
                await trio.sleep(0.05)  # its last output may still be in the pipe
        output = bot.output_tail()
    report = _report_of(output)
    if report is None:
        said = _line(output.strip()[-200:])
        if bot.exit is not None and bot.exit.code == CANNOT_CHECK:
            raise OSError(said)
        why = f"its check, which may take {CHECK_TIME:g} s, {bot.exit}; {MAY_BE_ANOTHERS_FAULT}"
        raise CheckFailedError(f"{why}; its last words: {said}" if said else why)
    findings = tuple(_findings(report))
    for item in report["items"]:
        if (refusal := why_failed(item)) is not None:
            raise CheckFailedError(refusal, findings)
    return findings


def why_failed(item: Mapping[str, Any]) -> str | None:
    """Return why an item of a check's report keeps a version from playing; None if it doesn't."""
    if item["name"] not in REQUIRED or item["status"] != "failed":
        return None
    why: str = item["evidence"][0] if item["evidence"] else item["advice"]
    return _line(f"it failed its check: {why}")


def _options(clock: Clock, limits: str | None) -> Iterator[str]:
    # Where a ladder has no limit, the time of the whole check is one.
    first, turn = clock.time_init or CHECK_TIME, clock.time_move or CHECK_TIME
    yield from ("--time-init", f"{first:g}", "--time-move", f"{turn:g}")
    yield from ("--time-start", f"{clock.time_start:g}")
    if limits is not None:
        yield from ("--limits", limits)


def _report_of(output: str) -> dict[str, Any] | None:
    """Return the report in the output of a check, which is a line; None if there is none."""
    lines = [line for line in output.splitlines() if line.startswith("{")]
    report: dict[str, Any] | None = json.loads(lines[-1]) if lines else None
    return report


def _findings(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each item of a check's report that its author should look at."""
    for item in report["items"][:MAX_FINDINGS]:
        if item["status"] in {"failed", "warning"}:
            words = [item["title"], item["advice"], *map(str.strip, item["evidence"][:8])]
            text = "; ".join(filter(None, words)).replace(":; ", ": ")  # after a heading
            yield _line(f"{item['status']}: {text}")


def _line(text: str) -> str:
    """Return a text that may have a program's words as one line, safe for a terminal."""
    return printable(text[:MAX_FINDING])
