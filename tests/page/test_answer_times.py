"""How long the answers of a bot took that was late in other turns, in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanista.page.answer_times import AnswerTime, times_told


def told(*seconds, limit=0.2):
    times = [AnswerTime(round_, each) for round_, each in enumerate(seconds, 2)]
    return times_told(times, limit, "move")


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ([0.02] * 5, ""),
        ([0.02] * 6, "its answers usually took 20 ms"),
        ([0.0021, 0.0019] * 20, "its answers usually took 2.0 ms"),
        ([0.02] * 33 + [0.14] * 20, "its answers took 20 ms, from move 35 on 140 ms"),
        # A step up that is still far from the limit, and one down, are no reason.
        ([0.001] * 20 + [0.01] * 20, "its answers usually took 5.5 ms"),
        ([0.14] * 10 + [0.02] * 30, "its answers usually took 20 ms, and up to 140 ms in moves"),
        (
            [n / 1000 for n in range(10, 190)],
            "its answers took ever longer, 11 ms at first and 188 ms at last",
        ),
        (
            [0.02] * 9 + [0.15] + [0.02] * 9 + [0.12] + [0.02] * 9,
            "its answers usually took 20 ms, and up to 150 ms in moves 11, 21",
        ),
        (
            [0.02] * 9 + [0.15] + [0.02] * 9,
            "its answers usually took 20 ms, and up to 150 ms in move 11",
        ),
        (
            ([0.02] * 9 + [0.15]) * 5,
            "its answers usually took 20 ms, and up to 150 ms in moves 11, 21, 31 and 2 more",
        ),
        # All are near the limit: no peaks.
        ([0.15, 0.16, 0.17] * 5, "its answers usually took 160 ms"),
    ],
)
def test_times_are_told_as_a_step_as_growth_or_as_peaks(seconds, expected):
    assert told(*seconds).startswith(expected)
    assert bool(expected) == bool(told(*seconds))


def test_seconds_have_one_digit_after_the_point():
    assert "its answers took 1.5 s, from move 12 on 12.0 s" == told(
        *[1.5] * 10, *[12.0] * 9, limit=15
    )


@given(
    st.lists(st.floats(0, 100) | st.sampled_from([0.0, 1e-6, 0.1]), max_size=60), st.floats(0, 100)
)
def test_any_times_can_be_told(seconds, limit):
    assert bool(told(*seconds, limit=limit)) == (len(seconds) >= 6)
