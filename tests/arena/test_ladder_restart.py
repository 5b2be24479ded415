"""A ladder of an arena with its database: what a restart and a clock that is set don't change."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from structlog.testing import capture_logs

from arena.rooms import Waiter, play, store
from lanista.arena import ladder_room
from lanista.arena.ladder_room import LadderRoom
from lanista.arena.spec import LadderSpec
from lanista.competition.formats.ladder import FIRST_REST
from lanista.results import database
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from results.samples import stored_alone

HOUR = 3600.0
BOB = Waiter("Bob")


@pytest.fixture
def clock(monkeypatch):
    """The machine's clock: `wall`, which may be set, and the `steady` one."""
    clock = SimpleNamespace(wall=1.8e9, steady=1000.0)

    class Moment(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.fromtimestamp(clock.wall, tz)

    functions = SimpleNamespace(time=lambda: clock.wall, monotonic=lambda: clock.steady)
    monkeypatch.setattr(ladder_room, "time", functions)
    for module in (ladder_room, database):
        monkeypatch.setattr(module, "datetime", Moment)
    return clock


@pytest.fixture
def open_room(tmp_path):
    """Open the ladder, after closing it if it is open."""
    data = DataFolder(tmp_path)
    opened = []

    def open_room(**settings):
        for one in opened:
            one.close()
        spec = LadderSpec(**{"name": "pit", "game": "angrymob"} | settings)
        opened.append(Database.of_arena(data))
        return LadderRoom.open(spec, tmp_path, data, opened[-1])

    yield open_room
    for one in opened:
        one.close()


def passes(clock, seconds):
    clock.wall += seconds
    clock.steady += seconds


def play_now(clock, room, **how):
    """Play a match of Ann and Bob that begins at the present time."""
    play(room, "Ann", "Bob", started=datetime.fromtimestamp(clock.wall, UTC).isoformat(), **how)


def damaged(data, day, match="unknown"):
    """Put a record that can't be read, and return its path as it is told by whoever tries."""
    record = f"{day}/{match}.jsonl.gz"
    path = data / "records" / record
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"no record")
    return record


@pytest.mark.parametrize("jump", [-HOUR, HOUR, -40 * 24 * HOUR])
def test_a_clock_that_is_set_changes_nothing_on_a_running_ladder(clock, open_room, jump):
    """Rests last as long as before and end when it is told; matches are numbered in their order."""
    room = open_room()
    play(room, "Ann", "Bob")
    assert [1] == store(room)
    clock.wall += jump
    passes(clock, 1)
    play(room, "Ann", "Bob")
    for _ in range(room.spec.bench_after):
        passes(clock, 1)
        play(room, "Ann", "Bob", failing="Bob")
    assert FIRST_REST == room.resting(BOB)
    clock.wall -= 2 * jump
    passes(clock, 20)
    assert FIRST_REST - 20 == room.resting(BOB)
    assert datetime.fromtimestamp(clock.wall + FIRST_REST - 20, UTC) == room.rests()["Bob"]
    assert list(range(2, 3 + room.spec.bench_after)) == store(room)
    with room.results.store.ladder_reading() as now:
        assert list(range(1, 6)) == [match.number for match in now.counted_matches()]


@pytest.mark.parametrize("ahead", [HOUR, 40 * 24 * HOUR])
def test_a_clock_that_was_ahead_at_the_last_start(clock, open_room, tmp_path, ahead):
    """Nobody rests for longer because of it, and no record is overlooked."""
    clock.wall += ahead
    room = open_room()
    for _ in range(room.spec.bench_after):
        play_now(clock, room, failing="Bob")
    store(room)
    clock.wall -= ahead
    passes(clock, 10)
    paths = [damaged(tmp_path, f"2027-01-{day}") for day in (13, 14, 15)]
    with capture_logs() as logs:
        again = open_room()
    assert 0 < again.resting(BOB) <= FIRST_REST
    assert paths[1:] == [line["path"] for line in logs]


def test_a_restart_reads_no_record_of_a_match_that_is_stored(clock, open_room, tmp_path):
    """None is opened to see whose it is, nor any from long before the ladder's last match."""
    room = open_room()
    for hours in (24, 14, 14, 0):  # from 2027-01-15, 8:00
        play_now(clock, room)
        store(room)
        passes(clock, hours * HOUR)
    for match in stored_alone(room.results.store):
        damaged(tmp_path, "2027-01-16", match.id)
    paths = [damaged(tmp_path, f"2027-01-{day}") for day in (15, 16)]
    for name, read in (("pit", paths[1:]), ("new", paths)):
        with capture_logs() as logs:
            open_room(name=name)
        assert read == [line["path"] for line in logs]


def test_results_that_were_stored_late_hide_no_others(clock, open_room, tmp_path):
    """A start that stores those of many days may be killed; the next one looks for the rest."""
    room = open_room()
    play_now(clock, room)  # 2027-01-15
    passes(clock, 10 * 24 * HOUR)
    store(room)
    paths = [damaged(tmp_path, f"2027-01-{day}") for day in (13, 14, 16, 24)]
    with capture_logs() as logs:
        open_room()
    assert paths[1:] == [line["path"] for line in logs]


def test_a_restart_needs_only_the_last_matches(open_room, monkeypatch):
    """From them it is known who met whom and how often each name has played lately."""
    monkeypatch.setattr(ladder_room, "KEPT", 4)
    room = open_room()
    for number in range(12):
        play(room, "Ann", "Bob")
        if number < 2:
            play(room, "Cem", "Ann")
    store(room)
    names = open_room()._ladder._names
    assert {"Ann": 6, "Bob": 4, "Cem": 2} == {name: names[name].matches for name in names}
    assert "Ann" == names["Bob"].recent[-1]
