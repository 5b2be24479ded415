"""Options that several commands share, and functions that parse their values and print results."""

import functools
import os
import re
import shutil
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lanista.errors import BadInputError, file_errors, printable
from lanista.games.base import Ruleset, ending_text, turn_word
from lanista.games.picture import counted
from lanista.match.conditions import (
    CLOCK_OPTIONS,
    DEFAULT,
    MAX_MATCH_CPU,
    clock_of,
)
from lanista.ranges import ValueOfKeyError
from lanista.system import write_output

if TYPE_CHECKING:
    from lanista.hosting.bot_pool import Contestant
    from lanista.match.record import ResultInfo
    from lanista.results.rebuild import Rebuild
    from lanista.results.recorded import Comparison


def say(*lines: str, err: bool = False) -> None:
    """Print lines, on stderr if wanted; characters that could harm a terminal are escaped.

    In a terminal, long lines are broken between words.
    """
    is_terminal = (sys.stderr if err else sys.stdout).isatty()
    width = shutil.get_terminal_size().columns if is_terminal else sys.maxsize
    for line in map(printable, lines):
        if len(line) > width:
            begin = re.match(r" *(\S+ {2,})?", line)  # as in `  text` and `ok    text`
            indent = " " * len(begin[0] if begin else "")
            line = textwrap.fill(  # noqa: PLW2901 - the same line
                line,
                width,
                subsequent_indent=indent,
                break_long_words=False,
                break_on_hyphens=False,
            )
        click.echo(line, err=err)


PAUSE = click.IntRange(0, 3_600_000)
"""The type of a pause between turns, in whole milliseconds."""
FILE = click.Path(dir_okay=False, path_type=Path)
"""The type of a file that is read or written; it needn't be there."""
OUTPUT_SHOWN = 2000
"""Characters of the output of a bot that has failed that are shown."""


def last_lines(output: str) -> list[str]:
    """Return the end of what a bot wrote, under a heading; nothing if it wrote nothing."""
    lines = output.strip()[-OUTPUT_SHOWN:].splitlines()
    return ["the last lines that it wrote:", *lines] if lines else []


REFUSED_ORDERS = frozenset({"illegal", "ignored"})
"""The codes of faults that cost a bot no more than the submove, in games that skip those."""


def fault_lines(
    names: Sequence[str], result: "ResultInfo", house: Collection[int] = ()
) -> Iterator[str]:
    """Yield the faults of each seat, for people: how many of each kind, and the examples.

    Refused submoves of seats in `house` are left out, unless one of them ended the match: nobody
    who reads this could do anything about them.
    """
    for seat, counts in enumerate(result.fault_counts):
        leaves_out = seat in house and result.fault_out(seat) is None
        for code, count in counts.items():
            if leaves_out and code in REFUSED_ORDERS:
                continue
            examples = [
                fault for fault in result.faults if (fault.seat, fault.code) == (seat, code)
            ]
            lines = [f"{fault.place}: {code}: {fault.words}" for fault in examples]
            if code == "ignored":
                del lines[1:]  # no fault: one says it all
            if count > len(examples):
                lines[:1] = [f"{code}: {count:,} time{'' if count == 1 else 's'}"]
                if examples:
                    lines[0] += f", e.g. {examples[0].place}: {examples[0].words}"
            for line in lines:
                yield f"  {names[seat]}: {line}"


def ending_line(ruleset: Ruleset, result: "ResultInfo") -> Iterator[str]:
    """Yield a line that says by which rule a match was decided, if there is anything to say."""
    text = ending_text(ruleset, result.reason) if result.is_decided else None
    if text is not None:
        yield f"  {text}"


def minute_text(moment: datetime | str) -> str:
    """Return a moment, which may be a text of ISO 8601, to the minute in local time."""
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment)
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def verdict_text(result: "ResultInfo") -> str:
    """Return how a match ended and why: `finished: capture`, or `forfeit` alone."""
    return result.end if result.reason == result.end else f"{result.end}: {result.reason}"


def turns_text(ruleset: Ruleset, result: "ResultInfo") -> str:
    """Return how many turns a match had, in the game's own word: `12 rounds`."""
    return counted(result.rounds, turn_word(ruleset))


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _together(*options: Decorator) -> Decorator:
    """Return one decorator that adds several options to a command, in this order."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def refused_option(error: ValueOfKeyError) -> BadInputError:
    """Return an error about an option from one about the key of a spec that it gives."""
    option = {"listen": "web", "name": "ladder"}.get(error.key, error.key.replace("_", "-"))
    if option.startswith("ladders["):
        option = "ladder"
    return BadInputError(f"--{option}: {error}")


def _with_clock(command: Callable[..., Any]) -> Callable[..., Any]:
    """Have a command given a `clock` (`Clock`) for those of its options."""

    @functools.wraps(command)
    def with_clock(*args: Any, **given: Any) -> Any:
        said = {name: given.pop(name) for name in CLOCK_OPTIONS & given.keys()}
        try:
            clock = clock_of(**said)
        except ValueOfKeyError as error:
            raise refused_option(error) from None
        return command(*args, clock=clock, **given)

    return with_clock


limit_options = _together(
    click.option(
        "--time-init",
        type=float,
        default=DEFAULT.time_init,
        metavar="SECONDS",
        help="Time for the first answer; 0 is no limit.",
    ),
    click.option(
        "--time-move",
        type=float,
        default=DEFAULT.time_move,
        metavar="SECONDS",
        help="Time for every other answer; 0 is no limit.",
    ),
    _with_clock,
)
"""The options of the time limits; the command gets a `clock` for them."""

clock_options = _together(
    limit_options,
    click.option("--no-clock", is_flag=True, help="Give bots unlimited time for their answers."),
    click.option(
        "--late-limit",
        type=int,
        default=DEFAULT.late_limit,
        metavar="N",
        help="Late turns in a row that put a bot out, in games that skip late turns.",
    ),
    click.option(
        "--stall-margin",
        type=float,
        default=DEFAULT.stall_margin,
        metavar="SECONDS",
        help="If this machine stalls longer than this, a late answer makes the match void.",
    ),
)
"""The options of the clock; the command gets a `clock` for them."""


start_option = click.option(
    "--time-start",
    type=float,
    default=DEFAULT.time_start,
    metavar="SECONDS",
    help="Time a bot has from its start to its hello.",
)
"""The option for the time in which a started bot must connect; part of the `clock` too."""


bot_options = _together(
    click.option(
        "--limits",
        "bot_limits",
        metavar="LIMITS",
        help="What each bot may use, "
        "such as memory=1G,cpu=3600,files=1024,file-size=256M,processes=64 "
        "(these are the defaults), or none.",
    ),
    click.option(
        "--sandbox",
        type=click.Choice(["none", "bwrap"]),
        default="none",
        help="Isolate the bots from this machine with bubblewrap.",
    ),
)
"""The options for bots that the command starts: `bot_limits` and `sandbox`."""


match_cpu_option = click.option(
    "--match-cpu",
    type=click.IntRange(1, MAX_MATCH_CPU),
    metavar="SECONDS",
    help="Processor time that each bot may use in a whole match; a bot that uses more is ended.",
)


def _settings(_ctx: click.Context, _param: click.Parameter, texts: Sequence[str]) -> dict[str, int]:
    given: dict[str, int] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not re.fullmatch(r"-?[0-9]{1,18}", value):
            raise BadInputError(f"--set {text!r}: expected NAME=VALUE with a whole number")
        given[name] = int(value)
    return given


set_option = click.option(
    "--set",
    "settings",
    multiple=True,
    callback=_settings,
    metavar="NAME=VALUE",
    help="A setting of the game (see `lanista games`); may be repeated.",
)
"""The option for the settings of a game; the command gets those that were given by name."""


def _with_move_limit(command: Callable[..., Any]) -> Callable[..., Any]:
    """Have a command given `--move-limit` among its `settings`."""

    @functools.wraps(command)
    def with_move_limit(
        *args: Any, settings: dict[str, int], move_limit: int | None, **given: Any
    ) -> Any:
        if move_limit is not None:
            settings["move_limit"] = move_limit
        return command(*args, settings=settings, **given)

    return with_move_limit


settings_options = _together(
    set_option,
    click.option(
        "--move-limit",
        type=int,
        metavar="N",
        help="Moves until a draw; short for --set move_limit=N.",
    ),
    _with_move_limit,
)
"""The options for the settings of a match's game: `settings`."""


base_option = click.option(
    "--base",
    type=int,
    metavar="NUMBER",
    help="A number from which seeds are drawn; by default a secret one, kept with the results.",
)


tournament_options = _together(
    click.option(
        "-i",
        "--map",
        "maps",
        multiple=True,
        metavar="MAP",
        help="A shipped map's name, a map file, or its text; may be repeated. By default, "
        "seeds make the maps.",
    ),
    settings_options,
    clock_options,
    start_option,
    bot_options,
    match_cpu_option,
    click.option(
        "--restart",
        is_flag=True,
        help="Start the bots anew for every match, even those that could stay.",
    ),
)
"""The options of a tournament that has no file, for `tournament.described`."""


game_options = _together(
    click.option(
        "-i",
        "--map",
        "map_",
        metavar="MAP",
        help="A shipped map's name, a map file, or its text; by default, the seed makes the map.",
    ),
    settings_options,
)
"""The options for a game: `map_` and `settings`."""


size_option = click.option(
    "--size",
    type=click.IntRange(1, 6),
    default=2,
    help="Maximum width of a cell of the drawn board, in characters.",
)


display_options = _together(
    click.option(
        "--accept-changes",
        is_flag=True,
        help="Start over with bots whose command or limits changed; otherwise such a "
        "change is an error.",
    ),
    click.option(
        "--unbench",
        multiple=True,
        metavar="NAME",
        help="Let a benched bot play again; may be repeated.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print each event as a line of JSON."),
    click.option("--plain", is_flag=True, help="Print lines even in a terminal."),
)
"""The options of commands that play many blocks, beside those that describe the blocks."""


def _concurrency(_ctx: click.Context, _param: click.Parameter, text: str | None) -> Any:
    if text is None or text == "auto":
        return text
    from lanista.competition.spec import check_concurrency

    try:
        return check_concurrency(int(text) if text.isdecimal() else text)
    except ValueError as error:
        raise BadInputError(f"--concurrency: {error}") from None


concurrency_option = functools.partial(
    click.option,
    "--concurrency",
    callback=_concurrency,
    metavar="N|auto",
    help="Number of blocks at the same time; auto: as many as give each bot a core of its own.",
)
"""Makes the option for a number or `auto`; its default is to be given."""


def warn_of_bombs(contestants: "Iterable[Contestant]") -> None:
    """Say in one line, on a terminal, that the machine isn't safe from bots that fork without end.

    That is so for root's bots without a sandbox where there are no control groups either: the
    kernel then neither bounds how many processes they start nor ends all of them at once.
    """
    from lanista.bots.cgroup import can_have_groups

    names = [
        contestant.name
        for contestant in contestants
        if not contestant.sandboxed and contestant.limits.processes and not contestant.is_house_bot
    ]
    if names and os.geteuid() == 0 and sys.stderr.isatty() and not can_have_groups():
        say(
            f"note: as root and without a sandbox, {names[0]} could start processes "
            "faster than they can be ended; --sandbox bwrap or another user prevents that",
            err=True,
        )


def game_and_bots(game: str | None, words: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the game and the bots of a command line `GAME BOT…` or `--game GAME BOT…`."""
    if game is not None:
        return game, tuple(words[1:] if words and words[0] == game else words)
    if not words:
        raise click.UsageError("Missing argument 'GAME'.", click.get_current_context())
    return words[0], tuple(words[1:])


def write_text(path: Path, text: str) -> None:
    """Write a file as a whole, or leave it as it is; characters that it can't hold are escaped."""
    with file_errors("can't write", path):
        write_output(path, [text.encode(errors="backslashreplace")])


def write_example(path: Path, text: str, then: str) -> None:
    """Write an example of a file that isn't there yet, and say what is to be done then."""
    if os.path.lexists(path):
        raise BadInputError(f"{path} exists already; name another file")
    write_text(path, text)
    say(f"{path}: {then}")


EXIT_DIFFERENT = 1
"""The exit code of `verify` if something differs or can't be read."""
rebuild_option = click.option(
    "--rebuild",
    is_flag=True,
    help="Rebuild the database from the records and whatever can be read of it. The old one is "
    "kept beside it.",
)
_INTERVAL = 0.5
"""Seconds between two updates of the progress on a terminal."""


def show_comparison(name: str, comparison: "Comparison", *, is_shared: bool = False) -> bool:
    """Print how stored results differ from records, and the totals; return whether all is right.

    The name is the ladder's or the tournament's. If other arenas may store matches too, whose
    records they have, missing ones are only counted, and aren't wrong.
    """
    from lanista.results.recorded import Trouble

    counts: Counter[str] = Counter()
    elsewhere = 0
    is_terminal, shown = sys.stderr.isatty(), time.monotonic()
    for finding in comparison.findings():
        if is_terminal and time.monotonic() > shown + _INTERVAL:
            shown = time.monotonic()
            progress = f"{name}: {comparison.matches:,} matches"
            click.echo(printable(progress) + "\r", nl=False, err=True)
        if finding is not None:
            if is_shared and finding.trouble is Trouble.MISSING:
                elsewhere += 1
                continue
            counts[finding.trouble.value] += 1
            say(f"{name}: {finding.trouble.value}: {finding.text}")
    parts = [f"{comparison.matches:,} match{'' if comparison.matches == 1 else 'es'} stored"]
    parts += [f"{trouble}: {count:,}" for trouble, count in counts.items()]
    if elsewhere:
        parts.append(f"record missing, or at another arena: {elsewhere:,}")
    if comparison.without_record:
        parts.append(f"without a record: {comparison.without_record:,}")
    say(f"{name}: {'; '.join(parts)}{'' if counts or elsewhere else '; nothing is wrong'}")
    return not counts


def show_rebuilt(name: str, work: "Rebuild") -> bool:
    """Print what a rebuilt database has, and what couldn't be read; return whether all could."""
    for trouble in work.troubles:
        say(f"{name}: {trouble}")
    parts = [f"{work.matches:,} match{'' if work.matches == 1 else 'es'} stored again"]
    parts += [f"{what}: {count:,}" for what, count in work.kept.items()]
    if work.kept_at is not None:
        parts.append(f"the old database is kept as {work.kept_at}")
    say(f"{name}: {'; '.join(parts)}")
    return not work.troubles
