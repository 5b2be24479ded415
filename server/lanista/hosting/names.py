"""What people name, a bot or a map, turned into words to start it by and into a board.

A name is a house bot's or a shipped map's; anything else is a command line or a file. Programs and
files are looked for, none is started; no match is known here.
"""

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import lanista_maps
from lanista.bots import CommandError, parse_command
from lanista.formats.originals import of_game, of_text
from lanista.formats.tokens import FormatError
from lanista.house import HOUSE
from lanista.rules.base import BadBoardError, Ruleset


class UnusableNameError(Exception):
    """A bot or a map that can't be used: one line says why, and what would be right."""


MAX_MAP = 4 * 1024 * 1024
"""Characters of a map's or configuration's file; the largest map there can be has 300,000."""
INTERPRETERS = re.compile(r"(python|pypy|node|java|ruby|perl|bash|sh|dash|zsh)[0-9.]*")
"""Programs after which a bot isn't named."""

STDIO = "stdio:"
"""Before the command line of a bot that reads stdin and writes stdout."""

BRIDGE = (sys.executable, "-P", "-m", "lanista.bridge")
"""What such a bot is started by."""


def configuration_of(
    ruleset: Ruleset, map_: str, folder: Path | None = None
) -> tuple[Mapping[str, int], Any]:
    """Settings and board from a file, or from a shipped map of that name.

    A map gives a board alone; a configuration of an original game (`.cnf`) gives settings, and
    perhaps a board: None when the seed is to make it.

    Args:
        ruleset: Whose map it is.
        map_: The file or the name.
        folder: Where a file is looked for; None is the present one.

    Raises:
        UnusableNameError: There is none, or it can't be read or breaks the game's rules of boards.
    """
    name, text = _map_text(ruleset.name, map_, folder)
    try:
        if name.endswith(".cnf"):
            return _configuration(ruleset, text)
        return {}, ruleset.read_board(text)
    except (BadBoardError, FormatError) as error:
        raise UnusableNameError(f"{map_}: {error}") from None


def _configuration(ruleset: Ruleset, text: str) -> tuple[Mapping[str, int], Any]:
    originals = of_game(ruleset.name)
    if originals is None:
        raise FormatError(f"{ruleset.title} has no configuration files; give a map")
    of = of_text(text)
    if of.game != originals.game:
        raise FormatError(f"a configuration of {of.game}, not of {ruleset.name}")
    return originals.read_cnf(text)


def _map_text(game: str, map_: str, folder: Path | None) -> tuple[str, str]:
    """The file name and the text of a map."""
    path = Path(map_) if folder is None else folder / map_
    if _is_file(path):
        try:
            with path.open(encoding="utf-8-sig") as file:
                text = file.read(MAX_MAP + 1)  # a device, or another's pipe, may have no end
        except (OSError, UnicodeDecodeError) as error:
            raise UnusableNameError(f"{map_}: can't be read as text ({error})") from None
        if len(text) > MAX_MAP:
            raise UnusableNameError(f"{map_}: longer than any map, of 4 MiB at most")
        return path.name, text
    name = map_.removesuffix(".map").removesuffix(".cnf")
    if name in lanista_maps.names(game):
        return lanista_maps.file_name(game, name), lanista_maps.read(game, name)
    shipped = ", ".join(lanista_maps.names(game)) or "none"
    raise UnusableNameError(
        f"no map file {map_!r}, and no shipped map of that name; shipped maps of {game}: {shipped}"
    )


def _is_file(path: Path) -> bool:
    try:
        return path.exists() and not path.is_dir()  # a pipe is a file too
    except OSError:  # a name too long for any file, a folder that can't be searched
        return False


def house_bots(game: str) -> Mapping[str, str]:
    """Names of the house bots of a game, with their modules."""
    return HOUSE.get(game, {})


def bot_command(game: str, bot: str, folder: Path | None = None) -> tuple[str, tuple[str, ...]]:
    """A bot's name and the words to start it by.

    A bot is a house bot's name, a command line, or `stdio:` and the command line of one that speaks
    by stdin and stdout.

    Args:
        game: The game it plays.
        bot: What was typed.
        folder: Where it will be run; None is the present one.

    Raises:
        UnusableNameError: There is no such house bot and no such program.
    """
    house = house_bots(game)
    if bot in house:
        # -P: a folder that the arena is started in must not hide the client.
        return bot, (sys.executable, "-P", "-m", house[bot])
    is_stdio = bot.startswith(STDIO)
    try:
        words = parse_command(bot.removeprefix(STDIO))
    except CommandError as error:
        raise UnusableNameError(str(error)) from None
    checked_program(bot, words, game, folder)
    return name_of(words), (*BRIDGE, *words) if is_stdio else words


def bot_words(game: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """The words to start a bot by, as `bot_command`, of a command line in words already."""
    if len(words) == 1 and words[0] in house_bots(game):
        return bot_command(game, words[0])[1]
    if words[0].startswith(STDIO):
        words = (words[0].removeprefix(STDIO), *words[1:])
        checked_program(words[0], words, game)
        return (*BRIDGE, *words)
    checked_program(words[0], words, game)
    return words


def checked_program(bot: str, words: Sequence[str], game: str, folder: Path | None = None) -> None:
    """See that the program of a command line is there.

    Raises:
        UnusableNameError: It isn't, or is a file that can't be executed.
    """
    # As a path it is looked for from where it will be run.
    place = words[0]
    if folder is not None and os.sep in place:
        place = str(folder / place)
    if shutil.which(place) is not None:
        return
    if (Path(place) if folder is None else folder / place).is_file():
        raise UnusableNameError(
            f"bot {bot!r}: {words[0]} is a file but no program; run it by its interpreter, "
            f"as 'python3 {words[0]}', or make it executable (chmod +x) and call it ./NAME"
        )
    known = ", ".join(house_bots(game)) or "none"
    raise UnusableNameError(
        f"unknown bot {bot!r}: no house bot of {game} ({known}), "
        f"and no program {words[0]!r} that could be run"
    )


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
