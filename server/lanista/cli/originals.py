"""`lanista build` and `explain`, and match files: what the original games had."""

import itertools
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lanista.errors import BadInputError
from lanista.games.base import Ruleset

if TYPE_CHECKING:
    from lanista.match.record import Record

EXIT_UNEXPLAINED = 1
EXIT_REFUSED = 1  # by the compiler
OUT = -1
"""The status, in a match file, of a player who is out."""


def _print_include(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from lanista.bots.kit import INCLUDE

        click.echo(INCLUDE)
        ctx.exit()


@click.command("build")
@click.argument("source", metavar="AINAME.cc")
@click.option(
    "--game",
    metavar="GAME",
    help="hogwarts or crematoria; by default the one that it compiles for.",
)
@click.option("-o", "--output", metavar="FILE", show_default="./AINAME", help="The bot's file.")
@click.option(
    "--include",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_include,
    help="Print the folder of the headers, for compiling without this command.",
)
def build(source: str, game: str | None, output: str | None) -> int:
    """Compile AINAME.cc, an unchanged player of an original kit, into a bot.

    The compiler is $CXX, else g++, else clang++; $CXXFLAGS adds options.
    """
    from lanista.bots import kit
    from lanista.bots.command import shell_word
    from lanista.system import interrupted_by_signals

    if game is not None and game not in kit.GAMES:
        raise BadInputError(
            f"--game {game}: the games whose players are built are {' and '.join(kit.GAMES)}"
        )
    file = Path(source)
    try:
        with interrupted_by_signals():
            built = kit.build(file, Path(output or file.stem), game)
    except kit.CompileError as error:
        click.echo(f"{error.output}\nlanista: {error.hint}", err=True)
        return EXIT_REFUSED
    if built.warnings:
        click.echo(built.warnings, err=True)
    bot = shlex.quote(str(built.output if built.output.is_absolute() else f"./{built.output}"))
    # `play` takes a command line, which is quoted once more for the shell.
    played = f"lanista play {built.game} {shell_word(bot)} Demo Null Dummy"
    click.echo(f"{bot} plays {built.game}: {played}")
    return 0


@click.command("explain")
@click.argument("file")
@click.option(
    "--rules",
    type=click.Choice(["auto", "original", "text"]),
    default="auto",
    help="original: as its program played; text: as its rules text says; auto: either.",
)
@click.option(
    "--orders",
    metavar="FILE",
    help="Play the match again with its seed and the orders in FILE, and compare every byte.",
)
def explain(file: str, rules: str, orders: str | None) -> int:
    """Check a match file (.res or .res.gz) of Hogwarts or Crematoria, round by round.

    Exit codes: 0 the rules explain the file, 1 they don't, 2 it can't be read.
    """
    from lanista.games.base import FormatError
    from lanista.games.originals import of_text

    text = _read(file)
    if text.startswith('{"lanista_record":'):
        raise BadInputError(
            f"{file} is a record: `lanista replay verify` checks it against the rules"
        )
    try:
        originals = of_text(text)
        if orders is not None:
            log = _read(orders)
            try:
                originals.read_orders(log)
            except FormatError as error:
                raise BadInputError(f"{orders}: {error}") from None
            return _compare(text, originals.replay(text, log))
        tried = [*originals.rules] if rules == "auto" else [rules]
        if rules != "auto" and rules not in originals.rules:
            raise BadInputError(f"--rules {rules}: {originals.game} has only the original's rules")
        res = originals.read_res(text)
        explanations = [originals.explain(res, tried[0])]
        for other in tried[1:]:
            if explanations[-1].problem is not None:
                explanations.append(originals.explain(res, other))
    except FormatError as error:
        raise BadInputError(f"{file}: {error}") from None
    # Of several rules, those that explain the most rounds; the original's if they tie.
    best = max(explanations, key=lambda explanation: explanation.rounds)
    click.echo(f"explained {best.rounds} of {best.of} rounds ({best.rules})")
    if best.problem is None:
        return 0
    click.echo(best.problem)
    return EXIT_UNEXPLAINED


def _compare(text: str, parts: Iterable[str]) -> int:
    """Compare a match file with the match that its seed and orders give; return the exit code."""
    replayed = "".join(parts)
    if replayed == text:
        click.echo(f"identical: {len(text)} bytes, {text.count(chr(10))} lines")
        return 0
    pairs = itertools.zip_longest(text.split("\n"), replayed.split("\n"))
    for number, (theirs, ours) in enumerate(pairs, 1):
        if theirs != ours:
            click.echo(f"line {number} differs: the file has {theirs!r}, the rules give {ours!r}")
            break
    return EXIT_UNEXPLAINED


def _read(file: str) -> str:
    from lanista.page.replay_reader import read_unpacked

    try:
        return read_unpacked(Path(file)).decode("ascii")
    except UnicodeDecodeError as error:
        raise BadInputError(f"{file}: byte {error.start} isn't ASCII; not a match file") from None


def as_res(record: "Record", ruleset: Ruleset) -> Iterator[str]:
    """Yield a record as its original game's match file, in parts."""
    from lanista.games.base import BadSettingError, complete_settings
    from lanista.games.originals import of_game
    from lanista.match.record import BadRecordError
    from lanista.match.replay import MismatchError, played_turns, positions

    originals = of_game(ruleset.name)
    if originals is None:
        raise BadInputError(f"{ruleset.title} has no match files (.res); its matches are records")
    if "text" in originals.rules and not record.header.settings.get("original"):
        click.echo(
            f"note: this match follows the rules text; the original {ruleset.title} "
            "can't explain its spells and battles (--set original=1 plays by its rules)",
            err=True,
        )
    try:
        rounds = ruleset.max_turns(complete_settings(ruleset, record.header.settings))
        played = len(played_turns(record))
        if played < rounds:
            click.echo(
                f"note: the match ended after {played} of {rounds} rounds; a match file of so few "
                "isn't whole, and neither `lanista explain` nor `replay html` reads it",
                err=True,
            )
        yield from originals.write(
            positions(record, ruleset),
            record.header.seed,
            [player.name for player in record.header.players],
            lambda round_: _status(record, round_),
        )
    except (MismatchError, BadRecordError, BadSettingError) as error:
        raise BadInputError(f"the record doesn't fit the rules: {error}") from None


def _status(record: "Record", round_: int) -> Sequence[float]:
    """Return each seat's status in a round: 0, or `OUT` if it gives no more orders."""
    if round_ < len(record.turns):
        return [OUT if verdict == "out" else 0 for verdict in record.turns[round_].verdicts]
    if not record.turns:
        return [0] * len(record.header.players)
    last = record.turns[-1]
    return [
        OUT if verdict == "out" or (verdict == "missing" and not last.was_absent(seat)) else 0
        for seat, verdict in enumerate(last.verdicts)
    ]
