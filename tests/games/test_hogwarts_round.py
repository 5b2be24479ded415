"""The round, Voldemort, respawn, score and end (rules/hogwarts.md 5, 10 to 12).

Here is what is easily misread; the rest comes out as in the original in test_traces.
"""

import pytest

from lanista.games.hogwarts.board import AROUND
from lanista.games.outcome import Outcome, Termination
from support.hogwarts import DOWN, LEFT, RIGHT, UP, Draws, begin, cell, check_invariants, hall, play

# Section 5: the order of execution


def test_5_2_the_player_is_drawn_among_those_with_orders_left():
    """18, row 7: uniform over players; each player's own order stays."""
    chance = Draws({"whose order": [2, 0, 1, 0]})
    game = begin(hall(), chance)
    lines = {0: "m 0 4 m 4 4", 2: "m 2 4", 3: "m 7 4"}
    assert [7, 0, 2, 4] == play(game, lines)
    assert [3, 2, 2, 1] == chance.ranges("whose order")


def test_5_2_orders_without_effect_take_their_turn():
    """4: faulty orders of own units stay in the queue; foreign, unknown, repeated ones don't."""
    game = begin(hall(), Draws())
    assert [] == play(game, {0: "m 0 9 m 4 1 m 5 0 m 77 0 m 0 4"})
    assert [1, 1] == game.chance.ranges("whose order")


# Section 10


HUNTS = {
    "down": ([(34, 31)], 0, (31, 30), 1),
    "up": ([(26, 29)], 0, (29, 30), 1),
    "right": ([(31, 34)], 0, (30, 31), 1),
    "left": ([(29, 26)], 0, (30, 29), 1),
    # Both axes alike: the first of Down, Right, Up, Left that shortens (18, row 12).
    "down or right": ([(33, 33)], 0, (31, 30), 1),
    "down or left": ([(33, 27)], 0, (31, 30), 1),
    "up or right": ([(27, 33)], 0, (30, 31), 1),
    "up or left": ([(27, 27)], 0, (29, 30), 1),
    # 18, rows 10 and 13: rows plus columns, 6 + 0 is farther than 3 + 2; walls don't matter.
    "the nearest": ([(36, 30), (27, 28)], 0, (29, 30), 1),
    "the first of the nearest": ([(34, 30), (30, 34), (26, 30)], 0, (31, 30), 3),
    "the second of the nearest": ([(34, 30), (30, 34), (26, 30)], 1, (30, 31), 3),
    "the third of the nearest": ([(34, 30), (30, 34), (26, 30)], 2, (29, 30), 3),
}
"""Where wizards are; of how many nearest ones which one is drawn; Voldemort's step to it."""


@pytest.mark.parametrize(("places", "target", "step", "nearest"), HUNTS.values(), ids=HUNTS)
def test_10_voldemort_goes_to_one_of_the_nearest_along_the_longer_axis(
    places, target, step, nearest
):
    units = {4 + at: (at % 4, *place) for at, place in enumerate(places)}
    board = hall(units, voldemort=(30, 30), walls=[(29, 30), (28, 30)])
    game = begin(board, Draws({"Voldemort's target": [target]}))
    play(game)
    assert cell(*step) == game.voldemort
    assert [nearest] == game.chance.ranges("Voldemort's target")


def test_10_a_unit_that_walked_into_him_attracts_him_where_it_left():
    """18, row 11."""
    game = begin(hall({4: (0, 30, 32), 5: (1, 34, 30)}, voldemort=(30, 30)), Draws())
    play(game, {0: f"m 4 {LEFT}"})
    assert cell(30, 31) == game.voldemort
    assert [1] == game.chance.ranges("Voldemort's target")


def test_10_the_cell_left_and_who_came_after_count_both():
    """18, row 11: two units at distance 2, one dead and one alive."""
    board = hall({4: (0, 30, 32), 5: (1, 30, 33)}, voldemort=(30, 30))
    game = begin(board, Draws({"whose order": [0, 0]}))
    assert [4, 5] == play(game, {0: f"m 4 {LEFT}", 1: f"m 5 {LEFT}"})
    assert [2] == game.chance.ranges("Voldemort's target")


def test_10_what_his_move_does_to_the_eight_cells_around_him():
    """18, row 14: books vanish, owners too, units die; his own cell is not treated."""
    board = hall(
        {4: (0, 30, 32), 1: (1, 31, 32)},
        voldemort=(30, 30),
        books=[(29, 32), (31, 30)],
        owned={(30, 31): 2, (30, 30): 3, (29, 30): 3, (28, 30): 3},
        walls=[(29, 31)],
    )
    game = begin(board, Draws({"Voldemort's target": [0], "new clan": [2]}))
    play(game)
    assert cell(30, 31) == game.voldemort
    assert "2" == chr(game.owners[cell(30, 31)]), "his own cell"
    assert "3" == chr(game.owners[cell(28, 30)]), "two cells away"
    around = [chr(game.owners[at]) for at in AROUND[cell(30, 31)]]
    assert 1 == around.count("W")
    assert 7 == around.count(".")
    assert 2 == len(game.books)
    assert not {cell(29, 32), cell(31, 30)} & game.books
    assert 2 == game.clans[4]
    assert (59, -1) == (game.rounds[1], game.nexts[1])
    assert not {cell(30, 32), cell(31, 32)} & set(game.cells)
    assert [0] * 4 == game.conversion_points
    assert [1000] * 4 == game.strength
    check_invariants(game)


# Section 11


def test_11_wizards_come_back_by_old_clan_then_by_death_and_ghosts_last():
    board = hall(
        {
            4: (3, 30, 28),
            5: (0, 31, 28),
            6: (0, 29, 32),
            7: (0, 40, 40),
            2: (2, 32, 30),
            1: (1, 28, 30),
        },
        voldemort=(30, 30),
    )
    chance = Draws(
        {
            # 2 and 1 die first, then 4, then the wizards of clan 0: 6 before 5.
            "whose order": [2, 1, 1, 0, 0],
            "new clan": [0, 1, 2],
            "clear cell": [0, 0, 0, 0, 0],
        }
    )
    game = begin(board, chance)
    lines = {0: f"m 6 {LEFT} m 5 {RIGHT}", 1: f"m 1 {DOWN}", 2: f"m 2 {UP}", 3: f"m 4 {RIGHT}"}
    assert [2, 1, 4, 6, 5] == play(game, lines)
    chance.done()
    # Clear cells are drawn from the first one on, three columns apart.
    assert [cell(0, 3 * at) for at in range(5)] == [game.cells[unit] for unit in (6, 5, 4, 1, 2)]
    assert [0, 1, 2] == [game.clans[unit] for unit in (6, 5, 4)]
    order = [why for why, _, _ in chance.made if why in ("clear cell", "new clan")]
    assert ["clear cell", "new clan"] * 3 + ["clear cell"] * 2 == order
    check_invariants(game)


@pytest.mark.parametrize("clan", range(4))
def test_11_a_dead_wizards_new_clan_is_any_of_the_four(clan):
    """18, row 17: its old clan included, no points for anyone."""
    game = begin(hall({4: (0, 30, 28)}, voldemort=(30, 30)), Draws({"new clan": [clan]}))
    play(game, {0: f"m 4 {RIGHT}"})
    assert clan == game.clans[4]
    assert str(clan) == chr(game.owners[game.cells[4]])
    assert [4] == game.chance.ranges("new clan")
    assert [0] * 4 == game.conversion_points


@pytest.mark.parametrize("original", [0, 1])
def test_11_a_full_board_still_has_room_outside_voldemorts_3x3(original):
    """18, row 16: the original aborts here; the invariants hold in a hall of few corridors."""
    # A strip of 4 rows: everything stands within two cells of something.
    walls = [(row, col) for row in range(60) for col in range(60) if row > 3 or col > 18]
    units = {ghost: (ghost, 0, 4 * ghost) for ghost in range(4)}
    units |= {4 + clan: (clan, 3, 4 * clan + 1) for clan in range(4)}
    books = [(1, col) for col in range(0, 19, 3)]
    board = hall(units, walls=walls, books=books, voldemort=(50, 50))
    game = begin(board, Draws(seed=5), original=original)
    for _ in range(120):
        play(game)
        check_invariants(game)
    assert len(game.chance.ranges("row of any cell")) > 50


# Section 12


def test_12_the_score_is_conversion_points_and_owned_cells():
    """18, row 24: 0 in the first state, although every clan owns cells."""
    game = begin(hall({4: (0, 10, 10, 1, 3)}, owned={(0, 0): 2, (0, 1): 2}))
    assert (0, 0, 0, 0) == game.scores()
    play(game)
    assert (1, 2, 4, 3 + 100) == game.scores()


def test_12_the_settings_say_what_points_are_worth():
    game = begin(
        hall({4: (0, 10, 10, 1, 3)}), POINTS_FOR_CONVERTING_WIZARD=7, POINTS_PER_OWNED_CELL=10
    )
    play(game)
    assert (10, 20, 20, 30 + 7) == game.scores()


def test_12_the_match_ends_after_the_last_round_and_ties_share_the_place():
    """18, row 25."""
    game = begin(hall(), NUM_ROUNDS=2)
    play(game)
    assert game.outcome() is None
    play(game)
    assert game.outcome() == Outcome(
        termination=Termination.FINISHED, ranks=(1, 1, 1, 1), scores=(2, 2, 2, 2), reason="rounds"
    )
    assert 2 == game.turn
