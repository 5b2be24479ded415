"""`lanista bots`: the house bots."""

import importlib.util

import click


@click.command("bots")
@click.argument("game", required=False)
def command(game: str | None) -> None:
    """List the house bots, of one GAME or of all."""
    from lanista.cli.common import house_bots, ruleset_named
    from lanista.rules import registry

    for name in [ruleset_named(game).name] if game else registry.names():
        for bot, module in house_bots(name).items():
            click.echo(f"{name}  {bot}  {_first_line(module)}")


def _first_line(module: str) -> str:
    """The first line of a module's docstring, without running the bot."""
    import ast
    from pathlib import Path

    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    text = ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]
