"""Names of a tournament's records, and finding one while it is played and afterwards."""

import pytest

from lanista.results.block_records import PLAYING, BlockMatch, running_parts

BLOCK = "0123456789abcdef" * 2


@pytest.mark.parametrize(
    "text",
    ["", "01H" * 9, f"{BLOCK}-1", f"{BLOCK.upper()}-1-1", f"{BLOCK}-1-1/..", f"../{BLOCK}-1-1"],
)
def test_other_texts_are_no_ids(text):
    """A match id of an arena, and what could lead out of the folder."""
    assert BlockMatch.of_id(text) is None


def test_a_record_is_found_wherever_it_is(tmp_path):
    """While its block isn't stored; then in its place; a void attempt is another match."""
    first, second = BlockMatch(BLOCK, 0, 1), BlockMatch(BLOCK, 0, 2)
    playing = tmp_path / PLAYING
    playing.mkdir()
    part = playing / f"{second.name_playing('token')}.part"
    part.touch()
    (playing / "0123.jsonl.gz.part").touch()  # of a match that only measures the machine
    assert [(second, part)] == list(running_parts(tmp_path))
    assert second.find(tmp_path) is None
    record = part.rename(part.with_suffix(""))
    assert [] == list(running_parts(tmp_path))
    assert record == second.find(tmp_path)
    void, place = (tmp_path / match.place(is_void=match is first) for match in (first, second))
    place.parent.mkdir()
    record.rename(place)
    void.touch()
    assert [void, place] == [match.find(tmp_path) for match in (first, second)]
