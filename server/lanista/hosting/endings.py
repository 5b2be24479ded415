"""How a match ended for each of its bots, and a description of why.

This only looks at matches that are over. It decides neither who has won nor what counts.
"""

from collections import Counter
from collections.abc import Sequence

from lanista.bots import Exit
from lanista.match.ending import Ending
from lanista.match.runner import Match
from lanista.match.seat import Seat
from lanista.rules.outcome import Termination
from lanista.store.results import SeatResult
from lanista_protocol import ErrorCode

_OF_FAULT = {
    "late": Ending.LATE,
    "malformed": Ending.MALFORMED,
    "illegal": Ending.ILLEGAL,
    "disconnected": Ending.DISCONNECT,
}
"""Maps the code of a fault that ended a match to the bot's ending."""
_OF_CLOSED = {
    ErrorCode.TOO_MANY_SUBMOVES.value: Ending.ILLEGAL,
    "disconnected": Ending.DISCONNECT,
    "late": Ending.LATE,
}
"""Maps the code that closed a seat to the bot's ending; any other code counts as malformed."""


def failed(match: Match, seat: Seat) -> bool:
    """Return whether a bot didn't play until the end of a match that is over and counts."""
    return seat.gone is not None or bool(_last_faults(match, seat))


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
    ending, detail = Ending.VOID, ""
    if outcome.termination is not Termination.VOID:
        ending, detail = _ending(match, seat, exit_)
    return SeatResult(
        bot=bot,
        rank=outcome.ranks[seat.index],
        score=outcome.scores[seat.index],
        ending=ending,
        words=detail,
        late=counts["late"],
        malformed=counts["malformed"],
        illegal=counts["illegal"],
    )


def _ending(match: Match, seat: Seat, exit_: Exit | None) -> tuple[Ending, str]:
    if seat.gone is not None:
        ending, detail = _OF_CLOSED.get(seat.gone, Ending.MALFORMED), seat.gone_message
    else:
        faults = _last_faults(match, seat)
        if not faults:
            return Ending.NORMAL, ""
        ending, detail = faults[-1]
    if ending is Ending.LATE and _is_mute(match, seat):
        ending = Ending.NO_RESPONSE
    if ending is Ending.DISCONNECT and exit_ is not None:
        if str(exit_) not in detail:
            detail = f"{detail}; its process {exit_}"
        if exit_.is_crash:
            ending = Ending.CRASH
    return ending, " ".join(detail.split())


def _last_faults(match: Match, seat: Seat) -> Sequence[tuple[Ending, str]]:
    """Return the faults by which a bot lost the match, as endings with descriptions."""
    return [
        (_OF_FAULT[fault.code], fault.words)
        for fault in match.decisive_faults(seat.index)
        if fault.code in _OF_FAULT
    ]


def _is_mute(match: Match, seat: Seat) -> bool:
    """Return whether a late bot gave no answer at all in the turns for which it was late."""
    if seat.arrived is not None or seat.connection.drained:
        return False
    session = seat.connection.session
    if seat.gone is None:  # one late turn was enough
        return session.owed > 0
    return session.owed >= min(match.spec.conditions.late_limit, max(seat.late_streak, 1))
