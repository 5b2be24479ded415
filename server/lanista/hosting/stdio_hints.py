"""Hints for authors who mix up the two ways to talk to an arena, a connection and stdin and stdout.

Each is the end of a message about a bot that hasn't talked at all, so it may be wrong: it names the
most likely cause.
"""

import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from lanista.bots.command import OWN_MODULE
from lanista.bots.process import Bot, Exit
from lanista.hosting.names import BRIDGE, STDIO

_AT_END_OF_INPUT = re.compile(r"\bEOF|No line found|end of (?:file|input)", re.IGNORECASE)
"""Matches what runtimes print if a program reads stdin, of which a bot has nothing to read."""


def why_not_connected(bot: Bot, command: Sequence[str]) -> str:
    """Return what to do about a bot that never connected; empty if it isn't known.

    Args:
        bot: Its process.
        command: The command that it was started with, before placeholders were replaced: a bot that
            gets the arena's address there connects.
    """
    connects = tuple(command) != bot.command or any(OWN_MODULE.match(word) for word in command)
    crashed = bot.exit is not None and bot.exit.code != 0
    if connects or (crashed and not _AT_END_OF_INPUT.search(bot.output_tail())):
        return ""
    line = shlex.quote(STDIO + shlex.join(command))
    return f"it never connected: if it reads its turns from standard input, start it as {line}"


def why_silent(command: Sequence[str]) -> str:
    """Return why a bot with this command may not answer at all; empty if it isn't a stdio bot."""
    program, *arguments = _own_command(command) or [""]
    if not program:
        return ""
    hint = "its output was empty: "
    if _is_mawk(program) and "interactive" not in "".join(arguments[:2]):
        line = STDIO + shlex.join([program, "-W", "interactive", *arguments])
        return f"{hint}mawk reads and writes in blocks, so start it as {shlex.quote(line)}"
    return f"{hint}does it flush standard output after each answer?"


def why_unheard(command: Sequence[str], exit_: Exit | None) -> str:
    """Return what to do about a bot that left before its first answer; empty if it's not known.

    A bot that uses a client library says by itself that it mustn't be started so (`LANISTA_STDIO`),
    and a crash has another reason.
    """
    if not _own_command(command) or exit_ is None or exit_.code != 0:
        return ""
    return f"if it connects to the arena by itself, leave out {STDIO}"


def _own_command(command: Sequence[str]) -> Sequence[str]:
    """Return the command that a stdio bot was given; empty if it isn't a stdio bot."""
    return command[len(BRIDGE) :] if tuple(command[: len(BRIDGE)]) == BRIDGE else ()


def _is_mawk(program: str) -> bool:
    path = shutil.which(program) if Path(program).name in {"awk", "mawk"} else None
    return path is not None and Path(path).resolve().name == "mawk"
