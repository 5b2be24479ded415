"""`lanista tournament`: writes an example spec, checks a spec, plays it, shows its standings."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click
from click.core import ParameterSource

from lanista.cli import Group
from lanista.cli.common import (
    EXIT_DIFFERENT,
    FILE,
    base_option,
    concurrency_option,
    display_options,
    rebuild_option,
    show_comparison,
    show_rebuilt,
    tournament_options,
    write_example,
    write_text,
)
from lanista.errors import BadInputError, file_errors, printable
from lanista.games import DEFAULT_GAME, registry
from lanista.games.base import Ruleset, complete_settings
from lanista.match.conditions import Clock
from lanista.results.blocks import FormatName

if TYPE_CHECKING:
    from lanista.competition.setup import Setup
    from lanista.competition.spec import Spec
    from lanista.ratings.table import Standings

OF_A_RUN = frozenset(
    {"words", "concurrency", "executor", "unbench", "accept_changes", "as_json", "plain", "web"}
)
"""The parameters of `run` that don't describe a tournament but say how it is played now."""


@click.group("tournament", cls=Group)
def command() -> None:
    """Play tournaments, many matches by one command, and show their standings.

    docs/tournaments.md explains how.
    """


@command.command("new")
@click.argument("file", type=FILE, default=Path("cup.toml"), required=False)
@click.option("--game", default=DEFAULT_GAME, help="The tournament's game.")
@click.option(
    "--from-ladder",
    "ladder",
    metavar="LADDER",
    help="Let the programs play that were handed in to this ladder, in its game.",
)
@click.option(
    "--arena",
    type=FILE,
    default=Path("arena.toml"),
    metavar="FILE",
    help="The file of the arena that has the ladder.",
)
def new(file: Path, game: str, ladder: str | None, arena: Path) -> None:
    """Write an example spec to FILE (cup.toml), with every key, and house bots as players.

    If the game has none, put your own in place of the programs that the example names. With
    --from-ladder the players are the programs that play on the ladder; they are copied to a folder
    beside FILE, and both can be taken to another machine. An existing file isn't overwritten.
    """
    from lanista.competition.spec import example

    if ladder is not None:
        from lanista.cli.arena_file import ArenaFile
        from lanista.cli.arena_submissions import write_final

        write_final(file, ArenaFile.read(arena), ladder)
    else:
        text = example(registry.get(game), printable(file.stem))
        write_example(file, text, "check it with `lanista tournament check`, then play it")


@command.command("check")
@click.argument("file", type=FILE)
def check(file: Path) -> int:
    """Check that FILE can be played: start each of its bots and let it play against itself.

    Results of these matches don't count, and nothing is kept.

    Exit codes: 0 every bot played, 1 a bot failed, 2 bad input, 130 interrupted.
    """
    from lanista.cli.tournament_run import check as checked
    from lanista.competition.setup import load_file
    from lanista.competition.standings import format_of
    from lanista.errors import placed

    setup = load_file(file)
    with placed(f"{file}: "):
        format_ = format_of(setup)
    return checked(setup, format_)


@command.command("run")
@click.argument("words", metavar="FILE | GAME BOT...", nargs=-1)
@click.option(
    "--format",
    "format_",
    type=click.Choice([name.value for name in FormatName if name is not FormatName.SPRT]),
    default=FormatName.ROUND_ROBIN.value,
    help="The format.",
)
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    default=10,
    metavar="N",
    help="Number of seeds; each is played in all seatings.",
)
@base_option
@click.option(
    "--fill",
    metavar="BOT",
    help="A house bot that takes the seats left free if there are fewer bots.",
)
@click.option(
    "--name",
    metavar="NAME",
    show_default="FORMAT-BOT-BOT...",
    help="Name of the tournament and of its results, NAME.db and NAME.records.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    show_default="the current one",
    help="Folder of the results.",
)
@tournament_options
@concurrency_option(show_default="auto, or FILE's")
@click.option(
    "--executor",
    metavar="WHO",
    show_default="local, or FILE's",
    help="Where blocks are played: local, dask-local or dask://HOST:PORT.",
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
    words: tuple[str, ...],
    *,
    concurrency: Any,
    executor: str | None,
    accept_changes: bool,
    unbench: tuple[str, ...],
    as_json: bool,
    plain: bool,
    web: str | None,
    **described: Any,
) -> int:
    """Play the tournament of FILE, or one of GAME between BOTs, or what is left of it.

    BOTs are given as for `lanista play`. The options from --format to --restart describe their
    tournament; FILE says all that itself, and its results go to a database and a folder beside it.
    Ctrl-C lets the running blocks finish, a second one stops at once; the same command resumes the
    tournament.

    Exit codes: 0 everything is played, 2 bad input or unwritable output, 3 it can't continue,
    130 interrupted.
    """
    from lanista.cli.tournament_run import play
    from lanista.competition.setup import load_file

    if web and (not words or web in registry.names()):  # `run --web cup.toml`: not its address
        words, web = (web, *words), ""
    file = _file_of(words)
    given = {"executor": executor, "concurrency": concurrency}
    changes: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    page = None
    if file is not None:
        _check_only_file(file)
        setup = load_file(file, **changes)
        if web is not None:
            from lanista.cli.logs import configure_log
            from lanista.cli.web import PagePort, shown_tournaments

            configure_log()
            page = PagePort(web or None, shown_tournaments([file]))
    elif web is not None:
        raise BadInputError(
            "--web shows tournaments that have a file; `lanista tournament new` writes an example"
        )
    else:
        setup = _of_bots(words[0], words[1:], **described, **changes)
    return play(
        setup,
        setup.spec.name if file is None else str(file),
        accept_changes=accept_changes,
        unbench=unbench,
        as_json=as_json,
        plain=plain,
        page=page,
    )


def _file_of(words: Sequence[str]) -> Path | None:
    """Return the spec that the arguments of `run` name; None if they are a game and bots."""
    from lanista.hosting.names import is_file

    if not words:
        raise click.UsageError("Missing argument 'FILE' or 'GAME BOT...'.")
    file, others = Path(words[0]), " ".join(words[1:])
    if not (is_file(file) or file.suffix == ".toml"):
        # A single word that is no game is a file that isn't there, which reading it will say.
        return None if others or words[0] in registry.names() else file
    if others:
        raise BadInputError(
            f"{file} is a file, which says who plays: leave out {others}, or begin with a game"
        )
    return file


def _check_only_file(file: Path) -> None:
    context = click.get_current_context()
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name not in OF_A_RUN and source is ParameterSource.COMMANDLINE:
            raise BadInputError(
                f"{option.opts[-1]}: {file} says that itself; change it there, or give a game and "
                "bots in place of the file"
            )


def _of_bots(
    game: str,
    bots: Sequence[str],
    *,
    format_: str,
    seeds: int,
    base: int | None,
    fill: str | None,
    output: Path | None,
    **keys: Any,
) -> "Setup":
    from lanista.competition.setup import prepare

    ruleset = registry.get(game)
    spec = described(
        ruleset,
        bots,
        format_,
        seeds={"count": seeds, "base": base},
        fill=fill,
        **keys,
    )
    setup = prepare(spec, Path(), results=output)
    if output is not None:
        with file_errors("can't make", output):
            output.mkdir(parents=True, exist_ok=True)
    return setup


def described(
    ruleset: Ruleset,
    bots: Sequence[str],
    format_: str,
    *,
    name: str | None,
    maps: tuple[str, ...],
    settings: Mapping[str, int],
    clock: Clock,
    bot_limits: str | None,
    sandbox: str,
    match_cpu: int | None,
    restart: bool,
    **keys: Any,
) -> "Spec":
    """Return the spec of a tournament that a command line describes by `tournament_options`."""
    from lanista.competition.spec import spec_of
    from lanista.hosting.host import distinct
    from lanista.hosting.names import bot_command

    complete_settings(ruleset, settings)  # raises an error if the game has no such setting
    names = distinct([bot_command(ruleset.name, bot)[0] for bot in bots])
    value = {
        "name": name or f"{format_}-{'-'.join(names)}",
        "game": ruleset.name,
        "format": format_,
        "bots": [
            {"name": bot_name, "command": bot, "restart": restart or None}
            for bot_name, bot in zip(names, bots, strict=True)
        ],
        "maps": maps,
        "settings": settings,
        "clock": attrs.asdict(clock),
        "limits": bot_limits,
        "match_cpu": match_cpu,
        "sandbox": sandbox,
    }
    return spec_of(value | keys, "")


@command.command("standings")
@click.argument("file", type=FILE)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["table", "json", "csv", "markdown", "html"]),
    default="table",
    help="The format of the output.",
)
@click.option(
    "-o",
    "--output",
    type=FILE,
    metavar="FILE",
    help="Write the standings to FILE instead of printing them.",
)
@click.option(
    "--head-to-head",
    is_flag=True,
    help="Add the results of each pair of bots (JSON, HTML: always there; CSV: only these).",
)
def standings(file: Path, *, format_: str, output: Path | None, head_to_head: bool) -> None:
    """Show the standings of FILE's tournament, even while it is being played.

    Exit codes: 0 shown, 2 bad input, or it has not been run yet.
    """
    from lanista.competition.standings import standings_of
    from lanista.errors import placed
    from lanista.results.database import Store

    setup = _played(file)
    sources = [source for source in (file, setup.database) if isinstance(source, Path)]
    if output is not None and output.exists() and any(map(output.samefile, sources)):
        raise BadInputError(f"{output} is a file of the tournament; give another name")
    with placed(f"{file}: "), Store.open(setup.database, create=False) as store:
        table = standings_of(setup, store)
    if format_ == "table" and output is None:
        from lanista.cli import tables
        from lanista.cli.tournament_live import whole

        tables.show(whole(table, head_to_head=head_to_head))
        return
    text = text_of(table, format_, head_to_head=head_to_head)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, text)


@command.command("verify")
@click.argument("file", type=FILE)
@rebuild_option
def verify(file: Path, *, rebuild: bool) -> int:
    """Compare the results of FILE's tournament with the records of its matches.

    One line is printed for each match that the database has damaged, or whose record is missing,
    can't be read or says something else, and for each record whose match isn't stored; then the
    totals. The tournament may be running, but not while its database is rebuilt. It takes about
    1 ms a match.

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
        is_right = show_comparison(setup.spec.name, Comparison(store, TournamentRecords(setup)))
    return 0 if is_right else EXIT_DIFFERENT


def _played(file: Path, *, may_be_lost: bool = False) -> "Setup":
    """Return the tournament of a spec's file, of which something must have been played."""
    from lanista.competition.setup import load_file

    if file.suffix == ".db":  # that is what `run` names at its end
        raise BadInputError(
            f"{file}: these are the results; give the tournament's TOML file; if it has none, the "
            "same `lanista tournament run` or `lanista sprt` again prints the standings"
        )
    setup = load_file(file, plays=False)
    lost = isinstance(setup.database, Path) and not setup.database.exists()
    if lost and not may_be_lost:
        if any(setup.records.glob("*/*")):
            raise BadInputError(
                f"there is no {setup.database}, but there are records in {setup.records}; "
                f"rebuild it from them with `lanista tournament verify {file} --rebuild`"
            )
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
            from lanista.cli.tables import plain_text
            from lanista.cli.tournament_live import whole

            return plain_text(whole(table, head_to_head=head_to_head))
