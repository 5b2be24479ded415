"""`lanista serve`: the arena to which bots connect."""

import resource
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from lanista.cli.common import (
    Choice,
    Finite,
    clock_of,
    clock_options,
    game_options,
    given_settings,
    setup_of,
)
from lanista.errors import BadInputError
from lanista.games import DEFAULT_GAME, registry
from lanista.games.base import Ruleset, complete_settings
from lanista.match.conditions import SHORTEST, MatchConditions

if TYPE_CHECKING:
    from lanista.arena.options import Options
    from lanista.arena.server import Reread
    from lanista.arena.spec import ArenaSpec, LadderSpec


@click.command("serve")
@click.option("--host", default="127.0.0.1", help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=7777,
    help="Port to listen on; 0 picks a free one.",
)
@click.option(
    "--game",
    show_default=f"that of the first ladder, else {DEFAULT_GAME}",
    help="The game for bots that don't name one.",
)
@click.option(
    "--ladder",
    "ladders",
    multiple=True,
    metavar="GAME[=NAME]",
    help="A ladder, on which bots are rated, with the game's house bots; named NAME, or after "
    "its game. May be repeated.",
)
@click.option(
    "--start",
    type=Choice(["auto", "manual"]),
    default="auto",
    help="Start each match when its players have connected, or when Enter is pressed.",
)
@click.option(
    "--matches",
    type=click.IntRange(min=1),
    metavar="N",
    show_default="no end",
    help="End after N matches.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False),
    default="lanista-data",
    metavar="DIR",
    help="Folder for records, with a folder for each day.",
)
@game_options
@clock_options
@click.option(
    "--web",
    metavar="HOST:PORT",
    show_default="127.0.0.1:8080, or a free port",
    help="Address of the page.",
)
@click.option("--no-web", is_flag=True, help="Serve no page.")
@click.option(
    "--open-logs",
    is_flag=True,
    help="Show bots' logs during the match to all viewers, not only to those on this machine.",
)
@click.option(
    "--tournament",
    "tournaments",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE|FOLDER",
    help="Show FILE's tournament, or all those in FOLDER, on the page, even while they are being "
    "played; may be repeated.",
)
@click.option(
    "--max-connections",
    type=click.IntRange(min=1),
    default=1000,
    metavar="N",
    help="Maximum number of connections at once; more are refused.",
)
@click.option(
    "--max-per-address",
    type=click.IntRange(min=1),
    metavar="N",
    show_default="100, on loopback no limit",
    help="Maximum number of connections from one address.",
)
@click.option(
    "--hello-timeout",
    type=Finite(min=SHORTEST),
    default=10.0,
    metavar="SECONDS",
    help="Time a bot has from connecting to its hello.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="Number of processes that play matches; 1 plays them in the arena's own process.",
)
@click.option(
    "--print-config",
    is_flag=True,
    help="Print these options as a file for `lanista arena run`, and exit.",
)
@click.option(
    "--log-format",
    type=Choice(["text", "json"]),
    default="text",
    help="Write each line of the log as key=value, or as a JSON object.",
)
def command(
    *,
    game: str | None,
    ladders: tuple[str, ...],
    start: str,
    matches: int | None,
    map_: str | None,
    sets: tuple[str, ...],
    move_limit: int | None,
    conditions: MatchConditions,
    web: str | None,
    no_web: bool,
    open_logs: bool,
    tournaments: tuple[Path, ...],
    log_format: str,
    print_config: bool,
    **keys: Any,
) -> int:
    """Serve matches to all bots that connect, until SIGINT or SIGTERM.

    The page shows the matches and takes commands; its address is printed. If it isn't on loopback,
    commands need the token in that address, which is LANISTA_WEB_TOKEN or a new one.

    Bots of any game can connect; --map, --set and --move-limit apply to the game of --game, and to
    its ladders.
    """
    from lanista.arena.options import Options
    from lanista.arena.spec import (
        NO_PAGE,
        Friendly,
        LogFormat,
        Page,
        Start,
        implied,
        toml_of,
    )
    from lanista.cli.web import address_of
    from lanista.toml_spec import ValueOfKeyError

    if no_web and (web is not None or open_logs or tournaments):
        raise BadInputError("--no-web: leave out --web, --open-logs and --tournament with it")
    if ladders and matches is not None:
        raise BadInputError("--matches and --ladder: give only one of them, as a ladder has no end")
    if web is not None:
        address_of(web)
    spec = implied(ladders)
    ruleset = registry.get(game or spec.default_game)
    settings, board = setup_of(ruleset, map_, sets, move_limit)
    rated = _as_given(spec.ladders, ruleset, settings, map_, conditions)
    try:
        page = Page(
            listen=NO_PAGE if no_web else web,
            open_logs=open_logs,
            tournaments=tuple(map(str, tournaments)),
        )
        friendly = Friendly(
            start=Start(start),
            matches=matches,
            map=map_,
            settings=given_settings(sets, move_limit),
            clock=clock_of(conditions),
        )
        spec = attrs.evolve(
            spec,
            game=ruleset.name,
            log_format=LogFormat(log_format),
            page=page,
            friendly=friendly,
            ladders=rated,
            **keys,
        )
    except ValueOfKeyError as error:
        raise BadInputError(f"--{error.key.replace('_', '-')}: {error}") from None
    if print_config:
        click.echo(toml_of(spec), nl=False)
        return 0
    return serve_arena(Options(spec=spec, default=ruleset, settings=settings, board=board))


def _as_given(
    ladders: "Sequence[LadderSpec]",
    ruleset: Ruleset,
    settings: Mapping[str, int],
    map_: str | None,
    conditions: MatchConditions,
) -> "tuple[LadderSpec, ...]":
    """Return ladders with the clock of the options, and those of a game with its settings too."""
    usual = complete_settings(ruleset, {})
    changed = {name: value for name, value in settings.items() if value != usual[name]}
    clock = clock_of(conditions)
    maps = () if map_ is None else (map_,)
    return tuple(
        attrs.evolve(ladder, clock=clock, settings=changed, maps=maps)
        if ladder.game == ruleset.name
        else attrs.evolve(ladder, clock=clock)
        for ladder in ladders
    )


def serve_arena(options: "Options", reread: "Reread | None" = None) -> int:
    """Serve an arena and its page until SIGINT or SIGTERM, and return the exit code.

    Args:
        options: The arena's options; fewer connections are accepted if the system allows no more.
        reread: Reads the arena's file again at SIGHUP; None if it has no file.
    """
    import trio

    from lanista.arena.arena import Arena
    from lanista.arena.operator import Operator
    from lanista.arena.server import serve
    from lanista.arena.spec import NO_PAGE
    from lanista.cli.logs import configure_log
    from lanista.cli.web import PagePort, listening_text, shown_tournaments
    from lanista.page.ladders import Ladders

    page_spec = options.spec.page
    has_page = page_spec.listen != NO_PAGE
    tournaments = [options.folder / file for file in page_spec.tournaments]
    shown = None  # an arena without any loads no database library
    if tournaments or options.spec.ladders:
        shown = shown_tournaments(tournaments)
    possible = allow_connections(options.spec, partial(click.echo, err=True))
    options = attrs.evolve(options, spec=attrs.evolve(options.spec, max_connections=possible))
    records = options.data.records
    try:
        options.data.make()
        records.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=records):  # fails if the folder isn't writable
            pass
    except OSError as error:
        raise BadInputError(f"can't write records to {records}: {error.strerror}") from None
    configure_log(options.spec.log_format)
    page = None
    if has_page:
        page = PagePort(
            page_spec.listen, shown, open_logs=page_spec.open_logs, embed=page_spec.embed
        )

    async def open_beside(arena: Arena, nursery: trio.Nursery) -> None:
        await nursery.start(Operator(arena).run)
        ladders = Ladders()
        if shown is not None:
            nursery.start_soon(shown.helpers.run)
            ladders = Ladders.of(arena, shown.helpers.ladder_table, shown.helpers.ladder_bots)
        if ladders:
            nursery.start_soon(ladders.run)
        if page is not None:
            await page.open_beside(arena, nursery, ladders)

    failures: list[OSError] = []

    def announce(host: str, port: int) -> None:
        try:
            click.echo(f"Lanista listens on {listening_text(host, port)}")
            if page is not None:
                click.echo(f"page: {page.announced}")
        except OSError as error:
            failures.append(error)
            raise

    try:
        trio.run(serve, options, announce, open_beside, reread)
    except ExceptionGroup:
        if not failures:
            raise
        raise failures[0] from None  # the arena's nursery wrapped it
    return 0


def _open_files(spec: "ArenaSpec", connections: int) -> int:
    """Return how many files an arena must be allowed to have open, with so many bots connected."""
    from lanista.arena.options import files_needed
    from lanista.arena.spec import NO_PAGE

    needed = files_needed(connections, has_tls=spec.tls is not None)
    if spec.page.listen == NO_PAGE:
        return needed
    from lanista.page.connections import MAX_CONNECTIONS

    return needed + MAX_CONNECTIONS


def connections_allowed(spec: "ArenaSpec") -> tuple[int, str]:
    """Return how many connections of bots the system allows by its limit of open files.

    Returns:
        The number, at most what the spec says; and if it is less, the reason, otherwise "".
    """
    wanted = spec.max_connections
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = _open_files(spec, wanted)
    if hard == resource.RLIM_INFINITY or hard >= needed:
        return wanted, ""
    possible = range(2, wanted)
    found = bisect_right(possible, hard, key=partial(_open_files, spec))
    if not found:
        raise BadInputError(
            f"the system allows {hard} open files (ulimit -Hn), and the arena needs "
            f"{_open_files(spec, 2)} at least, most of them for the page: allow more, or serve no "
            "page"
        )
    why = f"the system allows {hard} open files (ulimit -Hn), and {needed} would be needed"
    return possible[found - 1], why


def allow_connections(spec: "ArenaSpec", warn: Callable[[str], object]) -> int:
    """Raise this process's limit of open files, often 1024 at first, as connections need it.

    Args:
        spec: The arena.
        warn: Called with a line for the operator if the system doesn't allow so many.

    Returns:
        The number of connections of bots that the system allows, at most what the spec says.
    """
    allowed, why = connections_allowed(spec)
    if why:
        warn(f"{allowed} connections at once instead of {spec.max_connections}: {why}")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = hard if why else _open_files(spec, allowed)
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    return allowed
