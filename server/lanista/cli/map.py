"""`lanista map`: make, look at and check maps."""

from pathlib import Path

import click

from lanista.cli import BadInputError


@click.group("map")
def command() -> None:
    """Make, look at and check maps."""


@command.command("generate")
@click.argument("game")
@click.option("-s", "--seed", type=int, help="The seed; a fresh one without it.")
@click.option("-o", "--output", metavar="FILE", help="Write it to FILE instead of printing it.")
@click.option("--set", "sets", multiple=True, metavar="NAME=VALUE", help="A setting of the game.")
def generate(game: str, seed: int | None, output: str | None, sets: tuple[str, ...]) -> None:
    """Make the map of a seed for GAME."""
    from lanista.cli.common import checked_seed, ruleset_named, settings_of
    from lanista.formats.originals import of_game

    ruleset = ruleset_named(game)
    seed = checked_seed(ruleset, seed)
    settings = settings_of(ruleset, sets)
    board = ruleset.generate(settings, ruleset.chance(seed))
    originals = of_game(game)
    # The games with files of their own get one that says the settings too.
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
    "--size", type=click.IntRange(1, 6), default=2, show_default=True, help="Characters a cell."
)
def show(game: str, map_: str, size: int) -> None:
    """Draw a map of GAME: a file or a shipped map's name."""
    from rich.console import Console

    from lanista.cli.common import ruleset_named, setup_of
    from lanista.cli.view import BoardView, lacks_colours

    ruleset = ruleset_named(game)
    settings, board = setup_of(ruleset, map_)
    chance = ruleset.chance(0)
    if board is None:  # a configuration that leaves the board to the seed
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
    """Check maps of GAME; the first bad one is told with line and column."""
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
