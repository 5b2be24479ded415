"""Who waits for whom: rooms, seats asked for, parties that are complete (PROTOCOL.md 2).

Pure bookkeeping: no socket, no clock.
"""

from bisect import insort

import attrs
import trio

from lanista.arena.admission import Place
from lanista.match.connection import Connection
from lanista.rules.base import Ruleset
from lanista_protocol import ErrorCode, RemoteProtocolError

RoomKey = tuple[str, str | None]
"""Game and room; no room is a room of its own."""


@attrs.define(eq=False)
class Player:
    """A bot between its hello and the end of a match."""

    connection: Connection
    ruleset: Ruleset
    peer: str
    """Its address, for the log."""
    number: int = 0
    """By which an operator names it; each connection has another."""
    since: float = 0.0
    """When it said its hello, or when its last match was over, in seconds."""
    place: Place = attrs.field(factory=lambda: Place("", 0.0))
    """Its connection's."""
    sent_off: RemoteProtocolError | None = None
    """Why its connection is to be closed though it did nothing wrong; None: it isn't."""
    announced: bytes = b""
    """The last line that told it how many wait."""
    waiting: trio.CancelScope = attrs.field(factory=trio.CancelScope)
    """Around its wait in the lobby; cancelled when a match takes it."""
    released: trio.Event = attrs.field(factory=trio.Event)
    """Nobody reads from its connection any more: the match may."""
    over: trio.Event = attrs.field(factory=trio.Event)
    """Its match has ended, or won't be."""
    taken: bool = False
    """A match has taken it out of the lobby."""

    @property
    def name(self) -> str:
        """As it said."""
        assert self.connection.hello is not None
        return self.connection.hello.name

    @property
    def seat(self) -> int | None:
        """The seat it asked for."""
        assert self.connection.hello is not None
        return self.connection.hello.seat

    @property
    def room(self) -> RoomKey:
        """Where it waits."""
        assert self.connection.hello is not None
        return (self.ruleset.name, self.connection.hello.room)


@attrs.define
class Lobby:
    """All waiting players, by room, in order of their hellos."""

    _rooms: dict[RoomKey, list[Player]] = attrs.field(factory=dict)
    _complete: dict[RoomKey, None] = attrs.field(factory=dict)  # in order of their completion

    def join(self, player: Player) -> None:
        """Wait.

        Raises:
            RemoteProtocolError: `seat-taken`: another one waiting there asked for the same seat.
        """
        waiting = self._rooms.setdefault(player.room, [])
        if player.seat is not None and any(other.seat == player.seat for other in waiting):
            raise RemoteProtocolError(
                ErrorCode.SEAT_TAKEN, f"seat {player.seat} is taken by another bot waiting here"
            )
        insort(waiting, player, key=lambda other: other.since)
        if self.complete(player.room):
            self._complete.setdefault(player.room)

    def leave(self, player: Player) -> None:
        """Wait no more; nothing happens if it doesn't."""
        waiting = self._rooms.get(player.room, [])
        if player in waiting:
            waiting.remove(player)
        if not waiting:
            self._rooms.pop(player.room, None)
        if not self.complete(player.room):
            self._complete.pop(player.room, None)

    def waiting(self, room: RoomKey | None = None) -> tuple[Player, ...]:
        """Who waits in a room, or in all."""
        if room is not None:
            return tuple(self._rooms.get(room, ()))
        return tuple(player for waiting in self._rooms.values() for player in waiting)

    def rooms(self) -> tuple[RoomKey, ...]:
        """Where somebody waits."""
        return tuple(self._rooms)

    def complete(self, room: RoomKey) -> bool:
        """Whether a match could start there."""
        waiting = self._rooms.get(room, [])
        return bool(waiting) and len(waiting) >= waiting[0].ruleset.seats

    def complete_rooms(self) -> tuple[RoomKey, ...]:
        """The rooms where a match could start, the one that is complete for longest first."""
        return tuple(self._complete)

    def take(self, room: RoomKey) -> tuple[Player, ...]:
        """Take the players of a match out of a complete room, in order of seats.

        Seats asked for are given first, the others in order of hello.
        """
        waiting = self._rooms[room]
        seats = waiting[0].ruleset.seats
        chosen = waiting[:seats]
        for player in chosen:
            self.leave(player)
        self._complete.pop(room, None)
        if self.complete(room):
            self._complete[room] = None  # the next ones there queue behind the other rooms
        asked = {player.seat: player for player in chosen if player.seat is not None}
        others = iter([player for player in chosen if player.seat is None])
        return tuple(asked.get(seat) or next(others) for seat in range(seats))
