"""Room for records: while there is none, no match begins, and the log stays short."""

from types import SimpleNamespace

import pytest
import trio
from structlog.testing import capture_logs

from lanista.arena.matches import RecordSpace
from lanista.results.data_folder import DataFolder


@pytest.fixture
def data(tmp_path):
    return DataFolder(tmp_path)


async def tested(data, nursery):
    """A match has left no record: what was logged and shown until there is room."""
    again, shown = trio.Event(), []
    changes = SimpleNamespace(tell=lambda: shown.append(space.trouble))
    space = RecordSpace(data, again.set, changes)
    with capture_logs() as logs:
        nursery.start_soon(space.run)
        space.look_for(data.records_today / "missing.jsonl.gz")
        assert not space.has_room
        await again.wait()
    assert space.has_room
    return logs, shown


async def test_matches_begin_again_when_there_is_room(data, nursery, monkeypatch, autojump_clock):
    """The log has a line at the beginning and one at the end, and the page's lobby says why."""
    troubles = ["No space left on device"] * 30
    monkeypatch.setattr(RecordSpace, "_test", lambda _: troubles.pop() if troubles else None)
    (failed, well), shown = await tested(data, nursery)
    assert ["No space left on device", None] == shown
    assert "No space left on device" == failed["why"]
    assert "records can be written again" == well["event"]
    assert 30 <= well["seconds"]  # the clock also jumps while a thread works


async def test_a_match_that_left_no_record_may_have_another_reason(data, nursery):
    """If there is room, nothing is logged, and matches go on at once; no file stays."""
    assert ([], []) == await tested(data, nursery)
    assert [] == list(data.records_today.iterdir())


async def test_a_folder_that_cannot_be_written(tmp_path):
    """Whatever keeps records from being written counts, not only a full disk."""
    (tmp_path / "file").touch()
    assert "Not a directory" == RecordSpace(DataFolder(tmp_path / "file"), print)._test()


async def test_a_folder_of_today_that_cannot_be_written(data):
    """Those that can be written around it don't hide it."""
    data.records.mkdir()
    data.records_today.touch()
    assert "a file is in its place" == RecordSpace(data, print)._test()


async def test_a_folder_of_records_whose_disk_is_gone(data, tmp_path):
    """It isn't said that a file exists."""
    data.records.symlink_to(tmp_path / "disk")
    assert "it is a link to nothing" == RecordSpace(data, print)._test()


async def test_a_match_with_a_record_shows_that_there_is_room(tmp_path):
    (tmp_path / "m.jsonl.gz").touch()
    space = RecordSpace(DataFolder(tmp_path), print)
    space.look_for(tmp_path / "m.jsonl.gz")
    assert space.has_room
