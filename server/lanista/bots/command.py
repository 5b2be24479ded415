"""A bot's command line and what it is told: words, placeholders, environment.

Pure text: no process is started here and no file is looked at. No shell ever sees a command.
"""

import os
import re
import shlex
from collections.abc import Iterable, Mapping

_PLACEHOLDER = re.compile(r"\{(host|port|name|token)\}")

OPERATORS_TOKEN = "LANISTA_WEB_TOKEN"  # noqa: S105 - a variable's name
"""What opens the page's commands; no bot gets it."""

KEEP = "LANISTA_KEEP"
"""Set to `1` for a bot that is asked to stay for match after match (`keep=1`, PROTOCOL.md 2)."""


class CommandError(ValueError):
    """A command line that can't be read; its text is one line for the person who wrote it."""


def parse_command(text: str) -> tuple[str, ...]:
    """Split a command line into words as a POSIX shell does.

    Quotes and backslashes work as in a shell; variables, globs, pipes, `;` and comments don't, they
    are ordinary characters.

    Args:
        text: The command line, such as `python3 "my bot.py" --port {port}`.

    Returns:
        The words, the first being the program; placeholders are left as they are (see `fill`).

    Raises:
        CommandError: There is no program, a quote isn't closed, a backslash ends the line, or the
            line holds a NUL character, which no program can be given.
    """
    if "\0" in text:
        raise CommandError(f"bot command {text!r} holds a NUL character: remove it")
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        # shlex knows two complaints: a quote that isn't closed, a backslash with nothing after it.
        remedy = "close the quote" if "quotation" in str(error) else "remove the last backslash"
        raise CommandError(f"bot command {text!r} can't be split into words: {remedy}") from error
    if not words:
        raise CommandError("bot command is empty: give a program, such as 'python3 mybot.py'")
    if not words[0]:
        raise CommandError(f"bot command {text!r} starts with an empty word: give a program there")
    return words


def fill(
    words: Iterable[str], *, host: str, port: int, name: str, token: str = ""
) -> tuple[str, ...]:
    """Put the values of one seat in place of `{host}`, `{port}`, `{name}` and `{token}`.

    Every other brace stays as it is, and what a value brings is not looked at again: a bot named
    `{token}` doesn't learn the token by it. A word stays one word, whatever its value holds.

    Args:
        words: The words of `parse_command`.
        host: Address of the arena as the bot shall dial it.
        port: TCP port of the arena.
        name: Name that the bot shall say in its hello.
        token: Secret for this name or seat, empty if none is needed.

    Returns:
        The words to run.
    """
    values = {"host": host, "port": str(port), "name": name, "token": token}
    return tuple(_PLACEHOLDER.sub(lambda found: values[found[1]], word) for word in words)


def environment(
    *,
    host: str,
    port: int,
    name: str,
    token: str = "",
    keep: bool = False,
    base: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The environment of a bot: `base` and LANISTA_HOST, _PORT, _NAME, _TOKEN and perhaps _KEEP.

    Never LANISTA_WEB_TOKEN, which is the operator's.

    Args:
        host: Address of the arena as the bot shall dial it.
        port: TCP port of the arena.
        name: Name that the bot shall say in its hello.
        token: Secret for this name or seat; empty if none is needed, the variable is then empty
            too, so that a bot never takes up the token of an arena above this one.
        keep: Ask it to stay for match after match.
        base: What the bot gets besides; None is this process's own environment.

    Returns:
        A new dictionary, to be given to `start_bot`.
    """
    inherited = os.environ if base is None else base
    return {
        **{key: value for key, value in inherited.items() if key not in {OPERATORS_TOKEN, KEEP}},
        "LANISTA_HOST": host,
        "LANISTA_PORT": str(port),
        "LANISTA_NAME": name,
        "LANISTA_TOKEN": token,
        **({KEEP: "1"} if keep else {}),
    }
