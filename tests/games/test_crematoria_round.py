"""The end of a round: sun, gem, spacecraft, rebirth, recovery; and the order of all phases.

rules/crematoria.md 5.5 to 5.9 and 7. What every match shows is in test_traces.
"""

import pytest

from lanista.games.base import Late
from lanista.games.chance import OriginalChance
from lanista.games.crematoria.board import RIGHT, apart, cell_at, position
from lanista.games.crematoria.phases import (
    all_recover,
    dead_are_reborn,
    gem_appears,
    necromonger_appears,
    sun_moves,
)
from lanista.games.outcome import Termination
from lanista.games.testing import ScriptedChance
from support.crematoria import (
    PARKING_ROW,
    Listening,
    board,
    caves_of,
    game_at,
    new_game,
    position_of,
    units_of,
)

DEAD = (-1, -1, -1)
NIGHT_0 = [(row, col) for row in range(40) for col in (40, 41)]
"""Cells that come into the night at the end of round 0, in the order of draws."""


def heir(value=0):
    return ("new player", 3, value)


def scripted(units, *draws, **more):
    script = list(draws)
    return game_at(units, chance=ScriptedChance(script), **more), script


# The sun


def test_the_sun_kills_everybody_in_its_two_new_columns():
    """Row by row, in each the left column first; a necromonger without a draw."""
    units = {2: (7, 1, 1), 6: (7, 0, 1), 4: (3, 1, 1), 16: (5, 0, 1), 3: (7, 2, 1), 7: (7, 79, 1)}
    game, script = scripted(units, heir(0), heir(1), heir(2))
    sun_moves(game.state, 0)
    assert [] == script
    # (3, 1): unit 4 of player 1; (7, 0): unit 6 of player 1; (7, 1): unit 2 of player 0.
    assert [0, 2, 3] == [game.state.player[unit] for unit in (4, 6, 2)]
    assert [DEAD] * 4 == [position_of(game, unit) for unit in (2, 6, 4, 16)]
    assert [50, 50] == [game.state.health[unit] for unit in (3, 7)]  # it only looks there


def test_the_sun_spares_level_0_and_the_descending():
    game, _ = scripted({2: (7, 1, 0), 16: (7, 1, 1)}, landing={16: 1})
    sun_moves(game.state, 0)
    assert [50, 75] == [game.state.health[unit] for unit in (2, 16)]


def test_the_sun_destroys_gems():
    game, _ = scripted({}, on=board(gems=[(5, 0), (6, 1), (7, 2), (8, 79)]))
    sun_moves(game.state, 0)
    assert {(7, 2, 1), (8, 79, 1)} == {position(cell) for cell in game.state.gems_lying}


# Gems


def test_no_gem_on_an_elevator():
    game, _ = scripted({}, ("gem", 4, 0), ("gem's cell", 79, 3), on=board(elevators=[(1, 40)]))
    gem_appears(game.state, 0)
    assert {(2, 40, 1)} == {position(cell) for cell in game.state.gems_lying}


def test_a_gem_on_a_gem_is_one():
    """Only on boards from a file."""
    game, _ = scripted({}, ("gem", 4, 0), ("gem's cell", 80, 1), on=board(gems=[(0, 41)]))
    gem_appears(game.state, 0)
    assert 1 == len(game.state.gems_lying)


# Spacecraft


def test_a_spacecraft_takes_a_dead_id_then_a_cell_without_gem():
    """The id is drawn first; elevators and gems are no cells for it."""
    on = board(elevators=[(0, 40)], gems=[(0, 41)])
    draws = [("necromonger", 2, 0), ("necromonger's id", 2, 1), ("necromonger's cell", 78, 0)]
    game, script = scripted({16: (20, 20, 1)}, *draws, on=on)
    necromonger_appears(game.state, 0, 2)
    unit = units_of(game.state)[18]
    assert [] == script
    assert (75, 2, (1, 40, 1)) == (unit.health, unit.turns, position_of(game, 18))
    assert -1 == game.state.occupant[cell_at(1, 40, 1)]  # not on the board yet


def test_columns_without_a_cell_give_no_spacecraft_and_no_draw():
    """All their cells hold gems: only on boards from a file."""
    game, script = scripted({}, ("necromonger", 2, 0), on=board(gems=NIGHT_0))
    necromonger_appears(game.state, 0, 2)
    assert ([], [0, 0, 0]) == (script, game.state.health[16:19])


ALL_THREE = {16: (20, 2, 1), 17: (30, 20, 1), 18: (35, 30, 1)}


def test_no_spacecraft_when_all_lived_at_the_start_of_the_round():
    """Text-vs-engine 7: though one burns in this round."""
    units = {**ALL_THREE, 19: (2, 60, 0), 20: (2, 66, 0)}
    units[16] = (20, 0, 1)
    game = game_at(units, chance=OriginalChance(3))
    script = _whys(game)
    game.state.turns[16] = 0
    game.advance([Late()] * 4)
    # It can step right to column 1, which burns as well.
    assert 0 == game.state.health[16]
    assert "gem" in script
    assert "necromonger" not in script


def test_an_id_that_died_in_this_round_can_come_back_at_once():
    """The list is of all dead ids at that moment."""
    units = {16: (20, 0, 1), 17: (30, 20, 1)}
    game = game_at(units, chance=OriginalChance(3))
    sun_moves(game.state, 0)
    draws = [("necromonger", 2, 0), ("necromonger's id", 2, 0), ("necromonger's cell", 80, 5)]
    game.state.chance = ScriptedChance(draws)
    necromonger_appears(game.state, 0, 2)
    assert (75, 2, (2, 41, 1)) == (
        game.state.health[16],
        game.state.turns[16],
        position_of(game, 16),
    )


def _whys(game):
    """Names of the draws to come."""
    game.state.chance = Listening(3)
    return game.state.chance.whys


# Rebirth


def parked_without(*units):
    """Cells of the parked units but these, whose own would be good for rebirth too."""
    return [(PARKING_ROW, 2 * unit) for unit in range(16) if unit not in units]


def killed(game, *units):
    """Kill units by nobody; the heir is the next player's."""
    chance, game.state.chance = game.state.chance, ScriptedChance([heir(0)] * len(units))
    for unit in units:
        game.state.kill(unit, -1)
    game.state.chance = chance
    return game


@pytest.mark.parametrize("seed", range(8))
def test_who_died_is_reborn_in_a_cave_away_from_the_others(seed):
    """Text-vs-engine 8: 2 from all below, 4 from hellhounds; in full health."""
    on = board(only=[(row, col) for row in range(12, 20) for col in range(20)], elevators=[(15, 5)])
    units = {19: (12, 0, 0), 20: (12, 19, 0), 2: (16, 10, 0), 3: (15, 5, 0), 6: (18, 3, 1)}
    game = killed(game_at(units, on=on, chance=OriginalChance(seed)), 0, 10, 14)
    dead_are_reborn(game.state)
    cells = [game.state.pos[unit] for unit in range(16) if game.state.pos[unit] < 20 * 80]
    reborn = [game.state.pos[unit] for unit in (0, 10, 14)]
    for cell in reborn:
        assert caves_of(game)[cell // 80][cell % 80] in "C0123"
        assert all(
            apart(cell, cell_at(*game_place[:2])) >= 4 for game_place in (units[19], units[20])
        )
        assert all(cell == other or apart(cell, other) >= 2 for other in cells)
    assert [100, 50, 50] == [game.state.health[unit] for unit in (0, 10, 14)]


def test_the_draws_of_rebirth():
    """The cells' permutation, then that of the dead; the rest of both has no effect."""
    on = board(only=[(20, 20), (20, 21), (20, 24), (20, 28), *parked_without(2, 6)])
    draws = [
        # 20,20 20,21 20,24 20,28: place 0 with 1, then with 0 again: 20,21 20,20 20,28 20,24
        ("cell for rebirth", 4, 1),
        ("cell for rebirth", 3, 0),
        ("cell for rebirth", 2, 1),
        ("order of rebirth", 2, 1),
    ]
    game, script = scripted({}, *draws, on=on)
    killed(game, 2, 6)
    dead_are_reborn(game.state)
    assert [] == script
    # Unit 6 is served first: (20, 21). For unit 2 (20, 20) is too near to it: (20, 28).
    assert [(20, 28, 0), (20, 21, 0)] == [position_of(game, 2), position_of(game, 6)]


def test_a_reborn_pioneer_conquers_its_cave_for_its_new_player():
    on = board(only=[(20, 20), *parked_without(2)], owned={(20, 20): 0})
    game = killed(game_at({}, on=on, chance=OriginalChance(1)), 2)
    dead_are_reborn(game.state)
    assert ("1", 1) == (caves_of(game)[20][20], game.state.player[2])
    assert (0, 1, 0, 0) == tuple(game.state.cells)


@pytest.mark.parametrize(
    ("caves", "hellhound", "place"),
    [
        # Nothing is 4 away from the hellhound; (20, 22) is 2, (20, 21) is beside it.
        ([(20, 20), (20, 21), (20, 22)], (20, 20, 0), (20, 22, 0)),
        # (37, 31) is beside a pioneer but no hellhound, (20, 21) beside the hellhound.
        ([(20, 20), (20, 21), (37, 29)], (20, 20, 0), (37, 29, 0)),
        # Only cells beside a hellhound are left.
        ([(20, 20), (20, 21)], (20, 20, 0), (20, 21, 0)),
    ],
    ids=["nearer-to-hellhounds", "beside-people", "anywhere"],
)
def test_rebirth_in_a_crowd(caves, hellhound, place):
    """The original would abort; rules/crematoria.md 5.8 says what we do."""
    on = board(only=[*caves, *parked_without(2)])
    game = game_at({19: hellhound, 2: (30, 30, 1)}, on=on)
    killed(game, 2)
    game.state.chance = OriginalChance(1)
    dead_are_reborn(game.state)
    assert place == position_of(game, 2)


# Recovery


def test_the_dead_and_hellhounds_dont():
    """Text-vs-engine 13: a hellhound's health is -1."""
    game, _ = scripted({})
    all_recover(game.state)
    assert [0, -1] == [game.state.health[unit] for unit in (16, 19)]


# The whole round


def test_the_order_of_the_phases():
    """By the names of the draws of one round in which everything happens."""
    units = {
        0: (5, 20, 1),
        4: (5, 21, 1),
        16: (10, 20, 1),
        2: (10, 21, 1),
        17: (15, 20, 1),
        3: (15, 20, 1),
        7: (20, 1, 1),
    }
    game = game_at(units, chance=OriginalChance(4), landing={17: 1}, health={2: 1})
    whys = _whys(game)
    game.advance([game.parse(0, (0, RIGHT)), Late(), Late(), Late()])
    # Everything that is drawn whatever the values: a gem's and a spacecraft's cells come between.
    fixed = [why for why in whys if "cell" not in why and "id" not in why]
    assert [
        "furyan's damage",
        "necromonger's prey",
        "necromonger's damage",
        "new player",  # of unit 2
        "new player",  # of unit 3, crushed
        "hellhound's way",
        "hellhound's way",
        "new player",  # of unit 7, in the sun
        "gem",
        "necromonger",
        *["order of rebirth"] * 2,
    ] == fixed
    assert (0, RIGHT) == game.state.moved[0]
    assert [0, 16, 19, 20] == [unit for unit, _ in game.state.moved]


# The end


def test_the_match_ends_after_its_rounds_by_points():
    """Ranks by cells and gems; ties share the best place."""
    game = new_game(5, {"nb_rounds": 2, "gem_value": 7})
    for _ in range(2):
        assert game.outcome() is None
        game.advance([Late()] * 4)
    game.state.cells[:] = [20, 27, 20, 5]
    game.state.gems[:] = [1, 0, 0, 1]
    outcome = game.outcome()
    assert (27, 27, 20, 12) == outcome.scores == game.scores()
    assert (1, 1, 3, 4) == outcome.ranks
    assert (Termination.FINISHED, "rounds") == (outcome.termination, outcome.reason)


def test_the_digest_covers_the_generator():
    """Two positions alike that would go on differently differ."""
    game, other = new_game(5), new_game(5)
    assert game.digest() == other.digest()
    other.state.chance.below(2, "test")
    assert game.digest() != other.digest()
