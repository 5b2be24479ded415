"""The lobby: bots that wait for opponents, by game and room (PROTOCOL.md 2).

This module only does the bookkeeping. It has no socket and no clock.
"""

from bisect import insort
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs
import trio

from lanista.arena.admission import Place
from lanista.errors import nearest
from lanista.games.base import Ruleset
from lanista.match.connection import Connection
from lanista_protocol import ErrorCode, Hello, RemoteProtocolError, bad_hello, shown

if TYPE_CHECKING:  # they import SQLAlchemy, which an arena without ladders needn't load
    from lanista.arena.ladder_room import LadderRoom
    from lanista.arena.names import LadderName

NO_NUMBER = 0
"""The number of a house bot or a person in a match, which haven't connected and can't be kicked."""
LADDERS_NAMED = 5
"""Number of ladders that are named at most to a bot whose room isn't one."""
RoomKey = tuple[str, str | None]
"""The name of a game, and that of a room or None. All bots that name no room share one."""


@attrs.frozen(eq=False)
class Member:
    """A bot's place on a ladder: the ladder, and the name that its hello has proved."""

    ladder: "LadderRoom"
    who: "LadderName"

    @property
    def key(self) -> tuple[str, str]:
        """The ladder's name and the key of the bot's; no two connected bots have the same."""
        return self.ladder.spec.name, self.who.key


@attrs.define(eq=False)
class Player:
    """A bot in the lobby or in a match: from its hello, or its last match, to its match's end."""

    connection: Connection
    ruleset: Ruleset
    peer: str
    """Its address and port, for the log."""
    number: int
    """The number of its connection, by which an operator refers to it."""
    place: Place
    member: Member | None = None
    """The ladder that it is on, and its name there; None in any other room."""
    sent_off: RemoteProtocolError | None = attrs.field(default=None, init=False)
    """The error with which its connection must be closed, by no fault of its own; usually None. A
    match that has taken it isn't played again then."""
    announced: bytes = attrs.field(default=b"", init=False)
    """The last `wait` line that it was sent."""
    waiting: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)
    """The scope of its wait in the lobby; cancelled when a match takes it."""
    released: trio.Event = attrs.field(factory=trio.Event, init=False)
    """Set when the lobby no longer reads from its connection, so that a match may."""
    seated: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)
    """The scope of its wait for the match's end; cancelled when another connection goes on with the
    match, which then doesn't use this one any more."""
    over: trio.Event = attrs.field(factory=trio.Event, init=False)
    """Set when its match has ended, or won't take place."""
    replaced: bool = attrs.field(default=False, init=False)
    """Whether a newer connection has taken over its name on the ladder."""

    def again(self, since: float) -> "Player":
        """Return the same bot as it waits for its next match, since a moment."""
        self.place.since, self.place.plays = since, False
        return attrs.evolve(self)  # resets the fields that aren't for `init`

    def take(self) -> None:
        """Give it to a match, which may read from its connection once it is `released`."""
        self.place.plays = True
        self.waiting.cancel()

    @property
    def taken(self) -> bool:
        """Whether a match has taken it out of the lobby."""
        return self.place.plays

    @property
    def is_registered(self) -> bool:
        """Whether its name is its own on a ladder."""
        return self.member is not None and self.member.who.is_registered

    @property
    def name(self) -> str:
        """The name that it gave in its hello; on a ladder, as it is registered."""
        if self.member is not None:
            return self.member.who.name
        return self.connection.greeting.name

    @property
    def seat(self) -> int | None:
        """The seat that it asked for; None if it takes any."""
        return self.connection.greeting.seat

    @property
    def room(self) -> RoomKey:
        """The room that it waits in."""
        if self.member is not None:
            return (self.ruleset.name, self.member.ladder.spec.name)
        return (self.ruleset.name, self.connection.greeting.room)


@attrs.define
class Lobby:
    """All waiting players, by room, in the order in which they began to wait."""

    _rooms: dict[RoomKey, list[Player]] = attrs.field(factory=dict)
    _complete: dict[RoomKey, None] = attrs.field(factory=dict)  # an ordered set: earliest first

    def join(self, player: Player) -> None:
        """Add a player to its room, or raise `seat-taken` if another one has asked for its seat."""
        waiting = self._rooms.setdefault(player.room, [])
        if player.seat is not None and any(other.seat == player.seat for other in waiting):
            raise RemoteProtocolError(
                ErrorCode.SEAT_TAKEN, f"seat {player.seat} is taken by another bot waiting here"
            )
        insort(waiting, player, key=lambda other: other.place.since)
        if player.member is not None:
            player.member.ladder.wait(player.member.who)
        if self.complete(player.room):
            self._complete.setdefault(player.room)

    def leave(self, player: Player) -> None:
        """Remove a player from its room; do nothing if it isn't there."""
        waiting = self._rooms.get(player.room, [])
        if player in waiting:
            waiting.remove(player)
            if player.member is not None and not player.taken:
                player.member.ladder.leave(player.member.who)
        if not waiting:
            self._rooms.pop(player.room, None)
        if not self.complete(player.room):
            self._complete.pop(player.room, None)

    def dismiss(self, player: Player, why: RemoteProtocolError) -> None:
        """Have the connection of a waiting player closed with an error."""
        player.sent_off = why
        player.waiting.cancel()
        self.leave(player)  # now, so that no match takes it before its task runs

    def waiting(self, room: RoomKey | None = None) -> tuple[Player, ...]:
        """Return the players who wait in a room; without a room, all players."""
        if room is not None:
            return tuple(self._rooms.get(room, ()))
        return tuple(player for waiting in self._rooms.values() for player in waiting)

    @property
    def rooms(self) -> Mapping[RoomKey, Sequence[Player]]:
        """The rooms in which players wait, with these in the order in which they began to."""
        return self._rooms

    def complete(self, room: RoomKey) -> bool:
        """Return whether a room has enough players for a match; never for one of a ladder."""
        waiting = self._rooms.get(room, [])
        return (
            bool(waiting) and waiting[0].member is None and len(waiting) >= waiting[0].ruleset.seats
        )

    def complete_rooms(self) -> tuple[RoomKey, ...]:
        """Return the rooms with enough players for a match, the longest complete first."""
        return tuple(self._complete)

    def take_named(self, room: RoomKey, names: Collection[str]) -> dict[str, Player]:
        """Remove the players of a ladder's match from its room, and return them by name."""
        chosen = {player.name: player for player in self.waiting(room) if player.name in names}
        for player in chosen.values():
            player.take()  # before it leaves: the ladder knows
            self.leave(player)
        return chosen

    def take(self, room: RoomKey) -> tuple[Player, ...]:
        """Remove the players of a match from a complete room, and return them by seat.

        Players who asked for a seat get it; the others get the rest in the order of `Place.since`.
        """
        waiting = self._rooms[room]
        seats = waiting[0].ruleset.seats
        chosen = waiting[:seats]
        for player in chosen:
            player.take()
            self.leave(player)
        self._complete.pop(room, None)
        if self.complete(room):
            self._complete[room] = None  # the next match there comes after those of other rooms
        asked = {player.seat: player for player in chosen if player.seat is not None}
        others = iter([player for player in chosen if player.seat is None])
        return tuple(asked.get(seat) or next(others) for seat in range(seats))


def ladder_of(hello: Hello, ladders: "Mapping[str, LadderRoom]") -> "LadderRoom | None":
    """Return the ladder that a hello asks for; None if it asks for another room.

    Raises:
        RemoteProtocolError: The ladder plays another game (`unknown-game`), or the hello asks for
            a seat (`bad-hello`).
    """
    if hello.room is not None:
        ladder = ladders.get(hello.room)
    else:
        ladder = None if hello.game is None else ladders.get(hello.game)
    if ladder is None:
        return None
    if hello.game not in {None, ladder.ruleset.name}:
        raise RemoteProtocolError(
            ErrorCode.UNKNOWN_GAME,
            f"game {shown(hello.game or '')}; the ladder {ladder.spec.name} plays "
            f"{ladder.ruleset.name}",
        )
    if hello.seat is not None:
        raise bad_hello(f"seat {hello.seat}; a ladder deals the seats, so leave it out")
    return ladder


def advice_on_room(hello: Hello, ruleset: Ruleset, ladders: "Mapping[str, LadderRoom]") -> str:
    """Return which ladder a bot may have meant whose room isn't one."""
    close = None if hello.room is None else nearest(hello.room, ladders)
    if close is not None:
        return f"did you mean {close!r}?"
    of_game = [name for name, ladder in ladders.items() if ladder.ruleset.name == ruleset.name]
    names = of_game or list(ladders)
    more = ", …" if len(names) > LADDERS_NAMED else ""
    what = f"the ladders of {ruleset.name}" if of_game else "the ladders here"
    return f"{what}: {', '.join(names[:LADDERS_NAMED])}{more}"
