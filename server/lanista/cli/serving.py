"""Serving an arena and its page, as `lanista serve` and `lanista arena run` do."""

import contextlib
import resource
import tempfile
from bisect import bisect_right
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import click
import structlog
import trio

from lanista.arena.arena import Arena
from lanista.arena.operator import Operator
from lanista.arena.options import Options, files_needed, options_of, unchangeable, with_limits
from lanista.arena.server import Reread, serve
from lanista.arena.spec import NO_PAGE, ArenaSpec, read_spec, toml_of
from lanista.arena.tls import load
from lanista.bots.cgroup import use_cgroups
from lanista.cli.common import refused_option
from lanista.cli.logs import configure_log
from lanista.cli.web import PagePort, listening_text, shown_tournaments
from lanista.errors import BadInputError, SpecError, file_errors, placed
from lanista.page.connections import MAX_CONNECTIONS
from lanista.page.ladders import Ladders
from lanista.ranges import ValueOfKeyError
from lanista.system import make_folder

log = structlog.get_logger()


def run_file(file: Path, spec: ArenaSpec, given: Mapping[str, Any], *, print_config: bool) -> None:
    """Run the arena of a file, or print what it is to be.

    Options of `run` that were given, those that aren't None, hold instead of what the file says.
    """
    spec = _overridden(spec, given)
    if print_config:
        click.echo(toml_of(spec), nl=False)
        return
    with placed(f"{file}: "):
        if spec.tls is not None:
            load(file.parent / spec.tls.certificate, file.parent / spec.tls.key)
        options = options_of(spec, file)
    serve_arena(options, partial(_reread, file, spec, given))


def _overridden(spec: ArenaSpec, given: Mapping[str, Any]) -> ArenaSpec:
    changes = {option: value for option, value in given.items() if value is not None}
    web, data = changes.pop("web", None), changes.pop("data", None)
    if data is not None:
        changes["data"] = str(data.absolute())  # it isn't relative to the folder of the file
    try:
        if web is not None:
            changes["page"] = attrs.evolve(spec.page, listen=web)
        return attrs.evolve(spec, **changes)
    except ValueOfKeyError as error:
        raise refused_option(error) from None


def _reread(
    file: Path, begun_with: ArenaSpec, given: Mapping[str, Any], options: Options
) -> Options:
    """Return an arena's options with the limits that its file says now, however it was begun."""
    with contextlib.suppress(OSError):  # reading it says why it can't be read
        if file.is_fifo():  # opening it would wait for a writer, for ever
            raise SpecError(f"{file}: a named pipe, which can't be read again; give a file")
    spec = _overridden(read_spec(file), given)
    with placed(f"{file}: "):
        options_of(spec, file)
        for number, ladder in enumerate(spec.ladders, 1):
            # Imported only now, as it imports SQLAlchemy.
            from lanista.arena.ladder_room import look_up

            with placed(f"ladders[{number}]."):
                look_up(ladder, file.parent)
    with placed(f"{file}: max_connections: "):
        possible = allow_connections(attrs.evolve(spec, page=begun_with.page, tls=begun_with.tls))
    ahead = unchangeable(begun_with, spec)
    if ahead:
        log.warning("these keys take effect when the arena is restarted", keys=ahead)
    return with_limits(options, attrs.evolve(spec, max_connections=possible))


def serve_arena(options: Options, reread: Reread | None = None) -> None:
    """Serve an arena and its page until SIGINT or SIGTERM.

    At SIGHUP `reread` reads the arena's file again; it is None if there is no file.
    """
    page_spec = options.spec.page
    tournaments = [options.folder / file for file in page_spec.tournaments]
    shown = None  # an arena without any loads no database library
    if tournaments or options.spec.ladders:
        shown = shown_tournaments(tournaments)
    configure_log(options.spec.log_format)
    possible = allow_connections(options.spec)
    options = attrs.evolve(options, spec=attrs.evolve(options.spec, max_connections=possible))
    records = options.data.records
    with file_errors("can't write records to", records):
        options.data.make()
        make_folder(records)
        with tempfile.TemporaryFile(dir=records):  # fails if the folder isn't writable
            pass
    page = None
    if page_spec.listen != NO_PAGE:
        page = PagePort(
            page_spec.listen, shown, open_logs=page_spec.open_logs, embed=page_spec.embed
        )

    async def open_beside(arena: Arena, nursery: trio.Nursery) -> None:
        await nursery.start(Operator(arena).run)
        ladders = Ladders()
        if shown is not None:
            nursery.start_soon(shown.run)
            ladders = shown.ladders_of(arena)
        if ladders:
            nursery.start_soon(ladders.run)
        shown_at = None if page is None else await page.open_beside(arena, nursery, ladders)
        assert arena.connections.address is not None
        click.echo(f"Lanista listens on {listening_text(*arena.connections.address)}")
        if shown_at is not None:
            click.echo(f"page: {shown_at}")

    use_cgroups()  # before any process is started
    trio.run(serve, options, open_beside, reread)


def _open_files(spec: ArenaSpec, connections: int) -> int:
    """Return how many files an arena must be allowed to have open, with so many bots connected."""
    needed = files_needed(connections, has_tls=spec.tls is not None)
    return needed if spec.page.listen == NO_PAGE else needed + MAX_CONNECTIONS


def connections_allowed(spec: ArenaSpec) -> tuple[int, str]:
    """Return how many connections of bots the system's limit of open files allows.

    They are as many as wanted at most; the second value is the reason if they are fewer, else "".
    """
    wanted = spec.max_connections
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = _open_files(spec, wanted)
    if hard == resource.RLIM_INFINITY or hard >= needed:
        return wanted, ""
    possible = range(2, wanted)
    found = bisect_right(possible, hard, key=partial(_open_files, spec))
    if not found:
        remedy = "; allow more"
        if spec.page.listen != NO_PAGE:
            remedy = ", most of them for the page: allow more, or serve no page"
        raise BadInputError(
            f"the system allows {hard} open files (ulimit -Hn), and the arena needs "
            f"{_open_files(spec, 2)} at least{remedy}"
        )
    why = f"the system allows {hard} open files (ulimit -Hn), and {needed} would be needed"
    return possible[found - 1], why


def allow_connections(spec: ArenaSpec) -> int:
    """Raise this process's limit of open files, often 1024 at first, to what the system allows.

    If the bots of its user have more descriptors than that in transit, the kernel lets it send none
    to match workers (unix(7), ETOOMANYREFS); a bot's limit is lower. Return how many connections
    are possible; if the spec has more, the log says why not as many.
    """
    allowed, why = connections_allowed(spec)
    if why:
        log.warning(
            "fewer connections are possible", at_once=allowed, wanted=spec.max_connections, why=why
        )
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = _open_files(spec, allowed) if hard == resource.RLIM_INFINITY else hard
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    return allowed
