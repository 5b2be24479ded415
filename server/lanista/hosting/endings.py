"""What a match was for each of its bots: how it ended for them, and why, in words.

Looks at a match that is over; decides neither who won nor what counts.
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
"""What a fault is that ended a match."""
_OF_CLOSED = {
    ErrorCode.TOO_MANY_SUBMOVES.value: Ending.ILLEGAL,
    "disconnected": Ending.DISCONNECT,
    "late": Ending.LATE,
}
"""What the reasons are for which a seat was put out; the others are all lines that are none."""


def failed(match: Match, seat: Seat) -> bool:
    """Whether a seat of a match that is over and counts didn't play until the end."""
    return seat.gone is not None or bool(_last_faults(match, seat))


def seat_result(match: Match, seat: Seat, bot: str, how: Exit | None) -> SeatResult:
    """A bot's part in a match.

    Args:
        match: It is over.
        seat: The bot's.
        bot: Its name in the spec.
        how: How its process ended; None while it runs.
    """
    outcome = match.outcome
    assert outcome is not None
    counts: Counter[str] = match.fault_counts[seat.index]
    ending, words = Ending.VOID, ""
    if outcome.termination is not Termination.VOID:
        ending, words = _ending(match, seat, how)
    return SeatResult(
        bot=bot,
        rank=outcome.ranks[seat.index],
        score=outcome.scores[seat.index],
        ending=ending,
        words=words,
        late=counts["late"],
        malformed=counts["malformed"],
        illegal=counts["illegal"],
    )


def _ending(match: Match, seat: Seat, how: Exit | None) -> tuple[Ending, str]:
    if seat.gone is not None:
        ending, words = _OF_CLOSED.get(seat.gone, Ending.MALFORMED), seat.gone_words
    else:
        faults = _last_faults(match, seat)
        if not faults:
            return Ending.NORMAL, ""
        ending, words = faults[-1]
    if ending is Ending.LATE and _is_mute(match, seat):
        ending = Ending.STALL
    if ending is Ending.DISCONNECT and how is not None:
        if str(how) not in words:
            words = f"{words}; its process {how}"
        if _crashed(how):
            ending = Ending.CRASH
    return ending, " ".join(words.split())


def _last_faults(match: Match, seat: Seat) -> Sequence[tuple[Ending, str]]:
    """The faults by which a seat lost a match that ended by a fault."""
    assert match.outcome is not None
    if match.outcome.termination is not Termination.FORFEIT:
        return ()
    result = match.result()
    return [
        (_OF_FAULT[fault.code], fault.words)
        for fault in result.faults
        if fault.seat == seat.index and fault.turn == result.turns - 1 and fault.code in _OF_FAULT
    ]


def _is_mute(match: Match, seat: Seat) -> bool:
    """Whether a late bot gave no answer at all, for as long as it was listened to."""
    if seat.arrived is not None or seat.connection.drained:
        return False
    session = seat.connection.session
    if seat.gone is None:  # one late turn was enough
        return session.owed > 0
    return session.owed >= min(match.spec.conditions.late_limit, max(seat.late_streak, 1))


def _crashed(how: Exit) -> bool:
    """Whether a process ended by a fault of its own."""
    return not how.by_arena and (how.code != 0 or how.limit is not None)
