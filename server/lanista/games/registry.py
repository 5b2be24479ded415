"""The installed games by name: the folders of this package, and the entry points of others.

A game that comes with Lanista is a folder here, with all that is the game's: `ruleset`, its
`house_bots`, and what else `part` is asked for. Another package adds a ruleset by declaring an
entry point of the group `lanista.rulesets` in its own pyproject.toml.
"""

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from lanista.errors import BadInputError, did_you_mean
from lanista.games.base import Ruleset

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "lanista.rulesets"
_PACKAGE = __name__.rpartition(".")[0]
_FOLDER = Path(__file__).parent


class UnknownGameError(BadInputError):
    """No installed ruleset has this name; the message lists the installed ones."""


@functools.cache
def ours() -> tuple[str, ...]:
    """Return the names of the games that come with Lanista, sorted."""
    return tuple(sorted(found.name for found in pkgutil.iter_modules([_FOLDER]) if found.ispkg))


@functools.cache
def _others() -> "Mapping[str, EntryPoint]":
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow; most games are ours

    return {point.name: point for point in entry_points(group=GROUP) if point.name not in ours()}


def names() -> tuple[str, ...]:
    """Return the names of all installed rulesets, sorted."""
    return tuple(sorted((*ours(), *_others())))


def get(name: str) -> Ruleset:
    """Load the ruleset of this name; raise UnknownGameError if there is none."""
    ruleset: Ruleset
    if not isinstance(name, str):
        raise UnknownGameError(f"game {name!r:.200}; expected its name")
    if (module := part(name, "ruleset")) is not None:
        ruleset = module.RULESET
    elif name in _others():
        ruleset = _others()[name].load()
    else:
        raise UnknownGameError(
            f"unknown game {name[:64]!r}; known games: {', '.join(names())}"
            f"{did_you_mean(name, names())}"
        )
    return ruleset


def folder_of(game: str) -> Path | None:
    """Return the folder of a game; None if it doesn't come with Lanista."""
    return _FOLDER / game if game in ours() else None


def part(game: str, name: str) -> ModuleType | None:
    """Import a module of a game's folder, such as `originals`.

    None if the game has no such module, or doesn't come with Lanista.
    """
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

    Such a module can be run as `python -m MODULE`. The bot learns where the arena is from
    LANISTA_HOST, LANISTA_PORT, LANISTA_NAME and LANISTA_TOKEN, and uses nothing of the project but
    `lanista_client`.
    """
    package = part(game, "house_bots")
    if package is None:
        return {}
    return {bot: f"{package.__name__}.{module}" for bot, module in package.HOUSE_BOTS.items()}
