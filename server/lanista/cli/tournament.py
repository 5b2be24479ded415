"""`lanista tournament`: writes an example spec, checks a spec, plays it, shows its standings."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lanista.cli.common import Choice
from lanista.cli.tournament_files import prepared, setup_of, spec_of
from lanista.errors import BadInputError
from lanista.games import DEFAULT_GAME

if TYPE_CHECKING:
    from lanista.cli.web import PagePort
    from lanista.ratings.table import Standings

SPEC = click.Path(dir_okay=False, path_type=Path)
EXIT_FAILED = 1


@click.group("tournament")
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
    from lanista.cli.common import printable, ruleset_named
    from lanista.competition.example import example
    from lanista.games import registry

    ruleset = ruleset_named(game)
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
    try:
        with file.open("x", encoding="utf-8", errors="backslashreplace") as opened:
            opened.write(text)
    except FileExistsError:
        raise BadInputError(f"{file} exists already; name another file") from None
    except OSError as error:
        raise BadInputError(f"can't write {file}: {error.strerror}") from None
    click.echo(f"{printable(str(file))}: check it with `lanista tournament check`, then play it")
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
@click.option(
    "--concurrency",
    metavar="N|auto",
    show_default="the spec's",
    help="Number of blocks at the same time; auto: as many as give each bot a core of its own.",
)
@click.option(
    "--executor",
    metavar="WHO",
    show_default="the spec's",
    help="What plays the blocks: local, dask-local or dask://HOST:PORT.",
)
@click.option(
    "--accept-changes",
    is_flag=True,
    help="Begin anew with bots whose command or limits changed, which is an error otherwise.",
)
@click.option(
    "--unbench",
    multiple=True,
    metavar="NAME",
    help="Let a benched bot play again; may be repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="Print each event as a line of JSON.")
@click.option("--plain", is_flag=True, help="Print lines even in a terminal.")
@click.option(
    "--web",
    is_flag=False,
    flag_value="",
    metavar="[HOST:PORT]",
    help="Serve a page that shows the tournament, its matches live; its address is printed. "
    "Without HOST:PORT 127.0.0.1:8080, or a free port.",
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

    Exit codes: 0 all is played, 2 bad input or no room for the output, 3 it can't continue,
    130 interrupted.
    """
    import attrs

    from lanista.cli.tournament_run import play

    if file is None and web:  # `run --web cup.toml`: what follows --web is the file
        file, web = Path(web), ""
    if file is None:
        raise click.UsageError("Missing argument 'FILE'.")
    if as_json and plain:
        raise BadInputError("--json and --plain: say one of them")
    spec = spec_of(file)
    if concurrency is not None:
        spec = attrs.evolve(spec, concurrency=concurrency_of(concurrency))
    if executor is not None:
        spec = attrs.evolve(spec, executor=executor)
    setup = setup_of(spec, file)
    with contextlib.ExitStack() as stack:
        return play(
            setup,
            str(file),
            accept_changes=accept_changes,
            unbench=unbench,
            as_json=as_json,
            plain=plain,
            page=None if web is None else stack.enter_context(page_of(file, web)),
        )


@contextlib.contextmanager
def page_of(file: Path, web: str) -> "Iterator[PagePort]":
    """Yield the port of a page that shows a tournament, and end its helper processes afterwards.

    Args:
        file: The spec of the tournament.
        web: The page's address; empty for the default, or a free port.

    Raises:
        BadInputError: It is no address, or the tournament can't be shown.
    """
    from lanista.cli.logs import configure_log
    from lanista.cli.standings import StandingsProcess, shown_tournaments
    from lanista.cli.web import PagePort

    configure_log()
    standings, questions = StandingsProcess(), StandingsProcess()
    try:
        yield PagePort(web or None, shown_tournaments([file], standings, questions))
    finally:
        standings.close()
        questions.close()


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
    """Show the standings of FILE's tournament, also while it is being played.

    Exit codes: 0 shown, 2 bad input, or nothing was played yet.
    """
    from lanista.competition.standings import standings_of
    from lanista.results.database import Store
    from lanista.results.errors import StoreError
    from lanista.toml_spec import SpecError

    setup = setup_of(spec_of(file), file, plays=False)
    if isinstance(setup.database, Path) and not setup.database.exists():
        raise _nothing_played(file, setup.database)
    try:
        with Store.open(setup.database, create=False) as store:
            table = standings_of(setup, store)
    except SpecError as error:
        raise BadInputError(f"{file}: {error}") from None
    except StoreError as error:
        raise BadInputError(str(error)) from None
    if format_ == "table" and output is None:
        from lanista.cli.tournament_table import console_for, print_to, whole

        console = console_for(is_terminal=sys.stdout.isatty())
        print_to(console, whole(table, head_to_head=head_to_head))
        return 0
    text = text_of(table, format_, head_to_head=head_to_head)
    if output is None:
        click.echo(text, nl=False)
        return 0
    try:
        output.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
    except OSError as error:
        raise BadInputError(f"can't write {output}: {error.strerror}") from None
    return 0


@command.command("verify")
@click.argument("file", type=SPEC)
def verify(file: Path) -> int:
    """Compare the results of FILE's tournament with the records of its matches.

    One line is printed for each match whose record is missing, can't be read or says something
    else, and for each record whose match isn't stored; then the totals. The tournament may be being
    played. It takes about 1 ms a match.

    Exit codes: 0 all is right, 1 something differs, 2 bad input, or the database is damaged.
    """
    from lanista.cli.verify import EXIT_DIFFERENT, show
    from lanista.competition.verify import comparison, only_recorded
    from lanista.results.database import Store
    from lanista.results.errors import StoreError

    setup = setup_of(spec_of(file), file, plays=False)
    if isinstance(setup.database, Path) and not setup.database.exists():
        raise _nothing_played(file, setup.database)
    try:
        with Store.open(setup.database, create=False, check=False) as store:
            store.database.check_whole()
            compared = comparison(setup, store)
            is_right = show(setup.spec.name, compared, only_recorded(compared))
    except StoreError as error:
        raise BadInputError(str(error)) from None
    return 0 if is_right else EXIT_DIFFERENT


def _nothing_played(file: Path, database: Path) -> BadInputError:
    return BadInputError(
        f"nothing was played yet: there is no {database}; "
        f"play it with `lanista tournament run {file}`"
    )


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


def concurrency_of(text: str) -> Any:
    """Parse `--concurrency` into a number or `auto`."""
    if text == "auto":
        return "auto"
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 10_000:
        raise BadInputError(f"--concurrency {text!r}: expected a whole number above 0, or auto")
    return int(text)
