"""The end of a match for its seats: how it ended for each, why, and what is sent last."""

from collections.abc import Sequence

import trio

from lanista.games.outcome import Ending, Outcome, Termination
from lanista.match.bundle import Exchange, Failure
from lanista.match.connection import CLOSING_TIME, Connection
from lanista.match.encoder import Version1Encoder
from lanista.match.record import FaultInfo
from lanista.match.seat import Seat
from lanista_protocol import ErrorCode


def dismiss(nursery: trio.Nursery, playing: Sequence[Seat], notes: Sequence[bytes]) -> None:
    """Close the connections of the seats that aren't there since this turn, in the background.

    Those that went out are sent the notes on their answers, by seat, and why; nothing is sent over
    a connection that is broken. `playing` are the seats that were in the match in this turn.
    """
    for seat in playing:
        if seat.present:
            continue
        if not seat.playing and seat.successor is not None:
            seat.take_successor()  # where its bot can still read why
        if seat.dismissed:
            continue
        seat.dismissed = True
        if seat.playing:
            # This connection, even if the task begins when the seat has another.
            nursery.start_soon(seat.connection.close)
        else:
            nursery.start_soon(send_away, seat, notes[seat.index])


async def send_away(seat: Seat, notes: bytes = b"") -> None:
    """Close the connection of a seat, and send it first why it is out."""
    code = next((c for c in ErrorCode if c.value == seat.gone), None)
    error = b"" if code is None else seat.encoder.error(code, seat.gone_message)
    await seat.connection.close(notes + error)


def stays(seat: Seat, outcome: Outcome) -> bool:
    """Return whether a seat's bot keeps its connection after a match, for the next one."""
    is_over = outcome.termination is not Termination.ABORTED
    return seat.connection.greeting.keep and is_over and isinstance(seat.encoder, Version1Encoder)


async def end(connection: Connection, last: memoryview) -> None:
    """Send a bot its last bytes within CLOSING_TIME, and keep the connection if that succeeds."""
    if await connection.send(last, CLOSING_TIME):
        connection.session.end()
    else:
        await connection.close()


_ENDINGS = {
    "late": Ending.LATE,
    "malformed": Ending.MALFORMED,
    "illegal": Ending.ILLEGAL,
    ErrorCode.TOO_MANY_SUBMOVES.value: Ending.ILLEGAL,
    "disconnected": Ending.DISCONNECT,
    ErrorCode.REPLACED.value: Ending.DISCONNECT,
}
"""Maps the code of a fault, or of what closed a seat, to the bot's ending; all other codes that
close a seat count as malformed."""
REASONS_KEPT = 100
"""How many faults a failure names as its reasons."""


def seat_ending(seat: Seat, decisive: Sequence[FaultInfo], late_limit: int) -> tuple[Ending, str]:
    """Return how a match that counts ended for a seat, and why: empty for `Ending.NORMAL`.

    `decisive` are the seat's faults by which the match ended, if it did so by a forfeit.
    """
    if seat.gone is not None:
        ending, detail = _ENDINGS.get(seat.gone, Ending.MALFORMED), seat.gone_message
    else:
        faults = [fault for fault in decisive if fault.code in _ENDINGS]
        if not faults:
            return Ending.NORMAL, ""
        ending, detail = _ENDINGS[faults[-1].code], faults[-1].words
    if ending is Ending.LATE and _is_mute(seat, late_limit):
        ending = Ending.NO_RESPONSE
    return ending, detail


def _is_mute(seat: Seat, late_limit: int) -> bool:
    """Return whether a late bot gave no answer at all in the turns for which it was late."""
    if seat.arrived is not None or seat.connection.drained:
        return False
    session = seat.connection.session
    if seat.gone is None:  # one late turn was enough
        return session.owed > 0
    return session.owed >= min(late_limit, max(seat.late_streak, 1))


def seat_failure(seat: Seat, decisive: Sequence[FaultInfo]) -> Failure:
    """Return a seat's failure, for a bundle: why it is out, or else its faults that decided.

    There are no reasons if it neither went out nor ended the match.
    """
    if seat.gone is not None:
        reasons = [f"{seat.gone}: {seat.gone_message}"]
    else:
        reasons = [
            f"{fault.place}: {fault.code}: {fault.words}" for fault in decisive[-REASONS_KEPT:]
        ]
    turns = tuple(Exchange(*values) for values in seat.last_turns)
    return Failure(seat=seat.index, name=seat.name, reasons=tuple(reasons), turns=turns)
