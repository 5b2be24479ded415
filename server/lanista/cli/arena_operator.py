"""Commands for an arena that may be running: what happens there, who may play, names, a copy."""

import contextlib
import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lanista.cli import Group
from lanista.cli.arena_file import ArenaFile, arena_argument, ladder_option
from lanista.cli.common import minute_text, say
from lanista.errors import did_you_mean, placed, printable
from lanista.games.picture import counted
from lanista_client.console import address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from lanista.results.names import NameStore


INTERVAL = 1.0
"""Seconds between two looks at the arena."""
_FIGURES = ("waiting", "playing", "resting", "matches", "stored", "unstored")
"""The figures of a ladder: the bots there, the matches running, and the results of those over."""


@click.command("status")
@arena_argument
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
def status(arena: ArenaFile, *, as_json: bool) -> None:
    """Show what the running arena of FILE is doing: live in a terminal, otherwise once."""
    from lanista.cli.tables import show

    if as_json:
        click.echo(json.dumps(arena.ask("status")))
    elif sys.stdout.isatty():
        with contextlib.suppress(KeyboardInterrupt):
            watch(lambda: arena.ask("status"))
    else:
        show(status_text(arena.ask("status")))


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

    where = address(*status["address"])
    page = f"; page {status['page']}" if status["page"] else ""
    figures = (
        f"{status['connections']} of {status['max_connections']} connections",
        f"{counted(status['matches'], 'match')} running in {counted(status['workers'], 'process')}",
        f"{status['over']} over",
        f"{counted(status['waiting'], 'bot')} waiting off the ladders",
    )
    lines = [
        f"Lanista {status['version']} on {where}, up {duration(status['uptime'])}{page}",
        ", ".join(figures),
    ]
    if status.get("trouble"):  # an arena that was started before an upgrade doesn't say
        lines.append(f"no match begins, as records can't be written: {status['trouble']}")
    parts: list[RenderableType] = [Text(printable(line)) for line in lines]
    if status["ladders"]:
        rows = [
            [
                "?" if ladder[key] is None else str(ladder[key])
                for key in ("name", "game", *_FIGURES)
            ]
            for ladder in status["ladders"]
        ]
        parts.append(listing(("ladder", "game", *_FIGURES), rows, _FIGURES))
    return Group(*parts)


@click.command("kick")
@arena_argument
@click.argument("name")
def kick(arena: ArenaFile, name: str) -> None:
    """Close the connections of the bots called NAME in the running arena of FILE.

    They may connect again; `lanista arena bench` keeps a name from playing on ladders.
    """
    count = arena.ask("kick", name=name)["connections"]
    click.echo(f"{counted(count, 'connection')} closed")


@click.command("bench")
@arena_argument
@click.argument("name")
@ladder_option(show_default="all")
def bench(arena: ArenaFile, name: str, ladder: str | None) -> None:
    """Keep NAME from being paired on the ladders of FILE's arena, running or not.

    A match that it is playing goes on. It may stay connected, and is told why it isn't
    paired. It stays benched until `lanista arena unbench`, even if the arena is restarted.
    """
    from lanista.arena import decisions

    with _naming(arena, name, ladder) as (store, on):
        decisions.bench(store, name, on)


@click.command("unbench")
@arena_argument
@click.argument("name")
@ladder_option(show_default="all")
def unbench(arena: ArenaFile, name: str, ladder: str | None) -> None:
    """Let NAME play again after it was benched, or while it rests because it has failed.

    Its failures are forgotten.
    """
    from lanista.arena import decisions

    with _naming(arena, name, ladder) as (store, on):
        decisions.unbench(store, name, on, arena.spec.ladders)


@contextlib.contextmanager
def _naming(
    arena: ArenaFile, name: str, ladder: str | None
) -> "Iterator[tuple[NameStore, str | None]]":
    """Yield the names, for a decision about one, and the ladder on which it holds.

    Say then if no bot was known by the name: it may be mistyped.
    """
    from lanista.arena.decisions import known_names
    from lanista.results.names import key_of

    on = None if ladder is None else arena.ladder(ladder).name
    with arena.changing_names() as store:
        names = known_names(store, arena.spec.ladders)
        names += _house_bots(arena)
        yield store, on
    if key_of(name) not in map(key_of, names):
        hint = did_you_mean(name, names)
        say(f"note: no bot called {name!r} is registered or has played here{hint}", err=True)


@click.command("strike")
@arena_argument
@click.argument("name")
@ladder_option(required=True)
def strike(arena: ArenaFile, name: str, ladder: str) -> None:
    """Take the matches of NAME until now out of a ladder's ratings and table, for all their bots.

    They stay stored, and count again after `lanista arena unstrike`. What NAME plays from now on
    counts.
    """
    _strike(arena, name, ladder, is_struck=True)


@click.command("unstrike")
@arena_argument
@click.argument("name")
@ladder_option(required=True)
def unstrike(arena: ArenaFile, name: str, ladder: str) -> None:
    """Put the matches of NAME back into a ladder's ratings and table."""
    _strike(arena, name, ladder, is_struck=False)


def _strike(arena: ArenaFile, name: str, ladder: str, *, is_struck: bool) -> None:
    from lanista.arena import decisions

    on = arena.ladder(ladder)
    with arena.changing_names() as store:
        decisions.strike(store, name, on, is_struck=is_struck)


@click.command("backup")
@arena_argument
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def backup(arena: ArenaFile, folder: Path) -> None:
    """Copy the arena of FILE to DIR, a new folder, even while it runs.

    FILE, the database, the records of all matches that are over and the programs that were handed
    in are copied; `lanista arena run` runs the copy. A PostgreSQL database isn't copied; use
    pg_dump.
    """
    from lanista.arena.backup import back_up

    made = back_up(arena.spec, arena.path, folder)
    counts = f"{'1 database' if made.has_database else 'no database'}, {made.files} files"
    programs = f", {counted(made.versions, 'version')} handed in" if made.versions else ""
    say(f"{folder}: {arena.path.name}; in {made.data} {counts} of records{programs}")
    if arena.spec.store is not None:
        click.echo("the database of `store` isn't in the copy: back it up with pg_dump", err=True)


# -- names -----------------------------------------------------------------------------------------


def _given_token(_ctx: click.Context, _param: click.Parameter, is_given: bool) -> str | None:
    if not is_given:
        return None
    return sys.stdin.readline().rstrip("\r\n")


_token_stdin = click.option(
    "--token-stdin",
    "token",
    is_flag=True,
    callback=_given_token,
    help="Read the token from standard input instead of making a new one.",
)


@click.group("name", cls=Group)
def name_group() -> None:
    """Register, remove and list the names on the ladders of an arena, running or not.

    A running arena applies each change at once.
    """


@name_group.command("add")
@arena_argument
@click.argument("name")
@_token_stdin
def add(arena: ArenaFile, name: str, token: str | None) -> None:
    """Register NAME, and print its token, which is shown only this once."""
    from lanista.arena.decisions import add_name

    house = _house_bots(arena)
    with arena.changing_names() as store:
        made = add_name(store, name, token, house=house)
        if token is None:
            click.echo(made)  # now, as an arena that is held up may answer late


@name_group.command("reset")
@arena_argument
@click.argument("name")
@_token_stdin
def reset(arena: ArenaFile, name: str, token: str | None) -> None:
    """Give NAME a new token in place of its old one, and print it; it is shown only this once.

    A bot that is using the old one is disconnected.
    """
    from lanista.arena.decisions import reset_token

    with arena.changing_names() as store:
        made = reset_token(store, name, token)
        if token is None:
            click.echo(made)  # as for `add`


@name_group.command("remove")
@arena_argument
@click.argument("name")
def remove(arena: ArenaFile, name: str) -> None:
    """Remove NAME, which anyone may then register again if registration is open.

    A bot that is using it is disconnected, and the programs that were handed in for it are
    deleted. Its matches stay, and still count; `lanista arena strike` takes them out.
    """
    from lanista.arena.decisions import remove_name

    with arena.changing_names() as store:
        remove_name(store, name)


@name_group.command("list")
@arena_argument
def list_(arena: ArenaFile) -> None:
    """List the names: when and by whom each was registered, when last seen, where it is benched.

    Names that are benched without being registered, such as house bots', come last.
    """
    from lanista.cli.tables import listing, show
    from lanista.results.names import NameStore

    with arena.database(create=False) as database:
        store = NameStore(database)
        names = store.names()
        written: dict[str, str] = {}
        ladders: dict[str, list[str]] = {}
        for benched in store.benched():
            written.setdefault(benched.key, benched.name)
            ladders.setdefault(benched.key, []).append(benched.ladder or "on all ladders")
    rows = [
        (
            name.name,
            minute_text(name.registered),
            name.registrar.value,
            "" if name.seen is None else minute_text(name.seen),
            ", ".join(ladders.pop(name.key, [])),
        )
        for name in names
    ]
    rows += [(written[key], "", "", "", ", ".join(on)) for key, on in ladders.items()]
    show(listing(("name", "registered", "by", "last seen", "benched"), rows))


def _house_bots(arena: ArenaFile) -> dict[str, str]:
    """Return the names of the house bots, with the ladder of each."""
    from lanista.arena.ladder_room import house_contestants

    ladders: dict[str, str] = {}
    for number, ladder in enumerate(arena.spec.ladders, 1):
        with placed(f"{arena.path}: ladders[{number}]."):
            house = house_contestants(ladder, arena.path.parent)
        ladders |= {bot.name: ladder.name for bot in house}
    return ladders
