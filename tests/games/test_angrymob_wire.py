"""What Angry Mob tells, byte by byte: facts, classic dialect (PROTOCOL.md 5, 6)."""

import pytest

from lanista.games.angrymob.ruleset import RULESET
from lanista.games.base import Late, Malformed, Missing, Refusal, RefusalCode
from lanista_protocol import tokenize
from support.angrymob import PAGE, at, play, start, verdict

PAGE_OF_SEAT_1 = """\
6 7
. 1 . . # # 2
# 1 1 . 3 . 1
. B . # # . .
. . # # . A .
1 . 3 . 1 1 #
2 # # . . 1 .
"""
FIELD = """\
3 4
A . 5 .
. . . .
. 5 . B
"""
CLASSIC = RULESET.classic


def both(game):
    """The facts, which are one object for both seats."""
    first, second = (game.facts(seat) for seat in (0, 1))
    assert first is second
    return first.decode()


# Facts


def test_facts_at_start():
    """In the order of PROTOCOL.md 5; the same for both seats."""
    game = start(PAGE)
    expected = """\
size 6 7
base 0 2 1
base 1 3 5
row 0 . 1 . . # # 2
row 1 # 1 1 . 3 . 1
row 2 . A . # # . .
row 3 . . # # . B .
row 4 1 . 3 . 1 1 #
row 5 2 # # . . 1 .
"""
    assert [expected] * 2 == [game.facts_at_start(seat).decode() for seat in (0, 1)]


FIRST_TURNS = (
    "unit 2 1 0 1, unit 3 5 1 1, total 0 1, total 1 1",
    (
        "moved 0 2 1 1 1, moved 1 3 5 1 3, unit 1 1 0 2, unit 4 5 1 2, neutral 1 1 0, "
        "neutral 4 5 0, total 0 2, total 1 2"
    ),
    (
        "moved 0 1 1 1 0 1 1 1 1, moved 1, unit 0 1 0 2, unit 1 2 0 2, unit 4 5 1 2, "
        "neutral 0 1 0, neutral 1 2 0, total 0 4, total 1 2"
    ),
    "moved 0, moved 1, unit 0 1 0 2, unit 1 2 0 2, unit 4 5 1 2, total 0 4, total 1 2",
)
"""The facts of each turn; a comma stands for the end of a line."""


def test_facts_of_the_first_turns():
    """The page's map and first moves, then an empty answer, then two."""
    game = start(PAGE)
    told = [both(game)]
    for moves in (("2 1 1 1", "3 5 1 3"), ("1 1 1 0 1 1 1 1", ""), ("", "")):
        play(game, *moves)
        told.append(both(game))
    assert [facts.replace(", ", "\n") + "\n" for facts in FIRST_TURNS] == told
    assert game.turn == 3


def test_units_and_neutral_units_are_sorted_by_row_then_column():
    """Whoever owns them, however they came there; 10 comes after 9."""
    text = "2 12\nA 1 . . . . . . . 1 1 1\n1 1 1 . . . . . . . 1 B\n"
    game = at(text, {(1, 0): 1, (0, 11): 1, (1, 2): 1}, {(0, 10): 1, (0, 9): 1, (1, 1): 1})
    play(game, "", "")
    lines = both(game).splitlines()
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


def test_a_player_without_units_has_no_unit_lines():
    """Its total is told all the same."""
    game = at(FIELD, {(1, 1): 5}, {(1, 2): 6})
    play(game, "1 1 5 0", "")
    assert both(game) == "moved 0 1 1 5 0\nmoved 1\nunit 1 2 1 1\ntotal 0 0\ntotal 1 1\n"


def test_the_final_position_has_all_its_facts():
    """PROTOCOL.md 3: sent as one more `turn N` when a match ends by its rules."""
    game = at(FIELD, {(2, 2): 3}, {(1, 3): 6})
    play(game, "2 2 3 0", "1 3 6 1")
    assert game.outcome() is not None
    assert both(game) == (
        "moved 0 2 2 3 0\nmoved 1 1 3 6 1\nunit 0 3 1 6\nunit 2 3 0 3\ntotal 0 3\ntotal 1 6\n"
    )


def test_after_a_forfeit_no_neutral_units_have_changed():
    """Nothing of that move was carried out: what was recruited before isn't told again."""
    game = start(PAGE)
    play(game, "2 1 1 1", "3 5 1 3")
    play(game, "1 1 9 1", "")
    assert "neutral" not in both(game)


# Classic


def test_the_classic_opening_is_the_map_with_the_own_base_as_a():
    """Byte for byte the map of PROTOCOL.md 6, and the other player's."""
    game = start(PAGE)
    assert PAGE.encode() == CLASSIC.opening(game, 0)
    assert PAGE_OF_SEAT_1.encode() == CLASSIC.opening(game, 1)


def test_a_classic_turn_is_the_opponents_line_written_anew():
    """Decimal integers with single spaces, whatever the bot's spaces and zeros were."""
    game = start(PAGE)
    answers = [game.parse(0, tokenize("  02 1   0001 1 ")), game.parse(1, tokenize(""))]
    game.advance(answers)
    assert CLASSIC.turn(game, 0) == b"\n"
    assert CLASSIC.turn(game, 1) == b"2 1 1 1\n"


def test_classic_lines_are_exchanged_when_they_end_the_match():
    """Both in time and well formed: a capture here."""
    game = at(FIELD, {(2, 2): 3}, {(1, 3): 6})
    play(game, "2 2 3 0", "1 3 6 1")
    assert CLASSIC.closing(game, 0) == b"1 3 6 1\n"
    assert CLASSIC.closing(game, 1) == b"2 2 3 0\n"


def test_a_classic_closing_can_be_an_empty_line():
    """The opponent's answer was empty, but it was one."""
    game = at(FIELD, {(2, 2): 3}, {(1, 3): 6})
    play(game, "2 2 3 0", "")
    assert CLASSIC.closing(game, 0) == b"\n"


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
