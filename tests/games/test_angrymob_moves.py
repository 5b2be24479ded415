"""A move of Angry Mob, step by step (rules/angrymob.md 2): move, fight, recruit, capture."""

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


# 1. Move


@pytest.mark.parametrize(
    ("direction", "target"), [(0, (2, 3)), (1, (1, 2)), (2, (2, 1)), (3, (3, 2))]
)
def test_directions_are_right_up_left_down(direction, target):
    """k units go to the neighbour; units not named stay."""
    game = at(CENTRE, {(2, 2): 20}, {(0, 4): 1})
    play(game, f"2 2 3 {direction}", "")
    assert {(2, 2): 17, target: 3} == units(game)[0]


def test_several_submoves_from_a_cell_even_in_one_direction():
    """They add up."""
    game = at(CENTRE, {(2, 2): 20}, {(0, 4): 1})
    play(game, "2 2 1 0 2 2 2 0 2 2 4 1", "")
    assert {(2, 2): 13, (2, 3): 3, (1, 2): 4} == units(game)[0]


def test_a_part_that_stays_behind_fights_who_comes():
    """The units that swap don't fight; those that stayed do."""
    game = at(CENTRE, {(1, 1): 12}, {(1, 2): 30})
    play(game, "1 1 10 0", "1 2 30 2")
    assert ({(1, 2): 10}, {(1, 1): 28}) == units(game)


# 2. Fight


@pytest.mark.parametrize(
    ("first", "second", "left"),
    [
        (12, 10, ({(1, 2): 2}, {})),
        (10, 12, ({}, {(1, 2): 2})),
        (10, 1, ({(1, 2): 9}, {})),
        (10, 10, ({}, {})),
        (1, 1, ({}, {})),
    ],
)
def test_the_larger_number_keeps_the_difference(first, second, left):
    """Equal numbers: both lose all. One unit of each elsewhere keeps the game going."""
    game = at(CENTRE, {(1, 1): first, (4, 4): 1}, {(1, 3): second, (0, 0): 1})
    play(game, f"1 1 {first} 0", f"1 3 {second} 2")
    assert ({**left[0], (4, 4): 1}, {**left[1], (0, 0): 1}) == units(game)


def test_all_that_arrive_fight_together():
    """Units of one player from three sides are one number."""
    game = at(CENTRE, {(0, 1): 3, (1, 0): 3, (2, 1): 3}, {(1, 2): 20})
    play(game, "0 1 3 3 1 0 3 0 2 1 3 1", "1 2 10 2")
    assert ({}, {(1, 1): 1, (1, 2): 10}) == units(game)


# 3. Recruit


def test_worked_example_fight_then_recruit():
    """3 units against 5, and 4 neutral: the cell ends with 0, 6, 0."""
    game = at(CENTRE, {(2, 1): 3}, {(2, 3): 5})
    play(game, "2 1 3 0", "2 3 5 2")
    assert ({}, {(2, 2): 6}) == units(game)
    assert neutral(game, 2, 2) == 0


def test_worked_example_with_too_many_units_elsewhere():
    """The same fight, but its winner has 7 more elsewhere: 9 after the fights."""
    game = at(CENTRE, {(2, 1): 3}, {(2, 3): 5, (0, 4): 7})
    play(game, "2 1 3 0", "2 3 5 2")
    assert ({}, {(2, 2): 2, (0, 4): 7}) == units(game)
    assert neutral(game, 2, 2) == 4


def test_worked_example_two_units_take_two_cells():
    """2 units, 9 neutral above, 7 to the right: 10 and 8, 18 in all…"""
    game = at(RICH, {(3, 1): 2}, {(0, 4): 1})
    play(game, "3 1 1 1 3 1 1 0", "")
    assert {(2, 1): 10, (3, 2): 8} == units(game)[0]
    # …and recruits no more, on rich cells either, …
    play(game, "2 1 10 0", "")
    play(game, "2 2 10 1", "")
    assert {(1, 2): 10, (3, 2): 8} == units(game)[0]
    assert neutral(game, 1, 2) == 7


def test_recruiting_goes_on_when_the_total_is_again_at_most_eight():
    """…until its total is again at most 8: here by losses of 10 of 18."""
    game = at(RICH, {(1, 2): 8, (3, 2): 10}, {(3, 4): 10, (0, 4): 1})
    play(game, "3 2 10 0", "3 4 10 2")
    assert {(1, 2): 15} == units(game)[0]
    assert neutral(game, 1, 2) == 0


@pytest.mark.parametrize(("count", "after", "left"), [(8, 12, 0), (9, 9, 4)])
def test_the_limit_is_exactly_eight(count, after, left):
    """8 units in all recruit, 9 don't."""
    game = at(CENTRE, {(2, 2): count}, {(0, 4): 1})
    play(game, "", "")
    assert {(2, 2): after} == units(game)[0]
    assert left == neutral(game, 2, 2)


def test_the_limit_is_checked_once_before_anyone_is_recruited():
    """8 units standing on three rich cells take all three."""
    game = at(RICH, {(2, 1): 3, (3, 2): 3, (2, 3): 2}, {(0, 4): 1})
    play(game, "", "")
    assert {(2, 1): 12, (3, 2): 10, (2, 3): 11} == units(game)[0]


# 4. Capture


def test_units_that_fall_on_the_base_have_not_conquered_it():
    """Equal numbers: the base is empty and nobody's."""
    game = at(CENTRE, {(0, 3): 5, (4, 0): 1}, {(0, 4): 5, (2, 0): 90})
    play(game, "0 3 5 0", "")
    assert game.outcome() is None
