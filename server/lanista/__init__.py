"""Lanista: an arena for bots.

What a program may use is in `__all__`, and `env`, as documented in docs/python.md; all other names
and modules are private and change without notice. A name's module is imported when the name is
first used, so that `import lanista` costs nothing.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # type checkers know this name; importing typing would cost 10 ms
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.1.0"

# Each public name, and the module that it comes from; None for a package that is public itself.
# The types of the names are declared in __init__.pyi: imports of ours here, even for type checkers
# alone, would make every package that reads the version depend on all of them.
_PUBLIC: dict[str, str | None] = {
    "BadAnswerError": "library.game",
    "BadInputError": "errors",
    "BadRecordError": "match.record",
    "Bot": "library.bots",
    "Difference": "page.difference",
    "Fault": "library.matches",
    "FileError": "errors",
    "Game": "library.game",
    "GameOverError": "library.game",
    "LanistaError": "errors",
    "Match": "library.matches",
    "MatchOptions": "library.playing",
    "MismatchError": "match.replay",
    "Position": "library.replays",
    "Replay": "library.replays",
    "SandboxError": "bots.sandbox",
    "SeatAnswer": "page.difference",
    "SeatDifference": "page.difference",
    "SpecError": "errors",
    "StartFailureError": "hosting.started_match",
    "StoreError": "errors",
    "UnknownGameError": "games.registry",
    "UnsupportedError": "library.game",
    "WorkError": "competition.worker",
    "aplay": "library.playing",
    "aplay_many": "library.many",
    "competition": None,
    "env": None,
    "games": None,
    "game_names": "library.game",
    "house_bots": "library.game",
    "new_game": "library.game",
    "open_record": "library.replays",
    "play": "library.playing",
    "play_many": "library.many",
}

# Not `env`, which needs an extra: without it, `from lanista import *` would fail.
__all__ = ["__version__", *(name for name in _PUBLIC if name != "env")]  # noqa: PLE0604 - names


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _PUBLIC[name]
    if home is None:
        try:
            return importlib.import_module(f"{__name__}.{name}")
        except ImportError as error:  # of an extra: help() goes on only after an AttributeError
            raise AttributeError(str(error)) from error
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "env"])
