"""Tests what necromongers and hellhounds do (rules/crematoria.md 5.2 to 5.4).

Here is what is rare, and where text and program differ; what every match shows is in test_traces.
"""

import pytest

from lanista.games.crematoria.board import BOTTOM, BR, LB, LEFT, NONE, RIGHT, RT, TL, cell_at
from lanista.games.crematoria.phases import hellhounds_act, necromongers_act, necromongers_land
from lanista.games.testing import ScriptedChance
from support.crematoria import DEAD, HELLHOUNDS, board, game_at, heir, position_of


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


def way(n, value=0):
    return ("necromonger's way", n, value)


def prey(n, value=0):
    return ("necromonger's prey", n, value)


def damage(points):
    return ("necromonger's damage", 21, points - 20)


def hound(n, value=0):
    return ("hellhound's way", n, value)


# Necromongers


@pytest.mark.parametrize(
    ("value", "direction", "victim"), [(0, BOTTOM, 0), (1, RIGHT, 2), (2, LEFT, 4)]
)
def test_a_necromonger_attacks_a_neighbour_whoever_it_is(value, direction, victim):
    """Directions in ascending order: furyan below, pioneer at the right, enemy at the left."""
    units = {16: (10, 10, 1), 0: (11, 10, 1), 2: (10, 11, 1), 4: (10, 9, 1)}
    game = after_necromongers(units, prey(3, value), damage(20))
    health = {0: 100, 2: 50, 4: 100}
    health[victim] -= 20
    assert health == {unit: game.state.health[unit] for unit in health}
    assert [(16, direction)] == game.state.moved


def test_directions_count_not_targets():
    """Text-vs-engine 2: two targets to the right, one to the left: left has 3 of 6."""
    units = {16: (10, 20, 1), 2: (10, 25, 1), 6: (10, 25, 0), 3: (9, 25, 1), 7: (10, 15, 1)}
    game = after_necromongers(units, way(6, 5))
    assert ((16, LB),) == tuple(game.state.moved)


def test_a_necromonger_doesnt_shun_the_sun():
    """Text-vs-engine 2: the target is beyond the left edge; the step is into the sun and kills."""
    units = {16: (10, 20, 1), 2: (10, 15, 1)}
    game = after_necromongers(units, way(3, 1), turn=10)
    assert [(16, LEFT)] == game.state.moved
    assert (DEAD, 0) == (position_of(game, 16), game.state.turns[16])


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


@pytest.mark.parametrize(("value", "direction"), [*enumerate([BR, RIGHT, RT])])
def test_without_a_target_a_necromonger_goes_right(value, direction):
    """Text-vs-engine 1: all three alike, even into the sun, where it dies without another draw."""
    night, edge = (after_necromongers({16: (10, col, 1)}, way(3, value)) for col in (10, 39))
    assert [(16, direction)] == night.state.moved == edge.state.moved
    assert DEAD == position_of(edge, 16) != position_of(night, 16)


def test_targets_are_those_of_the_beginning_of_the_phase():
    """Text-vs-engine 6: who was killed by the first still attracts the second."""
    units = {16: (10, 10, 1), 2: (10, 11, 1), 17: (10, 31, 1)}
    draws = [prey(1), damage(40), heir(), way(3, 1)]
    game = after_necromongers(units, *draws, health={2: 1})
    assert ((16, RIGHT), (17, LEFT)) == tuple(game.state.moved)


# Landing


@pytest.mark.parametrize(("flying", "victim"), [(16, 0), (16, 2), (16, 17), (17, 16)])
def test_a_landing_crushes_who_stands_there(flying, victim):
    """Text-vs-engine 12: killed by nobody; a necromonger too, without a draw."""
    heirs = [heir(1)] if victim < 16 else []
    units = {flying: (10, 10, 1), victim: (10, 10, 1)}
    game = after(necromongers_land, units, *heirs, landing={flying: 1})
    assert (DEAD, 0) == (position_of(game, victim), game.state.health[victim])
    assert (2 if heirs else -1) == game.state.player[victim]
    assert (flying, 75) == (game.state.occupant[cell_at(10, 10, 1)], game.state.health[flying])


# Hellhounds

FAR = (30, 40, 0)  # where the other hellhound stands, walled in
WALLED = [(row, col) for row in (29, 30, 31) for col in (39, 40, 41) if (row, col) != (30, 40)]


def corridor(*open_cells):
    """A board of these cells, the parking row and the other hellhound's cell."""
    return board(only=[*open_cells, (30, 40), *((38, 2 * at) for at in range(16))])


RING = [(10, 10), (9, 9), (8, 10), (8, 11), (8, 12), (9, 13), (10, 13), (10, 14)]
ROW = [(10, col) for col in range(10, 24)]
HUNTS = {
    # Text-vs-engine 4: the shortest way around the rock, though it leads away at first.
    "round the rock": (RING, [(10, 10), None, (10, 14)], [hound(1)], [TL, NONE]),
    # Text-vs-engine 4: the other stands in the corridor, three cells on.
    "past another": (ROW, [(10, 11), (10, 14), (10, 19)], [hound(1)] * 2, [RIGHT, RIGHT]),
    # Otherwise it would come beside the other: it steps back.
    "at 2 from another": (ROW, [(10, 12), (10, 14), (10, 19)], [hound(1)] * 2, [LEFT, RIGHT]),
    "at 3 from another": (ROW, [(10, 12), (10, 15), (10, 19)], [hound(1)] * 2, [RIGHT, RIGHT]),
    # Text-vs-engine 6: who was devoured by the first still attracts the second.
    "to the dead": (
        ROW,
        [(10, 11), (10, 18), (10, 13)],
        [hound(1), heir(), hound(1)],
        [RIGHT, LEFT],
    ),
    # Text-vs-engine 5: there is nobody in reach.
    "at random": (ROW[:3], [(10, 11), None], [hound(2, 0)], [RIGHT, NONE]),
    "at random, the other way": (ROW[:3], [(10, 11), None], [hound(2, 1)], [LEFT, NONE]),
    "nowhere, without a draw": (ROW[:1], [(10, 10), None], [], [NONE, NONE]),
}
"""The caves; where both hellhounds (None: far away, walled in) and a person are; draws and ways."""


@pytest.mark.parametrize(("caves", "places", "draws", "ways"), HUNTS.values(), ids=HUNTS)
def test_where_a_hellhound_goes(caves, places, draws, ways):
    """To the nearest person, at least 2 from where the other hellhounds now are."""
    places = [(*place, 0) if place else FAR for place in places]
    units = dict(zip((*HELLHOUNDS, 2), places, strict=False))
    game = after_hellhounds(units, *draws, on=corridor(*caves))
    assert [*zip(HELLHOUNDS, ways, strict=True)] == game.state.moved


def test_equally_near_directions_are_drawn():
    """Text-vs-engine 3: directions, not units."""
    units = {19: (10, 10, 0), 20: FAR, 2: (10, 15, 0), 6: (9, 15, 0), 10: (10, 5, 0)}
    for value, direction in enumerate([BR, RIGHT, RT, TL, LEFT, LB]):
        game = after_hellhounds(units, hound(6, value), on=board(rock=WALLED))
        assert [(19, direction), (20, NONE)] == game.state.moved


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


def test_a_hellhound_runs_over_who_stands_beside_it():
    """Only where rebirth had no better cave; never beside one in the original."""
    on = corridor((10, 10), (10, 11))
    game = after_hellhounds({19: (10, 10, 0), 20: FAR, 2: (10, 11, 0)}, hound(1), heir(), on=on)
    assert ((10, 11, 0), DEAD) == (position_of(game, 19), position_of(game, 2))


def test_a_hellhound_that_stays_kills_nobody():
    """Two of them keep each other from moving; again only where rebirth had no better cave."""
    on = corridor((10, 10), (10, 11), (10, 12))
    game = after_hellhounds({19: (10, 10, 0), 20: (10, 12, 0), 2: (10, 11, 0)}, on=on)
    assert [(19, NONE), (20, NONE)] == game.state.moved
    assert (10, 11, 0) == position_of(game, 2)
