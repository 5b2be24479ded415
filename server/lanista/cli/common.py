"""What several commands share: options, and turning what was typed into rulesets and boards."""

import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from lanista.cli import BadInputError
from lanista.rules.base import BadBoardError, BadSettingError, Ruleset, complete_settings

INTERPRETERS = re.compile(r"(python|pypy|node|java|ruby|perl|bash|sh|dash|zsh)[0-9.]*")
"""Programs after which a bot isn't named."""

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def clock_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of the clock, the same wherever matches are played."""
    options: list[Decorator] = [
        click.option(
            "--time-init",
            type=click.FloatRange(min=0, min_open=True),
            default=20.0,
            show_default=True,
            metavar="SECONDS",
            help="Time for the first answer.",
        ),
        click.option(
            "--time-move",
            type=click.FloatRange(min=0, min_open=True),
            default=0.2,
            show_default=True,
            metavar="SECONDS",
            help="Time for every other answer.",
        ),
        click.option("--no-clock", is_flag=True, help="No limit for any answer."),
        click.option(
            "--late-limit",
            type=click.IntRange(min=1),
            default=10,
            show_default=True,
            metavar="N",
            help="Late turns in a row that put a bot out, in games where late turns are skipped.",
        ),
        click.option(
            "--stall-margin",
            type=click.FloatRange(min=0),
            default=50.0,
            show_default=True,
            metavar="MS",
            help="A stall of this machine above which a late answer makes the match void.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def game_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a game: board and settings."""
    options: list[Decorator] = [
        click.option(
            "-i",
            "--map",
            "map_",
            metavar="FILE",
            help="A map file, or a shipped map's name. Without it the seed makes the map.",
        ),
        click.option(
            "--set",
            "sets",
            multiple=True,
            metavar="NAME=VALUE",
            help="A setting of the game; see `lanista games`.",
        ),
        click.option(
            "--move-limit",
            type=int,
            metavar="N",
            help="Moves until a draw: short for --set move_limit=N.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def limits_of(*, time_init: float, time_move: float, no_clock: bool) -> Any:
    """The clock's limits from the options."""
    from lanista.match.clock import Limits

    return Limits(0, 0) if no_clock else Limits(time_init, time_move)


def ruleset_named(name: str) -> Ruleset:
    """The ruleset of a name; BadInputError lists the known ones."""
    from lanista.rules import registry

    try:
        return registry.get(name)
    except registry.UnknownGameError as error:
        raise BadInputError(str(error)) from None


def settings_of(
    ruleset: Ruleset, sets: Sequence[str], move_limit: int | None = None
) -> dict[str, int]:
    """All settings from `--set` and `--move-limit`."""
    given: dict[str, int] = {}
    for text in sets:
        name, equals, value = text.partition("=")
        if not equals or not re.fullmatch(r"-?[0-9]{1,18}", value):
            raise BadInputError(f"--set {text!r}: expected NAME=VALUE with a whole number")
        if name in given:
            raise BadInputError(f"--set {name} twice; say it once")
        given[name] = int(value)
    if move_limit is not None:
        if given.get("move_limit", move_limit) != move_limit:
            raise BadInputError("--move-limit and --set move_limit differ; say it once")
        given["move_limit"] = move_limit
    try:
        return complete_settings(ruleset, given)
    except BadSettingError as error:
        raise BadInputError(str(error)) from None


def board_of(ruleset: Ruleset, map_: str) -> Any:
    """A board from a file, or a shipped map of that name."""
    import lanista_maps

    path = Path(map_)
    if _is_file(path):
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadInputError(f"{map_}: can't be read as text ({error})") from None
    elif map_ in lanista_maps.names(ruleset.name):
        text = lanista_maps.read(ruleset.name, map_)
    else:
        shipped = ", ".join(lanista_maps.names(ruleset.name)) or "none"
        raise BadInputError(
            f"no map file {map_!r}, and no shipped map of that name; "
            f"shipped maps of {ruleset.name}: {shipped}"
        )
    try:
        return ruleset.read_board(text)
    except BadBoardError as error:
        raise BadInputError(f"{map_}: {error}") from None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name too long for any file, a folder that can't be searched
        return False


def checked_seed(ruleset: Ruleset, seed: int | None) -> int:
    """The seed given, or a fresh one."""
    from lanista.daemon.ids import fresh_seed

    if seed is None:
        return fresh_seed(ruleset)
    low, high = ruleset.seeds
    if not low <= seed <= high:
        raise BadInputError(f"seed {seed}; a seed of {ruleset.name} is from {low} to {high}")
    return seed


def house_bots(game: str) -> Mapping[str, str]:
    """Names of the house bots of a game, with their modules."""
    from lanista.house import HOUSE

    return HOUSE.get(game, {})


def bot_command(game: str, bot: str) -> tuple[str, tuple[str, ...]]:
    """A bot's name and the words to start it by: a house bot's name, or a command line."""
    from lanista.bots import CommandError, parse_command

    house = house_bots(game)
    if bot in house:
        # -P: a folder that the arena is started in must not hide the client.
        return bot, (sys.executable, "-P", "-m", house[bot])
    try:
        words = parse_command(bot)
    except CommandError as error:
        raise BadInputError(str(error)) from None
    if shutil.which(words[0]) is None:
        known = ", ".join(house) or "none"
        raise BadInputError(
            f"unknown bot {bot!r}: no house bot of {game} ({known}), "
            f"and no program {words[0]!r} that could be run"
        )
    return name_of(words), words


def name_of(words: Sequence[str]) -> str:
    """A name for a bot from its command line: its program's or its script's, without ending."""
    named = words[0]
    if INTERPRETERS.fullmatch(os.path.basename(named)):  # noqa: PTH119 - a word, not a path of ours
        for at, word in enumerate(words[1:], 1):
            if word == "-m" and words[at + 1 :]:
                named = words[at + 1].rpartition(".")[2]
                break
            if word in {"-c", "-e"}:  # the program itself: no name in it
                break
            if not word.startswith("-"):
                named = word
                break
    stem = Path(named).stem
    cleaned = "".join(char if char.isalnum() or char in "-_." else "-" for char in stem)
    return cleaned[:32] or "bot"
