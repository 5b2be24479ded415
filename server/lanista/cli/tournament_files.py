"""The tournaments of commands, from a file or from arguments: errors are those of bad input."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from lanista.games.base import Ruleset, complete_settings
from lanista.match.conditions import Clock

if TYPE_CHECKING:
    from lanista.competition.setup import Setup
    from lanista.competition.spec import Spec


def prepared(file: Path) -> "tuple[Setup, Any]":
    """Read a spec and return its prepared tournament and its format."""
    from lanista.competition.setup import load_file
    from lanista.competition.standings import format_of
    from lanista.toml_spec import placed

    setup = load_file(file)
    with placed(f"{file}: "):
        return setup, format_of(setup)


def described(
    ruleset: Ruleset,
    bots: Sequence[str],
    format_: str,
    *,
    name: str | None,
    maps: tuple[str, ...],
    settings: Mapping[str, int],
    clock: Clock,
    bot_limits: str | None,
    sandbox: str,
    match_cpu: int | None,
    restart: bool,
    **keys: Any,
) -> "Spec":
    """Return the spec of a tournament that a command line describes by `tournament_options`.

    The bots are as `lanista play` takes them; repeated names are made distinct as there. Without a
    name, the tournament is called after its format and its bots.
    """
    from lanista.competition.spec import spec_of
    from lanista.hosting.host import distinct
    from lanista.hosting.names import bot_command

    complete_settings(ruleset, settings)  # raises an error if the game has no such setting
    names = distinct([bot_command(ruleset.name, bot)[0] for bot in bots])
    value = {
        "name": name or f"{format_}-{'-'.join(names)}",
        "game": ruleset.name,
        "format": format_,
        "bots": [
            {"name": bot_name, "command": bot, "restart": restart or None}
            for bot_name, bot in zip(names, bots, strict=True)
        ],
        "maps": maps,
        "settings": settings,
        "clock": attrs.asdict(clock),
        "limits": bot_limits,
        "match_cpu": match_cpu,
        "sandbox": sandbox,
    }
    return spec_of(value | keys, "")
