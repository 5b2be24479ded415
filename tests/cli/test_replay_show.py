"""`lanista replay show`: what it says about a match."""

from match.playing import answers
from page.records import played


def test_the_story_names_seats_as_the_page_does(lanista, tmp_path):
    march = answers("0 0 1 0", "0 1 1 0", "0 2 1 0", "0 3 1 3")
    record = played(tmp_path, march, answers("1 3 1 2", "", "", ""))
    assert [
        "B, Bob, lost by:",
        "  4  lost when A captured the base of B Bob",
    ] == lanista("replay", "show", record).printed.splitlines()[-2:]
