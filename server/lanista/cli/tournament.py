"""`lanista tournament`: writes an example spec, checks a spec, plays it, shows its standings."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lanista.cli import Group
from lanista.cli.common import (
    Choice,
    concurrency_of,
    concurrency_option,
    display_options,
    printable,
    write_example,
    write_text,
)
from lanista.cli.tournament_files import prepared, setup_of
from lanista.cli.verify import EXIT_DIFFERENT, REBUILD, show, show_rebuilt
from lanista.errors import BadInputError
from lanista.games import DEFAULT_GAME

if TYPE_CHECKING:
    from lanista.cli.web import PagePort
    from lanista.competition.setup import Setup
    from lanista.ratings.table import Standings

SPEC = click.Path(dir_okay=False, path_type=Path)
EXIT_FAILED = 1


@click.group("tournament", cls=Group)
def command() -> None:
    """Play tournaments, many matches described by one file, and show their standings.

    docs/tournaments.md explains how.
    """


@command.command("new")
@click.argument("file", type=SPEC, default=Path("cup.toml"), required=False)
@click.option("--game", default=DEFAULT_GAME, show_default=True, help="The tournament's game.")
def new(file: Path, game: str) -> int:
    """Write an example spec to FILE (cup.toml), with every key, and house bots as players.

    An existing file isn't overwritten.
    """
    import lanista_maps
    from lanista.competition.example import example
    from lanista.games import registry

    ruleset = registry.get(game)
    house = list(registry.house_bots(ruleset.name))
    if not house:
        raise BadInputError(f"{ruleset.title} has no house bots, which an example needs")
    text = example(
        stem=printable(file.stem),
        game=ruleset.name,
        title=ruleset.title,
        seats=ruleset.seats,
        house=house,
        maps=list(lanista_maps.names(ruleset.name))[:2],
        settings=[(setting.name, setting.default, setting.help) for setting in ruleset.settings],
    )
    write_example(file, text, "check it with `lanista tournament check`, then play it")
    return 0


@command.command("check")
@click.argument("file", type=SPEC)
def check(file: Path) -> int:
    """Check that FILE can be played: start each of its bots and let it play against itself.

    Results of these matches don't count, and nothing is kept.

    Exit codes: 0 every bot played, 1 a bot failed, 2 bad input, 130 interrupted.
    """
    from lanista.cli.tournament_check import check as checked

    return checked(*prepared(file))


@command.command("run")
@click.argument("file", type=SPEC, required=False)
@concurrency_option(show_default="the spec's")
@click.option(
    "--executor",
    metavar="WHO",
    show_default="the spec's",
    help="Where blocks are played: local, dask-local or dask://HOST:PORT.",
)
@click.option(
    "--unbench",
    multiple=True,
    metavar="NAME",
    help="Let a benched bot play again; may be repeated.",
)
@display_options
@click.option(
    "--web",
    is_flag=False,
    flag_value="",
    metavar="[HOST:PORT]",
    help="Serve a page that shows the tournament and its running matches; its address is "
    "printed. Without HOST:PORT it is 127.0.0.1:8080, or a free port.",
)
def run(
    file: Path | None,
    *,
    concurrency: str | None,
    executor: str | None,
    accept_changes: bool,
    unbench: tuple[str, ...],
    as_json: bool,
    plain: bool,
    web: str | None,
) -> int:
    """Play the tournament of FILE, or what is left of it.

    Results go to a database and a folder beside FILE. Ctrl-C lets the running blocks finish, a
    second one stops at once; the same command resumes the tournament.

    Exit codes: 0 everything is played, 2 bad input or unwritable output, 3 it can't continue,
    130 interrupted.
    """
    import attrs

    from lanista.cli.tournament_run import play
    from lanista.competition.spec import read_spec

    if file is None and web:  # `run --web cup.toml`: what follows --web is the file
        file, web = Path(web), ""
    if file is None:
        raise click.UsageError("Missing argument 'FILE'.")
    if as_json and plain:
        raise BadInputError("--json and --plain: give only one of them")
    spec = read_spec(file)
    if concurrency is not None:
        spec = attrs.evolve(spec, concurrency=concurrency_of(concurrency))
    if executor is not None:
        spec = attrs.evolve(spec, executor=executor)
    setup = setup_of(spec, file)
    return play(
        setup,
        str(file),
        accept_changes=accept_changes,
        unbench=unbench,
        as_json=as_json,
        plain=plain,
        page=None if web is None else page_of(file, web),
    )


def page_of(file: Path, web: str) -> "PagePort":
    """Return the port of a page that shows a tournament.

    Args:
        file: The spec of the tournament.
        web: The page's address; empty for the default, or a free port.

    Raises:
        BadInputError: It is no address, or the tournament can't be shown.
    """
    from lanista.cli.logs import configure_log
    from lanista.cli.web import PagePort, shown_tournaments

    configure_log()
    return PagePort(web or None, shown_tournaments([file]))


@command.command("standings")
@click.argument("file", type=SPEC)
@click.option(
    "--format",
    "format_",
    type=Choice(["table", "json", "csv", "markdown", "html"]),
    default="table",
    show_default=True,
    help="The format of the output.",
)
@click.option(
    "-o",
    "--output",
    type=SPEC,
    metavar="FILE",
    help="Write the standings to FILE instead of printing them.",
)
@click.option(
    "--head-to-head",
    is_flag=True,
    help="Add the results of each pair of bots (JSON, HTML: always there; CSV: only these).",
)
def standings(file: Path, *, format_: str, output: Path | None, head_to_head: bool) -> int:
    """Show the standings of FILE's tournament, even while it is being played.

    Exit codes: 0 shown, 2 bad input, or nothing has been played yet.
    """
    from lanista.competition.standings import standings_of
    from lanista.results.database import Store
    from lanista.toml_spec import SpecError

    setup = _played(file)
    try:
        with Store.open(setup.database, create=False) as store:
            table = standings_of(setup, store)
    except SpecError as error:
        raise BadInputError(f"{file}: {error}") from None
    if format_ == "table" and output is None:
        from lanista.cli.tournament_table import console_for, print_to, whole

        console = console_for(is_terminal=sys.stdout.isatty())
        print_to(console, whole(table, head_to_head=head_to_head))
        return 0
    text = text_of(table, format_, head_to_head=head_to_head)
    if output is None:
        click.echo(text, nl=False)
        return 0
    write_text(output, text)
    return 0


@command.command("verify")
@click.argument("file", type=SPEC)
@REBUILD
def verify(file: Path, *, rebuild: bool) -> int:
    """Compare the results of FILE's tournament with the records of its matches.

    One line is printed for each match whose record is missing, can't be read or says something
    else, and for each record whose match isn't stored; then the totals. The tournament may be
    running, but not while its database is rebuilt. It takes about 1 ms a match.

    Exit codes: 0 all is right, 1 something differs or can't be read, 2 bad input, or the database
    is damaged.
    """
    from lanista.competition.verify import TournamentRecords
    from lanista.competition.verify import rebuild as rebuilt
    from lanista.results.database import Store
    from lanista.results.recorded import Comparison

    setup = _played(file, may_be_lost=rebuild)
    database = setup.database
    if rebuild:
        if not isinstance(database, Path):
            raise BadInputError(
                f"{file}: a PostgreSQL database can't be rebuilt here; use pg_restore"
            )
        return 0 if show_rebuilt(setup.spec.name, rebuilt(setup, database)) else EXIT_DIFFERENT
    with Store.open(database, create=False, check=False) as store:
        store.database.check_whole()
        is_right = show(setup.spec.name, Comparison(store, TournamentRecords(setup)))
    return 0 if is_right else EXIT_DIFFERENT


def _played(file: Path, *, may_be_lost: bool = False) -> "Setup":
    """Return the tournament of a spec, of which something must have been played.

    Args:
        file: The spec's file.
        may_be_lost: Whether its database may be missing.

    Raises:
        BadInputError: The spec can't be used, or there are no results.
    """
    from lanista.competition.spec import read_spec

    setup = setup_of(read_spec(file), file, plays=False)
    lost = isinstance(setup.database, Path) and not setup.database.exists()
    if lost and not may_be_lost:
        raise BadInputError(
            f"nothing has been played yet: there is no {setup.database}; "
            f"play it with `lanista tournament run {file}`"
        )
    return setup


def text_of(table: "Standings", format_: str, *, head_to_head: bool) -> str:
    """Return standings in one of the formats of `--format`, as the text of a file."""
    from lanista.ratings import text

    match format_:
        case "json":
            return text.json_text(table)
        case "csv":
            return text.head_to_head_csv(table) if head_to_head else text.csv_text(table)
        case "markdown":
            pairs = "\n" + text.head_to_head_markdown(table) if head_to_head else ""
            return text.markdown_text(table) + pairs
        case "html":
            from lanista.ratings.html import html_text

            return html_text(table)
        case _:
            from lanista.cli.tournament_table import plain_text, whole

            return plain_text(whole(table, head_to_head=head_to_head))
