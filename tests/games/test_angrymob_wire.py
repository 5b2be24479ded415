"""Tests what Angry Mob tells (PROTOCOL.md 5, 6) where the vectors in protocol/ say nothing."""

import pytest

from lanista.games.angrymob.ruleset import RULESET
from lanista.games.base import Late, Malformed, Missing, Refusal, RefusalCode
from support.angrymob import PAGE, at, play, start, verdict

CLASSIC = RULESET.classic


def test_units_and_neutral_units_are_sorted_by_row_then_column():
    """Whoever owns them, however they came there; 10 comes after 9."""
    text = "2 12\nA 1 . . . . . . . 1 1 1\n1 1 1 . . . . . . . 1 B\n"
    game = at(text, {(1, 0): 1, (0, 11): 1, (1, 2): 1}, {(0, 10): 1, (0, 9): 1, (1, 1): 1})
    play(game, "", "")
    lines = game.facts(0).decode().splitlines()
    assert [
        "unit 0 9 1 2",
        "unit 0 10 1 2",
        "unit 0 11 0 2",
        "unit 1 0 0 2",
        "unit 1 1 1 2",
        "unit 1 2 0 2",
        "neutral 0 9 0",
        "neutral 0 10 0",
        "neutral 0 11 0",
        "neutral 1 0 0",
        "neutral 1 1 0",
        "neutral 1 2 0",
    ] == lines[2:-2]


def test_after_a_forfeit_no_neutral_units_have_changed():
    """Nothing of that move was carried out: what was recruited before isn't told again."""
    game = start(PAGE)
    play(game, "2 1 1 1", "3 5 1 3")
    play(game, "1 1 9 1", "")
    assert b"neutral" not in game.facts(0)


def test_classic_lines_are_exchanged_even_when_both_are_illegal():
    """PROTOCOL.md 6: illegal is well formed."""
    game = start(PAGE)
    play(game, "-9 0 1 0", "0 0 1 7")
    assert CLASSIC.closing(game, 0) == b"0 0 1 7\n"
    assert CLASSIC.closing(game, 1) == b"-9 0 1 0\n"


@pytest.mark.parametrize(
    "fault",
    [Late(), Missing(), Malformed(Refusal(RefusalCode.MALFORMED, "no numbers"))],
    ids=lambda fault: type(fault).__name__,
)
@pytest.mark.parametrize("seat", [0, 1])
def test_nothing_more_is_sent_in_classic_after_a_fault(fault, seat):
    """If either was late, malformed or missing: to neither of the two."""
    game = start(PAGE)
    play(game, "2 1 1 1", "3 5 1 3")
    verdicts = [verdict(game, 0, "1 1 1 0"), verdict(game, 1, "4 5 1 1")]
    verdicts[seat] = fault
    game.advance(verdicts)
    assert [b"", b""] == [CLASSIC.closing(game, at) for at in (0, 1)]
