"""Where the rules text and the original program differ (rules/hogwarts.md 18), row by row.

Rows that both modes play alike are tested where their rule is; this module lists where, and
tests what the setting `original` changes. Rows 26 and 27 are about a viewer.
"""

import pytest

from lanista.games.chance import OriginalChance
from support.hogwarts import (
    ADDED_UP,
    RIGHT,
    Draws,
    begin,
    check_invariants,
    hall,
    play,
    seeded,
    spell,
)

GHOSTS = {ghost: (ghost, 59, 4 * ghost) for ghost in range(4)}


@pytest.mark.parametrize(
    ("original", "cells"),
    # 20 x 60 corridors; 8 units on 8 of them, clan 0 owns 300 more.
    [(0, 15 * (1200 - 8 - 300) // 100), (1, 15 * (1200 - 8) // 100)],
)
def test_rows_1_and_2_the_spells_quota_rounded_down(original, cells):
    walls = [(row, col) for row in range(40) for col in range(60)]
    mine = {(row, col): 0 for row in range(41, 46) for col in range(60)}
    board = hall(GHOSTS, walls=walls, owned=mine, ingredients=ADDED_UP)
    game = begin(board, Draws(), original=original)
    assert [0] == play(game, {0: spell(0, ADDED_UP)})
    assert cells == len(game.chance.ranges("spell's cell"))


@pytest.mark.parametrize(("original", "values"), [(0, 100), (1, 101)])
@pytest.mark.parametrize(("draw", "surprised"), [(29, True), (30, False)])
def test_row_3_surprise(original, values, draw, surprised):
    """30 of 100 by the text, 30 of 101 in the program."""
    board = hall({4: (0, 10, 10), 5: (1, 10, 11)})
    game = begin(board, Draws({"surprise": [draw]}), original=original)
    play(game, {0: f"m 4 {RIGHT}"})
    assert [values] == game.chance.ranges("surprise")
    assert surprised == (not game.chance.ranges("battle"))


@pytest.mark.parametrize(
    ("original", "values", "most"),
    # 500 against 250: by the text 500 of 750; in the program 667 of 1001, for 666.67 isn't whole.
    [(0, 750, 499), (1, 1001, 666)],
)
def test_row_4_otherwise_the_attacker_wins_with_its_share(original, values, most):
    for draw, loser in ((most, 5), (most + 1, 4)):
        board = hall({4: (0, 10, 10), 5: (1, 10, 11)})
        script = {"surprise": [99], "battle": [draw]}
        game = begin(board, Draws(script), original=original)
        game.strength[1] = 500
        play(game, {0: f"m 4 {RIGHT}"})
        assert [values] == game.chance.ranges("battle")
        assert 4 == game.rounds[loser]


def test_row_4_equal_strengths_are_500_of_1001_in_the_program():
    for draw, loser in ((499, 5), (500, 4)):
        script = {"surprise": [99], "battle": [draw]}
        game = begin(hall({4: (0, 10, 10), 5: (1, 10, 11)}), Draws(script), original=1)
        play(game, {0: f"m 4 {RIGHT}"})
        assert 4 == game.rounds[loser]


def test_row_8_the_original_ends_the_match_and_ours_puts_the_seat_out():
    """Its units stay, do nothing, and can be attacked (`too-many-submoves` in the wire's tests)."""
    from lanista.games.base import Out

    board = hall({4: (0, 10, 10), 5: (1, 10, 11)})
    game = begin(board, Draws({"surprise": [0]}))
    said = game.parse(0, ["m", 4, RIGHT])
    game.advance([said, Out(), Out(), Out()])
    assert (4, 0) == (game.rounds[5], game.nexts[5])


@pytest.mark.parametrize("original", [0, 1])
def test_row_16_nothing_appears_next_to_voldemort_in_either_mode(original):
    """Where the program would abort: a crowded board, thirty rounds."""
    game = seeded(
        3, original=original, NUM_INI_WIZARDS_PER_CLAN=30, NUM_INI_BOOKS=400, NUM_ROUNDS=30
    )
    check_invariants(game)
    for _ in range(30):
        play(game)
        check_invariants(game)


def test_both_modes_begin_with_the_same_board_and_part_where_the_text_differs():
    text, program = seeded(11), seeded(11, original=1)
    assert text.board == program.board
    for game in (text, program):
        play(game)
    assert bytes(text.owners) == bytes(program.owners)
    assert text.chance.state == program.chance.state


@pytest.mark.parametrize(
    ("row", "where"),
    [
        (5, "moves.test_7_3_the_points_go_to_the_winners_clan_when_the_attacker_loses"),
        (6, "spells.test_9_2_3_the_first_spell_of_a_match_is_in_round_60"),
        (7, "round.test_5_2_the_player_is_drawn_among_those_with_orders_left"),
        (9, "moves.test_6_4_a_step_into_a_wall_next_to_voldemort_kills_too"),
        (10, "round.test_10_the_nearest_unit_by_rows_plus_columns"),
        (11, "round.test_10_a_unit_that_walked_into_him_attracts_him_where_it_left"),
        (12, "round.test_10_voldemort_steps_along_the_longer_axis"),
        (13, "round.test_10_the_nearest_unit_by_rows_plus_columns"),
        (14, "round.test_10_what_his_move_does_to_the_eight_cells_around_him"),
        (15, "round.test_11_the_clear_cells_are_those_after_voldemorts_move"),
        (17, "round.test_11_a_dead_wizards_new_clan_is_any_of_the_four"),
        (18, "moves.test_8_a_ghost_is_immune_for_the_round_and_four_more"),
        (19, "moves.test_7_3_a_conversion_takes_five_rounds"),
        (20, "generator.test_ingredients_have_a_solution"),
        (21, "moves.test_7_2_unit_counts_and_strengths_change_at_once"),
        (22, "round.test_5_10_ingredients_are_drawn_last"),
        (23, "moves.test_7_4_a_unit_converted_at_once_walks_and_reads_for_its_new_clan"),
        (24, "round.test_12_the_score_is_conversion_points_and_owned_cells"),
        (25, "round.test_12_the_match_ends_after_the_last_round_and_ties_share_the_place"),
        (28, "wire.test_18_28_players_and_size_are_fixed"),
    ],
)
def test_every_other_row_has_its_test(row, where):
    """The named test is there and names its row or its rule."""
    from pathlib import Path

    module, name = where.split(".")
    source = Path(__file__).with_name(f"test_hogwarts_{module}.py").read_text(encoding="utf-8")
    assert f"def {name}(" in source, f"row {row}"


def test_the_programs_generator_is_the_ruleset_s():
    assert isinstance(seeded(0).chance, OriginalChance)
