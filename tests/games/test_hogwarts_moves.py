"""Moves, battles and attacks on ghosts (rules/hogwarts.md 6 to 8), by hand-made positions."""

import pytest

from support.hogwarts import DOWN, DR, LD, LEFT, RIGHT, RU, UL, UP, Draws, begin, cell, hall, play

A, B = 4, 5
"""Two wizards of most tests, by default of the clans 0 and 1."""


def facing(script=None, *, left=(0, 10, 10), right=(1, 10, 11), others=None, **settings):
    """A game in which wizard A stands to the left of wizard B."""
    return begin(hall({A: left, B: right, **(others or {})}), Draws(script), **settings)


def owner(game, row, col):
    return chr(game.owners[cell(row, col)])


# Section 6, in the order of its checks


@pytest.mark.parametrize("direction", [-2, -1, 8, 2**31 - 1])
def test_6_1_a_direction_that_is_none_does_nothing(direction):
    game = facing()
    assert [] == play(game, {0: f"m {A} {direction} m 0 {direction}"})


@pytest.mark.parametrize("direction", [DR, RU, UL, LD])
def test_6_2_wizards_never_move_diagonally_and_ghosts_do(direction):
    game = begin(hall({A: (0, 10, 10), 0: (0, 20, 20)}))
    assert [0] == play(game, {0: f"m {A} {direction} m 0 {direction}"})


@pytest.mark.parametrize(
    ("direction", "row", "col"),
    [
        (DOWN, 21, 20),
        (DR, 21, 21),
        (RIGHT, 20, 21),
        (RU, 19, 21),
        (UP, 19, 20),
        (UL, 19, 19),
        (LEFT, 20, 19),
        (LD, 21, 19),
    ],
)
def test_2_the_eight_directions(direction, row, col):
    game = begin(hall({0: (0, 20, 20)}))
    assert [0] == play(game, {0: f"m 0 {direction}"})
    assert cell(row, col) == game.cells[0]
    assert "0" == owner(game, row, col)


@pytest.mark.parametrize(
    ("place", "direction"), [((0, 9), UP), ((9, 0), LEFT), ((9, 59), RIGHT), ((59, 50), DOWN)]
)
def test_6_3_off_the_board_does_nothing(place, direction):
    game = begin(hall({A: (0, *place)}, voldemort=(30, 30)))
    assert [] == play(game, {0: f"m {A} {direction}"})
    assert cell(*place) == game.cells[A]


def test_6_4_a_step_next_to_voldemort_kills():
    """Dead units appear elsewhere at the end of the round; nothing happens on the cell."""
    # He turns to the other wizard, on his right: what A left and wanted shows as it was.
    board = hall(
        {A: (0, 30, 28), 6: (2, 30, 32)}, voldemort=(30, 30), books=[(30, 29)], owned={(30, 29): 3}
    )
    game = begin(board, Draws({"Voldemort's target": [1], "new clan": [3, 2]}))
    assert [A] == play(game, {0: f"m {A} {RIGHT}"})
    assert 3 == game.clans[A]
    assert game.cells[A] not in {cell(30, 28), cell(30, 29)}
    assert "0" == owner(game, 30, 28), "the cell it left keeps its owner"
    assert "3" == owner(game, 30, 29), "the cell it wanted too"
    assert {cell(30, 29)} == game.books, "the book was not read"
    assert [1000] * 4 == game.strength


def test_6_4_a_step_into_a_wall_next_to_voldemort_kills_too():
    """18, row 9: death is looked at before walls."""
    game = begin(hall({A: (0, 30, 28)}, voldemort=(30, 30), walls=[(30, 29)]), Draws())
    assert [A] == play(game, {0: f"m {A} {RIGHT}"})
    assert cell(30, 28) != game.cells[A]


def test_6_4_a_converting_wizard_can_die_and_its_conversion_ends():
    game = begin(hall({A: (0, 30, 28, 3, 2)}, voldemort=(30, 30)), Draws({"new clan": [0]}))
    assert [A] == play(game, {0: f"m {A} {RIGHT}"})
    assert (0, 0, -1) == (game.clans[A], game.rounds[A], game.nexts[A])
    assert [0] * 4 == game.conversion_points


def test_6_4_the_cell_of_a_dead_unit_is_free_at_once():
    game = begin(
        hall({A: (0, 30, 28), B: (1, 30, 27)}, voldemort=(30, 30)), Draws({"whose order": [0, 0]})
    )
    assert [A, B] == play(game, {0: f"m {A} {RIGHT}", 1: f"m {B} {RIGHT}"})
    # He steps towards the cell both stand on or stood on, and B dies there.
    assert [2] == game.chance.ranges("Voldemort's target")
    assert cell(30, 29) == game.voldemort
    assert 2 == len(game.chance.ranges("new clan"))


def test_6_5_a_wall_does_nothing():
    game = begin(hall({A: (0, 10, 10), 0: (0, 12, 10)}, walls=[(10, 11), (11, 11)]))
    assert [] == play(game, {0: f"m {A} {RIGHT} m 0 {RU}"})


@pytest.mark.parametrize("unit", [0, A])
def test_6_6_a_step_owns_the_cell_and_the_one_left_keeps_its_owner(unit):
    game = begin(hall({unit: (0, 10, 10)}, owned={(10, 11): 3}))
    assert [unit] == play(game, {0: f"m {unit} {RIGHT}"})
    assert cell(10, 11) == game.cells[unit]
    assert "00" == owner(game, 10, 10) + owner(game, 10, 11)


@pytest.mark.parametrize("unit", [0, A])
def test_6_6_a_book_is_read_by_a_step(unit):
    """Its strength counts at the end of the round, and another one appears."""
    game = begin(hall({unit: (0, 10, 10)}, books=[(10, 11)]))
    assert [unit] == play(game, {0: f"m {unit} {RIGHT}"})
    assert [1050, 1000, 1000, 1000] == game.strength
    assert 1 == len(game.books)
    assert cell(10, 11) not in game.books


def test_6_6_a_converting_wizard_walks_owns_and_reads_for_its_old_clan():
    game = begin(hall({A: (0, 10, 10, 4, 1)}, books=[(10, 11)]))
    assert [A] == play(game, {0: f"m {A} {RIGHT}"})
    assert "0" == owner(game, 10, 11)
    assert [1050, 1000, 1000, 1000] == game.strength
    assert (3, 1) == (game.rounds[A], game.nexts[A])


@pytest.mark.parametrize("other", [(0, 10, 11), (1, 10, 11), (0, 10, 11, 2, 1)])
def test_6_7_a_ghost_onto_a_wizard_does_nothing(other):
    game = begin(hall({0: (0, 10, 10), A: other}))
    assert [] == play(game, {0: f"m 0 {RIGHT}"})


def test_6_7_a_ghost_onto_a_ghost_does_nothing():
    game = begin(hall({0: (0, 10, 10), 1: (1, 10, 11)}))
    assert [] == play(game, {0: f"m 0 {RIGHT}"})


@pytest.mark.parametrize(
    ("unit", "other"),
    [(B, (1, 10, 11)), (B, (0, 10, 11, 2, 1)), (1, (1, 10, 11)), (0, (0, 10, 11))],
)
def test_6_8_a_converting_wizard_onto_a_unit_does_nothing(unit, other):
    """It attacks no wizard and no ghost, and cancels nobody's conversion."""
    game = begin(hall({A: (0, 10, 10, 4, 2), unit: other}))
    assert [] == play(game, {0: f"m {A} {RIGHT}"})


def test_6_9_onto_a_comrade_in_conversion_cancels_it_and_nobody_moves():
    game = begin(hall({A: (0, 10, 10), B: (0, 10, 11, 4, 2)}))
    assert [A] == play(game, {0: f"m {A} {RIGHT}"})
    assert (0, -1) == (game.rounds[B], game.nexts[B])
    assert (cell(10, 10), cell(10, 11)) == (game.cells[A], game.cells[B])
    assert [0] * 4 == game.conversion_points


@pytest.mark.parametrize("unit", [0, B])
def test_6_9_onto_another_comrade_does_nothing(unit):
    game = begin(hall({A: (0, 10, 10), unit: (0, 10, 11)}))
    assert [] == play(game, {0: f"m {A} {RIGHT}"})


def test_6_11_onto_an_enemy_in_conversion_does_nothing():
    game = facing(right=(1, 10, 11, 4, 0))
    assert [] == play(game, {0: f"m {A} {RIGHT}"})
    assert (3, 0) == (game.rounds[B], game.nexts[B])


def test_6_units_cannot_swap_places():
    game = begin(hall({A: (0, 10, 10), B: (0, 10, 11)}))
    assert [] == play(game, {0: f"m {A} {RIGHT} m {B} {LEFT}"})


def test_6_a_unit_can_follow_into_a_cell_left_in_the_same_round():
    game = begin(hall({A: (0, 10, 10), B: (0, 10, 11)}))
    assert [B, A] == play(game, {0: f"m {B} {RIGHT} m {A} {RIGHT}"})
    assert (cell(10, 11), cell(10, 12)) == (game.cells[A], game.cells[B])


# Section 7


def strengths(game, *points):
    game.strength[:] = points
    return game


@pytest.mark.parametrize(
    ("ours", "theirs", "instantly"),
    [(2001, 1000, "A"), (1000, 2001, "B"), (2000, 1000, None), (1000, 2000, None)],
)
def test_7_1_more_than_double_wins_at_once(ours, theirs, instantly):
    """Strictly more than double, of the floors: one ghost and no other wizard, so 2 units."""
    game = strengths(facing(), 2 * ours, 2 * theirs, 1000, 1000)
    chance = game.chance
    assert [A] == play(game, {0: f"m {A} {RIGHT}"})
    if instantly is None:
        assert [100] == chance.ranges("surprise")
        assert 4 in (game.rounds[A], game.rounds[B])
        return
    assert [] == chance.ranges("surprise") + chance.ranges("battle")
    clan = 0 if instantly == "A" else 1
    assert [clan, clan] == [game.clans[A], game.clans[B]]
    assert [0, 0, -1, -1] == [*game.rounds[A : B + 1], *game.nexts[A : B + 1]]
    assert 100 == game.conversion_points[clan]
    assert str(clan) * 2 == owner(game, 10, 10) + owner(game, 10, 11)
    assert (cell(10, 10), cell(10, 11)) == (game.cells[A], game.cells[B])


def test_7_2_unit_counts_and_strengths_change_at_once():
    """2: after the instant win clan 0 has 3 units, so 2001 // 3 = 667 is no double of 500."""
    third = {6: (0, 20, 20), 7: (1, 20, 21), 8: (0, 40, 0), 9: (1, 40, 40)}
    board = hall({A: (0, 10, 10), B: (1, 10, 11), **third, 10: (2, 45, 0), 11: (3, 45, 4)})
    game = strengths(begin(board, Draws({"surprise": [99], "battle": [0]})), 4008, 1500, 900, 900)
    # 4008 // 4 = 1002 > 2 * (1500 // 4 = 375): at once; then 4008 // 5 = 801 and
    # 1500 // 3 = 500: not more than double.
    assert [A, 6] == play(game, {0: f"m {A} {RIGHT} m 6 {RIGHT}"})
    assert (0, 0) == (game.clans[B], game.rounds[B])
    assert (1, 4, 0) == (game.clans[7], game.rounds[7], game.nexts[7])
    assert [801 + 500] == game.chance.ranges("battle")


def test_2_a_wizard_that_walked_into_voldemort_no_longer_counts_and_a_dead_ghost_does():
    """1000 // 3 becomes 1000 // 2 when a wizard dies first, not 1000 // 1 when the ghost does."""
    ours = {A: (0, 10, 10), 8: (0, 30, 28), 0: (0, 28, 28)}
    theirs = {B: (1, 10, 11), 9: (1, 45, 0), 10: (1, 45, 4), 11: (2, 45, 8)}
    game = begin(
        hall({**ours, **theirs}, voldemort=(30, 30)), Draws({"surprise": [99], "battle": [0]})
    )
    assert [8, 0, A] == play(game, {0: f"m 8 {RIGHT} m 0 {DR} m {A} {RIGHT}"})
    assert [500 + 250] == game.chance.ranges("battle")


@pytest.mark.parametrize(("original", "values"), [(0, 100), (1, 101)])
@pytest.mark.parametrize(("draw", "surprised"), [(29, True), (30, False)])
def test_7_1_the_attacker_surprises_with_30_percent(original, values, draw, surprised):
    """18, row 3: 30 of 100 by the text, 30 of 101 in the program."""
    game = facing({"surprise": [draw]}, original=original)
    play(game, {0: f"m {A} {RIGHT}"})
    assert [values] == game.chance.ranges("surprise")
    assert surprised == (not game.chance.ranges("battle"))


@pytest.mark.parametrize(
    ("original", "values", "most"),
    # 500 against 250: by the text 500 of 750; in the program 667 of 1001, for 666.67 isn't whole.
    [(0, 750, 499), (1, 1001, 666)],
)
def test_7_1_otherwise_the_strengths_decide(original, values, most):
    """18, row 4: the attacker wins with its share of both strengths."""
    for draw, loser, winner in ((most, B, A), (most + 1, A, B)):
        game = facing({"surprise": [30], "battle": [draw]}, original=original)
        strengths(game, 1000, 500, 1000, 1000)
        play(game, {0: f"m {A} {RIGHT}"})
        assert [values] == game.chance.ranges("battle")
        assert (4, game.clans[winner]) == (game.rounds[loser], game.nexts[loser])
        assert (0, -1) == (game.rounds[winner], game.nexts[winner])
        assert [0, 1] == game.clans[A : B + 1]


@pytest.mark.parametrize("original", [0, 1])
@pytest.mark.parametrize("wins", [False, True])
def test_7_1_without_any_strength_it_is_one_half(original, wins):
    board = hall({A: (0, 10, 10), B: (1, 10, 11)})
    half = (499 if wins else 500) if original else (0 if wins else 1)
    game = begin(board, Draws({"surprise": [50], "battle": [half]}), original=original)
    strengths(game, 1, 1, 1, 1)
    play(game, {0: f"m {A} {RIGHT}"})
    assert (B if wins else A) == next(unit for unit in (A, B) if game.rounds[unit])


def test_7_1_strengths_beyond_the_generators_range_are_scaled():
    """The generator gives no draw of more than a million values."""
    game = strengths(facing({"surprise": [99], "battle": [0]}), 3_000_000, 3_000_000, 1, 1)
    play(game, {0: f"m {A} {RIGHT}"})
    assert [750_000] == game.chance.ranges("battle")


def test_7_3_a_conversion_takes_five_rounds():
    """18, row 19: lost in R, 4 3 2 1 in the states of R+1 to R+4, changed in R+5."""
    game = facing({"surprise": [0]})
    play(game, {0: f"m {A} {RIGHT}"})
    seen = [(game.clans[B], game.rounds[B], game.nexts[B])]
    for _ in range(4):
        assert [0] * 4 == game.conversion_points
        play(game)
        seen.append((game.clans[B], game.rounds[B], game.nexts[B]))
    assert [(1, 4, 0), (1, 3, 0), (1, 2, 0), (1, 1, 0), (0, 0, -1)] == seen
    assert [100, 0, 0, 0] == game.conversion_points
    assert "0" == owner(game, 10, 11)


def test_7_3_the_points_go_to_the_winners_clan_when_the_attacker_loses():
    """18, row 5."""
    game = facing({"surprise": [99], "battle": [999]}, ROUNDS_FOR_CONVERTING=1)
    play(game, {0: f"m {A} {RIGHT}"})
    assert [1, 1] == game.clans[A : B + 1]
    assert [0, 100, 0, 0] == game.conversion_points


def test_7_3_the_new_clan_is_the_winners_clan_of_the_moment():
    """A is converted at once by clan 2, then attacks for clan 2."""
    others = {6: (2, 10, 9), 7: (3, 40, 40)}
    game = facing({"whose order": [1, 0], "surprise": [0]}, others=others)
    strengths(game, 600, 2000, 3000, 600)
    # 3000 // 2 > 2 * (600 // 2): A joins clan 2; 3000 // 3 = 1000 against 2000 // 2.
    assert [6, A] == play(game, {0: f"m {A} {RIGHT}", 2: f"m 6 {RIGHT}"})
    assert 2 == game.clans[A]
    assert (4, 2) == (game.rounds[B], game.nexts[B])


def test_7_4_a_unit_converted_at_once_walks_and_reads_for_its_new_clan():
    """18, row 23."""
    board = hall({A: (0, 10, 10), B: (1, 10, 11)}, books=[(11, 11)])
    game = begin(board, Draws({"whose order": [0, 0]}))
    strengths(game, 3000, 1000, 1000, 1000)
    assert [A, B] == play(game, {0: f"m {A} {RIGHT}", 1: f"m {B} {DOWN}"})
    assert "0" == owner(game, 11, 11)
    assert [3050, 1000, 1000, 1000] == game.strength


def test_7_4_a_unit_converted_at_once_attacks_its_old_comrade():
    others = {6: (1, 10, 12), 7: (2, 40, 40)}
    game = facing({"whose order": [0, 0]}, others=others)
    strengths(game, 3000, 900, 1000, 1000)
    assert [A, B] == play(game, {0: f"m {A} {RIGHT}", 1: f"m {B} {RIGHT}"})
    assert [0, 0, 0] == game.clans[A:7]
    assert [200, 0, 0, 0] == game.conversion_points


def test_7_4_a_unit_converted_at_once_leaves_its_new_comrades_alone_or_saves_them():
    for right, expected in (((0, 10, 12), [A]), ((0, 10, 12, 3, 2), [A, B])):
        others = {6: right, 7: (2, 40, 40)}
        game = facing({"whose order": [0, 0]}, others=others)
        strengths(game, 4000, 900, 1000, 1000)
        assert expected == play(game, {0: f"m {A} {RIGHT}", 1: f"m {B} {RIGHT}"})
        assert 0 == game.rounds[6]


def test_7_4_a_unit_that_began_converting_still_walks_but_does_nothing_onto_a_unit():
    for direction, expected in ((DOWN, [A, B]), (LEFT, [A])):
        game = facing({"whose order": [0, 0], "surprise": [0]})
        assert expected == play(game, {0: f"m {A} {RIGHT}", 1: f"m {B} {direction}"})
        assert 4 == game.rounds[B]


def test_7_4_a_wizard_whose_conversion_was_cancelled_acts_normally():
    others = {6: (1, 9, 11), 7: (2, 40, 40)}
    board = {"whose order": [0, 0], "surprise": [0]}
    game = facing(board, right=(1, 10, 11, 2, 0), others=others)
    assert [6, B] == play(game, {1: f"m 6 {DOWN} m {B} {LEFT}"})
    assert 4 == game.rounds[A], "it attacks, and wins by surprise"


def test_7_3_two_conversions_end_in_the_same_round_in_order_of_ids():
    game = begin(hall({A: (0, 10, 10, 1, 1), B: (1, 20, 20, 1, 0)}))
    play(game)
    assert [1, 0] == game.clans[A : B + 1]
    assert [100, 100, 0, 0] == game.conversion_points


# Section 8


def ghost_game(rounds=0, last=-1, **settings):
    return begin(hall({A: (0, 10, 10), 1: (1, 10, 11, rounds, last)}), Draws(), **settings)


@pytest.mark.parametrize("rounds", [0, 7])
def test_8_an_attacked_ghost_rests_15_rounds_more(rounds):
    """It shows 14 more in the next state; next is the round of the attack."""
    game = ghost_game(rounds)
    assert [A] == play(game, {0: f"m {A} {RIGHT}"})
    assert (rounds + 14, 0) == (game.rounds[1], game.nexts[1])
    assert (cell(10, 10), cell(10, 11)) == (game.cells[A], game.cells[1])


def test_8_a_ghost_is_immune_for_the_round_and_four_more():
    """18, row 18: attacked in R, again in R+5."""
    game = begin(hall({A: (0, 10, 10), B: (0, 10, 12), 1: (1, 10, 11)}), Draws())
    assert [A] == play(game, {0: f"m {A} {RIGHT} m {B} {LEFT}"})
    for _ in range(4):
        assert [] == play(game, {0: f"m {A} {RIGHT}"})
    assert [A] == play(game, {0: f"m {A} {RIGHT}"})
    assert (24, 5) == (game.rounds[1], game.nexts[1])


def test_8_there_is_no_cap():
    game = ghost_game(1_000_000)
    play(game, {0: f"m {A} {RIGHT}"})
    assert 1_000_014 == game.rounds[1]


def test_8_the_own_ghost_is_left_alone():
    game = begin(hall({A: (0, 10, 10), 0: (0, 10, 11)}))
    assert [] == play(game, {0: f"m {A} {RIGHT}"})


def test_8_the_settings_say_how_long():
    game = ghost_game(ROUNDS_ATTACK_RESTING_GHOST=3, ROUNDS_NO_ATTACK_GHOST=2)
    assert [[A], [], [A]] == [play(game, {0: f"m {A} {RIGHT}"}) for _ in range(3)]
    assert (3 + 3 - 3, 2) == (game.rounds[1], game.nexts[1])
