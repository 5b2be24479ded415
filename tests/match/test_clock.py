"""The fair clock's arithmetic, and the stall monitor (PROTOCOL.md 4)."""

import time

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from lanista.match.clock import Arrival, ClockInfo, arrival
from lanista.match.stalls import BEAT, NOTED, StallMonitor

MOMENTS = st.floats(min_value=0, max_value=1e6)


@given(known_empty=MOMENTS, waited=MOMENTS, stamp=st.none() | MOMENTS, trailing=st.booleans())
def test_the_bounds_are_ordered_and_within_what_is_certain(known_empty, waited, stamp, trailing):
    """Whatever a stamp says: not before the socket was known to be empty, not after the read."""
    read_at = known_empty + waited
    came = arrival(known_empty=known_empty, stamp=stamp, read_at=read_at, has_trailing=trailing)
    assert known_empty <= came.earliest <= came.latest <= came.read_at
    assert read_at == came.read_at


@given(
    known_empty=MOMENTS,
    before=st.floats(0, 1),
    after=st.floats(0, 1),
    more=st.floats(0, 1),
    deadline=MOMENTS,
)
def test_who_came_in_time_is_never_late(known_empty, before, after, more, deadline):
    """In doubt for the bot: whatever is known (a stamp, one of a later byte, none), the true
    arrival is within the bounds, so an answer in time counts.
    """
    true = known_empty + before
    later = true + more
    read_at = later + after
    for stamp, trailing in ((true, False), (later, True), (None, False), (None, True)):
        came = arrival(known_empty=known_empty, stamp=stamp, read_at=read_at, has_trailing=trailing)
        assert came.earliest <= true <= came.latest
        if true <= deadline:
            assert came.in_time(deadline)


@given(known_empty=MOMENTS, waited=st.floats(0, 10), step=st.floats(-1e6, 1e6))
def test_a_set_clock_decides_nothing(known_empty, waited, step):
    """A stamp off by any step, up to the read in time: the answer is never late."""
    read_at = known_empty + waited
    came = arrival(
        known_empty=known_empty, stamp=read_at + step, read_at=read_at, has_trailing=False
    )
    assert came.in_time(read_at)
    if step > 0 and read_at + step > read_at:
        # Received after it was read: that is no knowledge at all, even when it was read too late.
        assert came.in_time(known_empty)


def test_a_stamp_alone_is_exact():
    came = arrival(known_empty=1.0, stamp=1.15, read_at=1.5, has_trailing=False)
    assert Arrival(1.15, 1.15, 1.5) == came
    assert came.in_time(1.15)
    assert not came.in_time(1.1499)
    assert not came.in_doubt(1.1499)
    assert not came.in_doubt(1.2)


def test_a_stamp_of_something_behind_the_answer_is_an_upper_bound():
    came = arrival(known_empty=1.0, stamp=1.3, read_at=1.5, has_trailing=True)
    assert Arrival(1.0, 1.3, 1.5) == came
    assert came.in_time(1.2)
    assert came.in_doubt(1.2)
    assert not came.in_doubt(1.3)
    assert not came.in_time(0.9)


def test_limits_of_a_match():
    """The first answer's, every other's, all together; 0 is none (PROTOCOL.md 3)."""
    limits = ClockInfo(20, 0.2, 10)
    assert [20, 0.2, 0.2] == [limits.of_turn(turn) for turn in (0, 1, 99)]
    assert pytest.approx(20 + 99 * 0.2) == limits.allowance(100)
    assert [float("inf"), 0.2] == [ClockInfo(0, 0.2, 10).of_turn(turn) for turn in (0, 1)]
    assert [20, float("inf")] == [ClockInfo(20, 0, 10).of_turn(turn) for turn in (0, 1)]
    assert [0, 0, 0] == [ClockInfo(*given, 10).allowance(9) for given in ((0, 1), (1, 0), (0, 0))]


# -- stalls --------------------------------------------------------------------------------------


def test_nobody_beats_nothing_stalls():
    assert 0 == StallMonitor().worst(0, 1e9)


def test_the_worst_stall_is_the_longest_that_reached_into_the_time():
    monitor = StallMonitor(stalls=[(1.0, 1.5), (2.0, 2.2), (3.0, 3.3)], last=4.0)
    assert pytest.approx(0.3) == monitor.worst(2.5, 4.0)
    assert pytest.approx(0.5) == monitor.worst(0.0, 4.0)
    # Of the first one only what is after 1.4; the second is longer.
    assert pytest.approx(0.3) == monitor.worst(1.4, 4.0)
    assert pytest.approx(0.1) == StallMonitor(stalls=[(1.0, 1.5)], last=1.5).worst(1.4, 1.5)
    assert 0 == monitor.worst(3.3, 4.0)


def test_the_stall_that_is_only_now_ending_counts():
    """The beat was due at 1.01 and hasn't come at 1.31: 0.3 s, of the turn since 1.2 only 0.11."""
    monitor = StallMonitor(last=1.0)
    assert pytest.approx(0.3) == monitor.worst(0.0, 1.31)
    assert pytest.approx(0.11) == monitor.worst(1.2, 1.31)
    assert 0 == monitor.worst(0.0, 1.0 + BEAT)
    assert 0 == monitor.worst(0.0, 1.0 + BEAT + NOTED / 2)


async def test_it_beats_only_while_watched(autojump_clock):
    """An arena without matches sleeps: a clock that jumps finds nothing to wake for."""
    monitor = StallMonitor()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(monitor.beat)
        await trio.testing.wait_all_tasks_blocked()
        beats = monitor._last
        await trio.sleep(10)
        assert (beats, float("inf")) == (monitor._last, float("inf"))
        for _ in range(2):  # again after a pause
            with monitor.watching(), monitor.watching():
                await trio.sleep(10.001)
                assert trio.current_time() - monitor._last <= BEAT
            await trio.sleep(10)
            assert float("inf") == monitor._last
        nursery.cancel_scope.cancel()
    assert 0 == len(monitor._stalls)


async def test_a_pause_of_a_moment_between_two_matches_is_no_stall(autojump_clock):
    """The watchers change within one beat: it goes on, nothing is noted."""
    monitor = StallMonitor()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(monitor.beat)
        for _ in range(100):
            with monitor.watching():
                await trio.sleep(0.013)
            await trio.sleep(0.003)
        nursery.cancel_scope.cancel()
    assert [] == list(monitor._stalls)


async def test_a_blocked_loop_is_seen():
    """The real clock: a task that holds the loop for 120 ms, seen whoever runs next."""
    monitor = StallMonitor()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(monitor.beat)
        with monitor.watching():
            while monitor._last == float("inf"):
                await trio.lowlevel.checkpoint()
            since = trio.current_time()
            time.sleep(0.12)  # noqa: ASYNC251 - the stall that the test is about
            now = trio.current_time()
            # The beat was due 10 ms after the last one at most.
            assert 0.12 - BEAT <= monitor.worst(since, now) <= now - since
            while not monitor._stalls:
                await trio.lowlevel.checkpoint()
            assert 0.12 - BEAT <= monitor.worst(since, trio.current_time())
            # As noted, once over: no part of a turn that begins afterwards.
            noted = trio.current_time()
            assert all(over <= noted for _, over in monitor._stalls)
        nursery.cancel_scope.cancel()
