"""Options of an arena as tests want them."""

from lanista.arena.options import Options
from lanista.arena.spec import ArenaSpec, Friendly, Start

OWN = ("settings", "board", "folder")
"""What isn't in the spec."""


def arena_options(default, *, manual=False, **values):
    """Options of an arena that plays in its own process, unless it is said otherwise.

    Args:
        default: The game of bots that name none.
        manual: Whether friendly matches begin only when the operator says so.
        values: Those of `Options`, of `ArenaSpec` and of `Friendly`, by their names.
    """
    own = {name: values.pop(name) for name in OWN if name in values}
    friendly = {name: values.pop(name) for name in ("matches", "clock") if name in values}
    if "data" in values:
        values["data"] = str(values["data"])
    start = Start.MANUAL if manual else Start.AUTO
    spec = ArenaSpec(**{"workers": 1, **values}, friendly=Friendly(start=start, **friendly))
    return Options(default=default, spec=spec, **own)
