"""Who waits for whom (PROTOCOL.md 2): pure bookkeeping, no socket."""

import pytest

from lanista.arena.admission import Place
from lanista.arena.lobby import Lobby, Player
from lanista.games.angrymob.ruleset import RULESET
from lanista.match.connection import Connection
from lanista_protocol import ErrorCode, RemoteProtocolError, parse_hello

NO_ROOM = ("angrymob", None)


@pytest.fixture
def lobby():
    return Lobby()


def player(hello):
    """A bot that said this; nothing is ever sent to it here."""
    connection = Connection(channel=None, hello=parse_hello(hello))
    return Player(connection, RULESET, "nowhere", 1, Place("", 0.0))


def come(lobby, *hellos):
    """These bots join, in order."""
    players = [player(hello) for hello in hellos]
    for each in players:
        lobby.join(each)
    return players


def names(players):
    return [each.name for each in players]


@pytest.mark.parametrize(
    ("hellos", "seated"),
    [
        (("Ada", "Bob"), ["Ada", "Bob"]),
        (("Ada", "Ada"), ["Ada", "Ada"]),
        (("Ada", "Bob seat=0"), ["Bob", "Ada"]),
        (("Ada seat=1", "Bob"), ["Bob", "Ada"]),
        (("Ada seat=1", "Bob seat=0"), ["Bob", "Ada"]),
        (("Ada seat=0", "Bob seat=1"), ["Ada", "Bob"]),
    ],
)
def test_seats_asked_for_are_given_first_the_others_in_order_of_hello(lobby, hellos, seated):
    """Names may repeat."""
    come(lobby, *hellos)
    assert lobby.complete(NO_ROOM)
    assert seated == names(lobby.take(NO_ROOM))
    assert () == lobby.waiting()


def test_a_seat_is_asked_for_once_in_a_room(lobby):
    """The second is refused and doesn't wait; in another room the seat is free."""
    come(lobby, "Ada seat=1", "Eve room=other seat=1")
    with pytest.raises(RemoteProtocolError) as refused:
        lobby.join(player("Bob seat=1"))
    assert ErrorCode.SEAT_TAKEN is refused.value.code
    assert "seat 1 is taken by another bot waiting here" == refused.value.message
    assert ["Ada"] == names(lobby.waiting(NO_ROOM))


def test_bots_meet_in_the_same_room_only(lobby):
    """No room is a room of its own, and so is each name, to the letter."""
    come(lobby, "Ada", "Bob room=a", "Cem room=A")
    assert () == lobby.complete_rooms()
    come(lobby, "Dil room=a")
    assert (("angrymob", "a"),) == lobby.complete_rooms()
    assert ["Bob", "Dil"] == names(lobby.waiting(("angrymob", "a")))
    assert ["Ada"] == names(lobby.waiting(NO_ROOM))
    assert 4 == len(lobby.waiting())


def test_who_leaves_is_forgotten(lobby):
    """And may leave twice; an empty room is none."""
    ada, _ = come(lobby, "Ada seat=0", "Bob room=b")
    for _ in range(2):
        lobby.leave(ada)
    assert ["Bob"] == names(lobby.waiting())
    come(lobby, "Eve seat=0")
    assert ["Eve"] == names(lobby.waiting(NO_ROOM))


def test_more_than_a_match_may_wait(lobby):
    """The first who came play first; the others stay, in their order."""
    come(lobby, "Ada", "Bob", "Cem", "Dil", "Eve")
    assert ["Ada", "Bob"] == names(lobby.take(NO_ROOM))
    assert ["Cem", "Dil"] == names(lobby.take(NO_ROOM))
    assert not lobby.complete(NO_ROOM)
    assert ["Eve"] == names(lobby.waiting())


def test_the_room_that_is_complete_for_longest_comes_first(lobby):
    """Not the one that was opened first; and who queues in a room goes behind the other rooms."""
    come(lobby, "x1 room=x", "y1 room=y", "y2 room=y", "x2 room=x", "y3 room=y", "y4 room=y")
    first, second = ("angrymob", "y"), ("angrymob", "x")
    assert (first, second) == lobby.complete_rooms()
    assert ["y1", "y2"] == names(lobby.take(first))
    assert (second, first) == lobby.complete_rooms()


def test_seats_go_by_the_order_of_hellos_not_of_their_reading(lobby):
    """PROTOCOL.md 2: when a hello came counts, though another one was read first."""
    for hello, since in (("Late", 2.0), ("Early", 1.0)):
        late = player(hello)
        late.place.since = since
        lobby.join(late)
    assert ["Early", "Late"] == names(lobby.take(NO_ROOM))
