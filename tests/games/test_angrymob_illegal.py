"""Which answers are malformed or illegal in Angry Mob, where and why (rules/angrymob.md 4)."""

import pytest

from lanista.games.base import MalformedAnswerError, Refusal, RefusalCode
from support.angrymob import at, refused

MAP = """\
3 4
A . # .
. . . .
. # . B
"""


@pytest.fixture
def game():
    """Units at (0, 0), (0, 1) and (1, 1), the opponent's three at (1, 2)."""
    return at(MAP, {(0, 0): 4, (0, 1): 1, (1, 1): 2}, {(1, 2): 3})


def illegal(index, words):
    return Refusal(RefusalCode.ILLEGAL, words, index)


@pytest.mark.parametrize(
    ("line", "index", "words"),
    [
        ("0 -1 1 0", 0, "(0, -1) is outside the map of 3 rows and 4 columns"),
        ("3 0 1 0", 0, "(3, 0) is outside the map of 3 rows and 4 columns"),
        ("2147483647 -2147483648 1 0", 0,
         "(2147483647, -2147483648) is outside the map of 3 rows and 4 columns"),
        ("0 2 1 0", 0, "(0, 2) is impassable"),
        ("0 0 1 4", 0, "direction 4; it is 0 right, 1 up, 2 left or 3 down"),
        ("0 0 0 0", 0, "0 units; at least 1 must move"),
        ("0 0 5 0", 0, "5 units from (0, 0), where you had 4"),
        ("1 0 1 0", 0, "1 unit from (1, 0), where you had 0"),
        ("1 2 3 0", 0, "3 units from (1, 2), where you had 0"),  # the opponent's
        ("0 1 1 0", 0, "nothing can go right from (0, 1): a wall or the end of the map is there"),
        ("0 0 1 1", 0, "nothing can go up from (0, 0): a wall or the end of the map is there"),
        ("0 0 1 2", 0, "nothing can go left from (0, 0): a wall or the end of the map is there"),
        ("1 1 1 3", 0, "nothing can go down from (1, 1): a wall or the end of the map is there"),
        # The first that is illegal is named.
        ("0 0 1 0 1 1 1 0 0 0 0 0 9 9 9 9", 2, "0 units; at least 1 must move"),
        # Each alone is within the four.
        ("0 0 2 0 0 0 1 3 0 0 2 0", 2, "2 units from (0, 0), where you had 4 and already sent 3"),
        # Units that arrive can't be sent on.
        ("0 0 4 3 1 0 1 0", 1, "1 unit from (1, 0), where you had 0"),
    ],
)  # fmt: skip
def test_an_illegal_submove_is_refused_with_its_place_and_numbers(game, line, index, words):
    assert illegal(index, words) == refused(game, line)


def test_legal_moves_are_not_refused(game):
    """All the units of both cells, in several submoves."""
    assert refused(game, "0 0 1 0 0 0 2 3 0 0 1 0 1 1 2 2") is None
    assert refused(game, "1 2 3 0", seat=1) is None
    assert refused(game, "") is None


@pytest.mark.parametrize(
    ("tokens", "words", "index"),
    [
        ([1], "1 number; a submove is four: i j k d", 0),
        ([0, 0, 1, 0, 0], "5 numbers; a submove is four: i j k d", 1),
        ([0, 0, "m", 0], "`m` where a number belongs; a submove is four numbers: i j k d", 0),
        ([0, 0, 1, 0, 0, 0, 1, "z"],
         "`z` where a number belongs; a submove is four numbers: i j k d", 1),
    ],
)  # fmt: skip
def test_a_malformed_answer_is_no_submoves(game, tokens, words, index):
    """Not four integers, or the line's tokens don't divide by four."""
    with pytest.raises(MalformedAnswerError) as caught:
        game.parse(0, tokens)
    assert Refusal(RefusalCode.MALFORMED, words, index) == caught.value.refusal


def test_a_line_of_a_thousand_submoves_is_read():
    """Only rulesets of four players limit the submoves (PROTOCOL.md 4)."""
    game = at(MAP, {(0, 0): 5000}, {(2, 3): 1})
    assert refused(game, "0 0 1 0 " * 5000) is None
    assert illegal(5000, "1 unit from (0, 0), where you had 5000 and already sent 5000") == (
        refused(game, "0 0 1 0 " * 5001)
    )
