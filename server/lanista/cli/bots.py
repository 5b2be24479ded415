"""`lanista bots`: the house bots."""

import click


@click.command("bots")
@click.argument("game", required=False)
def command(game: str | None) -> None:
    """List the house bots, of one GAME or of all."""
    from lanista.cli.common import ruleset_named
    from lanista.games import registry
    from lanista.hosting.names import about

    for name in [ruleset_named(game).name] if game else registry.names():
        for bot, module in registry.house_bots(name).items():
            click.echo(f"{name}  {bot}  {about(module)}")
