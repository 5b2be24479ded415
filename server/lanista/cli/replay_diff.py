"""The output of `lanista replay diff`: the first difference between two records."""

from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from lanista.match.record import Header
from lanista.page.difference import Difference, SeatAnswer, SeatDifference


def difference_lines(difference: Difference, files: Sequence[str], a: Header) -> Iterator[str]:
    """Yield a difference as lines for people.

    Args:
        difference: The difference.
        files: The names of the two records, A and B.
        a: The header of A.
    """
    yield f"A: {files[0]}"
    yield f"B: {files[1]}"
    if difference.start:
        yield "They begin differently:"
        yield from _indented(difference.start)
    if not difference.is_comparable:
        yield "So the turns of these matches can't be compared."
        return
    if difference.turn is None:
        same = min(difference.turns)
        if difference.end:
            yield f"The same answers in the {same} turns that both have. They end differently:"
            yield from _indented(difference.end)
        else:
            yield f"No difference: the same answers in all {same} turns, and the same result."
        return
    yield f"First difference: turn {difference.turn}."
    for seat in difference.seats:
        yield from _seat_lines(seat, a.players[seat.seat].name)
    if difference.position_turn is None:
        yield (
            "The position after it is the same, and so are all others in the "
            f"{min(difference.turns)} turns that both have."
        )
        return
    if difference.position_turn > difference.turn + 1:
        yield (
            "The position after it is the same; positions differ from "
            f"that after turn {difference.position_turn - 1} on:"
        )
    else:
        yield f"The position after turn {difference.turn} differs:"
    yield from _indented(difference.position)


def _seat_lines(difference: SeatDifference, name: str) -> Iterator[str]:
    yield f"  seat {difference.seat} ({name} in A) answered differently:"
    for side, answer in (("A", difference.a), ("B", difference.b)):
        yield f"    {side}: {_verdict_words(answer)}"
        yield from (f"      only in {side}: {submove}" for submove in answer.submoves)
        yield from (f"      {fault}" for fault in answer.faults)
    if difference.note is not None:
        yield f"    {difference.note}"


def _verdict_words(answer: SeatAnswer) -> str:
    sent = "no answer" if answer.raw is None else answer.raw
    return sent if answer.verdict == "answer" else f"{answer.verdict}: {sent}"


def _indented(lines: Sequence[str]) -> Iterator[str]:
    yield from (f"  {line}" for line in lines)


def difference_json(difference: Difference) -> dict[str, Any]:
    """Return a difference as JSON (docs/cli.md)."""
    return {"differs": difference.found, **attrs.asdict(difference)}
