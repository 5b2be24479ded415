"""Tests of what one order of a pioneer or furyan does (rules/crematoria.md 5.1).

What every match shows of it is in test_traces.
"""

import pytest

from lanista.games.crematoria.board import (
    BOTTOM,
    BR,
    DOWN,
    LB,
    LEFT,
    RIGHT,
    RT,
    TL,
    TOP,
    UP,
)
from lanista.games.crematoria.phases import people_move
from lanista.games.testing import ScriptedChance
from support.crematoria import board, caves_of, game_at, outside_of, position_of, units_of

ELEVATOR = (10, 10)
DEAD = (-1, -1, -1)


def carried_out(units, *orders, draws=(), turn=0, **more):
    """The game after player 0's orders alone, and that exactly these draws were made."""
    script = list(draws)
    game = game_at(units, chance=ScriptedChance(script), turn=turn, **more)
    for order in orders:
        people_move(game.state, turn, [[order], [], [], []])
    assert [] == script
    return game


def heir(value):
    return ("new player", 3, value)


def damage(points):
    return ("furyan's damage", 26, points - 25)


@pytest.mark.parametrize(
    ("direction", "place"),
    [
        (BOTTOM, (21, 40)),
        (BR, (21, 41)),
        (RIGHT, (20, 41)),
        (RT, (19, 41)),
        (TOP, (19, 40)),
        (TL, (19, 39)),
        (LEFT, (20, 39)),
        (LB, (21, 39)),
    ],
)
@pytest.mark.parametrize("level", [0, 1])
def test_directions(direction, place, level):
    """Counter-clockwise from Bottom; the same on both levels."""
    game = carried_out({0: (20, 40, level)}, (0, direction), turn=10)  # night: 20 to 59
    assert (*place, level) == position_of(game, 0)
    assert ((0, direction),) == tuple(game.state.moved)


def test_elevators_go_up_and_down():
    on = board(elevators=[ELEVATOR])
    up = carried_out({0: (*ELEVATOR, 0)}, (0, UP), on=on)
    down = carried_out({0: (*ELEVATOR, 1)}, (0, DOWN), on=on)
    assert [(*ELEVATOR, 1), (*ELEVATOR, 0)] == [position_of(up, 0), position_of(down, 0)]


@pytest.mark.parametrize(
    ("place", "direction"),
    [((5, 5, 0), UP), ((5, 5, 1), DOWN), ((*ELEVATOR, 1), UP), ((*ELEVATOR, 0), DOWN)],
    ids=["no-elevator-up", "no-elevator-down", "above-the-top", "below-the-bottom"],
)
def test_up_and_down_without_a_way_are_nothing(place, direction):
    game = carried_out({0: place}, (0, direction), on=board(elevators=[ELEVATOR]))
    assert (place, ()) == (position_of(game, 0), tuple(game.state.moved))


# Caves and gems


@pytest.mark.parametrize("owner", [None, 1, 0])
def test_a_pioneer_conquers_the_cave_it_enters(owner):
    on = board(owned={} if owner is None else {(5, 6): owner})
    game = carried_out({2: (5, 5, 0)}, (2, RIGHT), on=on)
    assert ("0", (1, 0, 0, 0)) == (caves_of(game)[5][6], tuple(game.state.cells))


def test_a_furyan_conquers_nothing():
    game = carried_out({0: (5, 5, 0)}, (0, RIGHT), on=board(owned={(5, 6): 2}))
    assert ("2", (0, 0, 1, 0)) == (caves_of(game)[5][6], tuple(game.state.cells))


def test_a_pioneer_picks_a_gem_and_gets_its_value():
    game = carried_out({2: (5, 5, 1)}, (2, RIGHT), on=board(gems=[(5, 6)]))
    assert ((1, 0, 0, 0), (30, 0, 0, 0)) == (tuple(game.state.gems), game.scores())
    assert "G" not in "".join(outside_of(game))


# Occupied cells


@pytest.mark.parametrize("other", [1, 4, 6, 16], ids=["own", "furyan", "pioneer", "necromonger"])
def test_a_pioneer_goes_to_no_occupied_cell(other):
    level = 1 if other == 16 else 0
    game = carried_out({2: (5, 5, level), other: (5, 6, level)}, (2, RIGHT))
    assert ((5, 5, level), ()) == (position_of(game, 2), tuple(game.state.moved))


@pytest.mark.parametrize("other", [1, 2], ids=["furyan", "pioneer"])
def test_a_furyan_leaves_its_own_group_alone(other):
    game = carried_out({0: (5, 5, 0), other: (5, 6, 0)}, (0, RIGHT))
    assert ((5, 5, 0), ()) == (position_of(game, 0), tuple(game.state.moved))


@pytest.mark.parametrize("points", [25, 37, 50])
@pytest.mark.parametrize(
    ("other", "full"), [(4, 100), (6, 50), (16, 75)], ids=["furyan", "pioneer", "necromonger"]
)
def test_a_furyan_attacks(points, other, full):
    """25 to 50 points, and stays where it is."""
    units = {0: (5, 5, 1), other: (5, 6, 1)}
    game = carried_out(units, (0, RIGHT), draws=[damage(points)])
    assert full - points == game.state.health[other]
    assert (DEAD if points == full else (5, 6, 1)) == position_of(game, other)
    assert ((5, 5, 1), ((0, RIGHT),)) == (position_of(game, 0), tuple(game.state.moved))


@pytest.mark.parametrize(("health", "dies"), [(30, True), (29, True), (31, False)])
def test_health_of_0_or_less_is_death_at_the_hands_of_the_attacker(health, dies):
    """Who is killed by a player's furyan becomes that player's, without a draw."""
    game = carried_out(
        {0: (5, 5, 0), 6: (5, 6, 0)}, (0, RIGHT), draws=[damage(30)], health={6: health}
    )
    killed = units_of(game.state)[6]
    assert (0 if dies else 1, 0 if dies else 1) == (killed.player, killed.health)
    assert (DEAD if dies else (5, 6, 0)) == position_of(game, 6)


def test_the_cell_of_the_dead_is_free_at_once():
    """The text's example: V and W attack, X moves in; Y may not attack X, Z may."""
    units = {2: (6, 5, 1), 0: (5, 5, 1), 1: (5, 7, 1), 16: (5, 6, 1), 3: (4, 6, 1), 4: (4, 5, 1)}
    script = [damage(40), damage(35), damage(25)]
    game = game_at(units, chance=ScriptedChance(script))
    of_player_0 = [(2, RT), (0, RIGHT), (1, LEFT), (3, BOTTOM), (0, RIGHT)]
    for order in of_player_0:
        people_move(game.state, 0, [[order], [], [], []])
    people_move(game.state, 0, [[], [(4, BR)], [], []])
    assert [] == script
    assert DEAD == position_of(game, 16)
    assert (5, 6, 1) == position_of(game, 3)
    assert 25 == game.state.health[3]


@pytest.mark.parametrize(("direction", "level"), [(UP, 0), (DOWN, 1)])
def test_attacks_go_through_elevators(direction, level):
    """Text-vs-engine 11."""
    units = {0: (*ELEVATOR, level), 4: (*ELEVATOR, 1 - level)}
    game = carried_out(units, (0, direction), on=board(elevators=[ELEVATOR]), draws=[damage(25)])
    assert 75 == game.state.health[4]
    assert ((0, direction),) == tuple(game.state.moved)


def test_over_a_descending_necromonger_the_cell_is_free():
    """It isn't on the board yet: no attack, a move."""
    game = carried_out({0: (5, 5, 1), 16: (5, 6, 1)}, (0, RIGHT), landing={16: 1})
    assert ((5, 6, 1), 75) == (position_of(game, 0), game.state.health[16])


# Sun and hellhounds


@pytest.mark.parametrize(("old_heir", "new"), [(0, 1), (1, 2), (2, 3)])
def test_who_steps_into_the_sun_dies_and_goes_to_another_player(old_heir, new):
    """One of the three others, drawn at the moment of death."""
    game = carried_out(
        {2: (5, 39, 1)}, (2, RIGHT), on=board(gems=[(5, 40)]), draws=[heir(old_heir)]
    )
    assert (0, new) == (game.state.health[2], game.state.player[2])
    assert DEAD == position_of(game, 2)
    assert ((0, 0, 0, 0), "G") == (
        tuple(game.state.gems),
        outside_of(game)[5][40],
    )  # it picks nothing
    assert ((2, RIGHT),) == tuple(game.state.moved)


def test_an_attack_into_the_sun_is_an_attack():
    """Only who enters a cell is killed by its sun."""
    game = carried_out({0: (5, 39, 1), 4: (5, 40, 1)}, (0, RIGHT), draws=[damage(25)])
    assert ((5, 39, 1), 75) == (position_of(game, 0), game.state.health[4])


@pytest.mark.parametrize("unit", [0, 2], ids=["furyan", "pioneer"])
def test_who_steps_beside_a_hellhound_dies_and_conquers_nothing(unit):
    """Text-vs-engine 14."""
    game = carried_out({unit: (5, 5, 0), 19: (5, 7, 0)}, (unit, RIGHT), draws=[heir(0)])
    assert (DEAD, (0, 0, 0, 0)) == (position_of(game, unit), tuple(game.state.cells))
    assert ("C", ((unit, RIGHT),)) == (caves_of(game)[5][6], tuple(game.state.moved))


@pytest.mark.parametrize("unit", [0, 2], ids=["furyan", "pioneer"])
def test_down_onto_a_hellhound_is_death(unit):
    """Whoever tries, and its attack harms nobody."""
    on = board(elevators=[ELEVATOR])
    game = carried_out(
        {unit: (*ELEVATOR, 1), 19: (*ELEVATOR, 0)}, (unit, DOWN), on=on, draws=[heir(2)]
    )
    assert (DEAD, 3) == (position_of(game, unit), game.state.player[unit])
    assert (*ELEVATOR, 0) == position_of(game, 19)
    assert ((unit, DOWN),) == tuple(game.state.moved)
