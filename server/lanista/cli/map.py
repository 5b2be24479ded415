"""`lanista map`: generates, draws, checks and lists maps."""

from pathlib import Path

import click

from lanista.errors import BadInputError


@click.group("map")
def command() -> None:
    """Generate, draw, check and list maps."""


@command.command("generate")
@click.argument("game")
@click.option("-s", "--seed", type=int, help="The map's seed; without it, a new one.")
@click.option(
    "-o", "--output", metavar="FILE", help="Write the map to FILE instead of printing it."
)
@click.option(
    "--set",
    "sets",
    multiple=True,
    metavar="NAME=VALUE",
    help="A setting of the game (see `lanista games`); may be repeated.",
)
def generate(game: str, seed: int | None, output: str | None, sets: tuple[str, ...]) -> None:
    """Generate a map for GAME from a seed."""
    from lanista.cli.common import checked_seed, ruleset_named, settings_of
    from lanista.games.originals import of_game

    ruleset = ruleset_named(game)
    seed = checked_seed(ruleset, seed)
    settings = settings_of(ruleset, sets)
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
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInputError(f"can't write {output}: {error.strerror}") from None
    click.echo(f"{output}: the map of seed {seed}")


@command.command("show")
@click.argument("game")
@click.argument("map_", metavar="MAP")
@click.option(
    "--size",
    type=click.IntRange(1, 6),
    default=2,
    show_default=True,
    help="Maximum width of a cell, in characters.",
)
def show(game: str, map_: str, size: int) -> None:
    """Draw MAP, a file or a shipped map's name, in the terminal."""
    from rich.console import Console

    from lanista.cli.common import ruleset_named, setup_of
    from lanista.cli.view import BoardView, lacks_colours

    ruleset = ruleset_named(game)
    settings, board = setup_of(ruleset, map_)
    chance = ruleset.chance(0)
    if board is None:  # the file has only settings: the seed makes the board
        board = ruleset.generate(settings, chance)
    game_ = ruleset.new(settings, board, chance)
    names = [f"seat {seat}" for seat in range(ruleset.seats)]
    console = Console(highlight=False)
    view = BoardView(game_.scene(), names, size, plain=lacks_colours(console))
    view.print(game_.frame(), console)


@command.command("check")
@click.argument("game")
@click.argument("maps", metavar="MAP...", nargs=-1, required=True)
def check(game: str, maps: tuple[str, ...]) -> None:
    """Check maps of GAME; report the first bad one with line and column."""
    from lanista.cli.common import ruleset_named, setup_of

    ruleset = ruleset_named(game)
    for map_ in maps:
        setup_of(ruleset, map_)
        click.echo(f"{map_}: in order")


@command.command("list")
@click.argument("game")
def list_(game: str) -> None:
    """List the maps of GAME that come with Lanista."""
    import lanista_maps
    from lanista.cli.common import ruleset_named

    for name in lanista_maps.names(ruleset_named(game).name):
        click.echo(name)
