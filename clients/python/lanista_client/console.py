"""The lines that the client writes to standard error for the person who started the bot."""

from __future__ import annotations

import sys
from _thread import get_ident

TYPE_CHECKING = False  # as in `lanista_client`: importing typing costs 15 ms
if TYPE_CHECKING:
    from types import TracebackType

STDIO = (
    "this program connects to the arena by itself; start it without `stdio:` or `lanista connect`"
)
"""Why there is no connection for a bot whose stdin and stdout Lanista has connected already."""

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class OptionError(ValueError):
    """A name, an option or a variable of the environment can't be used.

    If nothing catches it, the bot ends with its message, which is one line that says what would be
    right.
    """


def escaped(text: str) -> str:
    """Escape what isn't printable in an arena's words, so that they do nothing to a terminal."""
    return "".join([char if char.isprintable() else f"\\u{{{ord(char):x}}}" for char in text])


def is_quiet(variable: str | None) -> bool:
    """Return whether this value of LANISTA_QUIET asks for silence while the bot waits."""
    return variable not in (None, "", "0")


def no_arena(host: str, port: int, error: OSError | UnicodeError) -> str:
    """Return why there is no connection, and what to do."""
    where = address(host, port)
    if isinstance(error, ConnectionRefusedError) and host in _LOOPBACK:
        return f"no arena at {where}; start one with `lanista serve`"
    return f"no arena at {where}: {_reason(error)}; check the host and the port"


def _reason(error: OSError | UnicodeError) -> str:
    """Return why a connection failed, in words that are the same in every client library."""
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    import socket  # noqa: PLC0415 - slow, and few bots need it here

    if isinstance(error, TimeoutError):
        return "timed out"
    if isinstance(error, socket.gaierror | UnicodeError):
        return "unknown host"
    return error.strerror or str(error)


def address(host: str, port: int) -> str:
    """Return host and port as one word; an IPv6 address is put in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def tell_waiting(where: str, hello: str, taken: list[str]) -> None:
    """Write that the bot waits, for what, and where to look.

    Args:
        where: Address of the arena.
        hello: The line that the bot opened the conversation with.
        taken: The words of the arena's `wait`: seats taken and seats needed.
    """
    wanted = [word.replace("=", " ", 1) for word in hello.split() if word[:5] in ("game=", "room=")]
    details = ", ".join([*wanted, escaped(f"{taken[0]} of {taken[1]} seats taken")])
    sys.stderr.write(
        f"lanista: waiting for an opponent at {where} ({details}); "
        "the arena's page, whose address `lanista serve` prints, shows who is there\n"
    )


def tell_note(code: str, seconds: int, words: str) -> None:
    """Write a note for whoever started the bot: its room isn't a ladder, or it has to rest.

    Args:
        code: `room` or `benched`.
        seconds: Length of the rest; 0: until the operator ends it.
        words: The reason.
    """
    rest = f"benched for {seconds} s: " if seconds else "benched: "
    sys.stderr.write(f"lanista: {rest if code == 'benched' else ''}{escaped(words)}\n")


def install_hook() -> None:
    """Have an uncaught exception end the bot's match, and the library's own shown in one line.

    A traceback would tell nothing more of an `ArenaError` or `OptionError`, and nothing at all of a
    Ctrl-C while the bot waits for the arena. All others are shown as always. A hook that the bot or
    its debugger has installed stays.
    """
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _fail


def _fail(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    from lanista_client import Arena, ArenaError  # noqa: PLC0415 - it imports this module

    if isinstance(error, ArenaError | OptionError):
        sys.stderr.write(f"{error}\n")
    elif not (isinstance(error, KeyboardInterrupt) and _is_in_client(traceback)):
        sys.__excepthook__(kind, error, traceback)
    if hasattr(sys, "ps1") or sys.flags.interactive:
        return
    # Other threads may keep the process going, with a connection on which no answer would come. No
    # list of connections is kept for this one moment.
    import gc  # noqa: PLC0415 - needed only here

    for thing in gc.get_objects():
        if issubclass(type(thing), Arena) and getattr(thing, "_thread", None) == get_ident():
            thing.close()


def _is_in_client(traceback: TracebackType | None) -> bool:
    """Return whether a method of this library was called when an exception was raised."""
    while traceback is not None:
        if traceback.tb_frame.f_globals.get("__name__", "").partition(".")[0] == "lanista_client":
            return True
        traceback = traceback.tb_next
    return False
