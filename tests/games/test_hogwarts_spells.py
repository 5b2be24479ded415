"""Spells (rules/hogwarts.md 9), by hand-made positions."""

import pytest

from support.hogwarts import ADDED_UP, RIGHT, Draws, begin, hall, play, solution, spell

RIGHT_ONE = spell(0, ADDED_UP)


def rested(script=None, *, units=None, owned=None, **settings):
    """A game in which the ghosts may cast at once, and 1 to 15 are to be grouped."""
    places = {ghost: (ghost, 59, 4 * ghost) for ghost in range(4)}
    board = hall({**places, **(units or {})}, owned=owned, ingredients=ADDED_UP)
    return begin(board, Draws(script), **settings)


@pytest.mark.parametrize("numbering", [(1, 2, 3, 4, 0), (4, 3, 2, 1, 0)])
def test_9_2_any_numbering_of_the_groups_is_fine(numbering):
    groups = [numbering[group] for group in solution(ADDED_UP)]
    assert [0] == play(rested(), {0: f"s 0 {' '.join(map(str, groups))}"})


@pytest.mark.parametrize(("rounds", "casts"), [(51, True), (50, False)])
def test_9_2_2_no_spell_in_the_last_50_rounds(rounds, casts):
    """NUM_ROUNDS - round > 50: in a match of 200 rounds, 149 is the last."""
    assert casts == bool(play(rested(NUM_ROUNDS=rounds), {0: RIGHT_ONE}))


def test_9_2_3_a_ghost_rests_for_60_rounds():
    """Cast in R: 59 in R+1, possible again in R+60."""
    game = rested(NUM_ROUNDS=1000)
    done = [play(game, {0: spell(0, game.ingredients)}) for _ in range(61)]
    cast = [number for number, units in enumerate(done) if units]
    assert [0, 60] == cast


def test_9_2_3_the_first_spell_of_a_match_is_in_round_60():
    """18, row 6."""
    game = rested(units={0: (0, 59, 0, 60, -1)}, NUM_ROUNDS=1000)
    rounds = [bool(play(game, {0: spell(0, game.ingredients)})) for _ in range(61)]
    assert [60] == [number for number, cast in enumerate(rounds) if cast]


def test_9_2_4_one_spell_a_round_by_order_of_execution():
    """The second solution is right as well, and does nothing."""
    for first in (0, 1):
        game = rested({"whose order": [first, 0]})
        assert [first] == play(game, {0: RIGHT_ONE, 1: spell(1, ADDED_UP)})
        assert 0 == game.rounds[1 - first]


@pytest.mark.parametrize(
    "groups",
    [
        (5, *solution(ADDED_UP)[1:]),
        (-1, *solution(ADDED_UP)[1:]),
        (0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4),
        (0,) * 15,
        # Three groups swap members until the sums are equal, but the sizes are 4, 3, 2.
        (0, 0, 0, 0, 1, 2, 1, 1, 2, 3, 3, 3, 4, 4, 4),
    ],
)
def test_9_2_5_a_wrong_solution_does_nothing(groups):
    game = rested()
    assert [] == play(game, {0: f"s 0 {' '.join(map(str, groups))}"})
    assert 0 == game.rounds[0]


@pytest.mark.parametrize(
    ("rows", "cols", "original", "others", "quota"),
    [
        # 8 units; clan 0 owns nothing else.
        (0, 0, 0, 3592, 15 * 3592 // 100),
        # 2000 cells without unit are the clan's own already.
        (40, 50, 0, 1592, 15 * 1592 // 100),
        (40, 50, 1, 1592, 15 * 3592 // 100),
        # Five rows have fewer cells than the quota.
        (55, 60, 1, 292, 292),
    ],
)
def test_9_3_the_cells_captured_are_15_percent(rows, cols, original, others, quota):
    """They are of the cells that the clan doesn't own; in the original, of all (18, row 1)."""
    own = {(row, col): 0 for row in range(rows) for col in range(cols)}
    game = rested(owned=own, original=original)
    before = bytes(game.owners)
    assert [0] == play(game, {0: RIGHT_ONE})
    assert list(range(others, others - quota, -1)) == game.chance.ranges("spell's cell")
    gained = [at for at in range(3600) if before[at] != game.owners[at] == ord("0")]
    assert quota - 9 <= len(gained) <= quota, "but for those next to Voldemort"


def test_8_an_attack_before_the_spell_makes_it_fail_and_after_it_adds():
    """Section 8's last paragraph: 60 + 15, minus 1 at the end of the round."""
    for order, expected in (((0, 0), ([0, 5], 74)), ((1, 0), ([5], 14))):
        game = rested({"whose order": list(order)}, units={0: (0, 20, 21), 5: (1, 20, 20)})
        done = play(game, {0: RIGHT_ONE, 1: f"m 5 {RIGHT}"})
        assert expected == (done, game.rounds[0])


def test_the_settings_say_how_long_a_ghost_rests():
    game = rested(ROUNDS_SPELL_RESTING_GHOST=2, NUM_ROUNDS=1000)
    assert [True, False, True] == [
        bool(play(game, {0: spell(0, game.ingredients)})) for _ in range(3)
    ]
