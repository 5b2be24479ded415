"""The commands for a running arena: what happens there, and who may play."""

from pathlib import Path

import click

from lanista.cli.arena_client import ask
from lanista.cli.arena_file import FILE, data_of, spec_of


@click.command("status")
@click.argument("file", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
def status(file: Path, *, as_json: bool) -> int:
    """Show what happens in the running arena of FILE: live in a terminal, otherwise once."""
    import json
    import sys

    from lanista.cli.arena_status import show, watch

    data = data_of(spec_of(file), file)
    if as_json:
        click.echo(json.dumps(ask(file, data, "status")))
    elif sys.stdout.isatty():
        watch(lambda: ask(file, data, "status"))
    else:
        show(ask(file, data, "status"))
    return 0


@click.command("kick")
@click.argument("file", type=FILE)
@click.argument("name")
def kick(file: Path, name: str) -> int:
    """Close the connections of the bots called NAME in the running arena of FILE.

    They may connect again; `lanista arena bench` keeps a name from playing on ladders.
    """
    count = ask(file, data_of(spec_of(file), file), "kick", name=name)["connections"]
    click.echo(f"{count} connection{'' if count == 1 else 's'} closed")
    return 0
