"""`lanista games`, `bots` and `map`: what comes with Lanista, and maps made, drawn and checked."""

from pathlib import Path

import click

from lanista.cli import Group
from lanista.cli.common import say, set_option, size_option, write_text
from lanista.games import registry
from lanista.games.base import complete_settings, start_game


@click.command("games")
def games() -> None:
    """List the games and their settings."""
    for name in registry.names():
        try:
            ruleset = registry.get(name)
        except registry.UnknownGameError as error:
            say(f"{name}  {error}")
            continue
        say(f"{name}  {ruleset.title}, {ruleset.seats} players")
        for setting in ruleset.settings:
            say(f"    --set {setting.name}={setting.default}  {setting.help}")
    say(*(f"{name}  {why}" for name, why in registry.ignored()))


@click.command("bots")
@click.argument("game", required=False)
def bots(game: str | None) -> None:
    """List the house bots, of one GAME or of all."""
    from lanista.hosting.names import about

    for name in [registry.get(game).name] if game else registry.names():
        house = registry.house_bots(name)
        for bot, module in house.items():
            say(f"{name}  {bot}  {about(module, bot)}")
        if game and not house:
            say(f"{name} has no house bots")


@click.group("map", cls=Group)
def map_() -> None:
    """Generate, draw, check and list maps."""


@map_.command("generate")
@click.argument("game")
@click.option("-s", "--seed", type=int, help="The map's seed; a random one by default.")
@click.option(
    "-o", "--output", metavar="FILE", help="Write the map to FILE instead of printing it."
)
@set_option
def generate(game: str, seed: int | None, output: str | None, settings: dict[str, int]) -> None:
    """Generate a map for GAME from a seed."""
    from lanista.games.originals import of_game
    from lanista.hosting.inputs import checked_seed

    ruleset = registry.get(game)
    seed = checked_seed(ruleset, seed)
    settings = complete_settings(ruleset, settings)
    board = ruleset.generate(settings, ruleset.chance(seed))
    originals = of_game(game)
    # An original game's own format has the settings too.
    if originals is None or (output or "").endswith(".map"):
        text = ruleset.write_board(board)
    else:
        text = originals.write_cnf(settings, board)
    if output is None:
        click.echo(text, nl=False)
        click.echo(f"seed {seed}", err=True)
        return
    write_text(Path(output), text)
    click.echo(f"{output}: the map of seed {seed}")


@map_.command("show")
@click.argument("game")
@click.argument("map_", metavar="MAP")
@size_option
def show(game: str, map_: str, size: int) -> None:
    """Draw MAP, a file or a shipped map's name, in the terminal."""
    from rich.console import Console

    from lanista.cli.view import BoardView
    from lanista.hosting.inputs import checked_setup

    ruleset = registry.get(game)
    settings, board = checked_setup(ruleset, map_, None)
    position = start_game(ruleset, settings, 0, board)
    names = [f"seat {seat}" for seat in range(ruleset.seats)]
    view = BoardView(position.scene(), names, size, Console(highlight=False))
    view.print(position.frame(), {})


@map_.command("check")
@click.argument("game")
@click.argument("maps", metavar="MAP...", nargs=-1, required=True)
def check(game: str, maps: tuple[str, ...]) -> None:
    """Check maps of GAME; report the first bad one with line and column."""
    from lanista.hosting.inputs import checked_setup

    ruleset = registry.get(game)
    for map_ in maps:
        checked_setup(ruleset, map_, None)
        click.echo(f"{map_}: in order")


@map_.command("list")
@click.argument("game")
def list_(game: str) -> None:
    """List the maps of GAME that come with Lanista."""
    import lanista_maps

    for name in lanista_maps.names(registry.get(game).name):
        click.echo(name)
