"""Who gets a place, and who gives one up: bookkeeping alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanista.arena.admission import (
    MAX_PER_ADDRESS,
    SILENT_PER_ADDRESS,
    Admission,
    address_of,
    is_loopback,
)
from lanista_protocol import ErrorCode, RemoteProtocolError

HERE, NEAR, FAR = "127.0.0.1", "10.0.0.1", "10.0.0.2"


@pytest.fixture
def gone():
    """The places that were given up, in order, with the words."""
    return []


def admit(admission, gone, host, *, greeted=True, plays=False, now=0.0):
    place = admission.admit(host, now)
    place.give_way = lambda error: gone.append((place, error.message))
    place.greeted, place.plays = greeted, plays
    return place


def test_the_crowded_address_gives_up_its_longest_idle_place(gone):
    admission = Admission(4)
    places = [admit(admission, gone, NEAR, now=now) for now in (3, 1, 2, 4)]
    admit(admission, gone, FAR)
    admit(admission, gone, FAR)
    assert [places[1], places[2]] == [place for place, _ in gone]
    assert "already 4 connections; try again later" == gone[0][1]
    with pytest.raises(RemoteProtocolError, match="already 4 connections") as caught:
        admission.admit(FAR, 0.0)  # both have two now
    assert ErrorCode.SERVER_FULL is caught.value.code


def test_silence_goes_before_waiting_and_a_match_is_never_ended(gone):
    admission = Admission(4)
    admit(admission, gone, NEAR, plays=True, now=0)
    waits = admit(admission, gone, NEAR, now=1)
    silent = admit(admission, gone, NEAR, greeted=False, now=2)
    admit(admission, gone, NEAR, plays=True, now=3)
    admit(admission, gone, FAR, plays=True)
    assert [silent] == [place for place, _ in gone]
    admit(admission, gone, FAR, plays=True)
    assert [silent, waits] == [place for place, _ in gone]
    with pytest.raises(RemoteProtocolError):
        admission.admit("10.0.0.3", 0.0)  # only matches are left


def test_a_newcomer_of_a_full_address_has_the_place_of_one_that_is_silent(gone):
    """So that bots which say nothing keep out no others of their own address either."""
    admission = Admission(2)
    silent = admit(admission, gone, HERE, greeted=False)
    admit(admission, gone, HERE)
    admit(admission, gone, HERE)
    assert [silent] == [place for place, _ in gone]
    with pytest.raises(RemoteProtocolError):
        admission.admit(HERE, 0.0)


@pytest.mark.parametrize(
    ("limit", "per_address", "words"),
    [
        (9, 3, "already 3 connections from 10.0.0.1"),
        (3, 9, "already 3 connections"),
    ],
)
def test_guessers_that_wait_keep_out_no_other_bot_of_their_address(gone, limit, per_address, words):
    """The last one gives way: those before it keep their turns. Silent ones still go first."""
    admission = Admission(limit, per_address)
    first, last = (admit(admission, gone, NEAR) for _ in range(2))
    first.is_proving = last.is_proving = True
    silent = admit(admission, gone, NEAR, greeted=False)
    for _ in range(3):
        admit(admission, gone, NEAR)
    assert [silent, last, first] == [place for place, _ in gone]
    assert f"{words}; try again later" == gone[1][1]
    with pytest.raises(RemoteProtocolError):
        admission.admit(NEAR, 0.0)


def test_who_is_just_saying_its_hello_is_not_silent(gone):
    """Its bytes wait to be read; after a second they are taken for half a hello."""
    admission = Admission(2)
    speaks = admit(admission, gone, HERE, greeted=False, now=0.0)
    speaks.has_input = lambda: True
    silent = admit(admission, gone, HERE, greeted=False, now=0.5)
    admission.admit(HERE, 0.9).has_input = lambda: True
    assert [silent] == [place for place, _ in gone]
    with pytest.raises(RemoteProtocolError):
        admission.admit(HERE, 1.0)
    admission.admit(HERE, 1.1)
    assert [silent, speaks] == [place for place, _ in gone]


def test_an_address_has_a_limit_but_this_machine(gone):
    admission = Admission(1000)
    for _ in range(MAX_PER_ADDRESS + 1):
        admit(admission, gone, HERE)
    for _ in range(MAX_PER_ADDRESS):
        admit(admission, gone, NEAR)
    with pytest.raises(RemoteProtocolError, match=r"already 100 connections from 10\.0\.0\.1"):
        admission.admit(NEAR, 0.0)
    small = Admission(1000, 1)
    admit(small, gone, HERE)
    with pytest.raises(RemoteProtocolError):
        small.admit(HERE, 0.0)  # it was asked for


def test_few_may_be_silent(gone):
    admission = Admission(1000)
    first = admit(admission, gone, HERE, greeted=False)
    for _ in range(SILENT_PER_ADDRESS):
        admit(admission, gone, HERE, greeted=False)
    assert [first] == [place for place, _ in gone]


@given(
    st.integers(1, 6),
    st.none() | st.integers(1, 4),
    st.lists(
        st.tuples(st.sampled_from([HERE, NEAR, FAR]), st.booleans(), st.booleans(), st.booleans())
    ),
)
def test_the_limits_hold_and_nobody_ends_with_less_than_a_newcomers_address(limit, each, visits):
    """Whatever comes: no more places than there are, and none is taken from an address that has
    fewer than the one that gets it.
    """
    admission = Admission(limit, each)
    held, gone = [], []
    for host, greeted, plays, leaves in visits:
        gone.clear()
        before = [place.host for place in held]
        try:
            place = admit(admission, gone, host, greeted=greeted, plays=greeted and plays)
        except RemoteProtocolError:
            assert not gone
            continue
        for other, _ in gone:
            held.remove(other)
            assert not other.plays
            assert other.host == host or before.count(other.host) > before.count(host) + 1
        held.append(place)
        hosts = [place.host for place in held]
        assert len(held) <= limit
        assert each is None or max(map(hosts.count, hosts)) <= each
        if leaves:
            held.remove(place)
            admission.leave(place)
            admission.leave(place)  # twice is once


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::ffff:1", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::1"),
        ("gone", "gone"),
    ],
)
def test_what_an_address_counts_for(host, address):
    assert address == address_of(host)


def test_loopback_is_this_machine():
    own = ("127.0.0.1", "127.0.0.2", "::1", "localhost")
    assert all(map(is_loopback, own))
    assert not any(map(is_loopback, ("10.0.0.1", "2001:db8::/64", "gone")))
