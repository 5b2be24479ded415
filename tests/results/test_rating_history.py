"""Snapshots of ladders' ratings: what is kept, for how long, and what they were at a moment."""

from datetime import UTC, datetime, timedelta

import pytest

from lanista.results.database import Store
from lanista.results.match_result import Estimate
from lanista.results.rating_history import DAYS, EVERY, HOURLY_FOR, RatingHistory

NOON = datetime(2026, 5, 1, 12, 30, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def history(store):
    """That of a ladder, on both kinds of databases."""
    return of_ladder(store, "pit")


def of_ladder(store, name):
    return RatingHistory(Store.of_ladder(store.database, name, "angrymob"))


def rated(value):
    return Estimate(value=value, low=value - 10, high=None)


def test_one_snapshot_in_two_minutes_is_kept_of_each_ladder(store, history):
    """The first one; of the bots that it has."""
    history.add(NOON, {"Ann": rated(5.0), "Bob": rated(-5.0)})
    history.add(NOON + EVERY / 2, {"Ann": rated(7.0)})
    other = of_ladder(store, "other")
    other.add(NOON + EVERY / 2, {"Ann": rated(9.0)})
    history.add(NOON + EVERY, {"Ann": rated(8.0)})
    assert [
        ("2026-05-01T12:30:00+00:00", rated(5.0)),
        ("2026-05-01T12:32:00+00:00", rated(8.0)),
    ] == history.of_bot("Ann")
    assert [("2026-05-01T12:30:00+00:00", rated(-5.0))] == history.of_bot("Bob")
    assert [] == history.of_bot("Cem")
    assert [("2026-05-01T12:31:00+00:00", rated(9.0))] == other.of_bot("Ann")


def test_a_clock_that_was_ahead_holds_no_snapshots_up(history):
    """Nor does it take any that is there, as now it may be behind instead."""
    for moment in (NOON - DAY, NOON + DAY, NOON, NOON + EVERY / 2):
        history.add(moment, {"Ann": rated(5.0)})
    taken = [datetime.fromisoformat(one) for one, _ in history.of_bot("Ann")]
    assert [NOON - DAY, NOON, NOON + DAY] == taken


def test_arenas_that_share_a_ladder_take_a_snapshot_once_whoever_has_the_faster_clock(history):
    """The same table would be there twice, a second apart."""
    second = timedelta(seconds=1)
    history.add(NOON + second, {"Ann": rated(5.0)})
    history.add(NOON, {"Ann": rated(5.0)})
    assert ["2026-05-01T12:30:01+00:00"] == [taken for taken, _ in history.of_bot("Ann")]


def test_the_evening_of_a_class_has_a_curve_and_later_an_hour_has_a_point(history):
    """45 minutes of play have more points than can be seen in a line of two."""
    for minute in range(45):
        history.add(NOON + minute * EVERY / 2, {"Ann": rated(float(minute))})
    assert 23 == len(history.of_bot("Ann"))
    history.add(NOON + 5 * HOUR, {"Ann": rated(50.0)})
    taken = [datetime.fromisoformat(one) for one, _ in history.of_bot("Ann")]
    assert [NOON, NOON + HOUR / 2, NOON + 5 * HOUR] == taken


def test_ratings_at_a_moment_are_those_of_the_last_snapshot_before(store, history):
    history.add(NOON, {"Ann": rated(5.0), "Bob": rated(-5.0)})
    history.add(NOON + DAY, {"Ann": rated(6.0)})
    assert {} == history.at(NOON - HOUR)
    assert {"Ann": 5.0, "Bob": -5.0} == history.at(NOON)
    assert {"Ann": 5.0, "Bob": -5.0} == history.at(NOON + DAY - HOUR)
    assert {"Ann": 6.0} == history.at(NOON + 9 * DAY)
    assert {} == of_ladder(store, "other").at(NOON)


def test_older_ones_are_thinned_out(history):
    """Hourly at first, then the first one of each day, then none: the file stays bounded."""
    hours = 24 * 3
    for hour in range(hours):
        history.add(NOON + hour * HOUR, {"Ann": rated(float(hour))})
    now = NOON + (hours - 1) * HOUR
    taken = [datetime.fromisoformat(one) for one, _ in history.of_bot("Ann")]
    late = [one for one in taken if one >= now - HOURLY_FOR]
    early = [one for one in taken if one < now - HOURLY_FOR]
    assert 49 == len(late)
    assert [NOON] == early[:1]
    assert len(early) == len({one.date() for one in early})
    assert all(one.hour == 0 for one in early[1:])


def test_the_last_days_that_have_any_are_kept(history, monkeypatch):
    """A clock that is two years ahead for a moment takes no more than any other day."""
    monkeypatch.setattr("lanista.results.rating_history.DAYS", 3)
    ahead = NOON + 2 * DAYS * DAY
    for taken in (NOON, NOON + DAY, NOON + 2 * DAY, ahead, NOON + 3 * DAY):
        history.add(taken, {"Ann": rated(1.0)})
    kept = [datetime.fromisoformat(one) for one, _ in history.of_bot("Ann")]
    assert [NOON + 2 * DAY, NOON + 3 * DAY, ahead] == kept


def test_two_processes_may_take_snapshots(target, history):
    """As while one of them takes a snapshot and the other answers."""
    with Store.open(target) as store:
        other = of_ladder(store, "pit")
        history.add(NOON, {"Ann": rated(5.0)})
        assert {"Ann": 5.0} == other.at(NOON)
        other.add(NOON, {"Ann": rated(6.0)})
        assert {"Ann": 5.0} == history.at(NOON)
