"""Room for records: while there is none, no match begins, and the log stays short."""

from types import SimpleNamespace

import pytest
import trio
from structlog.testing import capture_logs

from lanista.arena.matches import RecordSpace


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "records"


async def tested(folder, nursery):
    """A match has left no record: what was logged and shown until there is room."""
    again, shown = trio.Event(), []
    changes = SimpleNamespace(tell=lambda: shown.append(space.trouble))
    space = RecordSpace(folder, again.set, changes)
    with capture_logs() as logs:
        nursery.start_soon(space.run)
        space.look_for(folder / "missing.jsonl.gz")
        assert not space.has_room
        await again.wait()
    assert space.has_room
    return logs, shown


async def test_matches_begin_again_when_there_is_room(folder, nursery, monkeypatch, autojump_clock):
    """The log has a line at the beginning and one at the end, and the page's lobby says why."""
    troubles = ["No space left on device"] * 30
    monkeypatch.setattr(RecordSpace, "_test", lambda _: troubles.pop() if troubles else None)
    (failed, well), shown = await tested(folder, nursery)
    assert ["No space left on device", None] == shown
    assert "No space left on device" == failed["why"]
    assert "records can be written again" == well["event"]
    assert 30 <= well["seconds"]  # the clock also jumps while a thread works


async def test_a_match_that_left_no_record_may_have_another_reason(folder, nursery):
    """If there is room, nothing is logged, and matches go on at once; no file stays."""
    assert ([], []) == await tested(folder, nursery)
    assert [] == list(folder.iterdir())


async def test_a_folder_that_cannot_be_written(tmp_path):
    """Whatever keeps records from being written counts, not only a full disk."""
    (tmp_path / "file").touch()
    assert "Not a directory" == RecordSpace(tmp_path / "file" / "records", print)._test()


async def test_a_match_with_a_record_shows_that_there_is_room(folder):
    folder.mkdir()
    (folder / "m.jsonl.gz").touch()
    space = RecordSpace(folder, print)
    space.look_for(folder / "m.jsonl.gz")
    assert space.has_room
