"""Seats whose bots have lost their connections, until they come back or are out."""

from collections.abc import Sequence

import attrs
import trio

from lanista.match.connection import Connection
from lanista.match.record import RejoinInfo
from lanista.match.seat import Seat


class RejoinError(Exception):
    """A bot can't come back into a match; the message says why, for people."""


@attrs.define(eq=False)
class AbsentSeats:
    """The seats of a match that may be absent: waits for their bots, and seats these again."""

    seats: Sequence[Seat]
    """All seats of the match."""
    has_dialect: bool
    """Whether a bot whose hello has no version speaks a dialect."""
    possible: bool = attrs.field(init=False)
    """Whether any seat can be absent, which is decided at the match's beginning."""
    rejoined: dict[str, RejoinInfo] = attrs.field(init=False, factory=dict)
    """The seats whose bots came back in this turn, with what the record says about each."""
    # Set when an absent seat needs to be waited for no longer.
    _changed: trio.Event = attrs.field(init=False, factory=trio.Event)

    def __attrs_post_init__(self) -> None:
        self.possible = any(seat.may_rejoin for seat in self.seats)

    def rejoin(self, seat: Seat, connection: Connection) -> Connection | None:
        """Let a seat's bot go on over another connection, as `Match.rejoin` says."""
        if seat.is_awaited:
            seat.look()  # an answer that has come by now still counts
            seat.connection.channel.wake()  # for the task that waited for it
        if seat.gone is not None:
            raise RejoinError(f"its seat is out ({seat.gone}: {seat.gone_message})")
        if seat.kicked is not None:
            raise RejoinError(f"its seat is being removed ({seat.kicked})")
        if not seat.may_rejoin:
            raise RejoinError("in this match a bot can't come back to its seat")
        if connection.greeting.version is None and self.has_dialect:
            raise RejoinError("a bot can come back only if it speaks version 1 (v=1)")
        replaced = seat.replace(connection)
        self.wake()
        return replaced

    def wake(self) -> None:
        """Look again whether an absent seat is still to be waited for."""
        self._changed.set()

    def take_successors(self) -> list[Seat]:
        """Begin a turn: seat the bots that have come back, and return their seats."""
        self.rejoined = {}
        back = [seat for seat in self.seats if seat.successor is not None and seat.playing]
        for seat in back:
            seat.take_successor()
            seat.connection.session.start()
            seat.present = True
            self.rejoined[str(seat.index)] = RejoinInfo(notes=seat.connection.greeting.notes)
        return back

    async def wait(self, deadline: float) -> None:
        """Wait for the end of the turn's time if a seat is absent, unless its bot comes back.

        The turn of an absent seat lasts as long as that of one that is silent. So the late limit
        gives a bot the same time to come back however fast the others are, and it makes no
        difference to anybody whether the arena has noticed already that a connection is broken.

        Args:
            deadline: When the turn's time is over, on trio's clock.
        """
        if any(seat.missed for seat in self.seats):
            with trio.CancelScope(deadline=deadline):
                while any(seat.missed for seat in self.seats):
                    self._changed = trio.Event()
                    await self._changed.wait()
        for seat in self.seats:
            if seat.absent:
                seat.leave_if_kicked()

    def give_up(self) -> list[Seat]:
        """Put out the seats that are still absent when the match ends, and return them."""
        missed = [seat for seat in self.seats if seat.missed]
        for seat in missed:
            seat.lose("disconnected", f"{seat.why_absent}; it was not back at the match's end")
        return missed
