"""Tests of what necromongers and hellhounds do (rules/crematoria.md 5.2 to 5.4).

What every match shows of it is in test_traces.
"""

import pytest

from lanista.games.crematoria.board import (
    BOTTOM,
    BR,
    LB,
    LEFT,
    NONE,
    RIGHT,
    RT,
    TL,
    TOP,
    cell_at,
)
from lanista.games.crematoria.phases import (
    hellhounds_act,
    necromongers_act,
    necromongers_land,
    people_move,
)
from lanista.games.testing import ScriptedChance
from support.crematoria import HELLHOUNDS, board, game_at, position_of

DEAD = (-1, -1, -1)


def after(phase, units, *draws, **more):
    """The game after a phase that makes just these draws."""
    script = list(draws)
    game = game_at(units, chance=ScriptedChance(script), **more)
    phase(game.state)
    assert [] == script
    return game


def after_necromongers(units, *draws, turn=0, **more):
    return after(lambda state: necromongers_act(state, turn), units, *draws, turn=turn, **more)


def after_hellhounds(units, *draws, **more):
    return after(hellhounds_act, units, *draws, **more)


def landed(units, *draws, **more):
    return after(necromongers_land, units, *draws, **more)


def way(n, value=0):
    return ("necromonger's way", n, value)


def prey(n, value=0):
    return ("necromonger's prey", n, value)


def damage(points):
    return ("necromonger's damage", 21, points - 20)


def heir(value=0):
    return ("new player", 3, value)


def hound(n, value=0):
    return ("hellhound's way", n, value)


# Necromongers: attack


@pytest.mark.parametrize(("value", "victim"), [(0, 0), (1, 2), (2, 4)])
def test_a_necromonger_attacks_a_neighbour_whoever_it_is(value, victim):
    """Directions in ascending order: furyan below, pioneer at the right, enemy at the left."""
    units = {16: (10, 10, 1), 0: (11, 10, 1), 2: (10, 11, 1), 4: (10, 9, 1)}
    game = after_necromongers(units, prey(3, value), damage(20))
    health = {unit: game.state.health[unit] for unit in (0, 2, 4)}
    assert {0: 100, 2: 50, 4: 100, victim: {0: 100, 2: 50, 4: 100}[victim] - 20} == health
    assert ((16, [BOTTOM, RIGHT, LEFT][value]),) == tuple(game.state.moved)
    assert (10, 10, 1) == position_of(game, 16)


# Necromongers: approach


@pytest.mark.parametrize(
    ("target", "ways"),
    [
        ((10, 20), [BR, RIGHT, RT]),
        ((20, 10), [BOTTOM, BR, LB]),
        ((20, 20), [BR]),
        ((4, 8), [RT, TOP, TL]),
        ((10, 70), [TL, LEFT, LB]),
    ],
)
@pytest.mark.parametrize("last", [False, True])
def test_a_necromonger_approaches_the_nearest(target, ways, last):
    """Text-vs-engine 2: circular king's distance, one of the best directions."""
    value = len(ways) - 1 if last else 0
    units = {16: (10, 10, 1), 2: (*target, 1), 6: (39, 45, 1)}
    game = after_necromongers(units, way(len(ways), value), turn=20)  # sunlit: 0 to 39
    assert ((16, sorted(ways)[value]),) == tuple(game.state.moved)


def test_directions_count_not_targets():
    """Text-vs-engine 2: two targets to the right, one to the left: left has 3 of 6."""
    units = {16: (10, 20, 1), 2: (10, 25, 1), 6: (10, 25, 0), 3: (9, 25, 1), 7: (10, 15, 1)}
    game = after_necromongers(units, way(6, 5))
    assert ((16, LB),) == tuple(game.state.moved)


def test_a_necromonger_doesnt_shun_the_sun():
    """Text-vs-engine 2: the target is beyond the left edge; the step is into the sun and kills."""
    units = {16: (10, 20, 1), 2: (10, 15, 1)}
    game = after_necromongers(units, way(3, 1), turn=10)
    assert (((16, LEFT),), DEAD, 0) == (
        tuple(game.state.moved),
        position_of(game, 16),
        game.state.turns[16],
    )


def test_a_blocked_necromonger_stays_and_draws_nothing():
    """In the corner, with its neighbours taken by necromongers; printed as None."""
    settings = {"max_nb_necromongers": 6}
    units = {16: (0, 10, 1), 17: (0, 11, 1), 18: (1, 11, 1), 19: (1, 10, 1), 20: (1, 9, 1)}
    units[21] = (0, 9, 1)
    script = [way(n) for n in (1, 3, 3, 3, 3, 3, 3)]
    game = game_at(units, chance=ScriptedChance(script), settings=settings)
    game.state.turns[17:22] = [1] * 5
    necromongers_act(game.state, 0)
    assert ((16, NONE),) == tuple(game.state.moved)
    assert 7 == len(script)


def test_without_a_target_a_necromonger_goes_right():
    """Text-vs-engine 1: BR, Right or RT, all alike."""
    moves = [after_necromongers({16: (10, 10, 1)}, way(3, value)).state.moved for value in range(3)]
    assert [[(16, BR)], [(16, RIGHT)], [(16, RT)]] == moves


def test_without_a_target_it_would_even_step_into_the_sun():
    """Text-vs-engine 1: at the right edge of the night, by hand; dies without another draw."""
    game = after_necromongers({16: (10, 39, 1)}, way(3, 1))
    assert (((16, RIGHT),), DEAD) == (tuple(game.state.moved), position_of(game, 16))


def test_targets_are_those_of_the_beginning_of_the_phase():
    """Text-vs-engine 6: who was killed by the first still attracts the second."""
    units = {16: (10, 10, 1), 2: (10, 11, 1), 17: (10, 31, 1)}
    draws = [prey(1), damage(40), heir(), way(3, 1)]
    game = after_necromongers(units, *draws, health={2: 1})
    assert ((16, RIGHT), (17, LEFT)) == tuple(game.state.moved)


def test_who_died_before_the_phase_attracts_nobody():
    """Killed by an order: the necromonger goes right as without targets."""
    units = {16: (10, 20, 1), 6: (10, 10, 1), 0: (10, 9, 1)}
    script = [("furyan's damage", 26, 25), way(3)]
    game = game_at(units, chance=ScriptedChance(script))
    people_move(game.state, 0, [[(0, RIGHT)], [], [], []])
    game.state.move(0, cell_at(39, 20, 1))
    necromongers_act(game.state, 0)
    assert (16, BOTTOM) == game.state.moved[-1]


def test_elevators_hold_targets_and_are_no_obstacle():
    game = after_necromongers(
        {16: (10, 10, 1), 2: (10, 13, 1)}, way(3, 1), on=board(elevators=[(10, 11), (10, 13)])
    )
    assert (10, 11, 1) == position_of(game, 16)


# Landing


@pytest.mark.parametrize("victim", [0, 2], ids=["furyan", "pioneer"])
def test_a_landing_crushes_who_stands_there(victim):
    """Killed by nobody."""
    game = landed({16: (10, 10, 1), victim: (10, 10, 1)}, heir(1), landing={16: 1})
    assert (0, 2) == (game.state.health[victim], game.state.player[victim])
    assert 16 == game.state.occupant[cell_at(10, 10, 1)]


@pytest.mark.parametrize(("flying", "standing"), [(16, 17), (17, 16)])
def test_a_landing_crushes_a_necromonger_too(flying, standing):
    """Text-vs-engine 12: in both orders of ids, without a draw."""
    game = landed({flying: (10, 10, 1), standing: (10, 10, 1)}, landing={flying: 1})
    assert (0, 75) == (game.state.health[standing], game.state.health[flying])


# Hellhounds

FAR = (30, 40, 0)  # where the other hellhound stands, walled in
WALLED = [(row, col) for row in (29, 30, 31) for col in (39, 40, 41) if (row, col) != (30, 40)]


def corridor(*open_cells):
    """A board of these cells, the parking row and the other hellhound's cell."""
    return board(only=[*open_cells, (30, 40), *((38, 2 * at) for at in range(16))])


def test_a_hellhound_approaches_the_nearest_by_the_way_there_is():
    """Text-vs-engine 4: round the rock, though it leads away at first."""
    ring = [(10, 10), (9, 9), (8, 10), (8, 11), (8, 12), (9, 13), (10, 13), (10, 14)]
    units = {19: (10, 10, 0), 20: FAR, 2: (10, 14, 0)}
    game = after_hellhounds(units, hound(1), on=corridor(*ring))
    assert ((19, TL), (20, NONE)) == tuple(game.state.moved)


def test_equally_near_directions_are_drawn():
    """Text-vs-engine 3: directions, not units."""
    units = {19: (10, 10, 0), 20: (30, 40, 0), 2: (10, 15, 0), 6: (9, 15, 0), 10: (10, 5, 0)}
    for value, direction in enumerate([BR, RIGHT, RT, TL, LEFT, LB]):
        game = after_hellhounds(units, hound(6, value), on=board(rock=WALLED))
        assert ((19, direction), (20, NONE)) == tuple(game.state.moved)


def test_a_hellhound_with_nobody_in_reach_walks_at_random():
    """Text-vs-engine 5."""
    open_cells = [(10, 10), (10, 11), (11, 10)]
    units = {19: (10, 10, 0), 20: FAR}
    moves = [
        after_hellhounds(units, hound(2, value), on=corridor(*open_cells)).state.moved[0]
        for value in range(2)
    ]
    assert [(19, BOTTOM), (19, RIGHT)] == moves


@pytest.mark.parametrize("distance", [2, 3])
def test_a_hellhound_never_comes_beside_another(distance):
    """Candidates are at least 2 from where the others now are."""
    open_cells = [(10, col) for col in range(10, 20)]
    units = {19: (10, 12, 0), 20: (10, 12 + distance, 0), 2: (10, 19, 0)}
    first = hound(1)
    game = after_hellhounds(units, first, hound(1), on=corridor(*open_cells))
    # The nearer way is closed at distance 2: it steps back. At 3 it may come to 2.
    assert (19, LEFT if distance == 2 else RIGHT) == game.state.moved[0]


def test_other_hellhounds_dont_block_the_way_beyond():
    """Text-vs-engine 4: the other stands in the corridor, three cells on."""
    open_cells = [(10, col) for col in range(10, 20)]
    units = {19: (10, 11, 0), 20: (10, 14, 0), 2: (10, 19, 0)}
    game = after_hellhounds(units, hound(1), hound(1), on=corridor(*open_cells))
    assert ((19, RIGHT), (20, RIGHT)) == tuple(game.state.moved)


def test_a_blocked_hellhound_stays_and_draws_nothing():
    game = after_hellhounds(
        dict(zip(HELLHOUNDS, [(10, 10, 0), FAR], strict=True)), on=corridor((10, 10))
    )
    assert ((19, NONE), (20, NONE)) == tuple(game.state.moved)


def test_after_its_step_a_hellhound_devours_all_around():
    """In order of directions, each heir drawn; both levels aren't one."""
    units = {
        19: (10, 10, 0),
        20: FAR,
        2: (10, 12, 0),
        6: (11, 12, 0),
        4: (9, 12, 0),
        10: (10, 12, 1),
    }
    draws = [hound(3, 1), heir(2), heir(0), heir(1)]
    game = after_hellhounds(units, *draws, on=board(rock=WALLED))
    assert (19, RIGHT) == game.state.moved[0]
    # Directions from (10, 11): BR (6), Right (2), RT (4).
    assert [3, 1, 2] == [game.state.player[unit] for unit in (6, 2, 4)]
    assert [0, 0, 0, 50] == [game.state.health[unit] for unit in (6, 2, 4, 10)]


def test_targets_of_hellhounds_are_those_of_the_beginning_of_the_phase():
    """Text-vs-engine 6: who was devoured by the first still attracts the second."""
    open_cells = [(10, col) for col in range(10, 24)]
    units = {19: (10, 11, 0), 20: (10, 18, 0), 2: (10, 13, 0)}
    game = after_hellhounds(units, hound(1), heir(), hound(1), on=corridor(*open_cells))
    assert ((19, RIGHT), (20, LEFT)) == tuple(game.state.moved)


def test_a_hellhound_runs_over_who_stands_beside_it():
    """Only where rebirth had no better cave; never beside one in the original."""
    on = corridor((10, 10), (10, 11))
    game = after_hellhounds({19: (10, 10, 0), 20: FAR, 2: (10, 11, 0)}, hound(1), heir(), on=on)
    assert ((10, 11, 0), DEAD) == (position_of(game, 19), position_of(game, 2))
