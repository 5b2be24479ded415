"""`lanista replay show`: what it says about a match."""

import sys

import pytest

from lanista.games.angrymob.game import AngryMob
from match.playing import answers
from page.records import played


def test_the_story_names_seats_as_the_page_does(lanista, tmp_path):
    march = answers("0 0 1 0", "0 1 1 0", "0 2 1 0", "0 3 1 3")
    record = played(tmp_path, march, answers("1 3 1 2", "", "", ""))
    assert [
        "B, Bob, lost by:",
        "  4  lost when A captured the base of B Bob",
    ] == lanista("replay", "show", record).printed.splitlines()[-2:]


@pytest.mark.parametrize("method", ["scene", "frame"])
def test_an_exit_in_a_games_method_is_told_like_any_exception(
    lanista, tmp_path, monkeypatch, method
):
    """It would end the command without a word, as if its output were closed."""
    record = played(tmp_path, answers(""), answers("9 9 9 9"))
    monkeypatch.setattr(AngryMob, method, lambda _: sys.exit("the rules are broken here"))
    done = lanista("replay", "show", record)
    assert (70, "") == (done.code, done.out)
    assert "SystemExit: the rules are broken here" in done.err.splitlines()
