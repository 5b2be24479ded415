"""Tournaments: many matches between many bots, resumable, with standings.

    from lanista.competition import run

    report = run("cup.toml")

docs/design.md says which module does what. The names below are for programs that use this package;
their modules are imported at first use.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lanista.competition import events
    from lanista.competition.director import Director, Report
    from lanista.competition.running import open_tournament, run, run_async
    from lanista.competition.setup import load
    from lanista.competition.spec import Spec
    from lanista.competition.standings import standings_of

__all__ = [
    "Director",
    "Report",
    "Spec",
    "events",
    "load",
    "open_tournament",
    "run",
    "run_async",
    "standings_of",
]

_HOMES = {
    "Director": "director",
    "Report": "director",
    "Spec": "spec",
    "load": "setup",
    "standings_of": "standings",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "events":
        return importlib.import_module(f"{__name__}.events")
    module = importlib.import_module(f"{__name__}.{_HOMES.get(name, 'running')}")
    return getattr(module, name)
