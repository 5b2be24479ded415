"""`lanista explain`: checks a match file of an original game against the rules."""

import itertools
from collections.abc import Iterable

import click

from lanista.cli.common import Choice
from lanista.errors import BadInputError

EXIT_UNEXPLAINED = 1


@click.command("explain")
@click.argument("file")
@click.option(
    "--rules",
    type=Choice(["auto", "original", "text"]),
    default="auto",
    show_default=True,
    help="original: as its program played; text: as its rules text says; auto: either.",
)
@click.option(
    "--orders",
    metavar="FILE",
    help="Play the match again with its seed and the orders in FILE, and compare every byte.",
)
def command(file: str, rules: str, orders: str | None) -> int:
    """Check a match file (.res or .res.gz) of Hogwarts or Crematoria, round by round.

    Exit codes: 0 the rules explain the file, 1 they don't, 2 it can't be read.
    """
    from lanista.games.originals import FormatError, of_text

    text = _read(file)
    if text.startswith('{"lanista_record":'):
        raise BadInputError(
            f"{file} is a record: `lanista replay verify` checks it against the rules"
        )
    try:
        originals = of_text(text)
        if orders is not None:
            return _compare(text, originals.replay(text, _read(orders)))
        tried = originals.rules if rules == "auto" else (rules,)
        if rules != "auto" and rules not in originals.rules:
            raise BadInputError(f"--rules {rules}: {originals.game} has only the original's rules")
        explanations = [originals.explain(text, tried[0])]
        for other in tried[1:]:
            if explanations[-1].problem is not None:
                explanations.append(originals.explain(text, other))
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
    """Read a text file, compressed or not."""
    from lanista.page.files import read_unpacked

    try:
        return read_unpacked(file).decode("ascii")
    except UnicodeDecodeError as error:
        raise BadInputError(f"{file}: byte {error.start} isn't ASCII; not a match file") from None
