"""Resolving what users type for a bot or a map into a command and a board.

A bot is given as the name of a house bot or as a command line; a map as the name of a shipped map,
as a file, or as the text of one. This module checks that programs and files exist, but starts
nothing.
"""

import ast
import hashlib
import importlib.util
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lanista.bots.command import INTERPRETER, CommandError, parse_command
from lanista.errors import BadInputError
from lanista.games import registry
from lanista.games.base import FormatError, Ruleset
from lanista.suggestions import did_you_mean
from lanista_protocol import RemoteProtocolError, parse_hello, shown


class UnusableNameError(BadInputError):
    """A bot or a map can't be used; the message is one line that says why and what to do."""


MAX_MAP = 4 * 1024 * 1024
"""Maximum number of characters of a map or configuration file; the largest map has 300,000."""
INTERPRETERS = {".py": "python3", ".js": "node", ".mjs": "node", ".sh": "sh"}
"""The interpreters of scripts, by the ending of the file's name."""
STDIO = "stdio:"
"""Prefix of the command line of a bot that reads stdin and writes stdout."""

_HOUSE_BOT = "import sys; from lanista.games.house_bot import run; sys.exit(run(*sys.argv[1:]))"
"""Code that runs a house bot as `-m` would, without the time that `runpy` takes to import."""

BRIDGE = (sys.executable, "-P", "-m", "lanista.bots.bridge")
"""Command that runs such a bot; the bot's own command is appended."""


Map = str | os.PathLike[str]
"""A map as users give it: the name of a shipped map, a path, or the text of a map file.

A text is known by its line breaks.
"""


def map_name(map_: Map) -> str:
    """Return what results call a map: as it was given; a text, `text-` and a hash of it."""
    name = os.fspath(map_)
    if "\n" not in name:
        return name
    return f"text-{hashlib.sha256(name.encode(errors='backslashreplace')).hexdigest()[:8]}"


def configuration_of(
    ruleset: Ruleset, map_: Map, folder: Path | None = None
) -> tuple[Mapping[str, int], Any]:
    """Read settings and a board from a file, a text or a shipped map.

    A map has only a board. A configuration of an original game (`.cnf`) has settings and perhaps a
    board.

    Args:
        ruleset: The game that the map is for.
        map_: The map.
        folder: The folder that a path is relative to; None for the current one.

    Returns:
        The settings; and the board, None if the seed should make it.

    Raises:
        UnusableNameError: There is no such map, or it can't be read, or the game doesn't allow it.
    """
    if not isinstance(map_, str | os.PathLike):
        raise UnusableNameError(
            f"map {map_!r:.200}; expected a shipped map's name, a path, or the text of a map file"
        )
    text, is_configuration = _map_text(ruleset.name, os.fspath(map_), folder)
    try:
        return _configuration(ruleset, text) if is_configuration else ({}, ruleset.read_board(text))
    except FormatError as error:
        raise UnusableNameError(f"{map_name(map_)}: {error}") from None


def _configuration(ruleset: Ruleset, text: str) -> tuple[Mapping[str, int], Any]:
    from lanista.games.originals import of_game, of_text  # noqa: PLC0415 - few matches have a map

    originals = of_game(ruleset.name)
    if originals is None:
        raise FormatError(f"{ruleset.title} has no configuration files; give a map")
    format_ = of_text(text)
    if format_.game != originals.game:
        raise FormatError(f"this is a configuration of {format_.game}, not of {ruleset.name}")
    return originals.read_cnf(text)


def _is_configuration(text: str) -> bool:
    from lanista.games.originals import of_text  # noqa: PLC0415 - as above

    try:
        of_text(text)
    except FormatError:
        return False
    return True


def _map_text(game: str, map_: str, folder: Path | None) -> tuple[str, bool]:
    """Return the text of a map, and whether it is a configuration of an original game."""
    import lanista_maps  # noqa: PLC0415 - as above

    if "\n" in map_:
        return map_.removeprefix("\ufeff"), _is_configuration(map_)
    path = Path(map_) if folder is None else folder / map_
    if is_file(path):
        try:
            with path.open(encoding="utf-8-sig") as file:
                text = file.read(MAX_MAP + 1)  # limited, since a device or a pipe may be endless
        except (OSError, UnicodeDecodeError) as error:
            raise UnusableNameError(f"{map_}: can't be read as text ({error})") from None
        if len(text) > MAX_MAP:
            raise UnusableNameError(f"{map_}: more than 4 MiB, which is too much for a map")
        return text, path.name.endswith(".cnf")
    name = map_.removesuffix(".map").removesuffix(".cnf")
    if name in lanista_maps.names(game):
        text = lanista_maps.read(game, name)
        return text, lanista_maps.file_name(game, name).endswith(".cnf")
    shipped = ", ".join(lanista_maps.names(game)) or "none"
    raise UnusableNameError(
        f"no map file {map_!r}, and no shipped map of that name; shipped maps of {game}: {shipped}"
        f"{did_you_mean(name, lanista_maps.names(game))}"
    )


def is_file(path: Path) -> bool:
    """Return whether there is a file, or a pipe or the like, that can be read as one."""
    try:
        return path.exists() and not path.is_dir()  # a pipe is a file too
    except (OSError, ValueError):  # too long for any file, NUL, a folder that can't be searched
        return False


def bot_command(game: str, bot: str, folder: Path | None = None) -> tuple[str, tuple[str, ...]]:
    """Return a bot's name and the command that starts it.

    Args:
        game: The game that it plays.
        bot: What the user typed: the name of a house bot, a command line, or `stdio:` and the
            command line of a bot that uses stdin and stdout.
        folder: The folder in which it will be run; None for the current one.

    Raises:
        UnusableNameError: There is no such house bot and no such program.
    """
    house = registry.house_bots(game)
    if bot in house:
        # -P: modules in the current folder must not hide those of the client.
        return bot, (sys.executable, "-P", "-c", _HOUSE_BOT, house[bot], bot)
    is_stdio = bot.startswith(STDIO)
    try:
        argv = parse_command(bot.removeprefix(STDIO))
    except CommandError as error:
        raise UnusableNameError(str(error)) from None
    checked_program(bot, argv, game, folder)
    return name_of(argv), (*BRIDGE, *argv) if is_stdio else argv


def checked_program(bot: str, argv: Sequence[str], game: str, folder: Path | None = None) -> None:
    """Check that the program of a command line exists and can be executed.

    Args:
        bot: What the user typed, for the error message.
        argv: The program and its arguments.
        game: The game that it plays.
        folder: The folder in which it will be run; None for the current one.

    Raises:
        UnusableNameError: It doesn't exist, or is a file that can't be executed.
    """
    # A path is relative to the folder in which the program will be run.
    program = argv[0]
    if folder is not None and os.sep in program:
        program = str(folder / program)
    if shutil.which(program) is not None:
        return
    file = Path(program) if folder is None else folder / program
    if is_file(file):
        raise UnusableNameError(f"bot {bot!r}: {argv[0]} is a file, {_how_to_run(file, argv[0])}")
    known = ", ".join(registry.house_bots(game)) or "none"
    raise UnusableNameError(
        f"unknown bot {bot!r}: no house bot of {game} ({known}), "
        f"and no program {argv[0]!r} that could be run{_meant(bot, game)}"
    )


def _how_to_run(file: Path, name: str) -> str:
    """Return why a file can't be run under a name, and what would be right."""
    if file.suffix in {".cc", ".cpp"}:
        kit = file.suffix == ".cc" and file.name.startswith("AI")
        build = f"lanista build {name}" if kit else f"g++ -O2 -o {file.stem} {name}"
        return f"a program's source; build it first with `{build}`, then call it ./{file.stem}"
    if os.access(file, os.X_OK):
        return f"but not on the PATH; call it ./{name}"
    interpreter = INTERPRETERS.get(file.suffix)
    if interpreter is not None:
        return f"but not executable; run it as '{interpreter} {name}'"
    return (
        "but not executable; run it with its interpreter, or make it executable (chmod +x) and "
        f"call it {name if os.sep in name else f'./{name}'}"
    )


def _meant(bot: str, game: str) -> str:
    """Return the end of the message about an unknown bot: what may have been meant."""
    others = [other for other in registry.ours() if bot in registry.house_bots(other)]
    if others:
        return f"; {bot} is a house bot of {' and '.join(others)}"
    return did_you_mean(bot, registry.house_bots(game))


def checked_name(name: str) -> str:
    """Return a bot's name, if it is one that the bot can send in its hello (PROTOCOL.md 2).

    Raises:
        UnusableNameError: It isn't; the message begins with the name.
    """
    try:
        parsed = parse_hello(name).name
    except RemoteProtocolError as error:
        raise UnusableNameError(f"{shown(name)}: {error.message}") from None
    if parsed != name:
        raise UnusableNameError(f"{shown(name)}; a name has no spaces around it and no options")
    return name


def name_of(argv: Sequence[str]) -> str:
    """Return a name for a bot: that of its program or script, without folder and extension."""
    named = argv[0]
    if INTERPRETER.fullmatch(os.path.basename(named)):  # noqa: PTH119 - what the user typed
        for index, argument in enumerate(argv[1:], 1):
            if argument == "-m" and argv[index + 1 :]:
                named = argv[index + 1].rpartition(".")[2]
                break
            if argument in {"-c", "-e"}:  # code follows, which has no name
                break
            if not argument.startswith("-"):
                named = argument
                break
    stem = Path(named).stem
    cleaned = "".join(char if char.isalnum() or char in "-_." else "-" for char in stem)
    return cleaned[:32] or "bot"


def about(module: str) -> str:
    """Return what a house bot does and how it is started, without importing its module.

    The first is the first line of the module's docstring.
    """
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    text = ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""
    line = text.partition("\n")[0].removesuffix(".")
    return f"{line} (`python -m {module}`)."
