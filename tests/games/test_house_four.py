"""The house bots of the games for four: by hand and on whole matches."""

from collections import Counter
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.house_in_process import play_four
from lanista.games import registry
from lanista.games.chance import OriginalChance
from lanista.games.crematoria.house_bots import demo as crematoria_demo
from lanista.games.hogwarts.generator import draw_ingredients
from lanista.games.hogwarts.house_bots import demo as hogwarts_demo
from lanista.games.hogwarts.house_bots import dummy as hogwarts_dummy
from lanista.games.hogwarts.house_bots.dummy import solve
from lanista.library.game import facts_of
from lanista.match.encoder import facts_with_status
from lanista_client import CrematoriaState, HogwartsState, crematoria, hogwarts
from support.crematoria import board, game_at
from support.hogwarts import begin, hall

BOTS = {
    game: {
        name: getattr(import_module(module), name)
        for name, module in registry.house_bots(game).items()
    }
    for game in ("hogwarts", "crematoria")
}
GAMES = pytest.mark.parametrize("game", BOTS)
SHORT = {"hogwarts": {"NUM_ROUNDS": 70}, "crematoria": {"nb_rounds": 40}}
DEMO_SPELLS = (hogwarts_demo.Demo,)  # what it offers is hardly ever a solution, and so refused
STATES = {"hogwarts": HogwartsState, "crematoria": CrematoriaState}


def state_of(name, game, *, turn=0, seed=5, used=(0.0,) * 4):
    """The state of seat 0 of a game at a hand-made position, as if at another turn."""
    settings = [f"set {key} {value}" for key, value in game.settings.items()]
    players = [f"player {seat} Bot" for seat in range(4)]
    match = [f"game {name}", "seat 0", *players, "clock 20 0.2", f"seed {seed}"]
    start = "\n".join([*match, *settings, ""])
    state = STATES[name]("match", facts_of(start.encode() + game.facts_at_start(0)))
    state.update(turn, facts_of(facts_with_status(registry.get(name), game.facts(0), used)))
    return state


# -- Hogwarts by hand ----------------------------------------------------------------------------


def school(units, **more):
    """The state in a hall without walls; ghosts that aren't told may cast spells."""
    return state_of("hogwarts", begin(hall(units)), **more)


@pytest.mark.parametrize(("turn", "rest"), [(60, 0), (149, 0), (150, 0), (60, 1)])
def test_the_spell_is_cast_as_soon_as_it_may(turn, rest):
    """rules/hogwarts.md 9.2: a rested ghost, and none in the last 50 of 200 rounds."""
    state = school({0: (0, 59, 0, rest, -1)}, turn=turn)
    spells = [order for order in hogwarts_dummy.Dummy(state).moves(state) if order[0] == "s"]
    if turn < 150 and rest == 0:
        assert [("s", 0)] == [order[:2] for order in spells]
        assert Counter(dict.fromkeys(range(5), 3)) == Counter(spells[0][2:])
    else:
        assert [] == spells


@given(st.integers(0, 2**31 - 1))
def test_every_spell_is_solved(seed):
    """Ingredients are drawn as in a match (rules/hogwarts.md 9.1)."""
    values = draw_ingredients(OriginalChance(seed))
    groups = solve(values)
    assert [3] * 5 == [groups.count(group) for group in range(5)]
    sums = {sum(v for v, g in zip(values, groups, strict=True) if g == group) for group in range(5)}
    assert {sum(values) // 5} == sums


def test_what_has_no_solution_is_left_alone():
    assert solve([1] * 14 + [2]) is None
    assert solve([2] * 13 + [12, 12]) is None


@pytest.mark.parametrize("seed", range(6))
def test_the_demo_of_hogwarts(seed):
    """rules/hogwarts.md 16: strays in even rounds, not into walls; else left or at a neighbour."""
    units = {4: (0, 2, 2), 5: (0, 0, 0), 6: (1, 2, 3), 7: (2, 1, 2)}
    even = hogwarts_demo.Demo(state := school(units, seed=seed)).moves(state)
    assert ("s", 0, *hogwarts_demo.SPELL) == even[-1]
    assert {4} <= {order[1] for order in even[:-1]}
    for _, unit, d in even[:-1]:
        i, j = state.units[unit].pos
        assert state.passable(i + hogwarts.DIRECTIONS[d][0], j + hogwarts.DIRECTIONS[d][1])
    odd = hogwarts_demo.Demo(state := school(units, turn=1, seed=seed)).moves(state)[:-1]
    assert odd in ([("m", 4, hogwarts.LEFT)], [("m", 4, hogwarts.UP)])  # (0, 0) has no left
    tired = school(units, seed=seed, used=(0.9, 0, 0, 0))
    assert [] == hogwarts_demo.Demo(tired).moves(tired)


# -- Crematoria by hand --------------------------------------------------------------------------


def test_the_demo_of_crematoria():
    """rules/crematoria.md 11: furyans go up from elevators, else left; pioneers stray or circle."""
    ups = lefts = 0
    pioneers = range(2, 10)
    places = {0: (2, 4, 0), 1: (4, 4, 0)} | {unit: (6, unit, 0) for unit in pioneers}
    made = board(elevators=[(2, 4)])
    game = game_at(places, on=made, settings={"nb_pioneers": len(pioneers)})
    for seed in range(30):
        states = [state_of("crematoria", game, turn=turn, seed=seed) for turn in range(8)]
        bot = crematoria_demo.Demo(states[0])
        rounds = [dict(bot.moves(state)) for state in states]
        ups += sum(orders[0] == crematoria.UP for orders in rounds)
        lefts += sum(orders[1] == crematoria.LEFT for orders in rounds)
        circle = [0, 2, 4, 6] * 2  # Bottom, Right, Top, Left
        circling = [n for n in pioneers if circle == [orders[n] for orders in rounds]]
        assert 0 < len(circling) < len(pioneers)
        assert all(0 <= orders[n] < 8 for n in pioneers for orders in rounds)
        assert all(set(places) == set(orders) for orders in rounds)
    # 2/3 and a tenth of the other third: 0.7 of 240, which is 168; four standard deviations: 28.
    assert 140 < ups < 196
    assert 140 < lefts < 196


# -- whole matches -------------------------------------------------------------------------------


@GAMES
def test_null_gives_no_orders(game):
    record = []
    play_four(game, [BOTS[game]["Null"]] * 4, seed=1, record=record, given=SHORT[game])
    assert all(answers == [[], [], [], []] for answers in record)


@GAMES
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_nothing_is_refused_in_a_whole_match(game, seed):
    """Of no bot but the spells of Hogwarts' Demo; and the Dummy wins, whatever its seat."""
    bots = [BOTS[game][name] for name in ("Demo", "Demo", "Null", "Demo")]
    bots[seed] = BOTS[game]["Dummy"]
    outcome = play_four(game, bots, seed=seed, refusable=DEMO_SPELLS)
    assert [1] == [outcome.ranks[seed]]
    assert 1 == outcome.ranks.count(1)


def test_four_dummies_cast_spells_without_a_refusal():
    """Here every 10 rounds, while more than 50 are left; none is ever without orders."""
    record = []
    settings = SHORT["hogwarts"] | {"ROUNDS_SPELL_RESTING_GHOST": 10}
    play_four("hogwarts", [BOTS["hogwarts"]["Dummy"]] * 4, seed=4, record=record, given=settings)
    assert all(all(answers) for answers in record)
    cast = [r for r, answers in enumerate(record) for a in answers if a and a[0][0] == "s"]
    assert len(cast) >= 4
    assert all(10 <= r < 20 for r in cast)


@GAMES
@pytest.mark.parametrize("name", ["Demo", "Dummy"])
def test_the_same_seed_gives_the_same_match_and_another_seed_another(game, name):
    bot, null = BOTS[game][name], BOTS[game]["Null"]
    length = {"hogwarts": {"NUM_ROUNDS": 3}, "crematoria": {"nb_rounds": 3}}[game]

    def moves(seats_seed, **options):
        record = []
        options |= {"seats_seed": seats_seed, "given": length, "refusable": DEMO_SPELLS}
        play_four(game, [bot, null] * 2, seed=9, record=record, **options)
        return record

    first = moves(5)
    assert first != moves(6)
    # No order of lines is relied on.
    assert first == moves(5, read=lambda told: facts_of(b"\n".join(told.splitlines()[::-1])))
