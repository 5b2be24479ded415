"""Boards from chance (rules/hogwarts.md 3 and 9.1).

That the draws are the original's: test_traces.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanista.games.base import complete_settings
from lanista.games.chance import OriginalChance
from lanista.games.hogwarts.board import AROUND, BORDER, CELLS, COL, ROW, SIDE, bits, nth
from lanista.games.hogwarts.generator import (
    Places,
    connected,
    draw_ingredients,
    draw_some,
    draw_walls,
)
from lanista.games.hogwarts.ruleset import RULESET
from support.hogwarts import Draws, cell, solution

EVERYWHERE = bits(range(CELLS))


def board(seed, **settings):
    return RULESET.generate(complete_settings(RULESET, settings), RULESET.chance(seed))


def test_seed_1_makes_the_boards_of_the_rules_page():
    """3.4, the test vector of the original."""
    made = board(1)
    assert 788 == made.cells.count(b"W")
    places = [divmod(unit.cell, SIDE) for unit in made.units[:4]]
    assert [(43, 15), (5, 54), (17, 35), (17, 46)] == places
    assert (17, 42) == divmod(made.voldemort, SIDE)
    assert (5, 8, 6, 7, 6, 7, 8, 5, 5, 9, 5, 9, 7, 8, 5) == made.ingredients


@pytest.mark.parametrize("seed", [0, 2, 2**31 - 1])
def test_walls_are_snakes_that_keep_apart(seed):
    """3.1: never at the border; of the cells around a wall cell, few are of the same wall."""
    cells = draw_walls(RULESET.chance(seed))
    walls = {cell for cell in range(CELLS) if cells[cell] == ord("W")}
    assert not walls & BORDER
    assert connected(EVERYWHERE & ~bits(walls))
    pieces, left = 0, set(walls)
    while left:
        pieces += 1
        edge = [left.pop()]
        while edge:
            beside = left.intersection(AROUND[edge.pop()])
            left -= beside
            edge += beside
    # Walls never touch, not even by corners: as many pieces as walls.
    assert 8 == pieces


def test_corridors_in_two_parts_are_refused():
    """3.1: one component of steps in the four directions; a corner doesn't join."""
    ring = {cell(row, col) for row in (10, 12) for col in (10, 11, 12)} | {cell(11, 10)}
    open_ring = EVERYWHERE & ~bits(ring)
    assert connected(open_ring)
    assert not connected(open_ring & ~bits([cell(11, 12)]))
    corner = {cell(0, 1), cell(1, 0)}
    assert not connected(EVERYWHERE & ~bits(corner))


def test_objects_stand_apart_on_their_clans_ground():
    """3.2: clear cells, owners under units alone, ghosts at rest, Voldemort off the border."""
    made = board(5)
    things = [unit.cell for unit in made.units] + list(made.books) + [made.voldemort]
    for at, one in enumerate(things):
        for other in things[:at]:
            apart = max(abs(ROW[one] - ROW[other]), abs(COL[one] - COL[other]))
            assert apart > 2
    assert [0, 1, 2, 3] + [clan for clan in range(4) for _ in range(20)] == [
        unit.clan for unit in made.units
    ]
    assert [(60, -1)] * 4 + [(0, -1)] * 80 == [(unit.rounds, unit.next) for unit in made.units]
    assert 21 * 4 == sum(made.cells.count(owner) for owner in b"0123")
    assert made.voldemort not in BORDER


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_crowded_board_is_made_without_clear_cells(seed):
    """18, row 16 and section 19: the original aborts here; ours stays legal."""
    made = board(seed, NUM_INI_WIZARDS_PER_CLAN=30, NUM_INI_BOOKS=400)
    assert made == RULESET.read_board(RULESET.write_board(made))


def test_voldemort_without_a_clear_cell_stands_away_from_units():
    """18, row 16: an empty cell off the border with no unit next to it."""
    places = Places.of(bits([cell(0, 5), cell(20, 20), cell(40, 40), cell(40, 41)]), [])
    for at in (cell(0, 5), cell(20, 20), cell(40, 40), cell(40, 41)):
        places.clear &= ~bits([at])
    rows = [0, 20, 20, 40]
    cols = [5, 21, 20, 40]
    chance = Draws({"row of any cell": rows, "column of any cell": cols})
    # On the border; a wall; next to the unit at (21, 21); good.
    assert cell(40, 40) == places.draw_voldemort(chance, [cell(21, 21)])
    chance.done()


def test_clear_cells_have_nothing_in_their_5x5():
    """11: walls are no obstacle, the board's end neither; Voldemort counts."""
    corridors = EVERYWHERE & ~bits([cell(0, 1)])
    places = Places.of(corridors, [cell(0, 4), cell(30, 0)], cell(10, 10))
    clear = {nth(places.clear, n) for n in range(places.clear.bit_count())}
    for at in range(CELLS):
        row, col = ROW[at], COL[at]
        near = any(max(abs(row - r), abs(col - c)) <= 2 for r, c in ((0, 4), (30, 0), (10, 10)))
        assert (at in clear) == (not near and at != cell(0, 1))
    # Nothing wraps round from column 0 to column 59.
    assert cell(29, 59) in clear
    assert cell(29, 58) in clear


def test_a_clear_cell_is_drawn_row_by_row_with_one_draw():
    chance = Draws({"clear cell": [2]})
    places = Places.of(bits([cell(3, 3), cell(10, 1), cell(10, 50), cell(11, 9)]), [])
    assert cell(10, 50) == places.draw(chance)
    assert [("clear cell", 4, 2)] == chance.made
    assert 3 == places.clear.bit_count()


def test_without_a_clear_cell_any_empty_one_outside_voldemorts_3x3():
    """11 and 18, row 16: rows and columns are drawn until they hit one."""
    places = Places.of(bits([cell(9, 9), cell(12, 12), cell(12, 13)]), [cell(12, 12)], cell(10, 10))
    assert not places.clear
    chance = Draws({"row of any cell": [9, 12, 12], "column of any cell": [9, 12, 13]})
    # Next to Voldemort; taken; good.
    assert cell(12, 13) == places.draw(chance)
    chance.done()


@given(st.integers(0, 2**31 - 1))
def test_ingredients_have_a_solution(seed):
    """9.1: 15 values from 1 to 15 of five groups with equal sums from 5 to 30."""
    values = draw_ingredients(OriginalChance(seed))
    assert 15 == len(values)
    assert all(1 <= value <= 15 for value in values)
    assert 5 <= sum(values) // 5 <= 30
    assert solution(values)


def test_some_cells_are_the_beginning_of_a_whole_permutation():
    """9.3: the draws without effect are passed over, but passed."""
    whole, short = OriginalChance(9), OriginalChance(9)
    everything = draw_some(whole, list(range(500)), 500)
    assert everything[:40] == draw_some(short, list(range(500)), 40)
    assert whole.state == short.state
    assert list(range(500)) == sorted(everything)
