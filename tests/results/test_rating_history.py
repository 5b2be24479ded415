"""Snapshots of ladders' ratings: what is kept, for how long, and what they were at a moment."""

import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from lanista.results.errors import StoreError
from lanista.results.rating_history import DAILY_FOR, HOURLY_FOR, Rated, RatingHistory

NOON = datetime(2026, 5, 1, 12, 30, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def history(tmp_path):
    with RatingHistory.open(tmp_path / "ratings.db") as history:
        yield history


def rated(value):
    return Rated(value, value - 10, None)


def test_one_snapshot_an_hour_is_kept_of_each_ladder(history):
    """The first one of the hour; of the bots that it has."""
    assert history.add("pit", NOON, {"Ann": rated(5.0), "Bob": rated(-5.0)})
    assert not history.add("pit", NOON + HOUR / 3, {"Ann": rated(7.0)})
    assert history.add("other", NOON + HOUR / 3, {"Ann": rated(9.0)})
    assert history.add("pit", NOON + HOUR / 2, {"Ann": rated(8.0)})  # 13:00
    assert [
        ("2026-05-01T12:30:00+00:00", rated(5.0)),
        ("2026-05-01T13:00:00+00:00", rated(8.0)),
    ] == history.of_bot("pit", "Ann")
    assert [("2026-05-01T12:30:00+00:00", rated(-5.0))] == history.of_bot("pit", "Bob")
    assert [] == history.of_bot("pit", "Cem")


def test_ratings_at_a_moment_are_those_of_the_last_snapshot_before(history):
    history.add("pit", NOON, {"Ann": rated(5.0), "Bob": rated(-5.0)})
    history.add("pit", NOON + DAY, {"Ann": rated(6.0)})
    assert {} == history.at("pit", NOON - HOUR)
    assert {"Ann": 5.0, "Bob": -5.0} == history.at("pit", NOON)
    assert {"Ann": 5.0, "Bob": -5.0} == history.at("pit", NOON + DAY - HOUR)
    assert {"Ann": 6.0} == history.at("pit", NOON + 9 * DAY)
    assert {} == history.at("other", NOON)


def test_older_ones_are_thinned_out(history):
    """Hourly at first, then the first one of each day, then none: the file stays bounded."""
    hours = 24 * 5
    for hour in range(hours):
        history.add("pit", NOON + hour * HOUR, {"Ann": rated(float(hour))})
    now = NOON + (hours - 1) * HOUR
    taken = [datetime.fromisoformat(one) for one, _ in history.of_bot("pit", "Ann")]
    late = [one for one in taken if one >= now - HOURLY_FOR]
    early = [one for one in taken if one < now - HOURLY_FOR]
    assert 49 == len(late)
    assert [NOON] == early[:1]
    assert len(early) == len({one.date() for one in early})
    assert all(one.hour == 0 for one in early[1:])
    history.add("pit", NOON + DAILY_FOR + 5 * DAY, {"Ann": rated(1.0)})
    (_, last) = history.of_bot("pit", "Ann")[-1]
    assert rated(1.0) == last
    assert history.at("pit", NOON + 4 * DAY) == {}


def test_what_is_no_history_is_told_in_one_line(tmp_path):
    path = tmp_path / "ratings.db"
    path.write_bytes(b"no database" * 100)
    with pytest.raises(StoreError, match=r"ratings\.db: no SQLite database") as refused:
        RatingHistory.open(path)
    assert "\n" not in str(refused.value)
    with pytest.raises(StoreError, match="its folder"):
        RatingHistory.open(tmp_path / "away" / "ratings.db")


def test_two_processes_may_have_it_open(tmp_path, history):
    """As while one of them takes a snapshot and the other answers."""
    with RatingHistory.open(tmp_path / "ratings.db") as other:
        history.add("pit", NOON, {"Ann": rated(5.0)})
        assert {"Ann": 5.0} == other.at("pit", NOON)
        assert not other.add("pit", NOON, {"Ann": rated(6.0)})
    assert sqlite3.connect(tmp_path / "ratings.db").execute("PRAGMA journal_mode").fetchone()
