"""Records written in the formats of the original games; no command, but what two of them share."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from lanista.cli import BadInputError

if TYPE_CHECKING:
    from lanista.match.record import Record
    from lanista.rules.base import Ruleset

OUT = -1
"""The status of a player who is out."""


def as_res(record: "Record", ruleset: "Ruleset") -> Iterator[str]:
    """A record as its original game's match file, in parts.

    Raises:
        BadInputError: The game has no such file, or the record doesn't fit the rules.
    """
    from lanista.formats.originals import of_game, printable_names
    from lanista.match.record import BadRecordError
    from lanista.match.replay import MismatchError, start, turns

    originals = of_game(ruleset.name)
    if originals is None:
        raise BadInputError(f"{ruleset.title} has no match files (.res); its matches are records")
    if "text" in originals.rules and not record.header.settings.get("original"):
        click.echo(
            f"note: played by the rules' text; the original {ruleset.title} "
            "can't explain its spells and battles (--set original=1 plays by the original's)",
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
    """By seat, 0, or -1 for who gives no orders in this round any more."""
    if round_ < len(record.turns):
        return [OUT if word == "out" else 0 for word in record.turns[round_].verdicts]
    last = record.turns[-1].verdicts if record.turns else ()
    return [OUT if word in {"out", "missing"} else 0 for word in last] or [0] * len(
        record.header.players
    )
