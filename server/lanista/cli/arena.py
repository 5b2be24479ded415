"""`lanista arena`: writes an example of an arena's file, checks one, runs the arena."""

import contextlib
from pathlib import Path
from typing import Any

import click

from lanista.cli import Group
from lanista.cli.arena_file import ArenaFile, NotRunningError, arena_argument
from lanista.cli.arena_operator import (
    backup,
    bench,
    kick,
    name_group,
    status,
    strike,
    unbench,
    unstrike,
)
from lanista.cli.arena_submissions import command as submissions
from lanista.cli.arena_submissions import folder_of
from lanista.cli.common import (
    EXIT_DIFFERENT,
    FILE,
    rebuild_option,
    say,
    show_comparison,
    show_rebuilt,
    write_example,
)
from lanista.errors import BadInputError, printable
from lanista.games import DEFAULT_GAME, registry
from lanista.games.picture import counted


@click.group("arena", cls=Group)
def command() -> None:
    """Run an arena described by one file, with ladders on which bots are rated for weeks.

    docs/arena.md explains how.
    """


@command.command("new")
@click.argument("file", type=FILE, default=Path("arena.toml"), required=False)
@click.option("--game", default=DEFAULT_GAME, help="The game of the ladder.")
def new(file: Path, game: str) -> None:
    """Write an example to FILE (arena.toml), with every key and a ladder of one game.

    An existing file isn't overwritten.
    """
    from lanista.arena.spec import example

    text = example(registry.get(game), printable(file.name))
    write_example(file, text, "check it with `lanista arena check`, then run it")


@command.command("check")
@arena_argument
def check(arena: ArenaFile) -> int:
    """Look for anything that would keep the arena of FILE from doing what FILE says.

    Games, maps, house bots, addresses, certificate, folders, databases and limits are checked.
    Nothing is started, and nothing is changed.

    Exit codes: 0 nothing is wrong, 1 something is, 2 bad input.
    """
    from lanista.cli.arena_check import check as checked

    return checked(arena.spec, arena.path.parent)


@command.command("verify")
@arena_argument
@rebuild_option
def verify(arena: ArenaFile, *, rebuild: bool) -> int:
    """Compare the results of the ladders of FILE with the records of their matches.

    One line is printed for each match that the database has damaged, or whose record is missing,
    can't be read or says something else, for each record whose match isn't stored, and for each
    program that isn't as it was handed in; and the totals of each ladder. In a PostgreSQL store,
    which arenas may share, missing records are only counted, and don't change the exit code. The
    arena may be running, but not while its database is rebuilt. It takes about 1 ms a match.

    Exit codes: 0 all is right, 1 something differs or can't be read, 2 bad input, or a database is
    damaged.
    """
    from lanista.arena.verify import LadderRecords
    from lanista.arena.verify import rebuild as rebuilt
    from lanista.results.base import Kind
    from lanista.results.database import Store
    from lanista.results.recorded import Comparison

    if rebuild:
        if arena.spec.store is not None:
            raise BadInputError(
                f"{arena.path}: the database of `store` can't be rebuilt here: restore it with "
                "pg_restore, or drop its schema `lanista`; the next start stores whatever it lacks "
                "from the records"
            )
        with contextlib.suppress(NotRunningError):
            arena.ask("status")
            raise BadInputError(
                f"{arena.path}: the arena is running; stop it before you rebuild its database"
            )
        work = rebuilt(arena.data, [(ladder.name, ladder.game) for ladder in arena.spec.ladders])
        return 0 if show_rebuilt(arena.path.stem, work) else EXIT_DIFFERENT
    is_right = _has_right_sources(arena)
    with arena.database(create=False) as database:
        database.check_whole()
        for ladder in arena.spec.ladders:
            # 0 is the number of no competition: nothing is stored of the ladder.
            number = database.competition(Kind.LADDER, ladder.name, ladder.game) or 0
            records = LadderRecords(arena.data.records, (ladder.name, ladder.game))
            comparison = Comparison(Store(database, number), records)
            is_right &= show_comparison(
                ladder.name, comparison, is_shared=arena.spec.store is not None
            )
    return 0 if is_right else EXIT_DIFFERENT


def _has_right_sources(arena: ArenaFile) -> bool:
    is_right = True
    for ladder in arena.spec.ladders:
        if ladder.submissions is None:
            continue
        folder = folder_of(arena, ladder)
        damaged = list(folder.damaged())
        for text in damaged:
            say(f"{ladder.name}: submission: {text}")
        count = sum(len(author.versions) for author in folder.read().values())
        rest = "" if damaged else "; nothing is wrong"
        say(f"{ladder.name}: {counted(count, 'version')} handed in{rest}")
        is_right &= not damaged
    return is_right


@command.command("run")
@arena_argument
@click.option("--host", metavar="ADDRESS", help="Address to listen on, whatever FILE says.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Port to listen on, whatever FILE says.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Data folder, whatever FILE says.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of processes that play matches, whatever FILE says; if neither says, one for "
    "each core.",
)
@click.option(
    "--web",
    metavar="HOST:PORT",
    help="Address of the page, whatever FILE says; none serves no page.",
)
@click.option(
    "--print-config",
    is_flag=True,
    help="Print the file with every key, defaults included, and exit. A database's password is "
    "printed too.",
)
def run(arena: ArenaFile, *, print_config: bool, **given: Any) -> None:
    """Run the arena of FILE until SIGINT or SIGTERM; SIGHUP reloads limits and certificate.

    The page shows the matches and takes commands; its address is printed. If it isn't on loopback,
    commands need the token in that address, which is LANISTA_WEB_TOKEN or a new one.
    """
    from lanista.cli.serving import run_file

    run_file(arena.path, arena.spec, given, print_config=print_config)


for each in (status, name_group, kick, bench, unbench, strike, unstrike, submissions, backup):
    command.add_command(each)
