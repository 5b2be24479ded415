"""`lanista tournament`: write an example spec, check one, play it, show its standings."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lanista.cli import BadInputError

if TYPE_CHECKING:
    from lanista.standings.table import Standings
    from lanista.tournament.setup import Setup
    from lanista.tournament.spec import Spec

SPEC = click.Path(dir_okay=False, path_type=Path)
EXIT_FAILED = 1


@click.group("tournament")
def command() -> None:
    """Tournaments: many matches from one file, and their standings.

    docs/tournaments.md tells how.
    """


@command.command("new")
@click.argument("file", type=SPEC, default=Path("cup.toml"), required=False)
@click.option("--game", default="angrymob", show_default=True, help="The game to be played.")
def new(file: Path, game: str) -> int:
    """Write an example of a spec to FILE (cup.toml): every key, and house bots that play.

    A file that is there already stays as it is.
    """
    import lanista_maps
    from lanista.cli.common import house_bots, printable, ruleset_named
    from lanista.tournament.example import example

    ruleset = ruleset_named(game)
    house = list(house_bots(ruleset.name))
    if not house:
        raise BadInputError(f"{ruleset.title} has no house bots that an example could be made of")
    text = example(
        stem=printable(file.stem),
        game=ruleset.name,
        title=ruleset.title,
        seats=ruleset.seats,
        house=house,
        maps=list(lanista_maps.names(ruleset.name))[:2],
        settings=[(one.name, one.default, one.help) for one in ruleset.settings],
    )
    try:
        with file.open("x", encoding="utf-8", errors="backslashreplace") as opened:
            opened.write(text)
    except FileExistsError:
        raise BadInputError(f"{file} is there already, and stays; name another file") from None
    except OSError as error:
        raise BadInputError(f"can't write {file}: {error.strerror}") from None
    click.echo(f"{printable(str(file))}: try its bots by `lanista tournament check`, then play it")
    return 0


@command.command("check")
@click.argument("file", type=SPEC)
def check(file: Path) -> int:
    """See that a spec can be played: start each bot of FILE, and play it once against itself.

    Nothing counts, and nothing stays.

    Exit codes: 0 all is well, 1 a bot failed, 2 bad input, 130 interrupted.
    """
    from lanista.cli.tournament_check import check as checked

    return checked(*prepared(file))


@command.command("run")
@click.argument("file", type=SPEC)
@click.option(
    "--concurrency",
    metavar="N|auto",
    help="Blocks at the same time; auto measures what this machine holds  [default: the spec's]",
)
@click.option(
    "--executor",
    metavar="WHO",
    help="Who plays: local, dask-local or dask://HOST:PORT  [default: the spec's]",
)
@click.option(
    "--accept-changes",
    is_flag=True,
    help="A bot whose command or limits changed begins anew; else that is an error.",
)
@click.option(
    "--unbench",
    multiple=True,
    metavar="NAME",
    help="Let a bot play again that was benched; may be given several times.",
)
@click.option("--json", "as_json", is_flag=True, help="Print each event as a line of JSON.")
@click.option("--plain", is_flag=True, help="Print lines, also in a terminal.")
def run(
    file: Path,
    *,
    concurrency: str | None,
    executor: str | None,
    accept_changes: bool,
    unbench: tuple[str, ...],
    as_json: bool,
    plain: bool,
) -> int:
    """Play the tournament of FILE, or what is left of it.

    Results go to a database and a folder beside FILE. Ctrl-C once finishes what is running, twice
    stops now; the same command goes on from there.

    Exit codes: 0 all is played, 2 bad input or no room for the output, 3 it can't go on,
    130 interrupted.
    """
    import attrs

    from lanista.cli.tournament_run import play

    if as_json and plain:
        raise BadInputError("--json and --plain: say one of them")
    spec = spec_of(file)
    if concurrency is not None:
        spec = attrs.evolve(spec, concurrency=concurrency_of(concurrency))
    if executor is not None:
        spec = attrs.evolve(spec, executor=executor)
    return play(
        setup_of(spec, file),
        str(file),
        accept_changes=accept_changes,
        unbench=unbench,
        as_json=as_json,
        plain=plain,
    )


@command.command("standings")
@click.argument("file", type=SPEC)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv", "markdown", "html"]),
    default="table",
    show_default=True,
    help="What to write.",
)
@click.option(
    "-o", "--output", type=SPEC, metavar="FILE", help="Where to; without it, it is printed."
)
@click.option(
    "--head-to-head",
    is_flag=True,
    help="Also who did what against whom (JSON and HTML have it already); CSV: that alone.",
)
def standings(file: Path, *, form: str, output: Path | None, head_to_head: bool) -> int:
    """The standings of FILE's tournament, also while it is being played.

    Exit codes: 0, or 2: bad input, or nothing was played yet.
    """
    from lanista.store.database import Store
    from lanista.store.errors import StoreError
    from lanista.tournament.looking import standings_of
    from lanista.tournament.spec import SpecError

    setup = setup_of(spec_of(file), file, plays=False)
    if isinstance(setup.database, Path) and not setup.database.exists():
        raise BadInputError(
            f"nothing was played yet: there is no {setup.database}; "
            f"play it by `lanista tournament run {file}`"
        )
    try:
        with Store.open(setup.database, create=False) as store:
            found = standings_of(setup, store)
    except SpecError as error:
        raise BadInputError(f"{file}: {error}") from None
    except StoreError as error:
        raise BadInputError(str(error)) from None
    if form == "table" and output is None:
        from lanista.cli.tournament_table import console_for, print_to, whole

        console = console_for(is_terminal=sys.stdout.isatty())
        print_to(console, whole(found, head_to_head=head_to_head))
        return 0
    text = text_of(found, form, head_to_head=head_to_head)
    if output is None:
        click.echo(text, nl=False)
        return 0
    try:
        output.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
    except OSError as error:
        raise BadInputError(f"can't write {output}: {error.strerror}") from None
    return 0


def text_of(found: "Standings", form: str, *, head_to_head: bool) -> str:
    """Return the standings in one of the forms, as a file's text."""
    from lanista.standings import text
    from lanista.standings.head_to_head import csv_text, markdown_text

    match form:
        case "json":
            return text.json_text(found)
        case "csv":
            return csv_text(found) if head_to_head else text.csv_text(found)
        case "markdown":
            more = "\n" + markdown_text(found) if head_to_head else ""
            return text.markdown_text(found) + more
        case "html":
            from lanista.standings.html import html_text

            return html_text(found)
        case _:
            from lanista.cli.tournament_table import plain_text, whole

            return plain_text(whole(found, head_to_head=head_to_head))


def spec_of(file: Path) -> "Spec":
    """Read a spec's file."""
    from lanista.tournament.spec import SpecError, read_spec

    try:
        return read_spec(file)
    except SpecError as error:
        raise BadInputError(str(error)) from None


def setup_of(spec: "Spec", file: Path, *, plays: bool = True) -> "Setup":
    """Look up all that a spec names; its results are named like its file."""
    from lanista.tournament.setup import prepare
    from lanista.tournament.spec import SpecError

    try:
        return prepare(spec, file.parent, file.stem, plays=plays, source=file)
    except SpecError as error:
        raise BadInputError(f"{file}: {error}") from None


def prepared(file: Path) -> "tuple[Setup, Any]":
    """Return a spec's file made ready, and its format."""
    from lanista.tournament.looking import format_of
    from lanista.tournament.spec import SpecError

    setup = setup_of(spec_of(file), file)
    try:
        return setup, format_of(setup)
    except SpecError as error:
        raise BadInputError(f"{file}: {error}") from None


def concurrency_of(text: str) -> Any:
    """Parse `--concurrency`."""
    if text == "auto":
        return "auto"
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 10_000:
        raise BadInputError(f"--concurrency {text!r}: expected a whole number above 0, or auto")
    return int(text)
