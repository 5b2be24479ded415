"""`lanista serve`: the standing arena."""

import resource
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lanista.cli import BadInputError
from lanista.cli.common import SHORTEST, Finite, clock_options, game_options

if TYPE_CHECKING:
    from lanista.match.conditions import MatchConditions


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=7777,
    show_default=True,
    help="Port to listen on; 0 takes a free one.",
)
@click.option(
    "--game", default="angrymob", show_default=True, help="The game of bots that don't name one."
)
@click.option(
    "--start",
    type=click.Choice(["auto", "manual"]),
    default="auto",
    show_default=True,
    help="Start matches when the players are there, or wait for Enter before each.",
)
@click.option(
    "--matches",
    type=click.IntRange(min=1),
    metavar="N",
    help="End after N matches; without it the arena serves until it is stopped.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("lanista-data"),
    show_default=True,
    metavar="DIR",
    help="Where records go, by day.",
)
@game_options
@clock_options
@click.option(
    "--web",
    metavar="HOST:PORT",
    help="Where the page is  [default: 127.0.0.1:8080, or a free port]",
)
@click.option("--no-web", is_flag=True, help="No page.")
@click.option(
    "--open-logs",
    is_flag=True,
    help="Show what bots log while their match runs to all viewers, not only on loopback.",
)
@click.option(
    "--tournament",
    "tournaments",
    type=click.Path(dir_okay=False, path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Show the standings of FILE's tournament on the page, also while it is being played; "
    "may be given several times.",
)
@click.option(
    "--max-connections",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    metavar="N",
    help="Connections at once; more are refused.",
)
@click.option(
    "--max-per-address",
    type=click.IntRange(min=1),
    metavar="N",
    help="Connections at once of one address  [default: 100; on loopback, no such limit]",
)
@click.option(
    "--hello-timeout",
    type=Finite(min=SHORTEST),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Time a bot has from connecting to its hello.",
)
def command(
    *,
    host: str,
    port: int,
    game: str,
    start: str,
    matches: int | None,
    data: Path,
    map_: str | None,
    sets: tuple[str, ...],
    move_limit: int | None,
    conditions: "MatchConditions",
    web: str | None,
    no_web: bool,
    open_logs: bool,
    tournaments: tuple[Path, ...],
    max_connections: int,
    max_per_address: int | None,
    hello_timeout: float,
) -> int:
    """Serve matches to all bots that connect, until SIGINT or SIGTERM.

    The page shows and steers what goes on; its address is printed. Not on loopback, commands need
    the token in that address, which is LANISTA_WEB_TOKEN or a fresh one.

    Bots meet in rooms by game; --map, --set and --move-limit are for the game of --game.
    """
    import trio

    from lanista.arena.server import CannotListenError, Options, serve
    from lanista.cli.common import ruleset_named, setup_of
    from lanista.cli.logs import configure_log
    from lanista.cli.standings import StandingsProcess, looks_at
    from lanista.cli.web import PagePort

    if no_web and web is not None:
        raise BadInputError("--web and --no-web: say one of them")
    if no_web and open_logs:
        raise BadInputError("--open-logs and --no-web: say one of them, the page shows logs")
    if no_web and tournaments:
        raise BadInputError("--tournament and --no-web: say one of them, the page shows it")
    ruleset = ruleset_named(game)
    settings, board = setup_of(ruleset, map_, sets, move_limit)
    clerk = StandingsProcess()
    looks = looks_at(tournaments, clerk)
    viewers = 0
    if not no_web:
        from lanista.web.connections import MAX_CONNECTIONS

        viewers = MAX_CONNECTIONS
    options = Options(
        default=ruleset,
        host=host,
        port=port,
        data=data,
        conditions=conditions,
        settings=settings,
        board=board,
        manual=start == "manual",
        matches=matches,
        max_connections=_connections_possible(max_connections, viewers),
        max_per_address=max_per_address,
        hello_timeout=hello_timeout,
    )
    records = data / "records"
    try:
        # Closed to other users, if it is made here: what bots log and think is in it.
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        records.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=records):  # a folder that is there may still be closed
            pass
    except OSError as error:
        raise BadInputError(f"can't write records to {records}: {error.strerror}") from None
    configure_log()
    page = None if no_web else PagePort(web, looks, open_logs=open_logs)

    failures: list[OSError] = []

    def announce(host: str, port: int) -> None:
        shown = f"[{host}]" if ":" in host else host
        try:
            click.echo(f"Lanista listens on {shown}:{port}")
            if page is not None:
                click.echo(f"page: {page.announced}")
        except OSError as error:
            failures.append(error)
            raise

    try:
        if looks:
            clerk.start()
        trio.run(serve, options, announce, None if page is None else page.open_beside)
    except CannotListenError as error:
        raise BadInputError(str(error)) from None
    except ExceptionGroup:
        if not failures:
            raise
        raise failures[0] from None  # the arena's nursery wrapped it
    finally:
        clerk.close()
    return 0


def _connections_possible(wanted: int, viewers: int) -> int:
    """Raise the limit of open files for so many connections; return how many are possible.

    Often it allows but 1024 until it is asked for more.

    Raises:
        BadInputError: It doesn't allow enough for a single match.
    """
    from lanista.arena.server import files_needed

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = files_needed(wanted) + viewers
    if hard != resource.RLIM_INFINITY and hard < needed:
        possible = [n for n in range(2, wanted) if files_needed(n) + viewers <= hard]
        least = files_needed(2) + viewers
        if not possible:
            raise BadInputError(
                f"the system allows {hard} open files (ulimit -Hn), and the arena needs {least} "
                "at least, most of them for the page: allow more, or say --no-web"
            )
        click.echo(
            f"{possible[-1]} connections at once in place of {wanted}: the system allows {hard} "
            f"open files (ulimit -Hn), and {needed} would be needed",
            err=True,
        )
        wanted, needed = possible[-1], hard
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    return wanted
