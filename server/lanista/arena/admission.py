"""Decides who may stay connected when there are fewer places than connections.

An address that holds many places gives them up for another that holds few: one peer can't keep
everybody else out. Pure bookkeeping: no socket, no clock.
"""

import ipaddress
import math
from collections.abc import Callable

import attrs

from lanista_protocol import ErrorCode, RemoteProtocolError

MAX_PER_ADDRESS = 100
"""Connections at once of one address, where nothing else was said: a class behind one router. Of
this machine's own addresses there may be as many as there are places."""
HELLO_GRACE = 1.0
"""Seconds for which a connection isn't taken for silent if its first bytes wait to be read."""
SILENT_PER_ADDRESS = 100
"""Connections of one address that may be without a hello at once; beyond, the oldest gives way."""


@attrs.define(eq=False)
class Place:
    """A connection's place."""

    host: str
    """The address that it counts for, as `address_of` gives it."""
    since: float
    """When it came, or began to wait, in seconds."""
    greeted: bool = False
    """Whether its hello was read."""
    plays: bool = False
    """Whether it has a seat in a match: then it keeps its place."""
    give_way: Callable[[RemoteProtocolError], None] = attrs.field(init=False)
    """Ends the connection with this error. Whoever holds the place sets it."""
    has_input: Callable[[], bool] = attrs.field(default=lambda: False)
    """Whether it has sent something that wasn't read yet."""

    def is_silent(self, now: float) -> bool:
        """Whether it has said no hello, and isn't just about to."""
        return not self.greeted and (now - self.since > HELLO_GRACE or not self.has_input())


@attrs.define
class Admission:
    """All places."""

    limit: int
    """Connections at once."""
    per_address: int | None = None
    """Connections at once of one address; None: MAX_PER_ADDRESS, and on loopback no such limit."""
    _places: dict[str, list[Place]] = attrs.field(factory=dict, init=False)  # by address
    _taken: int = attrs.field(default=0, init=False)

    def admit(self, host: str, now: float) -> Place:
        """Give a newcomer a place, if need be the one of another that then has to go.

        Raises:
            RemoteProtocolError: `server-full`: there is no place for it.
        """
        own = self._places.get(host, [])
        if len(own) >= self._most(host):
            silent = self._silent(host, now)
            if silent is None:
                raise _full(f"{len(own)} connections of {host} already; try again later")
            self._dismiss(silent, f"no hello yet, and {host} has as many connections as it may")
        elif sum(not place.greeted for place in own) >= SILENT_PER_ADDRESS:
            silent = self._silent(host, now)
            if silent is None:
                raise _full(f"{SILENT_PER_ADDRESS} connections of {host} say their hello just now")
            self._dismiss(silent, f"no hello yet, and {SILENT_PER_ADDRESS} of {host} said none")
        elif self._taken >= self.limit:
            self._dismiss(*self._giving_way(host, now))
        place = Place(host, now)
        self._places.setdefault(host, []).append(place)
        self._taken += 1
        return place

    def _most(self, host: str) -> float:
        if self.per_address is not None:
            return self.per_address
        return math.inf if is_loopback(host) else MAX_PER_ADDRESS

    def leave(self, place: Place) -> None:
        """Free a place; nothing happens if it is free already."""
        of_host = self._places.get(place.host, [])
        if place in of_host:
            of_host.remove(place)
            self._taken -= 1
            if not of_host:
                del self._places[place.host]

    def _dismiss(self, place: Place, why: str) -> None:
        self.leave(place)
        place.give_way(_full(f"{why}; try again later"))

    def _silent(self, host: str, now: float) -> Place | None:
        """The place of an address that has been silent for the longest, if one is."""
        places = self._places.get(host, [])
        return next((place for place in places if place.is_silent(now)), None)

    def _giving_way(self, host: str, now: float) -> tuple[Place, str]:
        """The place that a newcomer of this address gets when all are taken, and why that one."""
        own = len(self._places.get(host, []))
        # The address that gives one up still has as many as the newcomer's then.
        others = [places for places in self._places.values() if len(places) > own + 1]
        for places in sorted(others, key=len, reverse=True):
            waiting = [place for place in places if not place.plays]
            if waiting:
                place = min(waiting, key=lambda place: (place.greeted, place.since))
                return place, f"{place.host} has {len(places)} of {self.limit} places"
        # Bots say their hello at once: one that has said none for the longest has the least claim.
        silent = self._silent(host, now)
        if silent is not None:
            return silent, f"no hello yet, and all {self.limit} places are taken"
        raise _full(f"{self.limit} connections already; try again later")


def _full(words: str) -> RemoteProtocolError:
    return RemoteProtocolError(ErrorCode.SERVER_FULL, words)


def address_of(host: str) -> str:
    """The address that a peer's places count for: of IPv6 the network, which is one customer's."""
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
    """Whether an address can be reached from this machine alone."""
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
