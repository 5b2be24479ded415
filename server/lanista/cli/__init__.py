"""The command line: a command or a few to a module, which is imported when one of them is used.

**`lanista --help` must answer at once**, so the commands' modules import what is heavy inside
their functions. Wrong usage and bad input are reported by one line on stderr and exit code 2:
`main` catches the errors of `lanista.errors`, which any function here may raise.
"""

import atexit
import contextlib
import errno
import gc
import importlib
import io
import os
import sys
import traceback
from collections.abc import Mapping
from typing import IO, NoReturn

import click

from lanista import __version__, errors

EXIT_BAD_INPUT = 2
EXIT_OUR_ERROR = 70
"""An error of Lanista's own; its trace is on stderr. No command uses this code for a result."""
EXIT_INTERRUPTED = 130
EXIT_CLOSED_PIPE = 141
"""Nobody reads the output any more; a shell says so of a program that SIGPIPE ended."""


class Group(click.Group):
    """A group of commands whose help has the first sentence of each in full."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands; click itself would cut sentences at the width of the terminal."""
        rows = [
            (name, command.get_short_help_str(limit=1000))
            for name in self.list_commands(ctx)
            if (command := self.get_command(ctx, name)) is not None and not command.hidden
        ]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


class LazyGroup(Group):
    """A group whose commands are imported by name when needed."""

    places: Mapping[str, tuple[str, str]] = {
        "play": ("play", "command"),
        "check": ("check", "command"),
        "build": ("originals", "build"),
        "connect": ("connect", "command"),
        "submit": ("submit", "command"),
        "serve": ("serve", "command"),
        "arena": ("arena", "command"),
        "tournament": ("tournament", "command"),
        "sprt": ("sprt", "command"),
        "games": ("games", "games"),
        "bots": ("games", "bots"),
        "map": ("games", "map_"),
        "replay": ("replay", "command"),
        "explain": ("originals", "explain"),
    }
    """By command, those a newcomer needs first: its module in `lanista.cli`, and its name there."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's interface
        """List the commands in the order of `places`."""
        return list(self.places)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002 - click's interface
        """Import a command, or return None if there is none of this name."""
        if name not in self.places:
            return None
        module, attribute = self.places[name]
        found = importlib.import_module(f"lanista.cli.{module}")
        command: click.Command = getattr(found, attribute)
        return command


_SETTINGS = {"help_option_names": ["-h", "--help"], "show_default": True}


# Without the names, click would have none to suggest for a mistyped one.
@click.group(
    cls=LazyGroup,
    commands={name: click.Command(name) for name in LazyGroup.places},
    context_settings=_SETTINGS,
)
@click.version_option(__version__, prog_name="lanista")
def lanista() -> None:
    """An arena for bots: plays turn games between programs in any language."""


def main() -> NoReturn:
    """Run the command line and exit."""
    # Memory goes with the process: to search it for garbage at the end takes 50 ms and more.
    atexit.register(gc.freeze)
    _open_missing_streams()
    for name in ("COLUMNS", "LINES"):
        # 0 says that the terminal's size isn't known; rich would take it for the size.
        if not os.environ.get(name, "0").strip("0"):
            os.environ.pop(name, None)
    for stream in (sys.stdout, sys.stderr):
        # Names and maps may hold characters that the terminal's encoding lacks: they are escaped.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = lanista.main(prog_name="lanista", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        _complain(*error.format_message().splitlines())
        sys.exit(EXIT_BAD_INPUT)
    except click.ClickException as error:
        message = " ".join(error.format_message().split())  # choices are on lines of their own
        context = getattr(error, "ctx", None)
        where = context.command_path if context is not None else "lanista"
        _complain(f"{where}: {message}")
        sys.exit(error.exit_code)
    except errors.LanistaError as error:
        message = str(error).replace("\n", " ")
        _complain(f"lanista: {message}")
        sys.exit(EXIT_BAD_INPUT)
    except OSError as error:
        # Commands report errors of files themselves; what remains is output to a full disk, say.
        is_gone = isinstance(error, FileNotFoundError)  # of no file: what Path.cwd() raises
        where = error.filename or ("the current folder" if is_gone else "")
        what = f"can't use {where}" if where else "can't write the output"
        _complain(f"lanista: {what}: {error.strerror or error}")
        drop_unwritten(sys.stdout)
        sys.exit(EXIT_BAD_INPUT)
    except SystemExit:
        # No command exits by itself: only click and rich do, by 1, which may be a result, where
        # stdout is a closed pipe.
        sys.exit(EXIT_CLOSED_PIPE)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(EXIT_INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - Python would exit with 1, which may be a result
        lacking = _lacking(error)
        if lacking is not None:
            _complain(f"lanista: {lacking}")
            sys.exit(EXIT_BAD_INPUT)
        traceback.print_exc()
        sys.exit(EXIT_OUR_ERROR)
    sys.exit(code if isinstance(code, int) else 0)


def _open_missing_streams() -> None:
    """Open the null device for each standard stream that was closed when we were started (`2>&-`).

    Python says None for such a stream, and files opened later would have its number.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(null, mode, encoding="utf-8", closefd=False))


def drop_unwritten(stream: IO[str]) -> None:
    """Have what a stream couldn't write go nowhere; Python would try again, and exit with 120."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _lacking(error: BaseException | None) -> str | None:
    """Return which limit or lack of the system has led to an error, as a message, or None."""
    if error is None:
        return None
    if isinstance(error, OSError) and error.errno in {errno.EMFILE, errno.ENFILE}:
        return "the system lets no more files be opened; raise its limit (ulimit -n)"
    is_refused = isinstance(error, OSError) and error.errno == errno.EAGAIN
    if is_refused or (isinstance(error, RuntimeError) and "start new thread" in str(error)):
        return (
            "the system lets this user start no more processes and threads; raise its limit "
            "(ulimit -u), or end some"
        )
    # One of the two: often both are the same error, and a chain of those would take for ever.
    inner = [*getattr(error, "exceptions", ()), error.__cause__ or error.__context__]
    return next(filter(None, map(_lacking, inner)), None)


def _complain(*lines: str) -> None:
    """Print lines to stderr; if that fails, the exit code must be right all the same."""
    from lanista.cli.common import say

    try:
        say(*lines, err=True)
    except OSError:
        drop_unwritten(sys.stderr)
