"""The tournaments of commands, from a file or from arguments: errors are those of bad input."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lanista.cli.common import given_settings
from lanista.games.base import Ruleset, complete_settings
from lanista.match.conditions import Clock
from lanista.results.blocks import FormatName

if TYPE_CHECKING:
    from lanista.competition.setup import Setup
    from lanista.competition.spec import Spec


def setup_of(spec: "Spec", file: Path, *, plays: bool = True) -> "Setup":
    """Prepare a tournament: find its game, bots and maps; results are named like the file.

    Args:
        spec: The spec.
        file: Its file; paths in the spec are relative to its folder.
        plays: Whether the bots must exist, because matches are to be played.
    """
    from lanista.competition.setup import prepare
    from lanista.toml_spec import placed

    with placed(f"{file}: "):
        return prepare(spec, file.parent, file.stem, plays=plays, source=file)


def prepared(file: Path) -> "tuple[Setup, Any]":
    """Read a spec and return its prepared tournament and its format."""
    from lanista.competition.spec import read_spec
    from lanista.competition.standings import format_of
    from lanista.toml_spec import placed

    setup = setup_of(read_spec(file), file)
    with placed(f"{file}: "):
        return setup, format_of(setup)


def described(
    ruleset: Ruleset,
    bots: Sequence[str],
    format_: FormatName,
    *,
    name: str | None,
    maps: tuple[str, ...],
    sets: Sequence[str],
    clock: Clock,
    bot_limits: str | None,
    sandbox: str,
    match_cpu: int | None,
    restart: bool,
    **keys: Any,
) -> "Spec":
    """Return the spec of a tournament that a command line describes.

    Args:
        ruleset: The game.
        bots: The bots, as `lanista play` takes them; repeated names are made distinct as there.
        format_: The format.
        name: The tournament's name; None for the format and the names of the bots.
        maps: As `common.tournament_options` gives it, and so are those that follow.
        sets: The settings.
        clock: The clock.
        bot_limits: The limits.
        sandbox: The sandbox.
        match_cpu: The budget of processor time.
        restart: Whether bots are started anew for every match.
        keys: Further keys of the spec.
    """
    from lanista.competition.spec import BotEntry, Spec
    from lanista.hosting.host import distinct
    from lanista.hosting.names import bot_command
    from lanista.hosting.spec_parts import SandboxName

    settings = given_settings(sets)  # only these: a configuration file may have the others
    complete_settings(ruleset, settings)  # raises an error if the game has no such setting
    names = distinct([bot_command(ruleset.name, bot)[0] for bot in bots])
    return Spec(
        name=name or f"{format_}-{'-'.join(names)}",
        game=ruleset.name,
        format=format_,
        bots=tuple(
            BotEntry(name=bot_name, command=bot, restart=restart or None)
            for bot_name, bot in zip(names, bots, strict=True)
        ),
        maps=maps,
        settings=settings,
        clock=clock,
        limits=bot_limits,
        match_cpu=match_cpu,
        sandbox=SandboxName(sandbox),
        **keys,
    )
