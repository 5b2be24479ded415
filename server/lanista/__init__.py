"""Lanista: an arena for bots.

The names in `_PUBLIC` are what programs may import from here. They are looked up when they are
first used, because importing `lanista` must stay cheap: every command and every bot begins with it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lanista import rules as rules
    from lanista.game import Game as Game
    from lanista.game import new_game as new_game

__version__ = "0.1.0"

_PUBLIC: dict[str, tuple[str, str | None]] = {
    "Game": ("lanista.game", "Game"),
    "new_game": ("lanista.game", "new_game"),
    "rules": ("lanista.rules", None),
}
"""Public names: the module, and the name in it; None: the module itself."""


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module_name, inside = _PUBLIC[name]
    module = import_module(module_name)
    value = module if inside is None else getattr(module, inside)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the module's names, the public ones that weren't used yet too."""
    return sorted({*globals(), *_PUBLIC})
