"""The installed games by name: the folders of this package, and the entry points of others.

A game that comes with Lanista is a folder here, with all that is the game's: `ruleset`, its
`house_bots`, and what else `part` is asked for. How another package adds one: docs/rulesets.md.
"""

import contextlib
import functools
import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from lanista.errors import BadInputError, did_you_mean, printable_line
from lanista.games.base import Ruleset

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

GROUP = "lanista.rulesets"
_PACKAGE = __name__.rpartition(".")[0]
_FOLDER = Path(__file__).parent


class UnknownGameError(BadInputError):
    """No installed ruleset has this name, or it can't be used; the message says why."""


@functools.cache
def ours() -> tuple[str, ...]:
    """Return the names of the games that come with Lanista, sorted."""
    return tuple(sorted(found.name for found in pkgutil.iter_modules([_FOLDER]) if found.ispkg))


@functools.cache
def _points() -> "EntryPoints":
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow; most games are ours

    return entry_points(group=GROUP)


def ignored() -> Sequence[tuple[str, str]]:
    """Return the name of each other package's game that is called like one of ours, and why not."""
    why = "a game of this name comes with Lanista; give it another name"
    return [
        (point.name, f"the game {point.name!r} ({point.value}) can't be used: {why}")
        for point in _points()
        if point.name in ours()
    ]


@functools.cache
def _load(name: str) -> Ruleset | str:
    """Return the ruleset of another package, or what is wrong with it.

    What it says of itself is checked once, here, so that one that can't be used harms no command
    and no arena that has other games.
    """
    from lanista.games.conformance import check_description  # noqa: PLC0415 - most games are ours

    point, *others = _points().select(name=name)
    if others:
        packages = sorted(each.dist.name for each in (point, *others) if each.dist is not None)
        return f"several packages have a game {name!r}: {', '.join(packages)}; keep one of them"
    where = f"the game {name!r} ({point.value}) can't be used"
    try:
        ruleset: Ruleset = point.load()
        check_description(ruleset)
    except AssertionError as error:
        return printable_line(f"{where}: {error}")
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the package does
        return printable_line(f"{where}: {type(error).__name__}: {error}")
    if ruleset.name != name:
        return f"{where}: its name is {ruleset.name!r}; that of its entry point must be the same"
    return ruleset


def names() -> tuple[str, ...]:
    """Return the names of all installed rulesets, sorted."""
    return tuple(sorted({*ours(), *_points().names}))


def usable() -> tuple[Ruleset, ...]:
    """Load all installed rulesets that can be used, and return them by name, sorted."""
    rulesets = []
    for name in names():
        with contextlib.suppress(UnknownGameError):
            rulesets.append(get(name))
    return tuple(rulesets)


def get(name: str) -> Ruleset:
    """Load the ruleset of this name; raise UnknownGameError if there is none that can be used."""
    if not isinstance(name, str):
        raise UnknownGameError(f"game {name!r:.200}; expected its name")
    if (module := part(name, "ruleset")) is not None:
        ruleset: Ruleset = module.RULESET
        return ruleset
    if name not in _points().names:
        raise UnknownGameError(
            f"unknown game {name[:64]!r}; known games: {', '.join(names())}"
            f"{did_you_mean(name, names())}"
        )
    found = _load(name)
    if isinstance(found, str):
        raise UnknownGameError(found)
    return found


def part(game: str, name: str) -> ModuleType | None:
    """Import a module of a game's folder, such as `originals`; None if there is no such module."""
    module = f"{_PACKAGE}.{game}.{name}"
    if game not in ours() or find_spec(module) is None:
        return None
    return importlib.import_module(module)


def check_house_bot(ruleset: Ruleset, bot: str) -> None:
    """Raise BadInputError if a game has no house bot of this name."""
    known = house_bots(ruleset.name)
    if bot not in tuple(known):  # which takes what can't be hashed, too
        raise BadInputError(
            f"{ruleset.title} has no house bot {bot!r:.200}; it has: {', '.join(known) or 'none'}"
            f"{did_you_mean(str(bot), known)}"
        )


@functools.cache
def house_bots(game: str) -> Mapping[str, str]:
    """Return the modules of a game's house bots by name, from the weakest bot to the strongest.

    `python -m lanista.games.house_bot MODULE NAME` runs one, in the arena that LANISTA_HOST and the
    like name.
    """
    package = part(game, "house_bots")
    if package is None:
        return {}
    return {bot: f"{package.__name__}.{module}" for bot, module in package.HOUSE_BOTS.items()}
