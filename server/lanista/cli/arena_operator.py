"""The commands for an arena that may be running: what happens there, who may play, and a copy."""

import contextlib
import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lanista.bots.execute import printable
from lanista.cli.arena_file import ArenaFile, arena_argument
from lanista.cli.common import say
from lanista.games.picture import counted

if TYPE_CHECKING:
    from rich.console import RenderableType

INTERVAL = 1.0
"""Seconds between two looks at the arena."""
_COLUMNS = {
    "waiting": "waiting",
    "playing": "playing",
    "resting": "resting",
    "matches": "matches running",
    "stored": "stored",
    "unstored": "not stored yet",
}
"""By key of a ladder's figures: the title of the column."""


@click.command("status")
@arena_argument
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
def status(arena: ArenaFile, *, as_json: bool) -> int:
    """Show what the running arena of FILE is doing: live in a terminal, otherwise once."""
    from lanista.cli.tables import show

    if as_json:
        click.echo(json.dumps(arena.ask("status")))
    elif sys.stdout.isatty():
        with contextlib.suppress(KeyboardInterrupt):
            watch(lambda: arena.ask("status"))
    else:
        show(status_text(arena.ask("status")))
    return 0


def watch(look: Callable[[], Mapping[str, Any]]) -> None:
    """Draw an arena's status again and again, until SIGINT; the last one stays in the terminal."""
    from rich.live import Live

    from lanista.cli.tables import stdout_console

    console = stdout_console()
    with Live(
        console=console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False
    ) as live:
        while True:
            live.update(status_text(look()), refresh=True)
            time.sleep(INTERVAL)


def status_text(status: Mapping[str, Any]) -> "RenderableType":
    """Return an arena's status as something to print."""
    from rich.console import Group
    from rich.text import Text

    from lanista.cli.tables import listing
    from lanista.cli.tournament_live import duration

    host, port = status["address"]
    page = f"; page {status['page']}" if status["page"] else ""
    figures = (
        f"{status['connections']} of {status['max_connections']} connections",
        f"{status['matches']} matches running in {counted(status['workers'], 'process')}",
        f"{status['over']} over",
        f"{status['waiting']} bots waiting off the ladders",
    )
    lines = [
        f"Lanista {status['version']} on {host}:{port}, up {duration(status['uptime'])}{page}",
        ", ".join(figures),
    ]
    parts: list[RenderableType] = [Text(printable(line)) for line in lines]
    if status["ladders"]:
        keys, numbers = ("name", "game", *_COLUMNS), _COLUMNS.values()
        rows = [
            ["?" if ladder[key] is None else str(ladder[key]) for key in keys]
            for ladder in status["ladders"]
        ]
        parts.append(listing(("ladder", "game", *numbers), rows, numbers))
    return Group(*parts)


@click.command("kick")
@arena_argument
@click.argument("name")
def kick(arena: ArenaFile, name: str) -> int:
    """Close the connections of the bots called NAME in the running arena of FILE.

    They may connect again; `lanista arena bench` keeps a name from playing on ladders.
    """
    count = arena.ask("kick", name=name)["connections"]
    click.echo(f"{counted(count, 'connection')} closed")
    return 0


_on_ladder = click.option(
    "--ladder", metavar="LADDER", show_default="all", help="The ladder; its name in FILE."
)


@click.command("bench")
@arena_argument
@click.argument("name")
@_on_ladder
def bench(arena: ArenaFile, name: str, ladder: str | None) -> int:
    """Keep NAME from being paired on the ladders of FILE's arena, running or not.

    A match that it is playing goes on. It may stay connected, and is told why it isn't
    paired. It stays benched until `lanista arena unbench`, even if the arena is restarted.
    """
    from lanista.arena import decisions

    on = None if ladder is None else arena.ladder(ladder).name
    with arena.changing_names() as store:
        decisions.bench(store, name, on)
    return 0


@click.command("unbench")
@arena_argument
@click.argument("name")
@_on_ladder
def unbench(arena: ArenaFile, name: str, ladder: str | None) -> int:
    """Let NAME play again after it was benched, or while it rests because it has failed.

    Its failures are forgotten.
    """
    from lanista.arena import decisions

    on = None if ladder is None else arena.ladder(ladder).name
    with arena.changing_names() as store:
        decisions.unbench(store, name, on, arena.spec.ladders)
    return 0


@click.command("strike")
@arena_argument
@click.argument("name")
@click.option("--ladder", required=True, metavar="LADDER", help="The ladder; its name in FILE.")
def strike(arena: ArenaFile, name: str, ladder: str) -> int:
    """Take the matches of NAME until now out of a ladder's ratings and table, for all their bots.

    They stay stored, and count again after `lanista arena unstrike`. What NAME plays from now on
    counts.
    """
    _strike(arena, name, ladder, is_struck=True)
    return 0


@click.command("unstrike")
@arena_argument
@click.argument("name")
@click.option("--ladder", required=True, metavar="LADDER", help="The ladder; its name in FILE.")
def unstrike(arena: ArenaFile, name: str, ladder: str) -> int:
    """Put the matches of NAME back into a ladder's ratings and table."""
    _strike(arena, name, ladder, is_struck=False)
    return 0


def _strike(arena: ArenaFile, name: str, ladder: str, *, is_struck: bool) -> None:
    from lanista.arena import decisions

    on = arena.ladder(ladder)
    with arena.changing_names() as store:
        decisions.strike(store, name, on, is_struck=is_struck)


@click.command("backup")
@arena_argument
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def backup(arena: ArenaFile, folder: Path) -> int:
    """Copy the arena of FILE to DIR, a new folder, even while it runs.

    FILE, the database, the records of all matches that are over and the programs that were handed
    in are copied; `lanista arena run` runs the copy. A PostgreSQL database isn't copied; use
    pg_dump.
    """
    from lanista.arena.backup import back_up

    made = back_up(arena.spec, arena.path, folder)
    counts = f"{'1 database' if made.has_database else 'no database'}, {made.files} files"
    programs = f", {counted(made.versions, 'version')} handed in" if made.versions else ""
    say(f"{folder}: {arena.path.name}; {counts} of records{programs} in {made.data}")
    if arena.spec.store is not None:
        click.echo("the database of `store` isn't in the copy: back it up with pg_dump", err=True)
    return 0
