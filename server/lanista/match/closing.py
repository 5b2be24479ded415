"""The ends of a match's connections: what seats are sent last, and how each is closed."""

from collections.abc import Sequence

import trio

from lanista.games.outcome import Outcome, Termination
from lanista.match.connection import CLOSING_TIME, Connection
from lanista.match.encoder import Version1Encoder
from lanista.match.seat import Seat
from lanista_protocol import ErrorCode


def dismiss(nursery: trio.Nursery, playing: Sequence[Seat], notes: Sequence[bytes]) -> None:
    """Close the connections of the seats that aren't there since this turn, in the background.

    Those that went out are sent why; nothing is sent over a connection that is broken.

    Args:
        nursery: Where the connections are closed.
        playing: The seats that were in the match in this turn.
        notes: By seat, the notes on its answer.
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
    hello = seat.connection.hello
    assert hello is not None
    speaks_version1 = isinstance(seat.encoder, Version1Encoder)
    return hello.keep and speaks_version1 and outcome.termination is not Termination.ABORTED


async def end(connection: Connection, last: bytes, keeps: bool) -> None:
    """Send a bot its last bytes within CLOSING_TIME; close the connection, or keep it."""
    if not keeps:
        await connection.close(last)
    elif await connection.send(last, CLOSING_TIME):
        connection.session.end()
    else:
        await connection.close()
