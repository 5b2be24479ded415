"""When names rest: by hand-made failures."""

import math

from hypothesis import given
from hypothesis import strategies as st

from lanista.competition.formats.rests import DAY, Rests


def test_a_name_rests_after_failures_in_a_row():
    rests = Rests(bench_after=3)
    for now in (0.0, 10.0):
        rests.failed("Ann", now)
    rests.succeeded("Ann")
    for now in (20.0, 30.0):
        rests.failed("Ann", now)
    assert {} == rests.resting(30.0)
    rests.failed("Ann", 40.0)
    assert {"Ann": 100.0} == rests.resting(40.0)
    assert {} == rests.resting(100.0)


def test_each_rest_is_twice_as_long_up_to_a_day():
    rests = Rests(bench_after=1)
    now, lengths = 0.0, []
    for _ in range(200):
        rests.failed("Ann", now)
        until = rests.resting(now)["Ann"]
        lengths.append(until - now)
        now = until
    assert [60.0, 120.0, 240.0] == lengths[:3]
    assert {DAY} == set(lengths[11:])


def test_success_ends_the_row_but_the_next_rest_is_still_longer():
    rests = Rests(bench_after=2)
    for now in (0.0, 1.0):
        rests.failed("Ann", now)
    rests.succeeded("Ann")
    rests.failed("Ann", 100.0)
    assert {} == rests.resting(100.0)
    rests.failed("Ann", 101.0)
    assert {"Ann": 101.0 + 120.0} == rests.resting(101.0)


def test_a_day_without_failures_forgets_the_earlier_ones():
    rests = Rests(bench_after=2)
    for now in (0.0, 1.0 + DAY):
        rests.failed("Ann", now)
    assert {} == rests.resting(1.0 + DAY)


def test_a_day_without_failures_begins_after_the_rest():
    rests = Rests(bench_after=1)
    rests.failed("Ann", 0.0)
    rests.failed("Ann", 60.0)
    end = 60.0 + 120.0
    rests.failed("Ann", end + DAY - 1)
    assert {"Ann": end + DAY - 1 + 240.0} == rests.resting(end + DAY - 1)
    later = end + DAY - 1 + 240.0 + DAY
    rests.failed("Ann", later)
    assert {"Ann": later + 60.0} == rests.resting(later)


def test_the_operator_decides():
    rests = Rests(bench_after=1)
    rests.bench("Ann")
    rests.failed("Ann", 0.0)
    assert {"Ann": math.inf} == rests.resting(1e9)
    rests.unbench("Ann")
    assert {} == rests.resting(0.0)
    rests.failed("Bob", 0.0)
    rests.unbench("Bob")
    assert {} == rests.resting(0.0)
    rests.failed("Bob", 1.0)
    assert {"Bob": 61.0} == rests.resting(1.0)


@given(st.integers(1, 5), st.lists(st.tuples(st.booleans(), st.floats(0, DAY)), max_size=50))
def test_only_a_failure_begins_a_rest_and_none_exceeds_a_day(bench_after, matches):
    rests = Rests(bench_after)
    now, in_a_row, last = 0.0, 0, 0.0
    for failed, pause in matches:
        now = max(now + pause, rests.resting(now + pause).get("Ann", 0.0))
        in_a_row = (in_a_row if now < last + DAY else 0) + 1 if failed else 0
        if failed:
            rests.failed("Ann", now)
        else:
            rests.succeeded("Ann")
        until = rests.resting(now).get("Ann")
        if failed:
            last = until or now
        assert (until is not None) == (in_a_row >= bench_after)
        assert until is None or 60.0 <= until - now + 1e-6
        # After some days a difference of times is rounded.
        assert until is None or until - now <= DAY + 1e-6
