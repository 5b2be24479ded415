"""`lanista arena name`: the names that are registered on an arena's ladders."""

import sys

import click

from lanista.cli import Group
from lanista.cli.arena_file import ArenaFile, arena_argument
from lanista.cli.common import minute_text
from lanista.errors import BadInputError

MAX_TOKEN_LINE = 1000
"""Number of characters of standard input that are read for a token."""

_token_stdin = click.option(
    "--token-stdin",
    is_flag=True,
    help="Read the token from standard input instead of making a new one.",
)


@click.group("name", cls=Group)
def command() -> None:
    """Register, remove and list the names on the ladders of an arena, running or not.

    A running arena applies each change at once.
    """


@command.command("add")
@arena_argument
@click.argument("name")
@_token_stdin
def add(arena: ArenaFile, name: str, *, token_stdin: bool) -> int:
    """Register NAME, and print its token, which is shown only this once."""
    from lanista.arena.decisions import add_name

    token = _given_token() if token_stdin else None
    _refuse_house_bot(arena, name)
    with arena.changing_names() as store:
        made = add_name(store, name, token)
    if token is None:
        click.echo(made)
    return 0


@command.command("reset")
@arena_argument
@click.argument("name")
@_token_stdin
def reset(arena: ArenaFile, name: str, *, token_stdin: bool) -> int:
    """Give NAME a new token in place of its old one, and print it; it is shown only this once.

    A bot that is using the old one is disconnected.
    """
    from lanista.arena.decisions import reset_token

    token = _given_token() if token_stdin else None
    with arena.changing_names() as store:
        made = reset_token(store, name, token)
    if token is None:
        click.echo(made)
    return 0


@command.command("remove")
@arena_argument
@click.argument("name")
def remove(arena: ArenaFile, name: str) -> int:
    """Remove NAME, which anyone may then register again if registration is open.

    A bot that is using it is disconnected. Its matches stay, and still count; `lanista
    arena strike` takes them out.
    """
    from lanista.arena.decisions import remove_name

    with arena.changing_names() as store:
        remove_name(store, name)
    return 0


@command.command("list")
@arena_argument
def list_(arena: ArenaFile) -> int:
    """List the registered names: when and by whom each was registered, and when last seen."""
    from lanista.cli.tables import listing, show
    from lanista.results.names import NameStore

    with arena.database() as database:
        store = NameStore(database)
        names = store.names()
        ladders: dict[str, list[str]] = {}
        for benched in store.benched():
            ladders.setdefault(benched.key, []).append(benched.ladder or "on all ladders")
    rows = [
        (
            name.name,
            minute_text(name.registered),
            name.registrar.value,
            "" if name.seen is None else minute_text(name.seen),
            ", ".join(ladders.get(name.key, [])),
        )
        for name in names
    ]
    show(listing(("name", "registered", "by", "last seen", "benched"), rows))
    return 0


def _refuse_house_bot(arena: ArenaFile, name: str) -> None:
    """Raise an error if a name is that of a house bot, since the arena keeps those to itself."""
    from lanista.arena.ladder_room import house_contestants
    from lanista.toml_spec import placed

    for number, ladder in enumerate(arena.spec.ladders, 1):
        with placed(f"{arena.path}: ladders[{number}]."):
            house = [bot.name for bot in house_contestants(ladder, arena.path.parent)]
        if name.casefold() in map(str.casefold, house):
            raise BadInputError(
                f"{name!r} is the name of a house bot of the ladder {ladder.name}; "
                "choose another name"
            )


def _given_token() -> str:
    """Return the token that standard input has, without the end of its line."""
    return sys.stdin.read(MAX_TOKEN_LINE).removesuffix("\n").removesuffix("\r")
