"""Python functions as bots: each runs in a process of its own, like any other bot.

A function is sent to its process by cloudpickle. Functions of `__main__` and of notebooks are sent
as a whole, with the globals that they use; functions of modules that can be imported are sent by
name, and their process imports them from the same `sys.path`. A fork of this process would be no
substitute: it would inherit its threads' locks and its memory, and a worker on its way to other
matches doesn't have the function at all.
"""

import inspect
import linecache
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from lanista.errors import BadInputError
from lanista.temporary import TemporaryFolder


class Functions:
    """The files in which functions wait for their processes; removed at the end of a `with`."""

    def __init__(self) -> None:
        self._folder: TemporaryFolder | None = None
        self._count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.close()

    def command(self, name: str, game: str, function: Callable[..., Any]) -> tuple[str, ...]:
        """Write a bot's function to a file, and return the command by which it plays a game.

        Raises:
            BadInputError: The function can't be sent to another process.
        """
        import cloudpickle  # type: ignore[import-untyped] # noqa: PLC0415 - only if wanted

        try:
            pickled = cloudpickle.dumps(function)
        except Exception as error:
            raise BadInputError(
                f"bot {name!r}: this function can't be sent to a process of its own: "
                f"{type(error).__name__}: {error}"
            ) from error
        content = {
            "game": game,
            "path": [entry or str(Path.cwd()) for entry in sys.path],
            "source": _source(function),
            "function": pickled,
        }
        if self._folder is None:
            self._folder = TemporaryFolder("lanista-functions", watched=True)
        self._count += 1
        # A sandbox shows a bot the folders that its command names: no other function's.
        path = self._folder.path / str(self._count) / "function.pickle"
        path.parent.mkdir()
        path.write_bytes(pickle.dumps(content))
        folder = _folder_of_module(function)
        return (*_PLAY, str(path), *([] if folder is None else [str(folder)]))


_PLAY = (sys.executable, "-P", "-m", "lanista.library.function_bot")


def _folder_of_module(function: Callable[..., Any]) -> Path | None:
    """Return the folder from which a function's module is imported; None if it goes as a whole."""
    name = getattr(inspect.unwrap(function), "__module__", None) or "__main__"
    file = getattr(sys.modules.get(name), "__file__", None)
    if name == "__main__" or file is None:
        return None
    path = Path(file).absolute()
    depth = name.count(".") + (path.stem == "__init__")
    return path.parents[depth]


def _source(function: Callable[..., Any]) -> tuple[str, list[str]] | None:
    """Return the name and the lines of a notebook's cell, which tracebacks quote."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None or Path(code.co_filename).exists():
        return None
    lines = linecache.getlines(code.co_filename)
    return (code.co_filename, lines) if lines else None
