"""A move of Angry Mob (rules/angrymob.md 2): the examples of the page, and what is easily misread.

Any other move: test_angrymob_naive.
"""

import pytest

from support.angrymob import at, neutral, play, units

CENTRE = """\
5 5
. . . . B
. . . . .
. . 4 . .
. . . . .
A . . . .
"""
RICH = """\
5 5
. . . . B
. . 7 . .
. 9 . 9 .
. . 7 . .
A . . . .
"""
IDLE = {(0, 0): 1}
"""A unit that does nothing but keep the match going."""

MOVES = {
    "directions are right, up, left, down; submoves add up": (
        CENTRE,
        ({(2, 2): 20}, IDLE),
        ("2 2 1 0 2 2 2 1 2 2 3 2 2 2 4 3 2 2 5 0", ""),
        ({(2, 2): 5, (2, 3): 6, (1, 2): 2, (2, 1): 3, (3, 2): 4}, IDLE),
    ),
    "units that swap pass each other, those that stayed fight": (
        CENTRE,
        ({(1, 1): 12}, {(1, 2): 30}),
        ("1 1 10 0", "1 2 30 2"),
        ({(1, 2): 10}, {(1, 1): 28}),
    ),
    "units that arrive from three sides are one number": (
        CENTRE,
        ({(0, 1): 3, (1, 0): 3, (2, 1): 3}, {(1, 2): 20}),
        ("0 1 3 3 1 0 3 0 2 1 3 1", "1 2 10 2"),
        ({}, {(1, 1): 1, (1, 2): 10}),
    ),
    "equal numbers are all lost": (
        CENTRE,
        ({(1, 1): 10, (4, 4): 1}, {(1, 3): 10, **IDLE}),
        ("1 1 10 0", "1 3 10 2"),
        ({(4, 4): 1}, IDLE),
    ),
    "example: a fight, then recruits": (
        CENTRE,
        ({(2, 1): 3}, {(2, 3): 5}),
        ("2 1 3 0", "2 3 5 2"),
        ({}, {(2, 2): 2 + 4}),
    ),
    "the same with more than 8 units elsewhere": (
        CENTRE,
        ({(2, 1): 3}, {(2, 3): 5, (0, 4): 7}),
        ("2 1 3 0", "2 3 5 2"),
        ({}, {(2, 2): 2, (0, 4): 7}),
    ),
    "8 units recruit": (CENTRE, ({(2, 2): 8}, IDLE), ("", ""), ({(2, 2): 8 + 4}, IDLE)),
    "9 units don't": (CENTRE, ({(2, 2): 9}, IDLE), ("", ""), ({(2, 2): 9}, IDLE)),
    "8 units on three rich cells recruit on all three": (
        RICH,
        ({(2, 1): 3, (3, 2): 3, (2, 3): 2}, IDLE),
        ("", ""),
        ({(2, 1): 3 + 9, (3, 2): 3 + 7, (2, 3): 2 + 9}, IDLE),
    ),
    "a player that has 8 again recruits again": (
        RICH,
        ({(1, 2): 8, (3, 2): 10}, {(3, 4): 10, (0, 4): 1}),
        ("3 2 10 0", "3 4 10 2"),
        ({(1, 2): 8 + 7}, {(0, 4): 1}),
    ),
}
"""A map; the units of both before the move, the moves, the units after it."""


@pytest.mark.parametrize(("text", "before", "moves", "after"), MOVES.values(), ids=MOVES)
def test_a_move(text, before, moves, after):
    game = at(text, *before)
    play(game, *moves)
    assert after == units(game)
    assert game.outcome() is None


def test_example_two_units_take_two_cells():
    """2 units, 9 neutral above, 7 to the right: 10 and 8; 18 recruit no more, on rich cells too."""
    game = at(RICH, {(3, 1): 2}, {(0, 4): 1})
    play(game, "3 1 1 1 3 1 1 0", "")
    assert {(2, 1): 10, (3, 2): 8} == units(game)[0]
    assert 0 == neutral(game, 2, 1) == neutral(game, 3, 2)
    play(game, "2 1 10 0", "")
    play(game, "2 2 10 1", "")
    assert {(1, 2): 10, (3, 2): 8} == units(game)[0]
    assert 7 == neutral(game, 1, 2)
