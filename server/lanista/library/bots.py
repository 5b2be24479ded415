"""Bots as programs give them: house bots, command lines and Python functions."""

import inspect
import io
import linecache
import os
import pickle
import shlex
import sys
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import CodeType
from typing import Any, Self

import attrs

from lanista.bots.limits import limits_of_match
from lanista.errors import BadInputError, FileError, one_line
from lanista.games.base import Ruleset
from lanista.hosting.bot_pool import Contestant
from lanista.hosting.host import distinct
from lanista.hosting.inputs import checked_environment
from lanista.hosting.names import bot_command, checked_name, name_of
from lanista.temporary import TemporaryFolder

Function = Callable[[Any], Iterable[Iterable[int | str]] | None]
"""A bot as a function: from the client's state to the submoves; None means none."""


@attrs.frozen
class Bot:
    """A bot with more than a command; its keys are as in tournaments (docs/tournaments.md)."""

    command: str | Path | Function
    """A house bot's name, a command line, `stdio:` and a command line, or a Python function from
    the client's state to a list of submoves."""
    name: str | None = None
    """Its name; None for one after its program."""
    limits: str | None = attrs.field(default=None, kw_only=True)
    """What it may use, such as `memory=512M,cpu=60`, or `none`; None for those of all bots."""
    environment: Mapping[str, str] = attrs.field(factory=dict, kw_only=True, hash=False)
    """Additional environment variables."""
    restart: bool = attrs.field(default=False, kw_only=True)
    """Whether `play_many` starts it afresh for every match."""


AnyBot = str | Path | Function | Bot
"""What can be given for a bot."""

_SCRIPT_OF_PARENT = "__mp_main__"
"""The name of the running script's module in a process that multiprocessing has spawned."""
_PLAY = (sys.executable, "-P", "-m", "lanista.library.function_bot")


class Functions:
    """The files in which functions wait for their processes; removed at the end of a `with`.

    A function plays in a process of its own, to which cloudpickle sends it (docs/python.md). A fork
    would be no substitute: it would inherit this process's memory and its threads' locks, and a
    worker that plays other matches doesn't have the function at all.
    """

    def __init__(self) -> None:
        self._folder: TemporaryFolder | None = None
        self._count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.close()

    def command(self, name: str, game: str, function: Callable[..., Any]) -> tuple[str, ...]:
        """Write a bot's function to a file, and return the command by which it plays a game."""
        import cloudpickle  # type: ignore[import-untyped] # noqa: PLC0415 - only if wanted

        script = sys.modules.get(_SCRIPT_OF_PARENT)
        try:
            if script is not None:  # once more makes no difference
                cloudpickle.register_pickle_by_value(script)
            pickled = _pickled(function, cloudpickle.Pickler)
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
        try:
            if self._folder is None:
                self._folder = TemporaryFolder("lanista-functions")
            self._count += 1
            # A sandbox shows a bot the folders that its command names: no other function's.
            path = self._folder.path / str(self._count) / "function.pickle"
            path.parent.mkdir()
            path.write_bytes(pickle.dumps(content))
        except OSError as error:
            raise FileError(
                f"bot {name!r}: can't write this function to a temporary file: {one_line(error)}"
            ) from error
        folder = _folder_of_module(function)
        return (*_PLAY, str(path), *([] if folder is None else [str(folder)]))


def _pickled(function: Callable[..., Any], pickler: type[Any]) -> bytes:
    """Pickle a function by cloudpickle's pickler, with the names of files for tracebacks."""
    reduce = pickler.dispatch_table[CodeType]

    def named(code: CodeType) -> tuple[Any, ...]:
        make, values = reduce(code)
        # Since 3.1.3 cloudpickle has this in place of the file's name.
        name = code.co_filename
        return make, tuple(name if value == "<dynamic-code>" else value for value in values)

    table = ChainMap({CodeType: named}, pickler.dispatch_table)
    content = io.BytesIO()
    type("Pickler", (pickler,), {"dispatch_table": table})(content).dump(function)
    return content.getvalue()


def _folder_of_module(function: Callable[..., Any]) -> Path | None:
    """Return the folder from which a function's module is imported; None if it goes as a whole."""
    name = getattr(inspect.unwrap(function), "__module__", None) or "__main__"
    file = getattr(sys.modules.get(name), "__file__", None)
    if name in {"__main__", _SCRIPT_OF_PARENT} or file is None:
        return None
    path = Path(file).absolute()
    depth = name.count(".") + (path.stem == "__init__")
    return path.parents[depth]


def _source(function: Callable[..., Any]) -> tuple[str, list[str]] | None:
    """Return the name and the lines of a notebook's cell or a file, which tracebacks quote."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:
        return None
    lines = linecache.getlines(code.co_filename)
    return (code.co_filename, lines) if lines else None


@attrs.define
class Bots:
    """Turns what is given for bots into contestants; equal bots are one contestant."""

    ruleset: Ruleset
    functions: Functions
    limits: str | None
    match_cpu: int | None
    sandboxed: bool
    hidden: tuple[str, ...]
    _by_bot: list[tuple[Bot, Contestant]] = attrs.field(factory=list, init=False)

    def seated(self, bots: Sequence[AnyBot]) -> list[Contestant]:
        """Return the contestants of a match, by seat."""
        if isinstance(bots, str | bytes) or not isinstance(bots, Sequence):
            raise BadInputError(f"bots: {bots!r:.200}; give a list of bots, one for each seat")
        seats, title = self.ruleset.seats, self.ruleset.title
        if len(bots) != seats:
            raise BadInputError(f"{title} is for {seats} bots; {len(bots)} given")
        return [self._contestant(bot) for bot in bots]

    def _contestant(self, given: AnyBot) -> Contestant:
        bot = given if isinstance(given, Bot) else Bot(given)
        for known, contestant in self._by_bot:
            if known == bot:
                return contestant
        name, command = self._command(bot.command)
        for what, value in (("name", bot.name), ("limits", bot.limits)):
            if not isinstance(value, str | None):
                raise BadInputError(f"a bot's {what} {value!r:.200}; expected a text")
        limits = bot.limits if bot.limits is not None else self.limits
        contestant = Contestant(
            name=name if bot.name is None else checked_name(bot.name),
            command=command,
            environment=checked_environment(bot.environment),
            limits=limits_of_match(limits, self.match_cpu),
            sandboxed=self.sandboxed,
            hidden=self.hidden,
            restart=bot.restart or self.match_cpu is not None,
        )
        # Two programs of one name in different folders are two bots.
        names = [known.name for _, known in self._by_bot]
        contestant = attrs.evolve(contestant, name=distinct([*names, contestant.name])[-1])
        self._by_bot.append((bot, contestant))
        return contestant

    def _command(self, command: object) -> tuple[str, tuple[str, ...]]:
        if isinstance(command, os.PathLike):
            command = shlex.quote(os.fspath(command))
        if isinstance(command, str):
            return bot_command(self.ruleset.name, command)
        if callable(command):
            named = getattr(command, "__name__", type(command).__name__)
            name = name_of([named.strip("<>") or "function"])
            return name, self.functions.command(name, self.ruleset.name, command)
        raise BadInputError(
            f"bot {command!r:.200}: expected a house bot's name, a command line, "
            "a function or a Bot"
        )
