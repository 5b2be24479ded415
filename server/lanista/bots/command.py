"""A bot's command line (arguments and placeholders) and the environment it is started with.

This module only handles text: it starts no process and reads no file. No shell is involved.
"""

import os
import re
import shlex
from collections.abc import Iterable, Mapping

from lanista.errors import BadInputError

_PLACEHOLDER = re.compile(r"\{(host|port|name|token)\}")

HOST = "127.0.0.1"
"""Address at which a bot that we start finds Lanista, unless it is told another one."""

OPERATORS_TOKEN = "LANISTA_WEB_TOKEN"  # noqa: S105 - a variable's name
"""Variable with the secret for the operator's commands on the web page; bots never get it."""

KEEP = "LANISTA_KEEP"
"""Variable set to `1` for a bot that should stay for further matches (`keep=1`, PROTOCOL.md 2)."""

LOCAL = "LANISTA_LOCAL"
"""Variable set to `1` so that libraries ignore the address, room and token in the program."""

ROOM = "LANISTA_ROOM"
"""Variable set to the room in which a house bot should play, if to any."""

INTERPRETER = re.compile(r"(python|pypy|node|java|ruby|perl|bash|sh|dash|zsh)[0-9.]*")
"""Matches names of programs that only run another one: a bot isn't named after them."""

OWN_MODULE = re.compile(r"lanista\.")
"""Matches the beginning of a module of ours, as in `python -m lanista.bots.bridge`."""

HOUSE_BOT = re.compile(r"lanista\.\w+\.\w+\.house_bots\.")
"""Matches the beginning of those modules that are bots themselves, each an argument of its own."""

_NOT_PASSED_ON = frozenset(
    {OPERATORS_TOKEN, KEEP, ROOM, "LANISTA_STDIO", "LANISTA_TLS", "LANISTA_TLS_CA"}
)
"""Variables that a bot gets only if they are meant for it; it connects within the machine."""


class CommandError(BadInputError, ValueError):
    """A command line can't be parsed; the message is one line for the person who wrote it."""


def parse_command(text: str) -> tuple[str, ...]:
    """Split a command line into arguments as a POSIX shell does; placeholders stay (see `fill`).

    Quotes and backslashes work as in a shell. Variables, globs, pipes, `;` and comments have no
    special meaning.

    Raises:
        CommandError: There is no program, an open quote, a backslash at the end or a NUL character.
    """
    if "\0" in text:
        raise CommandError(f"bot command {text!r} holds a NUL character: remove it")
    try:
        argv = tuple(shlex.split(text))
    except ValueError as error:
        raise CommandError(f"bot command {text!r} can't be split into words: {error}") from error
    if not argv or not argv[0]:
        raise CommandError(
            f"bot command {text!r} names no program: give one, such as 'python3 mybot.py'"
        )
    return argv


def shell_word(command: str) -> str:
    """Quote a command line as one word for a shell, to be copied from a message."""
    if "'" in command and not set('"$`\\!') & set(command):
        return f'"{command}"'  # easier to read than quotes of single quotes
    return shlex.quote(command)


def fill(argv: Iterable[str], *, port: int, name: str, token: str = "") -> tuple[str, ...]:
    """Replace `{host}`, `{port}`, `{name}` and `{token}` by the values for one seat.

    Every other brace stays as it is. Inserted values are not searched for placeholders, so that a
    bot named `{token}` doesn't get the token.
    """
    values = {"host": HOST, "port": str(port), "name": name, "token": token}
    return tuple(_PLACEHOLDER.sub(lambda match: values[match[1]], argument) for argument in argv)


def environment(
    *,
    host: str = HOST,
    port: int,
    name: str,
    token: str = "",
    keep: bool = False,
    room: str = "",
    base: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return a bot's environment: `base` (by default our own), LANISTA_HOST and the like.

    LANISTA_WEB_TOKEN is removed, since it is the operator's. LANISTA_TOKEN is set even if no token
    is needed, so that a bot never uses that of another arena that started this one. With `keep`,
    the bot is asked to stay for further matches. A house bot may be told a room; to a bot without
    one, LANISTA_LOCAL says that the program's own address, room and token are for another arena.
    """
    inherited = os.environ if base is None else base
    return {
        **{key: value for key, value in inherited.items() if key not in _NOT_PASSED_ON},
        "LANISTA_HOST": host,
        "LANISTA_PORT": str(port),
        "LANISTA_NAME": name,
        "LANISTA_TOKEN": token,
        "LANISTA_QUIET": "1",  # nobody needs to know that a bot waits for others that are coming
        **({KEEP: "1"} if keep else {}),
        **({ROOM: room} if room else {LOCAL: "1"}),
    }
