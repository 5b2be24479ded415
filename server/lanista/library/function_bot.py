"""The process of a bot that is a Python function; see `bots.Functions`.

Its arguments are the file with the function and, if that is imported from a module, the folder of
the module: a sandbox shows what a command names. If the function raises, its traceback goes to
stderr, without our own frames, and the process exits with code 1: the bot has crashed.
"""

import linecache
import pickle
import sys
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from lanista.games import house_bot
from lanista_client import MisuseError

_OURS = (__file__, house_bot.__file__)


class _FunctionBot:
    """A bot whose moves are those of a function."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function

    def moves(self, state: Any) -> list[Any]:
        """Return the submoves of a turn."""
        moves = self._function(state)
        if moves is None:
            return []
        if not isinstance(moves, Iterable):
            raise MisuseError(
                f"the function returned {moves!r:.200}; it must be a list of tuples, [(1, 2, 1, 0)]"
            )
        return list(moves)


def main() -> int:
    """Play matches until the arena says goodbye, and return the exit code."""
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
        return house_bot.play("function", content["game"], lambda _: _FunctionBot(function))
    except BaseException as error:  # noqa: BLE001 - SystemExit is a crash as well
        _print(error)
        return 1


def _print(error: BaseException) -> None:
    """Print a traceback that begins in the function."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename in _OURS:
        trace = trace.tb_next
    traceback.print_exception(error.with_traceback(trace or error.__traceback__))


if __name__ == "__main__":
    sys.exit(main())
