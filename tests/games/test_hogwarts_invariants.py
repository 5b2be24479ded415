"""Whatever four players say, the invariants of rules/hogwarts.md 12 hold; replays are equal."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from support.hogwarts import Draws, begin, check_invariants, hall, roaming, seeded

QUICK = {
    "NUM_INI_WIZARDS_PER_CLAN": 6,
    "NUM_INI_BOOKS": 40,
    "ROUNDS_SPELL_RESTING_GHOST": 2,
    "ROUNDS_FOR_CONVERTING": 2,
}

unit_ids = st.integers(-2, 30)
moves = st.tuples(st.just("m"), unit_ids, st.integers(-2, 9)).map(list)
spells = st.tuples(unit_ids, st.lists(st.integers(-1, 5), min_size=15, max_size=15)).map(
    lambda drawn: ["s", drawn[0], *drawn[1]]
)
hostile = st.lists(st.one_of(moves, moves, moves, spells), max_size=40).map(
    lambda orders: [token for order in orders for token in order]
)
turns = st.lists(st.tuples(*[hostile] * 4), min_size=1, max_size=5)


@given(st.integers(0, 5), st.integers(0, 1), turns)
def test_hostile_orders_keep_the_invariants(seed, original, said):
    """Foreign, unknown, repeated, senseless: a small crowded board, everything within reach."""
    game = seeded(seed, **QUICK, original=original)
    check_invariants(game)
    for lines in said:
        game.advance([game.parse(seat, line) for seat, line in enumerate(lines)])
        check_invariants(game)


@given(st.integers(0, 2**31 - 1), st.integers(0, 1))
@settings(max_examples=settings().max_examples // 2)  # a match of 24 rounds each
def test_plausible_orders_keep_the_invariants(seed, original):
    """Fights, spells, deaths: players who go for each other."""
    game = seeded(seed % 4, **QUICK, original=original)
    for turn in roaming(game, 24, Random(seed)):
        game.advance(turn)
        check_invariants(game)


@given(st.data())
def test_a_crowd_around_voldemort(data):
    """Twelve wizards within a few cells of him, walking in and out."""
    cells = st.tuples(st.integers(22, 38), st.integers(22, 38)).filter(
        lambda at: max(abs(at[0] - 30), abs(at[1] - 30)) > 1
    )
    places = data.draw(st.lists(cells, min_size=12, max_size=12, unique=True))
    units = {4 + at: (at % 4, *place) for at, place in enumerate(places)}
    game = begin(hall(units, voldemort=(30, 30)), Draws(seed=data.draw(st.integers(0, 100))))
    for _ in range(8):
        directions = data.draw(st.lists(st.integers(0, 3), min_size=12, max_size=12))
        said: list[list] = [[], [], [], []]
        for unit, way in enumerate(directions, 4):
            said[game.clans[unit]] += ["m", unit, 2 * way]
        game.advance([game.parse(seat, line) for seat, line in enumerate(said)])
        check_invariants(game)
