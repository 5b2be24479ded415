"""Tournaments: many matches between many bots, standings that can be trusted, nothing lost.

    from lanista.tournament import run

    report = run("cup.toml")

`spec` says what is to be played, `setup` looks it up, `pairing` says who meets whom, `work` plays,
`director` hands out and takes in, `compute` makes the standings of what the store holds. Here are
only the names for programs; what they need is imported when they are first asked for.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lanista.tournament.director import Director, Report
    from lanista.tournament.looking import load, standings_of
    from lanista.tournament.running import open_tournament, run, run_async

__all__ = [
    "Director",
    "Report",
    "load",
    "open_tournament",
    "run",
    "run_async",
    "standings_of",
]

_HOMES = {
    "Director": "director",
    "Report": "director",
    "load": "looking",
    "standings_of": "looking",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"{__name__}.{_HOMES.get(name, 'running')}")
    return getattr(module, name)
