"""How a match ended for each of its bots, and a description of why.

This only looks at matches that are over. It decides neither who has won nor what counts.
"""

from collections import Counter

from lanista.bots import Exit
from lanista.match.ending import FAILURES, Ending
from lanista.match.runner import Match
from lanista.match.seat import Seat
from lanista.results.match_result import SeatResult


def failed(match: Match, seat: Seat) -> bool:
    """Return whether a bot didn't play until the end of a match that is over and counts."""
    return match.ending(seat.index)[0] in FAILURES


def seat_result(match: Match, seat: Seat, bot: str, exit_: Exit | None) -> SeatResult:
    """Return the result of one bot in a match.

    Args:
        match: A match that is over.
        seat: The bot's seat.
        bot: The bot's name in the spec.
        exit_: How its process ended; None while it runs.
    """
    outcome = match.outcome
    assert outcome is not None
    counts: Counter[str] = match.fault_counts[seat.index]
    ending, detail = match.ending(seat.index)
    if ending is Ending.DISCONNECT and exit_ is not None:
        if str(exit_) not in detail:
            detail = f"{detail}; its process {exit_}"
        if exit_.is_crash:
            ending = Ending.CRASH
    return SeatResult(
        bot=bot,
        rank=outcome.ranks[seat.index],
        score=outcome.scores[seat.index],
        ending=ending,
        words=" ".join(detail.split()),
        late=counts["late"],
        malformed=counts["malformed"],
        illegal=counts["illegal"],
    )
