"""Match files of the original games, made from records, for the commands that share this."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lanista.errors import BadInputError

if TYPE_CHECKING:
    from lanista.games.base import Ruleset
    from lanista.match.record import Record

OUT = -1
"""The status, in a match file, of a player who is out."""


def as_res(record: "Record", ruleset: "Ruleset") -> Iterator[str]:
    """Yield a record as its original game's match file, in parts.

    Raises:
        BadInputError: The game has no match files, or the record contradicts the rules.
    """
    from lanista.games.originals import of_game, printable_names
    from lanista.match.record import BadRecordError
    from lanista.match.replay import MismatchError, start, turns

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
        game = start(record, ruleset)
        yield from originals.write(
            game,
            turns(record, game),
            record.header.seed,
            printable_names([player.name for player in record.header.players]),
            lambda round_: _status(record, round_),
        )
    except (MismatchError, BadRecordError) as error:
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


def new_name(file: str, ending: str) -> Path:
    """Return the default output file: `file`'s name in the current folder, with another ending."""
    name = Path(file).name.removesuffix(".gz")
    return Path(Path(name).stem + ending)
