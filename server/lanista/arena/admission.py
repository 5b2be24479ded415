"""Deciding which connections may stay when there are more of them than places.

Anybody may connect, and an arena has only so many file descriptors. A first-come-first-served limit
would let a single peer lock out all others by taking every place. So a newcomer may get the place
of a connection that has less claim to it, by the rules in docs/operating.md, "Limits on bots".

A bot that plays a match always keeps its place. A bot whose token is known to be right needs no
comparison, so it gets in while guessers of its address wait for theirs; and those that have waited
for long keep their turns, because the last one gives way.

Silent means that no hello was read, and that none is about to be: bots send their hello at once,
but in a crowd it may take a while until we read it. So a connection with unread input counts as
silent only after HELLO_GRACE.

This module only does the bookkeeping. It has no socket and no clock: times come from the caller.
"""

import ipaddress
import math
from collections.abc import Callable

import attrs

from lanista_protocol import ErrorCode, RemoteProtocolError

MAX_PER_ADDRESS = 100
"""Default maximum of simultaneous connections of one address: enough for a class behind one router.
This machine's own addresses have no maximum of their own."""
HELLO_GRACE = 1.0
"""Seconds for which a connection with unread input doesn't count as silent."""
SILENT_PER_ADDRESS = 100
"""Maximum number of simultaneous connections of one address that haven't sent a hello."""


@attrs.define(eq=False)
class Place:
    """The place of one connection."""

    host: str
    """The address that it counts for, from `address_of`."""
    since: float
    """The time at which it connected, said its hello or ended its last match, the latest of all."""
    greeted: bool = False
    is_proving: bool = False
    """Whether it waits until the token in its hello has been checked."""
    plays: bool = False
    """Whether a match has taken it out of the lobby, so that it keeps its place."""
    give_way: Callable[[RemoteProtocolError], None] = attrs.field(init=False)
    """Ends the connection with the given error; set by whoever holds the place."""
    has_input: Callable[[], bool] = attrs.field(default=lambda: False)
    """Returns whether the connection has sent something that wasn't read yet."""

    def is_silent(self, now: float) -> bool:
        """Return whether it has sent no hello, and none is about to be read."""
        return not self.greeted and (now - self.since > HELLO_GRACE or not self.has_input())


@attrs.define
class Admission:
    """All places of an arena."""

    limit: int
    """Maximum number of simultaneous connections."""
    per_address: int | None = None
    """Maximum number of simultaneous connections of one address; None for MAX_PER_ADDRESS, or no
    limit for loopback addresses."""
    _places: dict[str, list[Place]] = attrs.field(factory=dict, init=False)  # by address
    taken: int = attrs.field(default=0, init=False)

    def admit(self, host: str, now: float) -> Place:
        """Give a newcomer a place, if necessary that of another connection, which is closed.

        Raises:
            RemoteProtocolError: There is no place for it (`server-full`).
        """
        own = self._places.get(host, [])
        if len(own) >= self._most(host):
            self._free(self._least(host, now), f"already {len(own)} connections from {host}")
        elif sum(not place.greeted for place in own) >= SILENT_PER_ADDRESS:
            full = f"already {SILENT_PER_ADDRESS} connections from {host} without a hello"
            self._free(self._silent(host, now), full)
        elif self.taken >= self.limit:
            place = self._of_crowd(host) or self._least(host, now)
            self._free(place, f"already {self.limit} connections")
        place = Place(host, now)
        self._places.setdefault(host, []).append(place)
        self.taken += 1
        return place

    def _most(self, host: str) -> float:
        if self.per_address is not None:
            return self.per_address
        return math.inf if is_loopback(host) else MAX_PER_ADDRESS

    def leave(self, place: Place) -> None:
        """Free a place; do nothing if it is free already."""
        of_host = self._places.get(place.host, [])
        if place in of_host:
            of_host.remove(place)
            self.taken -= 1
            if not of_host:
                del self._places[place.host]

    def _free(self, place: Place | None, full: str) -> None:
        """Free a place for a newcomer; without one, refuse the newcomer for the same reason."""
        error = RemoteProtocolError(ErrorCode.SERVER_FULL, f"{full}; try again later")
        if place is None:
            raise error
        self.leave(place)
        place.give_way(error)

    def _silent(self, host: str, now: float) -> Place | None:
        """Return the place of an address that has been silent for the longest; None if none is."""
        places = self._places.get(host, [])
        return next((place for place in places if place.is_silent(now)), None)

    def _least(self, host: str, now: float) -> Place | None:
        """Return the place of an address with the least claim; None if all have one."""
        places = reversed(self._places.get(host, []))
        unproved = (place for place in places if place.is_proving)
        return self._silent(host, now) or next(unproved, None)

    def _of_crowd(self, host: str) -> Place | None:
        """Return the place that a more crowded address gives up for a newcomer; None if none."""
        own = len(self._places.get(host, []))
        others = [places for places in self._places.values() if len(places) > own + 1]
        for places in sorted(others, key=len, reverse=True):
            waiting = [place for place in places if not place.plays]
            if waiting:
                return min(waiting, key=lambda place: (place.greeted, place.since))
        return None


def address_of(host: str) -> str:
    """Return the address that a peer's places count for; for IPv6, its /64 network."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        if not address.is_loopback:
            return str(ipaddress.ip_network((int(address), 64), strict=False))
    return str(address)


def is_loopback(address: str) -> bool:
    """Return whether an address can be reached only from this machine."""
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
