"""Boards and first positions by chance (rules/crematoria.md 3 and 4).

That they are the original's, draw for draw: test_traces.
"""

import itertools

import pytest

from lanista.games.base import BadBoardError, complete_settings
from lanista.games.chance import OriginalChance, permutation, permutation_start, permuted
from lanista.games.crematoria.board import CAVE, COLS, NEAR, apart, cell_at, position
from lanista.games.crematoria.generator import ELEVATOR_SPACING, _attempt
from lanista.games.crematoria.ruleset import RULESET
from support.chances import HighestChance, LowestChance
from support.crematoria import board, caves_of, new_game, units_of

SETTINGS = complete_settings(RULESET, {})


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10, 80])
@pytest.mark.parametrize("wanted", [0, 1, 2, 9, 10, 79, 80, 200])
def test_the_start_of_a_permutation_is_its_start_and_takes_all_its_draws(n, wanted):
    whole, start, lazy = OriginalChance(5), OriginalChance(5), OriginalChance(5)
    numbers = list(permutation(whole, n, "test"))
    assert numbers[:wanted] == permutation_start(start, n, wanted, "test")
    assert numbers == list(permuted(lazy, n, "test"))
    assert whole.state == start.state == lazy.state


@pytest.mark.parametrize("count", [16, 20, 23])
@pytest.mark.parametrize("seed", [0, 7, 2**31 - 1])
def test_what_every_generated_board_is_like(seed, count):
    """rules/crematoria.md 3: spacing, surroundings, border, number of caves, one piece."""
    settings = complete_settings(RULESET, {"nb_elevators": count})
    made = RULESET.generate(settings, RULESET.chance(seed))
    assert count == len(made.elevators)
    for one, other in itertools.combinations(made.elevators, 2):
        cols = abs(one % COLS - other % COLS)
        rows = abs(one // COLS - other // COLS)
        assert rows + min(cols, COLS - cols) >= ELEVATOR_SPACING
    for cell in made.elevators:
        assert 2 <= cell // COLS <= 37
        assert [CAVE] * 8 == [made.caves[near] for near in NEAR[cell][:8]]
    assert 1200 <= made.caves.count(CAVE) <= 1500
    assert b"R" * 2 * COLS == made.caves[:COLS] + made.caves[-COLS:]
    assert b"O" * COLS == made.outside[:COLS]
    cells = {cell for cell, kind in enumerate(made.caves) if kind == CAVE}
    edge = [min(cells)]
    while edge:
        cells -= set(edge)
        edge = list({near for cell in edge for near in NEAR[cell][:8]} & cells)
    assert set() == cells  # one piece, without elevators as links


@pytest.mark.parametrize("seed", [0, 1, 30, 99])
def test_where_units_begin(seed):
    """Caves, hellhounds 4 apart from each other and from all; pioneers own their cell."""
    game = new_game(seed)
    units = units_of(game.state)
    cells = [cell_at(unit.row, unit.col) for unit in units if unit.row >= 0]
    assert len(set(cells)) == len(cells) == 83
    hounds = cells[-3:]
    assert all(apart(one, other) >= 4 for one, other in itertools.combinations(hounds, 2))
    assert all(apart(one, other) >= 4 for one in hounds for other in cells[:-3])
    assert (15, 15, 15, 15) == tuple(game.state.cells)
    owned = {(unit.row, unit.col): str(unit.player) for unit in units if unit.kind == "p"}
    shown = {
        (row, col): cell
        for row, cells_ in enumerate(caves_of(game))
        for col, cell in enumerate(cells_)
        if cell in "0123"
    }
    assert owned == shown
    assert [("n", -1, 0, -1, -1, -1, -1)] * 10 == [*units[80:90]]
    assert [("h", -1, -1, -1)] * 3 == [unit[:4] for unit in units[90:]]


def test_an_attempt_without_room_for_the_elevators_fails():
    """More than fit at a distance of 10."""
    assert _attempt(60, OriginalChance(1)) is None


def test_the_most_of_everybody_fits_on_a_generated_board():
    """The high ends of the settings, and a match of them goes on."""
    most = {
        setting.name: setting.high
        for setting in RULESET.settings
        if setting.name not in {"nb_elevators", "turns_to_land"}
    }
    game = new_game(3, most)
    assert 8 == sum(unit.kind == "h" for unit in units_of(game.state))
    for _ in range(3):
        game.advance([game.parse(seat, ()) for seat in range(4)])
    assert 240 == sum(unit.row >= 0 for unit in units_of(game.state)[:240])


# Boards from a file


def test_a_fixed_board_draws_the_units_alone():
    """Nothing is drawn for the map: hellhounds come first, the highest id before the others."""
    game = RULESET.new(SETTINGS, board(), RULESET.chance(4))
    chance = OriginalChance(4)
    first = (chance.below(40, "row"), chance.below(80, "column"))
    assert first == (units_of(game.state)[92].row, units_of(game.state)[92].col)


def test_a_digit_cell_keeps_its_owner_under_a_furyan():
    """rules/crematoria.md 4: only pioneers conquer where they begin."""
    made = board(owned={(row, col): 3 for row in range(40) for col in range(80)})
    game = RULESET.new(SETTINGS, made, RULESET.chance(1))
    for unit in units_of(game.state)[:80]:
        owner = int(caves_of(game)[unit.row][unit.col])
        assert owner == (unit.player if unit.kind == "p" else 3)
    assert (15, 15, 15, 40 * 80 - 45) == tuple(game.state.cells)


@pytest.mark.parametrize(
    ("caves", "words"),
    [
        # The original would look for ever.
        ([(row, col) for row in range(3) for col in range(3)], "3 hellhounds: each needs a cave"),
        # The original would abort.
        ([(10, col) for col in range(60)], "80 pioneers and furyans: "),
    ],
)
def test_a_board_without_room_for_all_is_refused(caves, words):
    with pytest.raises(BadBoardError, match=f"^no room for {words}"):
        RULESET.new(SETTINGS, board(only=caves), RULESET.chance(1))


@pytest.mark.parametrize("chance", [LowestChance(), HighestChance()])
def test_any_chance_places_units_where_they_may_stand(chance):
    """Extreme draws; those without effect aren't needed of a chance without `skip`."""
    made = board(only=[(row, col) for row in (0, 20, 39) for col in range(80)])
    settings = complete_settings(RULESET, {"nb_hellhounds": 1})
    game = RULESET.new(settings, made, chance)
    hound = units_of(game.state)[-1]
    assert (hound.row, hound.col) in {(0, 0), (39, 79)}
    cells = {position(cell) for cell in game.state.pos[:80]}
    assert 80 == len(cells)
