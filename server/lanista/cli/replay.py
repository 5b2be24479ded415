"""`lanista replay`: look at records and check them."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lanista.cli import EXIT_BAD_INPUT, BadInputError
from lanista.cli.common import fault_lines, printable

if TYPE_CHECKING:
    from lanista.match.record import Record
    from lanista.rules.base import Ruleset

EXIT_MISMATCH = 1


@click.group("replay")
def command() -> None:
    """Look at records of matches and check them."""


def _read(file: str) -> "tuple[Record, Ruleset]":
    from lanista.match.record import BadRecordError, read_record
    from lanista.rules import registry

    try:
        record = read_record(Path(file))
        return record, registry.get(record.header.game)
    except OSError as error:
        raise BadInputError(f"can't read {file}: {error.strerror}") from None
    except BadRecordError as error:
        raise BadInputError(str(error)) from None
    except registry.UnknownGameError as error:
        raise BadInputError(f"{file}: {error}") from None


@command.command("verify")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
def verify(files: tuple[str, ...]) -> int:
    """Play records again by the rules and compare every digest.

    Exit codes: 0 all agree, 1 one doesn't, 2 no record.
    """
    from lanista.match.record import BadRecordError
    from lanista.match.replay import MismatchError
    from lanista.match.replay import verify as verify_record

    code = 0
    for file in files:
        try:
            record, ruleset = _read(file)
            turns = verify_record(record, ruleset)
        except (BadRecordError, BadInputError) as error:
            # Told, and the other files are still looked at.
            words = str(error) if isinstance(error, BadInputError) else f"{file}: {error}"
            click.echo(f"lanista: {printable(words)}", err=True)
            code = EXIT_BAD_INPUT
            continue
        except MismatchError as error:
            click.echo(f"{file}: DIFFERS: {printable(str(error))}")
            code = max(code, EXIT_MISMATCH)
            continue
        whole = "" if record.result is not None else "; the match was cut off, there is no result"
        click.echo(f"{file}: verified {turns} turns{whole}")
    return code


@command.command("show")
@click.argument("file")
@click.option("--turn", type=click.IntRange(min=0), help="Draw the position after N moves alone.")
@click.option(
    "--delay",
    type=click.FloatRange(min=0),
    default=50.0,
    show_default=True,
    metavar="MS",
    help="Pause between moves.",
)
@click.option(
    "--size", type=click.IntRange(1, 6), default=2, show_default=True, help="Characters a cell."
)
def show(file: str, turn: int | None, delay: float, size: int) -> int:
    """Show a record: the match step by step in a terminal, else its last position; its result."""
    import trio
    from rich.console import Console

    from lanista.cli.live import LiveBoard
    from lanista.cli.view import BoardView, lacks_colours
    from lanista.match.record import BadRecordError
    from lanista.match.replay import MismatchError, positions

    record, ruleset = _read(file)
    names = [printable(player.name) for player in record.header.players]
    try:
        if turn is None and sys.stdout is not None and sys.stdout.isatty():

            async def run() -> None:
                for game in positions(record, ruleset):
                    await live.watch(game)

            with LiveBoard(names, size, delay / 1000) as live:
                trio.run(run)
        else:
            game = None
            for at, game in enumerate(positions(record, ruleset)):  # noqa: B007 - the last counts
                if at == turn:
                    break
            assert game is not None
            if turn is not None and game.turn < turn:
                raise BadInputError(f"{file}: no turn {turn}; the last one is {game.turn}")
            console = Console(highlight=False)
            view = BoardView(game.scene(), names, size, plain=lacks_colours(console))
            view.print(game.frame(), console)
    except MismatchError as error:
        click.echo(f"{file}: DIFFERS: {printable(str(error))}", err=True)
        return EXIT_MISMATCH
    except BadRecordError as error:
        raise BadInputError(f"{file}: {error}") from None
    _print_result(record)
    return 0


@command.command("export")
@click.argument("file")
@click.option(
    "--format", "format_", type=click.Choice(["res"]), required=True, help="The file's format."
)
@click.option("-o", "--output", metavar="FILE", help="Write it to FILE instead of printing it.")
def export(file: str, format_: str, output: str | None) -> None:  # noqa: ARG001 - one so far
    """Write a record of Hogwarts or Crematoria in the original game's format."""
    from lanista.cli.export import as_res

    record, ruleset = _read(file)
    text = "".join(as_res(record, ruleset))
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        Path(output).write_text(text, encoding="ascii")
    except OSError as error:
        raise BadInputError(f"can't write {output}: {error.strerror}") from None


def _print_result(record: "Record") -> None:
    header, result = record.header, record.result
    click.echo(
        f"{header.game}, match {printable(header.match)}, {printable(header.started)}, "
        f"seed {header.seed}"
    )
    if result is None:
        click.echo("no result: the arena ended before the match did")
        return
    click.echo(f"{printable(result.end)}: {printable(result.reason)}, {result.turns} turns")
    for seat, player in enumerate(header.players):
        click.echo(f"  {result.ranks[seat]}. {printable(player.name)}  score {result.scores[seat]}")
    for line in fault_lines([player.name for player in header.players], result):
        click.echo(line)
