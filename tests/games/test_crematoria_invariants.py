"""What no orders can break, however hostile (rules/crematoria.md 1 to 6)."""

import itertools

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lanista.games.base import Late
from lanista.games.crematoria.board import apart, cell_at
from support.crematoria import caves_of, new_game, outside_of, units_of

OWN = st.integers(0, 92)
IDS = st.one_of(OWN, OWN, OWN, st.integers(-3, 100), st.sampled_from([2**31 - 1, -(2**31)]))
DIRECTIONS = st.one_of(st.integers(0, 9), st.integers(0, 9), st.integers(-2, 13))
LINES = st.lists(st.tuples(IDS, DIRECTIONS), max_size=120)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "nb_furyans": st.integers(1, 9),
        "nb_pioneers": st.integers(1, 18),
        "max_nb_necromongers": st.integers(1, 20),
        "nb_hellhounds": st.integers(1, 8),
        "turns_to_land": st.integers(1, 45),
    },
)


def check(game, before):
    """Counts, cells, owners, healths and the score, all from scratch."""
    rules, units = game.settings, units_of(game.state)
    group = rules["nb_furyans"] + rules["nb_pioneers"]
    people = units[: 4 * group]
    slots = units[4 * group : 4 * group + rules["max_nb_necromongers"]]
    hounds = units[4 * group + rules["max_nb_necromongers"] :]
    assert ("f" * rules["nb_furyans"] + "p" * rules["nb_pioneers"]) * 4 == "".join(
        unit.kind for unit in people
    )
    assert all(0 <= unit.player <= 3 for unit in people)
    assert all(1 <= unit.health <= {"p": 50, "f": 100}[unit.kind] for unit in people)
    assert all(unit.turns == -1 for unit in people)
    assert rules["max_nb_necromongers"] == len(slots)
    for unit in slots:
        assert 0 <= unit.health <= 75
        assert (-1 if unit.health == 0 else 1) == unit.level
        assert unit.turns <= rules["turns_to_land"]
    assert all((-1, -1, -1, 0) == (u.player, u.health, u.turns, u.level) for u in hounds)
    caves, outside = caves_of(game), outside_of(game)
    standing = [
        cell_at(unit.row, unit.col, unit.level)
        for unit in units
        if unit.row >= 0 and unit.turns <= 0
    ]
    assert len(set(standing)) == len(standing)
    for unit in units:
        if unit.level == 0:
            assert caves[unit.row][unit.col] != "R"
    for one, other in itertools.combinations(hounds, 2):
        assert apart(cell_at(one.row, one.col), cell_at(other.row, other.col)) >= 2
    for row, (below, above) in enumerate(zip(caves, outside, strict=True)):
        assert {"R", "C", "E", "0", "1", "2", "3"} >= set(below)
        assert [cell == "E" for cell in below] == [cell == "E" for cell in above], row
    counted = tuple("".join(caves).count(str(seat)) for seat in range(4))
    assert counted == tuple(game.state.cells)
    assert all(now >= then for now, then in zip(game.state.gems, before, strict=True))
    value = rules["gem_value"]
    expected = tuple(c + value * g for c, g in zip(counted, game.state.gems, strict=True))
    assert expected == game.scores()
    moved = [unit for unit, _ in game.state.moved]
    assert len(set(moved)) == len(moved)


@settings(suppress_health_check=[HealthCheck.too_slow], print_blob=True)
@given(
    seed=st.integers(0, 2**31 - 1),
    rules=SETTINGS,
    lines=st.lists(st.lists(LINES, min_size=4, max_size=4), min_size=1, max_size=8),
    repeats=st.integers(1, 4),
)
def test_hostile_orders_keep_the_invariants(seed, rules, lines, repeats):
    """Foreign, dead and unknown units, doubles, bad directions; seats without an answer."""
    game, twin = new_game(seed, rules), new_game(seed, rules)
    check(game, (0,) * 4)
    for line in lines * repeats:
        gems = tuple(game.state.gems)
        for one in (game, twin):
            one.advance(
                [
                    one.parse(seat, [number for order in orders for number in order])
                    if orders
                    else Late()
                    for seat, orders in enumerate(line)
                ]
            )
        check(game, gems)
        assert game.digest() == twin.digest()
