"""`lanista replay`: look at records and check them."""

import itertools
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lanista.cli import EXIT_BAD_INPUT, BadInputError
from lanista.cli.common import fault_lines, printable

if TYPE_CHECKING:
    from lanista.daemon.feeder import Fed
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


@command.command("feed")
@click.option("--seat", type=click.IntRange(min=0), required=True, help="Whose place, from 0.")
@click.option(
    "--turn", type=click.IntRange(min=0), help="The last turn to give; else the seat's last."
)
@click.option(
    "--print",
    "prints",
    is_flag=True,
    help="Start nothing: print what the seat was told, as a stdio: bot reads it.",
)
@click.argument("file")
@click.argument("words", metavar="-- COMMAND...", nargs=-1, type=click.UNPROCESSED)
def feed(file: str, *, seat: int, turn: int | None, prints: bool, words: tuple[str, ...]) -> int:
    """Give a bot a recorded match again, up to a turn, with no clock.

    COMMAND runs in the foreground, so that it can be a debugger. Its bot is told what SEAT was told
    in the match, whatever it answers; its last answer is printed beside the recorded one. With a
    terminal it then runs on until it ends by itself.

    Exit codes: 0 it answered the turn, 1 it didn't, 2 bad input.
    """
    import trio

    from lanista.cli.common import bot_words
    from lanista.daemon.feeder import Feeder
    from lanista.match.feed import told
    from lanista.match.record import BadRecordError
    from lanista.match.replay import MismatchError, start

    record, ruleset = _read(file)
    try:
        start(record, ruleset)
    except BadRecordError as error:
        raise BadInputError(f"{file}: {error}") from None
    if not words and not prints:
        raise BadInputError("behind -- goes the command to start; --print needs none")
    if seat >= ruleset.seats:
        raise BadInputError(f"--seat {seat}; {ruleset.name} has seats 0 to {ruleset.seats - 1}")
    asked = sum(verdicts.verdicts[seat] != "out" for verdicts in record.turns)
    if not asked:
        raise BadInputError(f"{file}: seat {seat} was asked for no answer")
    last = asked - 1 if turn is None else turn
    if last >= asked:
        raise BadInputError(f"{file}: --turn {last}; the last that seat {seat} had is {asked - 1}")
    try:
        if prints:
            for data in itertools.islice(told(record, ruleset, seat), last + 1):
                click.echo(data, nl=False)
            return 0
        command_words = bot_words(ruleset.name, words)
        patient = sys.stdin is not None and sys.stdin.isatty()
        fed = trio.run(Feeder(record, ruleset, seat, last, command_words, patient).run)
    except OSError as error:
        raise BadInputError(f"can't start {words[0]!r}: {error.strerror}") from None
    except MismatchError as error:
        click.echo(f"{file}: DIFFERS: {printable(str(error))}", err=True)
        return EXIT_MISMATCH
    except BadRecordError as error:
        raise BadInputError(f"{file}: {error}") from None
    return _print_fed(record, seat, last, fed)


def _print_fed(record: "Record", seat: int, last: int, fed: "Fed") -> int:
    recorded = [turn.raw[seat] for turn in record.turns]
    other = [at for at, answer in enumerate(fed.answers) if answer != recorded[at]]
    if other:
        click.echo(
            f"it answered otherwise than in the match in {len(other)} turns, from {other[0]}"
        )
    if fed.trouble is not None:
        ended = "was ended" if fed.exit_code is None else f"exit code {fed.exit_code}"
        click.echo(f"turn {len(fed.answers)}: no answer: {printable(fed.trouble)} ({ended})")
        return EXIT_MISMATCH
    was = recorded[last]
    click.echo(f"turn {last}: {printable(fed.answers[last])!r}")
    click.echo("in the match: " + ("no answer" if was is None else repr(printable(was))))
    for fault in record.turns[last].faults:
        if fault.seat == seat:
            place = "" if fault.index is None else f", submove {fault.index}"
            click.echo(printable(f"  then{place}: {fault.code}: {fault.words}"))
    return 0


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
