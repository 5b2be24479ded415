"""Resolving what users type for a bot, the name of a house bot or a command line, into a command.

Also hints for authors who mix up the two ways to talk to an arena, a connection and stdin and
stdout. Each is the end of a message about a bot that hasn't talked at all, so it may be wrong: it
names the most likely cause.
"""

import ast
import importlib.util
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lanista.bots import unpacker
from lanista.bots.command import (
    INTERPRETER,
    OWN_MODULE,
    CommandError,
    parse_command,
    shell_word,
)
from lanista.errors import BadInputError, did_you_mean
from lanista.games import registry
from lanista_protocol import RemoteProtocolError, parse_hello, shown

if TYPE_CHECKING:
    from lanista.bots.process import Bot

INTERPRETERS = {".py": "python3", ".js": "node", ".mjs": "node", ".sh": "sh"}
"""The interpreters of scripts, by the ending of the file's name."""
_WITH_VALUE = frozenset({"-cp", "-classpath", "--class-path", "-p", "--module-path", "-W", "-X"})
"""Options of interpreters whose value is the next word, which names no bot."""
STDIO = "stdio:"
"""Prefix of the command line of a bot that reads stdin and writes stdout."""

_HOUSE_BOT = "import sys; from lanista.games.house_bot import run; sys.exit(run(*sys.argv[1:]))"
"""Code that runs a house bot as `-m` would, without the time that `runpy` takes to import."""

BRIDGE = (sys.executable, "-P", "-m", "lanista.bots.bridge")
"""Command that runs such a bot; the bot's own command is appended."""


def is_file(path: Path) -> bool:
    """Return whether there is a file, or a pipe or the like, that can be read as one."""
    try:
        return path.exists() and not path.is_dir()  # a pipe is a file too
    except (OSError, ValueError):  # too long for any file, NUL, a folder that can't be searched
        return False


def bot_command(game: str, bot: str, folder: Path | None = None) -> tuple[str, tuple[str, ...]]:
    """Return a bot's name and the command that starts it, in the folder or in the current one.

    The user typed the name of a house bot, a command line, or `stdio:` and the command line of a
    bot that uses stdin and stdout. Raises BadInputError if there is no such bot or program.
    """
    house = registry.house_bots(game)
    if bot in house:
        # -P: modules in the current folder must not hide those of the client.
        return bot, (sys.executable, "-P", "-c", _HOUSE_BOT, house[bot], bot)
    is_stdio = bot.startswith(STDIO)
    try:
        argv = parse_command(bot.removeprefix(STDIO))
    except CommandError as error:
        raise BadInputError(str(error)) from None
    checked_program(bot, argv, game, folder)
    return name_of(argv), (*BRIDGE, *argv) if is_stdio else argv


def checked_program(bot: str, argv: Sequence[str], game: str, folder: Path | None = None) -> None:
    """Raise an error if the program of a command line doesn't exist or can't be executed.

    The message quotes what the user typed for the bot. A path is relative to the folder in which
    the program will be run.
    """
    program = argv[0]
    if folder is not None and os.sep in program:
        program = str(folder / program)
    if shutil.which(program) is not None:
        return
    file = (folder or Path()) / program
    if is_file(file):
        raise BadInputError(
            f"bot {bot!r}: {argv[0]} is a file, {_how_to_run(file, argv[0], shell_word)}"
        )
    known = ", ".join(registry.house_bots(game)) or "none"
    hint = _meant(bot, game) or "; a folder isn't one, and no shell reads a command line"
    raise BadInputError(
        f"unknown bot {bot!r}: no house bot of {game} ({known}), and no program {argv[0]!r} that "
        f"could be run{hint}"
    )


def _how_to_run(file: Path, name: str, written: Callable[[str], str]) -> str:
    """Return why a file can't be run under a name, and what would be right.

    `written` returns a command line as it has to be written where the name was.
    """
    path = written(shlex.quote(name if os.sep in name else f"./{name}"))
    if os.access(file, os.X_OK):
        return f"but not on the PATH; call it {path}"
    if file.suffix in INTERPRETERS:
        line = f"{INTERPRETERS[file.suffix]} {shlex.quote(name)}"
        return f"but not executable; run it as {written(line)}"
    return (
        "but not executable; run it with its interpreter, or make it executable (chmod +x) and "
        f"call it {path}; a source has to be built first"
    )


def why_not_run(program: str) -> str:
    """Return why there is no program of a name, for whoever gives a command's words one by one."""
    if is_file(Path(program)):
        return f"{program} is a file, {_how_to_run(Path(program), program, str)}"
    return f"no program {program!r} that could be run; give the bot's command after --"


def _meant(bot: str, game: str) -> str:
    """Return the end of the message about an unknown bot: what may have been meant."""
    others = [other for other in registry.ours() if bot in registry.house_bots(other)]
    if others:
        return f"; {bot} is a house bot of {' and '.join(others)}"
    return did_you_mean(bot, registry.house_bots(game))


def checked_name(name: str) -> str:
    """Return a bot's name, if it is one that the bot can send in its hello (PROTOCOL.md 2).

    Raises BadInputError, whose message begins with the name, if it isn't.
    """
    try:
        is_name = parse_hello(name).name == name
    except RemoteProtocolError:
        is_name = False
    if not is_name:
        raise BadInputError(
            f"{shown(name)}: a name has 1 to 32 printable characters, single spaces between words, "
            "and no ="
        )
    return name


def name_of(argv: Sequence[str]) -> str:
    """Return a name for a bot: that of its program or script, without folder and extension."""
    named = argv[0]
    interpreter = INTERPRETER.fullmatch(os.path.basename(named))  # noqa: PTH119 - what was typed
    if interpreter is not None:
        for index, argument in enumerate(argv[1:], 1):
            if argv[index - 1] in _WITH_VALUE:
                continue
            if argument == "-m" and argv[index + 1 :]:
                named = argv[index + 1].rpartition(".")[2]
                break
            if argument in {"-c", "-e"}:  # code follows, which has no name
                break
            if not argument.startswith("-"):
                is_class = interpreter[1] == "java" and not argument.endswith((".jar", ".java"))
                named = argument.rpartition(".")[2] if is_class else argument
                break
    stem = Path(named).stem
    cleaned = "".join(char if char.isalnum() or char in "-_." else "-" for char in stem)
    return cleaned[:32] or "bot"


def about(module: str, name: str) -> str:
    """Return what a house bot does, from its docstring, and how to start it; imports nothing."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    text = ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""
    line = text.partition("\n")[0].removesuffix(".")
    return f"{line} (`python -m lanista.games.house_bot {module} {name}`)."


# -- hints ----------------------------------------------------------------------------------------

AT_END_OF_INPUT = re.compile(r"\bEOF|No line found|end of (?:file|input)", re.IGNORECASE)
"""Matches what runtimes print if a program reads stdin, of which a bot has nothing to read."""


def why_no_hello(bot: "Bot", command: Sequence[str]) -> str:
    """Return what to do about a bot that has sent no hello; empty if it isn't known.

    The command is that before placeholders were replaced: a bot that gets the arena's address there
    connects.
    """
    connects = tuple(command) != bot.command or any(OWN_MODULE.match(word) for word in command)
    crashed = bot.exit is not None and bot.exit.code != 0
    if connects or (crashed and not AT_END_OF_INPUT.search(bot.output_tail())):
        return ""
    how = f"start it as {shell_word(STDIO + shlex.join(command))}"
    if unpacker.__file__ in command:  # a program that was handed in, whose author gave no command
        how = f'hand it in as a ZIP whose bot.toml has run = "{STDIO}COMMAND"'
    return f"if it reads its turns from standard input, {how}"


def why_silent(command: Sequence[str]) -> str:
    """Return why a bot with this command may not answer at all; empty if it isn't a stdio bot."""
    if tuple(command[: len(BRIDGE)]) != BRIDGE:
        return ""
    hint = "its output was empty: does it flush standard output after each answer?"
    is_awk = Path(command[len(BRIDGE)]).name in {"awk", "mawk"}
    return f"{hint} mawk does with -W interactive" if is_awk else hint
