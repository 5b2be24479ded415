"""`lanista connect`: runs a program that uses stdin and stdout as a bot on an arena."""

import os
import shutil
from functools import partial
from typing import TYPE_CHECKING

import click

from lanista.errors import BadInputError

if TYPE_CHECKING:
    from socket import socket
    from ssl import SSLContext

EXIT_NO_CONNECTION = 1


@click.command("connect", context_settings={"allow_interspersed_args": False})
@click.option(
    "--host",
    metavar="HOST",
    envvar="LANISTA_HOST",
    show_envvar=True,
    default="127.0.0.1",
    help="The arena's address.",
)
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    envvar="LANISTA_PORT",
    show_envvar=True,
    default=7777,
    help="The arena's port.",
)
@click.option(
    "--name",
    envvar="LANISTA_NAME",
    show_default="LANISTA_NAME, or COMMAND's name",
    help="The bot's name.",
)
@click.option("--game", show_default="the arena's", help="The game to play.")
@click.option("--room", help="Play only against bots that name the same room.")
@click.option("--seat", type=click.IntRange(0, 9999), help="The seat to play on, from 0.")
@click.option(
    "--token",
    envvar="LANISTA_TOKEN",
    help="The secret for the name or seat; LANISTA_TOKEN keeps it off the command line.",
)
@click.option(
    "--tls",
    is_flag=True,
    show_default="LANISTA_TLS=1",
    help="Connect by TLS, and verify the arena's certificate and name.",
)
@click.option(
    "--tls-ca",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    show_default="LANISTA_TLS_CA, or the system's",
    help="Certificates to trust, in PEM.",
)
@click.option("--keep", is_flag=True, help="Stay connected for further matches.")
@click.option("--notes", is_flag=True, help="Ask the arena for a note on everything it refuses.")
@click.argument("argv", metavar="-- COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
def command(
    *,
    host: str,
    port: int,
    name: str | None,
    game: str | None,
    room: str | None,
    seat: int | None,
    token: str | None,
    tls: bool,
    tls_ca: str | None,
    keep: bool,
    notes: bool,
    argv: tuple[str, ...],
) -> int:
    """Run COMMAND as a bot: it reads the arena's lines on stdin and answers on stdout.

    Lanista sends the hello. COMMAND gets every line that the arena sends after that, and writes
    one line for each `go`. What it writes to stderr is kept in the match's record, with its next
    answer.

    Exit codes: COMMAND's own; 1 the arena can't be reached, has refused the bot or put it out; 2
    bad input.
    """
    from lanista.bots import bridge
    from lanista.hosting.names import checked_name, name_of, why_not_run
    from lanista_client.console import address, is_quiet, no_arena, tell_waiting
    from lanista_protocol import option_fault

    if shutil.which(argv[0]) is None:
        raise BadInputError(why_not_run(argv[0]))
    values: dict[str, object] = {
        "v": 1,
        "game": game,
        "room": room,
        "seat": seat,
        "token": token or None,
        "keep": 1 if keep else None,
        "notes": 1 if notes else None,
    }
    options = {key: str(value) for key, value in values.items() if value is not None}
    for key, text in options.items():
        if (expected := option_fault(key, text)) is not None:
            shown = "" if key == "token" else f" {text!r}"
            raise BadInputError(f"--{key}{shown}: it must be {expected}")
    words = [f"{key}={text}" for key, text in options.items()]
    hello = " ".join([checked_name(name or name_of(argv)), *words])
    context = _tls_context(tls, tls_ca)
    secure = None if context is None else partial(_secured, context=context, host=host, port=port)
    tell = None
    if not is_quiet(os.environ.get("LANISTA_QUIET")):
        tell = partial(tell_waiting, address(host, port), hello)
    try:
        code = bridge.run(argv, hello, host, port, secure=secure, tell_waiting=tell)
    except bridge.CannotConnectError as error:
        why = str(error)
        if isinstance(error, bridge.NoArenaError):
            why = no_arena(host, port, error.reason)
        click.echo(f"lanista connect: {why}", err=True)
        return EXIT_NO_CONNECTION
    return bridge.end_as(code)


def _tls_context(tls: bool, tls_ca: str | None) -> "SSLContext | None":
    """Return how certificates are checked; None for plain text."""
    if not (tls or tls_ca or os.environ.get("LANISTA_TLS")):
        return None
    from lanista_client.tls import context_of, is_wanted

    try:
        if tls or is_wanted(os.environ):
            file = tls_ca or os.environ.get("LANISTA_TLS_CA") or None
            return context_of(file, "--tls-ca" if tls_ca else "LANISTA_TLS_CA")
    except ValueError as error:
        raise BadInputError(str(error)) from None
    if tls_ca:
        raise BadInputError("--tls-ca is of no use without TLS: add --tls")
    return None


def _secured(plain: "socket", *, context: "SSLContext", host: str, port: int) -> "socket":
    from lanista.bots import bridge
    from lanista_client.console import address
    from lanista_client.tls import TlsError, secured

    try:
        return secured(plain, context, host)
    except TlsError as error:
        raise bridge.CannotConnectError(f"no TLS with {address(host, port)}: {error}") from None
