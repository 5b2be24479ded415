"""`lanista serve`: the arena to which bots connect."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lanista.cli.common import (
    clock_options,
    game_options,
    refused_option,
)
from lanista.errors import BadInputError
from lanista.games import DEFAULT_GAME, registry
from lanista.match.conditions import Clock

if TYPE_CHECKING:
    from lanista.arena.spec import LadderSpec


@click.command("serve")
@click.option("--host", default="127.0.0.1", help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=7777,
    help="Port to listen on; 0 picks a free one.",
)
@click.option(
    "--game",
    show_default=f"that of the first ladder, else {DEFAULT_GAME}",
    help="The game for bots that don't name one.",
)
@click.option(
    "--ladder",
    "ladders",
    multiple=True,
    metavar="GAME[=NAME]",
    help="A ladder, on which bots are rated, with the game's house bots; named NAME, or after "
    "its game. May be repeated.",
)
@click.option(
    "--start",
    type=click.Choice(["auto", "manual"]),
    default="auto",
    help="Start each match when its players have connected, or when Enter is pressed.",
)
@click.option(
    "--matches",
    type=click.IntRange(min=1),
    metavar="N",
    show_default="no end",
    help="End after N matches.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False),
    default="lanista-data",
    metavar="DIR",
    help="Folder for records, with a folder for each day.",
)
@game_options
@clock_options
@click.option(
    "--web",
    metavar="HOST:PORT",
    show_default="127.0.0.1:8080, or a free port",
    help="Address of the page.",
)
@click.option("--no-web", is_flag=True, help="Serve no page.")
@click.option(
    "--open-logs",
    is_flag=True,
    help="Show bots' logs during the match to all viewers, not only to those on this machine.",
)
@click.option(
    "--tournament",
    "tournaments",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE|FOLDER",
    help="Show FILE's tournament, or all those in FOLDER, on the page, even while they are being "
    "played; may be repeated.",
)
@click.option(
    "--max-connections",
    type=click.IntRange(min=1),
    default=1000,
    metavar="N",
    help="Maximum number of connections at once; more are refused.",
)
@click.option(
    "--max-per-address",
    type=click.IntRange(min=1),
    metavar="N",
    show_default="100, on loopback no limit",
    help="Maximum number of connections from one address.",
)
@click.option(
    "--hello-timeout",
    type=float,
    default=10.0,
    metavar="SECONDS",
    help="Time a bot has from connecting to its hello.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="Number of processes that play matches; 1 plays them in the arena's own process.",
)
@click.option(
    "--print-config",
    is_flag=True,
    help="Print these options as a file for `lanista arena run`, and exit.",
)
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    help="Write each line of the log as key=value, or as a JSON object.",
)
def command(
    *,
    game: str | None,
    ladders: tuple[str, ...],
    start: str,
    matches: int | None,
    map_: str | None,
    settings: dict[str, int],
    clock: Clock,
    web: str | None,
    no_web: bool,
    open_logs: bool,
    tournaments: tuple[Path, ...],
    log_format: str,
    print_config: bool,
    **keys: Any,
) -> None:
    """Serve matches to all bots that connect, until SIGINT or SIGTERM.

    The page shows the matches and takes commands; its address is printed. If it isn't on loopback,
    commands need the token in that address, which is LANISTA_WEB_TOKEN or a new one.

    Bots of any game can connect; --map, --set and --move-limit apply to the game of --game, and to
    its ladders.
    """
    from lanista.arena.options import Options
    from lanista.arena.spec import NO_PAGE, ArenaSpec, Friendly, LogFormat, Page, Start, toml_of
    from lanista.cli.serving import serve_arena
    from lanista.hosting.inputs import checked_setup
    from lanista.ranges import ValueOfKeyError

    if no_web and web is not None:
        raise BadInputError("--no-web and --web: give only one of them")
    if ladders and matches is not None:
        raise BadInputError("--matches and --ladder: give only one of them, as a ladder has no end")
    first = ladders[0].partition("=")[0] if ladders else DEFAULT_GAME
    ruleset = registry.get(game or first)
    complete, board = checked_setup(ruleset, map_, settings)
    own = {ruleset.name: {"settings": settings, "maps": () if map_ is None else (map_,)}}
    try:
        spec = ArenaSpec(
            game=ruleset.name,
            log_format=LogFormat(log_format),
            page=Page(
                listen=NO_PAGE if no_web else web,
                open_logs=open_logs,
                tournaments=tuple(map(str, tournaments)),
            ),
            friendly=Friendly(
                start=Start(start), matches=matches, map=map_, settings=settings, clock=clock
            ),
            ladders=tuple(_ladder(text, clock, own) for text in ladders),
            **keys,
        )
    except ValueOfKeyError as error:
        raise refused_option(error) from None
    if print_config:
        click.echo(toml_of(spec), nl=False)
        return
    serve_arena(Options(spec=spec, default=ruleset, settings=complete, board=board))


def _ladder(text: str, clock: Clock, own: Mapping[str, Mapping[str, Any]]) -> "LadderSpec":
    """Return the ladder of `GAME[=NAME]`; by game, `own` has the settings and maps."""
    from lanista.arena.spec import HouseBot, LadderSpec

    game, _, name = text.partition("=")
    house = [HouseBot(command=bot) for bot in registry.house_bots(registry.get(game).name)]
    return LadderSpec(
        name=name or game, game=game, house=tuple(house), clock=clock, **own.get(game, {})
    )
