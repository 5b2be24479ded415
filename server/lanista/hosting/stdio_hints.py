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


def why_not_connected(bot: Bot) -> str:
    """Return what to do about a bot that never connected; empty if it ended for another reason."""
    is_own = any(OWN_MODULE.match(word) for word in bot.command)
    ended = bot.exit is not None and bot.exit.code != 0
    if is_own or (ended and not _AT_END_OF_INPUT.search(bot.output_tail())):
        return ""
    command = shlex.quote(STDIO + shlex.join(bot.command))
    return f"it never connected: if it reads its turns from standard input, start it as {command}"


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


def why_unheard(command: Sequence[str], exit_: Exit | None, words: str) -> str:
    """Return what to do about a bot that left before its first answer; empty if it's not known.

    Args:
        command: The command that it was started with.
        exit_: How its process ended.
        words: What it wrote last.
    """
    if not _own_command(command) or exit_ is None or STDIO in words:
        return ""
    if exit_.code != 0 and "no arena" not in words:
        return ""
    return f"if it connects to the arena by itself, leave out {STDIO}"


def _own_command(command: Sequence[str]) -> Sequence[str]:
    """Return the command that a stdio bot was given; empty if it isn't a stdio bot."""
    return command[len(BRIDGE) :] if tuple(command[: len(BRIDGE)]) == BRIDGE else ()


def _is_mawk(program: str) -> bool:
    path = shutil.which(program) if Path(program).name in {"awk", "mawk"} else None
    return path is not None and Path(path).resolve().name == "mawk"
