"""The options of a match that `play` and `play_many` share; those of the command, by its names."""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypedDict

import attrs

from lanista.errors import BadInputError, did_you_mean
from lanista.games import registry
from lanista.games.base import Ruleset, whole_number
from lanista.hosting.inputs import (
    RECORDS,
    Map,
    check_function,
    checked_setup,
    given_path,
    map_name,
    sandboxed,
)
from lanista.library.bots import Bots
from lanista.library.functions import Functions
from lanista.match.conditions import (
    CLOCK_OPTIONS,
    MAX_MATCH_CPU,
    SHORTEST,
    Clock,
    clock_of,
)


class MatchOptions(TypedDict, total=False):
    """Options of a match, named and meant like those of `lanista play` (docs/cli.md)."""

    map: Map | None
    """A shipped map's name, a path, or the text of a map file or of a configuration of an original
    game; without it, the seed makes the map."""
    settings: Mapping[str, int]
    """Settings of the game, as `--set`."""
    time_init: float
    """Seconds for the first answer; 20 by default."""
    time_move: float
    """Seconds for every other answer; 0.2 by default."""
    no_clock: bool
    """Give bots unlimited time for their answers."""
    late_limit: int
    """Late turns in a row that put a bot out, in games that skip late turns; 10 by default."""
    stall_margin: float
    """If this machine stalls for more seconds than this, a late answer makes the match void; 0.05
    by default."""
    time_start: float
    """Seconds that a bot has from its start to its hello; 30 by default."""
    limits: str | None
    """What each bot may use, such as `memory=1G,cpu=3600,files=1024`, or `none`."""
    match_cpu: int
    """Seconds of processor time that each bot may use in a whole match; each bot is then started
    afresh for every match."""
    sandbox: str
    """`bwrap` to isolate the bots from this machine; `none` by default."""


@attrs.define
class Prepared:
    """A match's options after they were checked."""

    ruleset: Ruleset
    settings: dict[str, int]
    board: Any
    map: str
    clock: Clock
    bots: Bots


@contextmanager
def prepared(
    game: str,
    options: Mapping[str, Any],
    records: str | Path | None,
    on_progress: Callable[..., object] | None,
) -> Iterator[Prepared]:
    """Check the options of a match; functions can be played as bots until the `with` ends.

    Args:
        game: The game's name.
        options: The `MatchOptions`.
        records: The folder for records, or the record, which sandboxed bots must not see; None for
            `RECORDS`.
        on_progress: The caller's function, which is only checked.

    Raises:
        BadInputError: The game or an option is unknown, or its value can't be used.
    """
    ruleset = registry.get(game)
    check_function("on_progress", on_progress)
    hidden = RECORDS if records is None else given_path("record", records)
    for name in options:
        if name not in MatchOptions.__annotations__:
            meant = did_you_mean(name, MatchOptions.__annotations__)
            raise BadInputError(f"unknown option {name[:64]!r}{meant}")
    if "match_cpu" in options:
        whole_number("match_cpu", options["match_cpu"], 1, MAX_MATCH_CPU)
    limits = options.get("limits")
    if not isinstance(limits, str | None):
        raise BadInputError(f"limits {limits!r:.200}; expected a text such as 'memory=1G'")
    map_ = options.get("map")
    settings, board = checked_setup(ruleset, map_, options.get("settings"))
    with Functions() as functions:
        yield Prepared(
            ruleset=ruleset,
            settings=settings,
            board=board,
            map="" if map_ is None else map_name(map_),
            clock=_clock(options),
            bots=Bots(
                ruleset=ruleset,
                functions=functions,
                limits=limits,
                match_cpu=options.get("match_cpu"),
                sandboxed=sandboxed(options.get("sandbox", "none")),
                hidden=(str(hidden),),
            ),
        )


def _clock(options: Mapping[str, Any]) -> Clock:
    for name in ("time_init", "time_move", "time_start"):
        _check_number(options, name, SHORTEST)
    _check_number(options, "stall_margin", 0)
    whole_number("late_limit", options.get("late_limit", 1), 1)
    return clock_of(**{name: options[name] for name in CLOCK_OPTIONS & options.keys()})


def _check_number(options: Mapping[str, Any], name: str, least: float) -> None:
    value = options.get(name, least)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or value < least:
        raise BadInputError(f"{name} {value!r:.200}; expected a number from {least:g}")
