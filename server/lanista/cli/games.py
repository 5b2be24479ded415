"""`lanista games`: the installed rulesets and their settings."""

import click


@click.command("games")
def command() -> None:
    """List the games and their settings."""
    from lanista.games import registry

    for name in registry.names():
        ruleset = registry.get(name)
        click.echo(f"{name}  {ruleset.title}, {ruleset.seats} players")
        for setting in ruleset.settings:
            click.echo(f"    --set {setting.name}={setting.default}  {setting.help}")
