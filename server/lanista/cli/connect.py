"""`lanista connect`: a bot that speaks by stdin and stdout, on any arena."""

import os
import shutil

import click

from lanista.cli import BadInputError

EXIT_NO_CONNECTION = 1


@click.command("connect", context_settings={"allow_interspersed_args": False})
@click.option("--host", metavar="HOST", help="The arena's address; else LANISTA_HOST or 127.0.0.1.")
@click.option("--port", type=click.IntRange(1, 65535), help="Its port; else LANISTA_PORT or 7777.")
@click.option("--name", help="What to be called; else LANISTA_NAME, or by the command.")
@click.option("--game", help="The game wanted; else the arena's default.")
@click.option("--room", help="Meet only who names the same room.")
@click.option("--seat", type=click.IntRange(0, 9999), help="Ask for this seat, from 0.")
@click.option("--token", help="The secret of the name or seat; better by LANISTA_TOKEN.")
@click.option("--keep", is_flag=True, help="Stay for match after match.")
@click.option("--notes", is_flag=True, help="Be told of everything that is refused.")
@click.argument("words", metavar="-- COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
def command(
    *,
    host: str | None,
    port: int | None,
    name: str | None,
    game: str | None,
    room: str | None,
    seat: int | None,
    token: str | None,
    keep: bool,
    notes: bool,
    words: tuple[str, ...],
) -> int:
    """Run COMMAND as a bot: it reads the arena's lines on stdin and answers on stdout.

    Lanista says the hello. COMMAND gets all that the arena says from then on, and writes one line
    for each `go`. What it writes to stderr is kept with its next answer, in the match's record.

    Exit codes: COMMAND's own; 1 no arena could be reached, 2 bad input.
    """
    from lanista import bridge
    from lanista_protocol import RemoteProtocolError, parse_hello

    bridge.keep_standard_streams()
    if shutil.which(words[0]) is None:
        raise BadInputError(f"no program {words[0]!r} that could be run; behind -- goes the bot")
    if name is None:
        from lanista.hosting.names import name_of

        name = os.environ.get("LANISTA_NAME") or name_of(words)
    options: dict[str, object] = {
        "v": 1,
        "game": game,
        "room": room,
        "seat": seat,
        "token": token or os.environ.get("LANISTA_TOKEN") or None,
        "keep": 1 if keep else None,
        "notes": 1 if notes else None,
    }
    said = [f"{key}={value}" for key, value in options.items() if value is not None]
    if "=" in name or name != " ".join(name.split()):
        raise BadInputError(f"--name {name!r}: a name has single spaces between words, and no '='")
    for word in said:
        if " " in word:
            option, _, value = word.partition("=")
            shown = "…" if option == "token" else repr(value)
            raise BadInputError(f"--{option} {shown}: it must be one word")
    hello = " ".join([name, *said])
    try:
        parse_hello(hello)
    except RemoteProtocolError as error:
        raise BadInputError(error.message) from None
    try:
        code = bridge.run(words, hello, host or _host(), port or _port())
    except bridge.CannotConnectError as error:
        click.echo(f"lanista connect: {error}", err=True)
        return EXIT_NO_CONNECTION
    return bridge.end_as(code)


def _host() -> str:
    return os.environ.get("LANISTA_HOST") or "127.0.0.1"


def _port() -> int:
    text = os.environ.get("LANISTA_PORT") or "7777"
    if not (text.isascii() and text.isdecimal() and 0 < int(text) < 65536):
        raise BadInputError(f"LANISTA_PORT must be a port number, such as 7777, not {text!r}")
    return int(text)
