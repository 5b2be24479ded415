"""One exchange with the bots: every seat is sent its turn, and its answer is awaited.

Nothing is judged here.
"""

from collections.abc import Iterable, Sequence

import trio

from lanista.match.seat import Seat
from lanista.match.stalls import StallMonitor


def hand_over(asked: Sequence[Seat], payloads: Sequence[bytes], limit: float) -> bool:
    """Ask each seat for its next answer, and hand it what it is sent before that, by seat.

    Every seat has `limit` seconds, and what is added for its way. Returns whether something is
    still to be sent, since a bot doesn't read.
    """
    # All are asked before any bytes go out, so that the hand-overs follow without delay.
    for seat in asked:
        seat.ask()
    is_blocked = False
    for seat in asked:
        if seat.present:
            is_blocked |= seat.hand_over(payloads[seat.index], limit)
    return is_blocked


async def collect(asked: Sequence[Seat], stalls: StallMonitor, *, is_blocked: bool) -> None:
    """Wait until each seat that was asked has answered, or has run out of time.

    `is_blocked` says whether `hand_over` left something to be sent.
    """
    if is_blocked:
        # A bot that doesn't read must not delay the others. Only in this case do the seats need
        # tasks of their own.
        async with trio.open_nursery() as nursery:
            for seat in asked:
                nursery.start_soon(_exchange_apart, seat)
        return
    is_shared = stalls.is_shared
    if is_shared:
        # Most answers come while the others have their turns. To wait for each costs more.
        await trio.lowlevel.checkpoint()
    unread = iter(asked)
    for seat in unread:
        # A scope and a pass of the event loop cost much of a turn, so only if they must.
        if not seat.look():
            await _wait_for(seat, unread, max([seat.deadline for seat in asked]))
            break
    else:
        if not is_shared:
            # Bots that always answer at once must not block the other tasks.
            await stalls.passes.share()
    for seat in asked:
        if not seat.settled:
            await seat.last_look()


async def _wait_for(seat: Seat, others: Iterable[Seat], deadline: float) -> None:
    """Wait for a seat that has just been looked at, then for the others; until the deadline."""
    with trio.CancelScope(deadline=deadline):
        await seat.connection.channel.wait_readable()
        await seat.answer()
        for other in others:
            await other.answer()


async def _exchange_apart(seat: Seat) -> None:
    if seat.blocked:
        await seat.hand_over_rest()
    with trio.CancelScope(deadline=seat.deadline):
        await seat.answer()
    if not seat.settled:
        await seat.last_look()
