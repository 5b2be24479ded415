"""The commands for a running arena: what happens there, and who may play."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lanista.cli.arena_client import ask, take_up
from lanista.cli.arena_file import FILE, data_of, database_of, ladder_named, spec_of
from lanista.cli.common import printable
from lanista.errors import BadInputError

if TYPE_CHECKING:
    from lanista.arena.spec import LadderSpec
    from lanista.results.base import Database
    from lanista.results.database import Store


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
        with contextlib.suppress(KeyboardInterrupt):
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


_on_ladder = click.option(
    "--ladder", metavar="LADDER", show_default="all", help="The ladder; its name in FILE."
)


@click.command("bench")
@click.argument("file", type=FILE)
@click.argument("name")
@_on_ladder
def bench(file: Path, name: str, ladder: str | None) -> int:
    """Keep NAME from being paired on the ladders of FILE's arena, running or not.

    Its match goes on if it plays one. It may stay connected, and is told. This holds until
    `lanista arena unbench`, also when the arena is started again.
    """
    from lanista.results.names import NameStore

    spec = spec_of(file)
    name = _ladder_name(name)
    on = None if ladder is None else ladder_named(spec, file, ladder).name
    with database_of(spec, file) as database:
        NameStore(database).bench(name, on)
    take_up(file, data_of(spec, file))
    return 0


@click.command("unbench")
@click.argument("file", type=FILE)
@click.argument("name")
@_on_ladder
def unbench(file: Path, name: str, ladder: str | None) -> int:
    """Let NAME play again that was benched, or that rests because it has failed.

    Its failures are forgotten.
    """
    from lanista.results.names import NameStore, key_of

    spec = spec_of(file)
    name = _ladder_name(name)
    ladders = spec.ladders if ladder is None else [ladder_named(spec, file, ladder)]
    with database_of(spec, file) as database:
        names = NameStore(database)
        everywhere = any(b.key == key_of(name) and b.ladder is None for b in names.benched())
        if ladder is not None and everywhere:
            raise BadInputError(f"{name!r} is benched on all ladders; leave out --ladder")
        names.unbench(name, ladder)
        for each in ladders:
            results = _results(database, each)
            for bot in _bots(results, name):
                results.unbench(bot)
        names.note_change()
    take_up(file, data_of(spec, file))
    return 0


@click.command("strike")
@click.argument("file", type=FILE)
@click.argument("name")
@click.option("--ladder", required=True, metavar="LADDER", help="The ladder; its name in FILE.")
def strike(file: Path, name: str, ladder: str) -> int:
    """Take the matches of NAME until now out of a ladder's ratings and table, for all who played.

    They stay stored, and count again after `lanista arena unstrike`. What NAME plays from now on
    counts.
    """
    _strike(file, name, ladder, is_struck=True)
    return 0


@click.command("unstrike")
@click.argument("file", type=FILE)
@click.argument("name")
@click.option("--ladder", required=True, metavar="LADDER", help="The ladder; its name in FILE.")
def unstrike(file: Path, name: str, ladder: str) -> int:
    """Put the matches of NAME back into a ladder's ratings and table."""
    _strike(file, name, ladder, is_struck=False)
    return 0


def _strike(file: Path, name: str, ladder: str, *, is_struck: bool) -> None:
    from lanista.results.names import NameStore

    spec = spec_of(file)
    on = ladder_named(spec, file, ladder)
    with database_of(spec, file) as database:
        results = _results(database, on)
        bots = _bots(results, name)
        if not bots:
            raise BadInputError(
                f"no bot called {printable(name)!r} has played on the ladder {ladder}"
            )
        for bot in bots:
            if is_struck:
                results.strike(bot)
            else:
                results.unstrike(bot)
        NameStore(database).note_change()
    take_up(file, data_of(spec, file))


def _results(database: "Database", ladder: "LadderSpec") -> "Store":
    """Return the results of a ladder."""
    from lanista.results.database import Store

    return Store.of_ladder(database, ladder.name, ladder.game)


def _bots(results: "Store", name: str) -> list[str]:
    """Return the names of those that have played under a name, whatever its capitals."""
    from lanista.results.names import key_of

    with results.ladder_reading() as now:
        return [bot for bot in now.bots() if key_of(bot) == key_of(name)]


def _ladder_name(name: str) -> str:
    """Return a name with single spaces, if a bot on a ladder can be called this.

    Raises:
        BadInputError: It can't.
    """
    from lanista.arena.spec import is_bot_name

    name = " ".join(name.split())
    if not is_bot_name(name):
        raise BadInputError(
            f"{printable(name)!r} can't be a name on a ladder; use 1 to 32 of "
            "A-Z a-z 0-9 . _ - and single spaces between words"
        )
    return name
