"""The process of a bot that is a Python function; see `bots.Functions`.

Its arguments are the file with the function and, if that is imported from a module, the folder of
the module: a sandbox shows what a command names. If the function raises, its traceback goes to
stderr, without our own frames, and the process exits with code 1: the bot has crashed.
"""

import linecache
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lanista_client import Arena, ArenaError, MisuseError


def main() -> int:
    """Play matches until the arena says goodbye, and return the exit code."""
    # As house bots do: nothing is to be cleaned up.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # The file was written by the process that has started this one.
    content = pickle.loads(Path(sys.argv[1]).read_bytes())  # noqa: S301
    sys.path[:] = content["path"]
    if content["source"] is not None:  # of a notebook's cell or a file that a sandbox doesn't show
        name, lines = content["source"]
        linecache.cache[name] = (sum(map(len, lines)), None, lines, name)
    try:
        function = pickle.loads(content["function"])  # noqa: S301 - as above
    except Exception:  # noqa: BLE001 - a module that isn't there, or one that raises
        traceback.print_exc()
        return 1
    try:
        with Arena(game=content["game"], keep=os.environ.get("LANISTA_KEEP") == "1") as arena:
            for state in arena:
                try:
                    arena.send(_moves(function, state))
                except ArenaError:
                    raise
                except BaseException as error:  # noqa: BLE001 - SystemExit is a crash as well
                    _print(error)
                    return 1
    except ArenaError as error:
        if error.code not in {"shutdown", "disconnected"}:
            sys.stderr.write(f"{error}\n")
    return 0


def _moves(function: Any, state: Any) -> list[Any]:
    moves = function(state)
    if moves is None:
        return []
    if not isinstance(moves, Iterable):
        raise MisuseError(
            f"the function returned {moves!r:.200}; it must be a list of tuples, [(1, 2, 1, 0)]"
        )
    return list(moves)


def _print(error: BaseException) -> None:
    """Print a traceback that begins in the function."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    traceback.print_exception(error.with_traceback(trace or error.__traceback__))


if __name__ == "__main__":
    sys.exit(main())
